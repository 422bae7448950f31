r"""Claims outside a document: what is given counts, what is not understood is never passed over, and no line is lost."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from symrnn.api import audit
from symrnn.claims import check_claim
from symrnn.givenshapes import shape_words, unread

ROWS = [r"a_t = b + W s_{t-1} + U x_t", r"s_t = \tanh(a_t)", "o_t = c + V s_t"]
ROW_CLAIM = r"\nabla_{s_t} L = \nabla_{s_{t+1}} L \,\text{diag}(1 - s_{t+1}^2) W + \nabla_{o_t} L\, V"
COLUMN_CLAIM = r"\nabla_{s_t} L = W^\top \text{diag}(1 - s_{t+1}^2) \nabla_{s_{t+1}} L + V^\top \nabla_{o_t} L"
SIZES = {"W": "h x h", "V": "q x h"}


def lines(tmp_path: Path, *claims: object) -> list[dict]:
    path = tmp_path / "claims.jsonl"
    path.write_text("".join((c if isinstance(c, str) else json.dumps(c)) + "\n" for c in claims))
    (document,) = audit(path).to_json()["documents"]
    return document["equations"]


@pytest.mark.parametrize("layout", ["row vectors", "rows"])
def test_gradients_that_are_said_to_be_rows_are_read_as_rows(layout: str):
    assert check_claim(ROW_CLAIM, given=ROWS, shapes={**SIZES, r"\nabla": layout}).verdict == "proved"
    assert check_claim(COLUMN_CLAIM, given=ROWS, shapes={**SIZES, r"\nabla": layout}).verdict == "refuted"


def test_gradients_lie_like_their_variables_or_are_rows_by_a_named_convention_where_nothing_is_said():
    found = check_claim(ROW_CLAIM, given=ROWS, shapes=SIZES)
    assert found.verdict == "conditional" and found.equation.relations[0].verdict.convention == "gradients by vectors are rows"
    columns = r"\frac{\partial L}{\partial V} = \sum_t \frac{\partial L}{\partial o_t} s_t^\top"
    assert check_claim(ROW_CLAIM, given=[*ROWS, columns], shapes=SIZES).verdict == "refuted"
    assert check_claim(COLUMN_CLAIM, given=ROWS, shapes=SIZES).verdict == "proved"


def test_a_word_of_prose_is_not_taken_for_a_number():
    found = check_claim(r"64 \times 64 + 64 = 4160 \text{ parameters}")
    assert found.verdict == "undecided" and "parameters" in found.equation.reason


def test_a_correction_is_shown_only_where_it_stands_when_read_afresh():
    for claim in (r"2 + 2 = 5 u", r"\sigma(-u) = 1 + \sigma(u)"):
        fix = check_claim(claim, shapes={"u": "scalar", r"\sigma": "function sigmoid"}).equation.fix
        assert fix is None or fix.verdict in ("proved", "conditional")


def test_given_equations_that_do_not_fit_leave_a_claim_undecided_with_the_reason():
    found = check_claim(r"y_t = V h_t", given=[r"h_t = \tanh(W h_{t-1} + b)"], shapes={"W": "n x n", "b": "m", "h_t": "n"})
    assert found.verdict == "undecided" and found.equation.reason


def test_every_line_of_a_file_of_claims_has_a_verdict_under_its_own_id(tmp_path: Path):
    right = {"id": 7, "claim": r"\sigma(-u) = 1 - \sigma(u)", "language": "latex",
             "shapes": {"u": "scalar", r"\sigma": "function sigmoid"}}
    found = lines(tmp_path, right, {**right, "id": "b", "claim": r"\sigma(-u) = 1 + \sigma(u)"}, "", "no json", "[1]",
                  {"claim": "x(", "id": "open"}, {"claim": "x", "language": "cobol", "id": "other"})
    assert [(e["id"], e["verdict"]) for e in found] == [
        ("7", "proved"), ("b", "refuted"), ("line-4", "unreadable"), ("line-5", "unreadable"), ("open", "unreadable"),
        ("other", "unreadable")]
    assert all(e["reason"] for e in found[1:])


def test_a_claim_that_takes_too_long_is_undecided(tmp_path: Path):
    path = tmp_path / "claims.jsonl"
    product = " ".join(f"(a_{{{k}}} + b_{{{k}}})^{{12}}" for k in range(1, 9))
    path.write_text(json.dumps({"claim": f"{product} = 0", "shapes": {"a": "n", "b": "n"}}))
    ((equation,),) = ([d["equations"] for d in audit(path, timeout=0.5).to_json()["documents"]])
    assert equation["verdict"] in ("undecided", "refuted")


@pytest.mark.parametrize(("claim", "verdict"), [
    (r"U \in \mathbb{R}^{m \times n}", "proved"), (r"U \in \mathbb{R}^{n \times n}", "refuted"),
    (r"U \in \mathbb{R}^{m \times n},\quad W \in \mathbb{R}^{n \times n}", "proved"),
    (r"U \in \mathbb{R}^{m \times n},\quad U \in \mathbb{R}^{n \times m}", "refuted"),
    (r"U \in (0, 1)^{m \times n}", "undecided"), (r"V \in \mathbb{R}^{m \times n}", "undecided")])
def test_a_claim_about_shapes_is_compared_with_those_that_are_given(claim: str, verdict: str):
    given = [r"s_t = \tanh(s_{t-1} W + u_t U)", r"y_t = s_t V"]
    assert check_claim(claim, given=given, shapes={"U": "m x n", "W": "n x n"}).verdict == verdict


def test_a_size_may_be_a_sum_of_multiples(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text("Here $W \\in \\mathbb{R}^{n \\times 2h}$ and $b \\in \\mathbb{R}^{n + 1}$.\n\n$$u = u$$\n")
    assert not audit(path).failures


@pytest.mark.parametrize("words", ["symmetric n x n", "n x n, symmetric", "n x n (symmetric)", "diagonal n x n", "n x n, upper triangular"])
def test_what_is_false_in_general_is_not_refuted_where_more_is_given_than_a_shape(words):
    checked = check_claim(r"A^\top = A", shapes={"A": words, "B": "n x n"})
    assert checked.verdict == "undecided" and checked.ignored == (f"A: {words}",)
    assert check_claim(r"B^\top = B", shapes={"A": words, "B": "n x n"}).verdict == "refuted"
    assert check_claim(r"(A B)^\top = B^\top A^\top", shapes={"A": words, "B": "n x n"}).verdict == "proved"


@pytest.mark.parametrize(("words", "declared", "listed"), [
    ("n x m", "matrix n m", False), ("n (column)", "vector n", False), ("scalars", "scalar", False), ("one-hot, K", "vector K", False),
    ("h x h (or diagonal)", "matrix h h", False), ("columns", None, False), ("row vectors", None, False), ("different from h", None, True),
    ("n x m x k", None, True), ("as large as needed", None, True), ("positive scalar", "scalar", True),
])
def test_the_words_of_a_shape_are_understood_or_listed(words, declared, listed):
    assert shape_words(words) == declared
    assert list(unread({"a": words})) == ([f"a: {words}"] if listed else [])
