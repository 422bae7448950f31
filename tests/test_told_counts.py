"""Numbers of parameters in sentences and formulas, against the shapes in the equations of a text."""

from __future__ import annotations

import pytest

from symrnn.audit import Auditor, Equation
from symrnn.claims import check_claim
from symrnn.read.document import parse_document

PLAIN = r"""
$$ s_k = \tanh(A s_{k-1} + B u_k + a) $$

$$ z_k = C s_k + c $$

with $s_k \in \mathbb{R}^p$, $u_k \in \mathbb{R}^q$ and $z_k \in \mathbb{R}^r$, where $k = 1, \dots, K$ and $E = \sum_{k=1}^{K} E_k$.

"""
BIASLESS = PLAIN.replace(" + a)", ")").replace(" + c", "")
GATED = r"""
\begin{align}
z_t &= \sigma(A_z u_t + B_z s_{t-1} + a_z) \\
r_t &= \sigma(A_r u_t + B_r s_{t-1} + a_r) \\
g_t &= \tanh(A_g u_t + B_g (r_t \odot s_{t-1}) + a_g) \\
s_t &= (1 - z_t) \odot s_{t-1} + z_t \odot g_t
\end{align}

with $s_t \in \mathbb{R}^p$ and $u_t \in \mathbb{R}^q$, where $\sigma$ is the logistic function.

"""
LONG = r"""
$$ f_t = \sigma(W_f [s_{t-1}, u_t] + b_f) $$

$$ i_t = \sigma(W_i [s_{t-1}, u_t] + b_i) $$

$$ o_t = \sigma(W_o [s_{t-1}, u_t] + b_o) $$

$$ g_t = \tanh(W_g [s_{t-1}, u_t] + b_g) $$

$$ c_t = f_t \odot c_{t-1} + i_t \odot g_t $$

$$ s_t = o_t \odot \tanh(c_t) $$

with $s_t \in \mathbb{R}^p$ and $u_t \in \mathbb{R}^q$, where $\sigma$ is the sigmoid.

"""
LEAKY = r"""
$$ s_t = (1 - \alpha) s_{t-1} + \alpha \tanh(A s_{t-1} + B u_t + a) $$

with $s_t \in \mathbb{R}^p$ and $u_t \in \mathbb{R}^q$.

"""


def told(sentence: str, before: str = PLAIN) -> list[Equation]:
    """The equations that a sentence, or a formula as one, makes claims."""
    found = Auditor(parse_document(f"{before}{sentence}\n", "a.md")).run()
    return [e for e in found if (e.label or "").startswith("sentence: parameter")]


def verdicts(sentence: str, before: str = PLAIN) -> list[str | None]:
    return [e.verdict for e in told(sentence, before)]


@pytest.mark.parametrize(("before", "sentence"), [
    (PLAIN, "The network has $p(p + q + 1) + r(p + 1)$ parameters."),
    (PLAIN, "The cell and the read-out have $p^2 + pq + p + rp + r$ parameters together."),
    (PLAIN, "The recurrent layer has $p(p + q + 1)$ trainable parameters."),
    (PLAIN, "The number of parameters of the output layer is $r(p + 1)$."),
    (PLAIN, "$A$, $B$ and $a$ have together $p^2 + pq + p$ parameters."),
    (PLAIN, "The network has $rp$ parameters in $C$."),
    (PLAIN, "Without biases the recurrent layer has $p^2 + pq$ parameters."),
    (PLAIN, "With $p = 64$, $q = 32$ and $r = 10$ the network has 6,858 parameters."),
    (PLAIN, r"With $p = 64$, $q = 32$ and $r = 10$ the network has $6{,}858$ parameters."),
    (PLAIN, "$$ N_{\\text{params}} = p(p + q + 1) + r(p + 1) $$"),
    (PLAIN, "$$ \\#\\text{parameters} = p^2 + pq + p + rp + r $$"),
    (PLAIN, "All parameters together are $\\theta$, and $$ |\\theta| = p(p + q + 1) + r(p + 1) $$"),
    (BIASLESS, "The network has $p(p + q) + rp$ parameters."),
    (GATED, "A GRU layer has $3(p^2 + pq + p)$ parameters."),
    (GATED, "Each gate has $p(p + q + 1)$ parameters."),
    (GATED, "The reset gate has $p(p + q + 1)$ parameters."),
    (LONG, "An LSTM layer has $4(p(p + q) + p)$ parameters."),
    (LONG, "The number of parameters of the cell is $4p(p + q + 1)$."),
    (LEAKY, "The cell has $p(p + q + 1)$ parameters."),
])
def test_a_count_that_the_shapes_add_up_to_is_proved_for_all_sizes(before, sentence):
    (equation,) = told(sentence, before)
    (relation,) = equation.relations
    assert relation.verdict.word == "proved" and str(relation.verdict.scope) == "for all sizes and every T"


@pytest.mark.parametrize(("before", "sentence", "right"), [
    (PLAIN, "The network has $p(p + q + 1)$ parameters.", "p(p + q + 1) + r(p + 1)"),
    (PLAIN, "The recurrent layer has $p(p + q)$ parameters.", "p(p + q + 1)"),
    (PLAIN, "The recurrent layer has $p(p + q + 2)$ parameters.", "p(p + q + 1)"),
    (PLAIN, "The recurrent layer has $q(p + q + 1)$ parameters.", "p(p + q + 1)"),
    (PLAIN, "The output layer has $p(r + 1)$ parameters.", "r(p + 1)"),
    (PLAIN, "With $p = 64$, $q = 32$ and $r = 10$ the network has 6,859 parameters.", "6858"),
    (GATED, "The GRU has $4(p^2 + pq + p)$ parameters.", "3p(p + q + 1)"),
    (LONG, "An LSTM layer has $3p(p + q + 1)$ parameters.", "4p(p + q + 1)"),
    (LONG, "An LSTM layer has $4(p(p + q) + q)$ parameters.", "4p(p + q + 1)"),
])
def test_a_wrong_count_is_refuted_at_small_sizes_and_the_right_one_is_proved_when_it_is_printed(before, sentence, right):
    (equation,) = told(sentence, before)
    (relation,) = equation.relations
    example = relation.verdict.counterexample
    assert (equation.verdict, relation.verdict.code) == ("refuted", "SR406") and example["left"] != example["right"]
    assert equation.fix.latex == rf"\text{{number of parameters}} = {right}"
    words = sentence.partition("$p = 64$")[1] and "With $p = 64$, $q = 32$ and $r = 10$ the network"
    subject = words or sentence.partition(" has ")[0]
    assert verdicts(f"{subject} has ${right}$ parameters.", before) == ["proved"]


@pytest.mark.parametrize(("before", "sentence", "convention"), [
    (PLAIN, "The RNN has $p(p + q + 1)$ parameters.", "the parameters of the output are not counted"),
    (PLAIN, "The recurrent layer has $p(p + q)$ weights.", "biases are not counted"),
    (BIASLESS, "The recurrent layer has $p(p + q + 1)$ parameters.", "each sum has a bias, which the equations leave out"),
    (GATED, "In PyTorch a GRU layer has $3(p^2 + pq + 2p)$ parameters.", "each gate has two bias vectors"),
    (LEAKY, "The cell has $p(p + q + 1) + 1$ parameters.", "alpha is learned"),
])
def test_a_count_that_holds_by_one_way_of_counting_only_names_it(before, sentence, convention):
    (equation,) = told(sentence, before)
    assert equation.verdict == "conditional" and equation.relations[0].verdict.convention == convention


def test_two_biases_for_a_gate_are_no_way_to_count_where_the_equations_have_one_and_the_text_speaks_of_no_other():
    assert verdicts("A GRU layer has $3(p^2 + pq + 2p)$ parameters.", GATED) == ["refuted"]


@pytest.mark.parametrize(("before", "sentence", "why"), [
    (PLAIN, "The layer has $p(p + w + 1)$ parameters.", "nothing says what w is the size of"),
    (PLAIN, "An LSTM layer has $4p(p + q + 1)$ parameters.", "the equations are those of RNN, not of LSTM"),
    (PLAIN.replace(r"$u_k \in \mathbb{R}^q$", "$u_k$"), "The network has $p(p + 4) + r(p + 1)$ parameters.", "no letter for a size of B"),
    (PLAIN + "$$ v_k = A s_k @ $$\n\n", "The recurrent layer has $p(p + q + 1)$ parameters.", "was not understood"),
    (LONG.replace(r"$$ g_t = \tanh(W_g [s_{t-1}, u_t] + b_g) $$", ""), "The cell has $3p(p + q + 1)$ parameters.", "no equation"),
])
def test_a_count_is_open_where_the_text_does_not_give_every_shape(before, sentence, why):
    (equation,) = told(sentence, before)
    assert equation.verdict == "undecided" and why in (equation.reason or "")


@pytest.mark.parametrize("sentence", [
    "The network does not have $p(p + q)$ parameters.",
    "If the layer had no bias, it would have $p(p + q)$ parameters.",
    "A feed-forward layer has $p(q + 1)$ parameters.",
    "The layer has about $p^2$ parameters.",
    "The LSTM has $3p(p + q + 1)$ more parameters.",
    "There are 3 parameters $A$, $B$ and $C$.",
    "The model has $w$ parameters.",
    "The network has 20 parameters.",
    "Two stacked layers have $2p(2p + 1)$ parameters.",
    "The attention layer has $p^2$ parameters.",
    "The second matrix has $p^2$ parameters.",
    "The matrix $D$ has $p^2$ parameters.",
    "The decoder has $rp$ parameters.",
    "The network uses a matrix, which has $rp$ parameters.",
    "The model has $p$ parameters for each class.",
    "The network has $p^2 + pq$ parameters and $p$ biases.",
    "The model has $p^2$ parameters that connect states.",
    "Counting only the recurrent part, the cell has $p^2$ parameters.",
    "For $p = 1$, $q = 1$, $r = 1$ the network has $5$ parameters, and for $p = 2$ the network has $13$ parameters.",
    "The number of recurrent parameters is $p^2$.",
    "The number of parameters in the network due to the recurrence is $p^2$.",
    "$$ N_{\\text{projection parameters}} = rp $$",
    "$$ |\\theta| = 2 $$ is an angle.",
])
def test_what_is_denied_or_said_of_something_else_or_declares_a_letter_is_no_count(sentence):
    assert verdicts(sentence) == []


def test_a_sentence_may_count_one_part_after_the_other():
    both = "The recurrent layer has $p(p + q + 1)$ parameters, and the output layer has $r(p + 1)$ parameters."
    assert verdicts(both) == ["proved", "proved"]
    assert verdicts(both.replace("q + 1", "q")) == ["refuted", "proved"]
    assert verdicts(both.replace("$r(p + 1)$", "$rp$")) == ["proved", "refuted"]


def test_letters_that_sentences_give_to_sizes_count_like_those_of_spaces():
    text = PLAIN.partition("with $s_k")[0] + ("where $u_k$ is a vector of size $q$, there are $p$ hidden units, and $r$ is the number of "
                                              "classes.\n\n")
    assert verdicts("The network has $p(p + q + 1) + r(p + 1)$ parameters.", text) == ["proved"]
    assert verdicts("The network has $p(p + r + 1) + q(p + 1)$ parameters.", text) == ["refuted"]


# ------------------------------------------------------------------------------------------------------------- growth and ratios
@pytest.mark.parametrize(("sentence", "found"), [
    ("The number of parameters does not depend on the length of the sequence.", ["proved"]),
    ("The number of parameters is independent of $K$.", ["proved"]),
    ("The number of parameters grows with the number of time steps.", ["refuted"]),
    ("The number of parameters increases linearly with $K$.", ["refuted"]),
    ("The number of parameters is independent of $p$.", []),
    ("Without weight sharing the number of parameters would grow with the number of time steps.", []),
    ("In an n-gram model the number of parameters grows exponentially with the length of the sequence.", []),
    ("The number of parameters grows with the length of the filter.", []),
    ("In a feed-forward network the number of parameters grows with the length of the sequence.", []),
])
def test_the_number_of_parameters_of_a_recurrence_is_the_same_for_every_number_of_steps(sentence, found):
    assert verdicts(sentence) == found


def test_a_letter_that_counts_steps_and_entries_leaves_the_growth_open():
    text = PLAIN.replace(r"\mathbb{R}^p", r"\mathbb{R}^K")
    assert "proved" not in verdicts("The number of parameters does not depend on the length of the sequence $K$.", text)


@pytest.mark.parametrize(("before", "sentence", "word"), [
    (LONG, "An LSTM has four times as many parameters as a simple RNN.", "proved"),
    (LONG, "An LSTM has three times as many parameters as a simple RNN.", "refuted"),
    (GATED, "A GRU has three times as many parameters as a plain RNN.", "proved"),
    (GATED, "A GRU has 4 times as many parameters as a plain RNN.", "refuted"),
    (GATED, "An LSTM has four times as many parameters as a simple RNN.", "undecided"),
    (PLAIN, "An LSTM has four times as many parameters as a simple RNN.", "undecided"),
])
def test_a_gated_cell_has_the_parameters_of_a_plain_one_once_for_each_of_its_sums(before, sentence, word):
    assert verdicts(sentence, before) == [word]


# ------------------------------------------------------------------------------------------------------------- counts under a name
GIVEN = [r"h_t = \tanh(A h_{t-1} + B x_t + b)", r"y = C h_T + c"]


@pytest.mark.parametrize(("claim", "word"), [
    (r"\text{RNN(8): } 8 \times 8 + 8 \times 8 + 8 = 136 \text{ parameters}", "proved"),
    (r"\texttt{SimpleRNN(8)}: 8 \times 8 + 8 \times 8 + 8 = 136", "proved"),
    (r"\texttt{SimpleRNN(8)}: 8 \times 8 + 8 \times 8 + 8 = 137 \text{ parameters}", "refuted"),
    (r"\texttt{SimpleRNN(8)}: 8 \times 8 + 8 \times 8 = 128 \text{ parameters}", "refuted"),
])
def test_a_count_under_a_name_is_added_up_and_held_against_the_equations(claim, word):
    assert check_claim(claim, given=GIVEN, shapes={"p": "8", "q": "8"}).verdict == word


def test_a_count_under_a_name_is_open_where_the_sizes_are_two_numbers_and_nobody_says_which_is_which():
    claim = r"\text{RNN: } 8 \times 8 + 8 \times 4 + 8 = 104 \text{ parameters}"
    assert check_claim(claim, given=GIVEN, shapes={"p": "8", "q": "4"}).verdict == "undecided"


def test_names_of_numbers_stand_for_the_numbers_that_are_given():
    given = [r"\text{Simple RNN: } 136"]
    assert check_claim(r"\text{GRU: } 400 = 3 \times \text{SimpleRNN}", given=given).verdict == "refuted"
    assert check_claim(r"\text{GRU: } 408 = 3 \times \text{SimpleRNN}", given=given).verdict == "undecided"


@pytest.mark.parametrize("sentence", [
    "A network of twice the size has $4p^2 + 2pq + 2p + 2rp + r$ parameters.",
    "When $q = p$ the network has $2p^2 + p + rp + r$ parameters.",
    "With a diagonal $A$ the cell has $pq + 2p$ parameters.",
    "Another network has $4p^2$ parameters.",
    "With one bias per gate the cell has $p(p + q) + p$ parameters.",
    "Including the initial state $s_0$ the cell has $p^2 + pq + 2p$ parameters.",
    "The cell hardly has $p^2 + pq + p$ parameters.",
])
def test_a_count_of_something_else_is_left_alone(sentence):
    assert [v for v in verdicts(sentence) if v in ("proved", "refuted", "conditional")] == []
