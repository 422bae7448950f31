"""The text, the fields and the classes of errors."""

from __future__ import annotations

import copy
import pickle

import pytest

from symrnn.errors import (
    CallError,
    DeclarationError,
    DocumentError,
    LimitError,
    ModelError,
    Place,
    ReadError,
    ShapeError,
    SymrnnError,
    UnknownModel,
    closest_name,
    one_line,
)

FIELDS = {"must": "be this", "came": "that", "next_step": "Do so."}
EACH = [
    CallError("x", **FIELDS),
    DocumentError("x", **FIELDS, where=Place("a.md")),
    ReadError("x", **FIELDS, where=Place("a.md", 3, 9), offset=4, token="}"),
    ShapeError("x", **FIELDS, left=("n", "m"), right=("m", "n")),
    ModelError("x", **FIELDS, reason="cyclic"),
    DeclarationError("x", **FIELDS, where=Place("a.md", 3)),
    LimitError("x", **FIELDS, limit="steps", bound=1000),
    UnknownModel("x", known=["y"]),
]


@pytest.mark.parametrize("error", EACH, ids=lambda e: type(e).__name__)
def test_an_error_prints_four_lines_with_its_class_and_all_it_says(error):
    lines = str(error).splitlines()
    assert [line.split(":")[0] for line in lines[1:]] == ["  must", "  came", "  next"]
    assert lines[0].endswith(f"{type(error).__name__}: x")
    assert lines[0].startswith(f"{error.where}: " if error.where else type(error).__name__)


@pytest.mark.parametrize("error", EACH, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("again", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copied", "pickled"])
def test_an_error_survives_being_copied_and_sent_between_processes(error, again):
    other = again(error)
    assert type(other) is type(error)
    assert (str(other), other._fields()) == (str(error), error._fields())


def test_every_class_is_a_symrnn_error_and_is_tried_here():
    assert {type(error) for error in EACH} == set(SymrnnError.__subclasses__())


def test_an_error_text_keeps_its_four_lines_whatever_the_document_says():
    text = str(CallError("a\nb", must="c\r\nd", came="\x1b[31m\x00" + "z" * 10_000, next_step="e\u2028f"))
    assert len(text.splitlines()) == 4
    assert "\x1b" not in text and len(text) < 1000


def test_a_place_counts_as_editors_do():
    assert [str(Place("n.md", 41, 7)), str(Place("n.md", 41)), str(Place("n.md"))] == ["n.md:41:7", "n.md:41", "n.md"]


def test_a_place_is_added_once_and_never_replaced():
    error = ReadError("x", **FIELDS, offset=4, token="}")
    placed = error.at(Place("a.md", 1))
    assert (placed.where, placed.offset, placed.token) == (Place("a.md", 1), 4, "}")
    assert placed.at(Place("b.md")).where == Place("a.md", 1)


def test_a_shape_error_keeps_both_shapes():
    error = ShapeError("x", **FIELDS, left=("n", "m"), right=("m", "n"))
    assert (error.left, error.right) == (("n", "m"), ("m", "n"))


def test_an_unknown_model_names_the_closest_one():
    error = UnknownModel("elmann", known=["gru", "elman"])
    assert (error.closest, error.known) == ("elman", ("elman", "gru"))
    assert "Did you mean elman?" in str(error)


def test_a_model_that_is_like_no_other_gets_no_guess():
    assert UnknownModel("zzz", known=["elman"]).closest is None


@pytest.mark.parametrize("make", [
    lambda: CallError("x", **FIELDS, offset=3),
    lambda: ModelError("x", **FIELDS, reason="bad luck"),
    lambda: CallError("x", must="be this"),
], ids=["a field of another class", "an unknown reason", "missing fields"])
def test_an_error_that_is_made_wrongly_is_refused(make):
    with pytest.raises(TypeError):
        make()


def test_the_closest_name_ignores_case():
    assert closest_name("sr-201", ["SR201", "SR999"]) == "SR201"


def test_a_long_text_is_cut_to_the_limit_and_says_so():
    assert one_line("a" * 50, limit=10) == "a" * 9 + "…"
