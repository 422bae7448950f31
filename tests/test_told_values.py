"""Where variables lie, what depends on what, how many inputs and outputs there are, and what shape a derivative has: told in texts."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from symrnn.audit import Auditor, Equation
from symrnn.claims import check_claim
from symrnn.prove.ranges import SLOPES
from symrnn.read.document import parse_document

PLAIN = r"""
$$ s_t = \tanh(A s_{t-1} + B u_t + a) $$

$$ y_t = C s_t + c $$

with $s_t \in \mathbb{R}^p$, $u_t \in \mathbb{R}^q$ and $y_t \in \mathbb{R}^r$.

"""
LONG = r"""
$$ f_t = \sigma(A_f s_{t-1} + B_f u_t + a_f) $$

$$ i_t = \sigma(A_i s_{t-1} + B_i u_t + a_i) $$

$$ o_t = \sigma(A_o s_{t-1} + B_o u_t + a_o) $$

$$ g_t = \tanh(A_g s_{t-1} + B_g u_t + a_g) $$

$$ c_t = f_t \odot c_{t-1} + i_t \odot g_t $$

$$ s_t = o_t \odot \tanh(c_t) $$

where $\sigma$ is the sigmoid, $s_t \in \mathbb{R}^p$ and $u_t \in \mathbb{R}^q$.

"""
MIXED = r"""
$$ z_t = \sigma(A_z u_t + B_z s_{t-1}) $$

$$ g_t = \tanh(A_g u_t + B_g s_{t-1}) $$

$$ s_t = (1 - z_t) \odot s_{t-1} + z_t \odot g_t $$

where $\sigma$ is the sigmoid, $s_t \in \mathbb{R}^p$ and $u_t \in \mathbb{R}^q$.

"""
LEAKY = r"""
$$ s_t = (1 - \alpha) s_{t-1} + \alpha \tanh(A s_{t-1} + B u_t) $$

with $s_t \in \mathbb{R}^p$, $u_t \in \mathbb{R}^q$ALSO.

"""
ONCE = r"""
$$ s_t = \tanh(A s_{t-1} + B u_t + a), \qquad t = 1, \dots, T $$

$$ \hat{y} = C s_T + c, \qquad L = \tfrac12 \lVert \hat{y} - y \rVert^2 $$

with $s_t \in \mathbb{R}^p$, $u_t \in \mathbb{R}^q$ and $\hat{y} \in \mathbb{R}^r$.

"""


def told(sentence: str, before: str, *kinds: str) -> list[Equation]:
    """What a sentence, or a formula as one, claims."""
    found = Auditor(parse_document(f"{before}{sentence}\n", "a.md")).run()
    return [e for e in found if (e.label or "").removeprefix("sentence: ") in kinds]


# ------------------------------------------------------------------------------------------------------------------------ ranges
def ranged(sentence: str, before: str) -> list[str | None]:
    return [e.verdict for e in told(sentence, before, "range", "component-range")]


@pytest.mark.parametrize(("before", "sentence", "word"), [
    (PLAIN, r"$$ s_t \in (-1, 1)^p $$", "proved"),
    (PLAIN, r"$$ |s_t| < 1 $$", "proved"),
    (PLAIN, r"$$ -1 \le s_{t,i} \le 1 $$", "proved"),
    (PLAIN, r"$$ \|s_t\|_\infty \le 1 $$", "proved"),
    (PLAIN, r"Each entry of $s_t$ lies in $(-1, 1)$.", "proved"),
    (PLAIN, r"The state $s_t$ always stays between $-1$ and $1$.", "proved"),
    (PLAIN, r"$$ s_t \in (0, 1)^p $$", "refuted"),
    (PLAIN, r"$$ \|s_t\|_\infty \le 1/2 $$", "refuted"),
    (PLAIN, r"The output $y_t$ lies in $(-1, 1)$.", "refuted"),
    (LONG, r"$$ 0 < f_t < 1 $$", "proved"),
    (LONG, r"$$ s_t \in (-1, 1)^p $$", "proved"),
    (LONG, r"$$ c_t \in (-1, 1)^p $$", "refuted"),
    (LONG, r"$$ o_t \in (-1, 1)^p $$", "proved"),
    (LONG, r"$$ g_t \in (0, 1)^p $$", "refuted"),
    (MIXED, r"$$ s_t \in (-1, 1)^p $$", "conditional"),
    (MIXED, r"With $s_0 = 0$ all entries of $s_t$ lie in $(-1, 1)$.", "proved"),
    (MIXED, r"$$ s_t \in (0, 1)^p $$", "refuted"),
    (LEAKY.replace("ALSO", r" and $\alpha \in (0, 1]$"), r"$$ s_t \in [-1, 1]^p $$", "conditional"),
])
def test_where_a_variable_lies_is_carried_through_its_equation(before, sentence, word):
    assert ranged(sentence, before) == [word]


@pytest.mark.parametrize(("before", "sentence"), [
    (PLAIN, r"Assume that $y_t$ lies in $(-1, 1)$."),
    (PLAIN, r"If $0 < s_t < 1$, the unit is on."),
    (PLAIN, r"In the case $s_t > 0$ the unit is on."),
    (PLAIN, r"Consider units for which $0 < s_t < 1$."),
    (PLAIN, r"$$ u_t \in [0, 1]^q $$"),
    (PLAIN, r"$$ s_t \in (-1, 1)^q $$"),
    (PLAIN, r"$y_t$ is usually between $-1$ and $1$."),
    (LONG.replace(r"$$ o_t = \sigma(A_o s_{t-1} + B_o u_t + a_o) $$", ""), r"$$ s_t \in (-1, 1)^p $$"),
    (LEAKY.replace("ALSO", ""), r"$$ s_t \in [-1, 1]^p $$"),
])
def test_a_condition_or_what_something_undefined_may_keep_inside_is_not_judged(before, sentence):
    assert ranged(sentence, before) == []


def test_several_variables_before_one_set_are_judged_one_by_one():
    (equation,) = told(r"$$ f_t, i_t, c_t \in (0, 1)^p $$", LONG, "range")
    assert [r.verdict.word for r in equation.relations] == ["proved", "proved", "refuted"]


def test_the_point_outside_is_a_network_of_one_unit_with_its_numbers():
    (equation,) = told(r"$$ c_t \in [-1, 1]^p $$", LONG, "range")
    example = equation.relations[0].verdict.counterexample
    assert example["T"] == 2 and example["sizes"] == {"p": 1, "q": 1} and abs(float(example["left"].split()[0])) > 1


def test_an_argument_that_is_left_out_leaves_the_range_of_its_function():
    given = [r"o_t = \sigma(\cdot)", r"h_t = o_t \odot \tanh(c_t)"]
    found = [check_claim(claim, given=given, shapes={"h_t": "n"}).verdict for claim in (
        r"h_t \in (-1, 1)^n", r"h_t \in (0, 1)^n", r"h_t \in (-1, 1)^m")]
    assert found == ["proved", "refuted", "undecided"]


# ------------------------------------------------------------------------------------------------------------------------ slopes
@pytest.mark.parametrize(("sentence", "word"), [
    ("The derivative of the sigmoid is at most 1/4.", "proved"),
    ("The derivative of the sigmoid is at most 0.2.", "refuted"),
    (r"The slope of tanh never exceeds $1$.", "proved"),
    (r"The derivative of tanh is bounded by $\frac{1}{2}$.", "refuted"),
])
def test_the_largest_slope_of_a_function_is_known(sentence, word):
    assert [e.verdict for e in told(sentence, "", "slope")] == [word]


@pytest.mark.parametrize(("formula", "word"), [(r"0 < \tanh'(z) \le 1", "proved"), (r"\tanh'(z) < 1", "refuted"),
                                               (r"\tanh'(z) \in (0, 1]", "proved")])
def test_a_formula_for_the_range_of_a_slope_is_held_against_it(formula, word):
    assert ranged(f"$$ {formula} $$", "") == [word]


@pytest.mark.parametrize(("name", "function"), [("tanh", sympy.tanh), ("sigmoid", lambda u: 1 / (1 + sympy.exp(-u)))])
def test_a_range_of_slopes_is_the_least_one(name, function):
    u = sympy.Symbol("u", real=True)
    slope, (own, formula) = sympy.diff(function(u), u), SLOPES[name]
    assert sympy.simplify((slope - formula(function(u), 1)).rewrite(sympy.exp)) == 0
    assert slope.subs(u, 0) == own.high and own.right
    value = sympy.Symbol("y", real=True)
    assert sympy.solve(sympy.diff(formula(value, 1), value), value) == [function(sympy.Integer(0))], "no other value makes it largest"
    assert sympy.limit(slope, u, sympy.oo) == sympy.limit(slope, u, -sympy.oo) == own.low == Fraction(0) and not own.left


# -------------------------------------------------------------------------------------------------------------------- dependence
@pytest.mark.parametrize(("sentence", "word"), [
    ("The state $s_t$ depends on $s_{t-1}$ and $u_t$.", "proved"),
    ("$y_t$ depends on $u_{t-1}$.", "proved"),
    ("$y_t$ is a function of $s_t$.", "proved"),
    ("$s_t$ depends on $A$.", "proved"),
    ("$s_t$ depends on $y_t$.", "undecided"),
    ("$s_t$ depends on $C$.", "undecided"),
    ("$s_t$ does not depend on $y_t$.", "proved"),
    ("$s_t$ does not depend on $C$.", "proved"),
    ("$s_t$ does not depend on $u_{t-2}$.", "undecided"),
])
def test_what_depends_on_what_is_read_off_the_equations(sentence, word):
    assert [e.verdict for e in told(sentence, PLAIN, "depends")] == [word]


@pytest.mark.parametrize("sentence", ["$s_t$ depends on $u_{t+1}$.", "It is wrong that $s_t$ depends on $u_t$.", "$w$ depends on $u_t$."])
def test_what_is_not_in_the_equations_depends_on_nothing_here(sentence):
    assert told(sentence, PLAIN, "depends") == []


# ------------------------------------------------------------------------------------------------------------- inputs and outputs
OPAQUE = "$$ (y_t, s_t) = f(u_t, s_{t-1}; \\theta) $$\n\n"


@pytest.mark.parametrize(("before", "sentence", "word"), [
    (PLAIN, "The network gives one output for every input, and is therefore a many-to-many model.", "proved"),
    (PLAIN, "As defined, this network is a many-to-one model.", "refuted"),
    (PLAIN, "As defined, this network is a one-to-many model.", "refuted"),
    (PLAIN, "It is a many-to-one model.", "undecided"),
    (PLAIN, "It can be made into a many-to-one model by leaving out all but the last output.", "proved"),
    (ONCE, "The network is a many-to-one model.", "proved"),
    (ONCE, "As defined, the network is a many-to-many model.", "refuted"),
    (OPAQUE, "As defined, the network is a many-to-many model.", "proved"),
    (OPAQUE, "As defined, the network is a many-to-one model.", "refuted"),
    (OPAQUE.replace("s_{t-1}", "u_{t-1}"), "As defined, the network is a many-to-many model.", "undecided"),
    (PLAIN, "Sentiment classification is a many-to-one model.", "undecided"),
])
def test_how_many_inputs_and_outputs_there_are_is_read_off_the_dependencies(before, sentence, word):
    assert [e.verdict for e in told(sentence, before, "arrangement")] == [word]


@pytest.mark.parametrize("sentence", [
    "It can be made into a many-to-one model by keeping the first output.", "The network is not a many-to-many model.",
    "Examples: many-to-many, many-to-one."])
def test_a_name_alone_or_another_way_to_choose_outputs_claims_nothing(sentence):
    assert told(sentence, PLAIN, "arrangement") == []


# ------------------------------------------------------------------------------------------------------------------------ shapes
LOSS = PLAIN + "$$ L = \\sum_t L_t $$\n\n$$ L_t = \\|y_t - d_t\\|^2 $$\n\n"


@pytest.mark.parametrize(("formula", "found"), [
    (r"\frac{\partial s_t}{\partial s_{t-1}} \in \mathbb{R}^{p \times p}", ["proved"]),
    (r"\frac{\partial y_t}{\partial s_t} \in \mathbb{R}^{r \times p}", ["proved"]),
    (r"\frac{\partial y_t}{\partial s_t} \in \mathbb{R}^{p \times r}", []),
    (r"\frac{\partial y_t}{\partial s_t} \in \mathbb{R}^{p \times p}", ["refuted"]),
    (r"\frac{\partial L}{\partial B} \in \mathbb{R}^{p \times q}", ["proved"]),
    (r"\frac{\partial L}{\partial B} \in \mathbb{R}^{q \times p}", []),
    (r"\frac{\partial L}{\partial B} \in \mathbb{R}^{p \times p}", ["refuted"]),
    (r"\frac{\partial s_t}{\partial B} \in \mathbb{R}^{p \times (p \times q)}", ["proved"]),
    (r"\frac{\partial s_t}{\partial B} \in \mathbb{R}^{p \times (q \times q)}", ["refuted"]),
    (r"\frac{\partial s_t}{\partial B} \in \mathbb{R}^{p \times w}", []),
])
def test_the_shape_of_a_derivative_is_that_of_its_two_parts(formula, found):
    assert [e.verdict for e in told(f"$$ {formula} $$", LOSS, "shape")] == found


def test_two_shapes_for_one_symbol_are_refuted_also_with_a_word_between():
    claim = r"W \in \mathbb{R}^{n \times m} \text{ and also } W \in \mathbb{R}^{m \times n}"
    assert check_claim(claim, given=["h_t = W x_t"]).verdict == "refuted"


@pytest.mark.parametrize("sentence", [
    "The second derivative of the sigmoid is at most $1/10$.",
    "The derivative of the sigmoid is at most $1/4$ of that of tanh.",
    "The derivative of the squared sigmoid is at most $0.2$.",
])
def test_the_slope_of_something_else_is_left_alone(sentence):
    found = Auditor(parse_document(sentence + "\n", "a.md")).run()
    assert [e.verdict for e in found if e.verdict in ("proved", "refuted", "conditional")] == []
