"""Labels and layouts: what is set and how wide, and rows without needless crossings."""
from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrnn.pictures.label import Piece, pieces, spoken, text, width
from symrnn.pictures.layered import Node, crossings, fitted, layout, ordered


@pytest.mark.parametrize(("latex", "said"), [
    (r"\tilde{\mathbf{h}}_t", "h̃_t"), (r"W_{\mathrm{in}}", "W_in"), (r"\boldsymbol{W_{hh}}", "W_hh"),
    (r"h^{\langle t-1\rangle}", "h^⟨t−1⟩"), (r"\Gamma_\theta", "Γ_θ"), (r"h'", "h′"), (r"\|W\|^{T-k}", "‖W‖^T−k"),
    (r"\frac{1}{4}\|W\|", "1/4‖W‖"), (r"\text{a word or two}", "a word or two"), (r"(b_h)_{i,j}", "(b_h)_i,j"),
    (r"\unknown x", "unknownx"), ("{{{", ""), ("}", "}"), ("_", ""), (r"\frac", "/"), (r"\hat", "·̂"), ("", ""),
])
def test_a_label_reads_as_its_latex_says(latex, said):
    assert spoken(latex) == said


@given(st.text(alphabet="\\{}_^ab<&\"'hat frc\n~%$", max_size=25))
def test_any_text_is_a_label_and_none_is_markup(latex):
    drawn = text(latex, 0, 0)
    inner = drawn[drawn.index(">") + 1:].removesuffix("</text>")
    assert all(tag.startswith(("tspan", "/tspan")) for tag in inner.split("<")[1:]) and width(latex) >= 0


def test_letters_are_slanted_and_words_digits_and_bold_letters_are_not():
    assert pieces(r"x\mathrm{in}1\mathbf{h}") == (Piece("x"), Piece("in1", italic=False), Piece("h", bold=True, italic=False))


def test_a_script_returns_to_the_line():
    assert text("h_t+b", 0, 0).count("dy=") == 2 and 'dy="-4"' in text("h_t+b", 0, 0)


def test_the_wider_label_is_wider():
    assert width("h") < width("h_t") < width("h_{t-1}") < width(r"\frac{\partial L}{\partial h_{t-1}}") and width(r"\hat{y}") == width("y")


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=7), st.floats(1, 9))
def test_fitted_places_keep_their_distance_and_their_mean(wanted, least):
    found = list(fitted(wanted, [least] * (len(wanted) - 1)))
    assert all(b - a > least - 1e-9 for a, b in pairwise(found)) and abs(sum(found) - sum(wanted)) < 1e-6


def test_an_order_without_crossings_is_found_where_there_is_one():
    nodes = {name: Node(name, row, 10) for row, names in enumerate(("abc", "xyz")) for name in names}
    edges = {("a", "z"): 1.0, ("b", "x"): 1.0, ("c", "y"): 1.0}
    assert crossings(ordered(nodes, edges), edges) == 0 < crossings([list("abc"), list("xyz")], edges)


def test_the_heavier_a_chain_is_the_straighter():
    def slant(weight):
        nodes = [Node(n, k, 20) for k, n in enumerate("abcd")] + [Node("s", 2, 20)]
        found = layout(nodes, {("a", "b"): weight, ("b", "c"): weight, ("c", "d"): weight, ("s", "d"): 1.0})
        return max(found.middle[n] for n in "abcd") - min(found.middle[n] for n in "abcd")
    assert slant(40.0) < slant(1.0) / 10


def test_greater_sides_stand_right_of_lesser_ones():
    found = layout([Node("a", 0, 9, 1), Node("b", 0, 9), Node("c", 0, 9, -1), Node("d", 1, 9)], {(n, "d"): 1.0 for n in "abc"})
    assert found.middle["c"] < found.middle["b"] < found.middle["a"]
