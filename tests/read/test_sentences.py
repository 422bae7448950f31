"""Sentences beside formulas: each kind is recognised in several wordings, with its subject, its value and what it is about."""

from __future__ import annotations

import re

import pytest

from symrnn.read.document import parse_document
from symrnn.read.sentence_rows import KINDS, ROWS
from symrnn.read.sentences import TYPES, Said, explain, sentences, sums_to

CASES: list[tuple[str, str, tuple[str, ...], str]] = [
    # kind, text, subjects, value
    ("size", r"The size of $A$ is $m \times n$.", ("A",), r"m \times n"),
    ("size", r"where the dimensions of the weight matrix $\mathbf{R}_{zz}$ are $(q + 1) \times q$",
     (r"\mathbf{R}_{zz}",), r"(q + 1) \times q"),
    ("size", r"$Q$ is a $k \times m$ matrix", ("Q",), r"k \times m"),
    ("size", r"a $k \times m$ weight matrix $Q$", ("Q",), r"k \times m"),
    ("size", r"the matrix $B$ has shape $(d, e)$", ("B",), "(d, e)"),
    ("size", r"$c$ is the output bias vector of size $r$", ("c",), "r"),
    ("size", r"\(s_k\) denotes a state vector with dimension \(d + 1\)", ("s_k",), "d + 1"),
    ("size", r"$u$ is an $m$-dimensional input vector", ("u",), "m"),
    ("size", r"the $m$-dimensional vector $u$", ("u",), "m"),
    ("size", r"a vector $v$ of $M$ real numbers", ("v",), "M"),
    ("size", r"$v$ has 12 components", ("v",), "12"),
    ("size", r"The matrix $P$ with $a$ rows and $b$ columns", ("P",), r"a \times b"),
    ("size", r"The size of $P$ is 3 by 4.", ("P",), r"3 \times 4"),
    ("size", r"$A$, $B$ and $C$ have size $d \times d$", ("A", "B", "C"), r"d \times d"),
    ("size", r"Here $A$ is $m \times n$.", ("A",), r"m \times n"),
    ("abbreviation", r"We write $\delta_t$ for $\partial L/\partial h_t$.", (r"\delta_t",), r"\partial L/\partial h_t"),
    ("abbreviation", r"Let $e$ denote the row $\partial J/\partial z$", ("e",), r"\partial J/\partial z"),
    ("abbreviation", r"we abbreviate $\nabla_z J$ by $g$", ("g",), r"\nabla_z J"),
    ("abbreviation", r"Denote by $g$ the gradient $\nabla_z J$.", ("g",), r"\nabla_z J"),
    ("loss-gradient", r"where $\delta_t$ is the gradient of the loss with respect to $h_t$", (r"\delta_t",), "h_t"),
    ("loss-gradient", r"$g$ denotes the total derivative of the error by $z$", ("g",), "z"),
    ("loss-gradient", r"$g$ stands for the gradient of the objective function at $z$", ("g",), "z"),
    ("layout", "We use numerator layout.", (), "numerator"), ("layout", "in the denominator-layout convention", (), "denominator"),
    ("layout", "The gradient of a scalar is always a row vector.", (), "rows"),
    ("others", r"All other vectors are in $\mathbb{R}^{n}$.", (), r"\mathbb{R}^{n}"),
    ("others", r"all of the others lie in $\mathbb{R}^m$", (), r"\mathbb{R}^m"),
    ("others", r"all other states live in $\mathbb{R}^{n_h}$", (), r"\mathbb{R}^{n_h}"),
    ("total", r"$E$ is the sum of $E_t$ over all steps", ("E",), "E_t"),
    ("total", r"$\mathcal{L}$ is the total loss, the sum of the $\ell_t$ over time", (r"\mathcal{L}",), r"\ell_t"),
    ("total", r"$J$ adds up $j_t$ over the time steps", ("J",), "j_t"),
    ("rank", r"Here $\mathbf{s}$ is a 3D array.", (r"\mathbf{s}",), "3"),
    ("rank", r"$S$ is a three-dimensional tensor", ("S",), "3"),
    ("rank", r"$S$ is an array with 2 axes", ("S",), "2"),
    ("count", r"where $m$ is the number of time steps", ("m",), "steps"),
    ("count", r"$M$ is the length of the input sequence", ("M",), "steps"),
    ("count", r"a sequence of length $\tau$", (r"\tau",), "steps"),
    ("count", r"with $m$ hidden units", ("m",), "units"),
    ("count", r"$d$ denotes the number of neurons", ("d",), "units"),
    ("count", r"the number of classes $C$", ("C",), "classes"),
    ("count", r"$V$ is the number of different words in the vocabulary", ("V",), "classes"),
    ("count", r"There are $d$ hidden units.", ("d",), "units"),
    ("count", r"the hidden size $d$", ("d",), "units"),
    ("count", r"$d$ is the state dimension", ("d",), "units"),
    ("count", r"$B$ is the batch size", ("B",), "samples"),
    ("count", r"over $N$ timesteps", ("N",), "steps"),
    ("range", r"The function $\tanh$ squashes the values to the range $[0, 1]$", (r"\tanh",), "[0, 1]"),
    ("range", r"the sigmoid squeezes any real number into the interval $(0, 1)$", ("sigmoid",), "(0, 1)"),
    ("range", r"$\tanh(u) = \frac{\sinh u}{\cosh u}$ compresses its input to lie between −1 and 1", (r"\tanh",), "[-1, 1]"),
    ("range", r"The range of $\tanh$ is $(-1, 1)$", (r"\tanh",), "(-1, 1)"),
    ("range", r"A sigmoid layer outputs numbers between zero and one", ("sigmoid",), "[0, 1]"),
    ("range", r"np.tanh maps everything to the range [-1, 1]", ("tanh",), "[-1, 1]"),
    ("range", r"$q: \mathbb{R} \to \mathbb{R}$ squashes its argument to $[0, 2]$", ("q",), "[0, 2]"),
    ("component-range", r"After the softmax each component will be in the interval $(0, 1)$", ("softmax",), "(0, 1)"),
    ("component-range", r"The softmax makes sure that all entries lie in $[0, 1]$", ("softmax",), "[0, 1]"),
    ("component-range", r"With softmax every element is a number between 0 and 1", ("softmax",), "[0, 1]"),
    ("component-range", r"The softmax gives a vector with values in the range (0, 1)", ("softmax",), "(0, 1)"),
    ("constant", r"$\phi_2$ is constant, i.e. $\phi_2 = 1$", (r"\phi_2",), r"\phi_2 = 1"),
    ("constant", r"Often $q$ is the constant function $q(z) = 1$", ("q",), "q(z) = 1"),
    ("constant", r"$q$ is identically $1$", ("q",), "1"),
    ("constant", r"$q$ is a constant, namely $q = c$", ("q",), "q = c"),
    ("parameters", r"The number of trainable parameters of the layer is $d(d + e + 1)$.", (), "d(d + e + 1)"),
    ("parameters", r"The cell and the read-out have $d^2 + d$ parameters together.", (), "d^2 + d"),
    ("parameters", "Altogether the model has 12,480 trainable weights.", (), "12,480"),
    ("parameter-growth", "The number of parameters does not depend on the length of the sequence.", (), "stays"),
    ("parameter-growth", r"the number of weights is independent of $N$", ("N",), "stays"),
    ("parameter-growth", "The number of parameters grows linearly with the number of time steps.", (), "grows"),
    ("parameter-ratio", "An LSTM has four times as many parameters as a simple RNN.", (), "4"),
    ("parameter-ratio", "A GRU has three times as many weights as one gate.", (), "3"),
    ("parameter-ratio", "It has 4 times as many parameters as a recurrent layer.", (), "4"),
    ("depends", r"the state $s_k$ depends on $s_{k-1}$ and $u_k$", ("s_k", "s_{k-1}", "u_k"), "on"),
    ("depends", r"$s_k$ is a function of both $s_{k-1}$ and $u_k$", ("s_k", "s_{k-1}", "u_k"), "on"),
    ("depends", r"$z_k$ does not depend on $q_k$", ("z_k", "q_k"), "not on"),
    ("slope", "The derivative of the sigmoid is at most 1/4.", ("sigmoid",), "1/4"),
    ("slope", r"the slope of $\tanh$ never exceeds $1$", (r"\tanh",), "1"),
    ("slope", "The derivative of the logistic function has a maximum of 0.25.", ("logistic",), "0.25"),
    ("identity", r"$q$ is usually the identity", ("q",), ""),
    ("identity", r"take $q$ to be the identity", ("q",), ""),
    ("identity", r"the identity function for $q$", ("q",), ""),
    ("at", r"$\hat{u}_t$ is the normalised $o_t$ at $N = t$", (r"\hat{u}_t",), "N = t"),
    ("at", r"the state $s$ evaluated at $t = 0$", ("s",), "t = 0"),
    ("at", r"$s$ at time $t = N$", ("s",), "t = N"),
    ("bound", r"$\pi: \mathbb{R}^M \to (0, 1)^M$, where $M \ge 1$,", ("M",), r"M \ge 1"),
    ("bound", r"$p / q$ with $q \ne 0$", ("q",), r"q \ne 0"),
    ("bound", r"$x^a$ provided that $a > 2$", ("a",), "a > 2"),
    ("initial-zero", r"The state $s$ is usually initialized with the zero vector", ("s",), ""),
    ("initial-zero", r"We start the recursion from $s_0 = 0$", ("s_0",), ""),
    ("initial-zero", r"Initialise $s_0 = \mathbf{0}$.", ("s_0",), ""),
    ("initial-zero", r"self.memory is initialised to zeros", ("self.memory",), ""),
    ("initial-zero", r"with the initial state $s_0$ set to zero", ("s_0",), ""),
    ("dropped", r"For the sake of simplicity we drop the bias.", (), "bias"),
    ("dropped", r"The bias terms $c$ and $d$ are omitted", ("c", "d"), "bias"),
    ("dropped", r"neglecting the bias $c$", ("c",), "bias"),
    ("dropped", r"In a network without biases", (), "bias"),
    ("one-hot", r"The target $d_t$ is one-hot", ("d_t",), ""),
    ("one-hot", r"the one-hot encoded vector $d$", ("d",), ""),
    ("one-hot", r"$d$ has a single one at the place of the class and zeros elsewhere", ("d",), ""),
    ("one-hot", r"The labels are given as one-hot vectors", ("label",), ""),
    ("distribution", r"$d$ is a probability distribution", ("d",), ""),
    ("distribution", r"two distributions $d$ and $r$", ("d", "r"), ""),
    ("distribution", r"The entries of $d$ sum to one", ("d",), ""),
    ("sums-to-one", r"The softmax has components that add up to 1", ("softmax",), ""),
    ("sums-to-one", r"softmax yields numbers which sum to one", ("softmax",), ""),
    ("sums-to-one", r"The outputs of the softmax are positive, summing to $1$", ("softmax",), ""),
    ("not-needed", r"we do not need to compute $u_1, \dots, u_{m-1}$", (r"u_1, \dots, u_{m-1}",), ""),
    ("not-needed", r"$u_1$ and $u_2$ need not be evaluated", ("u_1", "u_2"), ""),
    ("not-needed", r"there is no need to compute $u_1$", ("u_1",), ""),
    ("shared", r"$A$ and $B$ are shared across all time steps", ("A", "B"), ""),
    ("shared", r"The weights are the same at every step", (), ""),
    ("shared", r"the same parameters $\phi$ are used at each time step", (r"\phi",), ""),
    ("delay", r"The output is delayed by $k$ steps", (), "k"),
    ("delay", r"it comes $k - 1$ steps late", (), "k - 1"),
    ("delay", r"The delay is $2k$", (), "2k"),
    ("sources", r"$s_t$ receives gradients from both $u_t$ and $s_{t+1}$", ("s_t", "u_t", "s_{t+1}"), ""),
    ("sources", r"the gradient at $s_t$ has contributions from $u_t$ and from $s_{t+1}$", ("s_t", "u_t", "s_{t+1}"), ""),
    ("sources", r"$s_t$ influences both $u_t$ and $s_{t+1}$", ("s_t", "u_t", "s_{t+1}"), ""),
    ("vanishes", r"The term $A^\top d_{t+1}$ is zero at the last step", (r"A^\top d_{t+1}",), "last step"),
    ("vanishes", r"$A^\top d_{t+1}$ vanishes at the final time step", (r"A^\top d_{t+1}",), "last step"),
    ("vanishes", r"$A s_{t-1}$ is zero at the first step", (r"A s_{t-1}",), "first step"),
    ("unit", r"the average number of bits", (), "bits"),
    ("unit", r"The entropy is measured in nats", (), "nats"),
    ("unit", r"in units of bits", (), "bits"),
    ("arrangement", r"This is a many-to-many model", (), "many-to-many"),
    ("arrangement", r"a many to one network", (), "many-to-one"),
    ("arrangement", r"one-to-many", (), "one-to-many"),
    ("map", r"The softmax maps $\mathbb{R}^m \to \mathbb{R}^m$", ("softmax",), r"\mathbb{R}^m \to \mathbb{R}^m"),
    ("map", r"the sigmoid function $s: \mathbb{R} \to (0, 1)$", ("sigmoid",), r"s: \mathbb{R} \to (0, 1)"),
    ("map", r"A tanh layer goes from $\mathbb{R}^d \rightarrow [-1, 1]^d$", ("tanh",), r"\mathbb{R}^d \rightarrow [-1, 1]^d"),
    ("term", r"the second term $V^\top e_{k+1}$ remains", (r"V^\top e_{k+1}",), "second"),
    ("term", r"Look at the 1st term, $A b$", ("A b",), "1st"),
    ("term", r"its last term $c$", ("c",), "last"),
    ("codes", r"the targets are $\begin{pmatrix}1\\0\end{pmatrix}$", (), r"\begin{pmatrix}1\\0\end{pmatrix}"),
    ("codes", r"The desired outputs $y$ of the three steps are: $\begin{bmatrix}0\\1\end{bmatrix}, \begin{bmatrix}1\\0\end{bmatrix}$",
     ("y",), r"\begin{bmatrix}0\\1\end{bmatrix}, \begin{bmatrix}1\\0\end{bmatrix}"),
    ("codes", r"so the label is $\begin{pmatrix} 0 \\ 1 \\ 0 \end{pmatrix}$", (), r"\begin{pmatrix} 0 \\ 1 \\ 0 \end{pmatrix}"),
    ("vocabulary", r"with a vocabulary of the three letters “abn”", (), "abn"),
    ("vocabulary", r'the alphabet is "xyz"', (), "xyz"),
    ("vocabulary", r"The vocabulary with five symbols 'acgtn' is small", (), "acgtn"),
    ("word", r"In the “banana” example we see it", (), "banana"),
    ("word", r'for example "abba"', (), "abba"),
    ("word", r"an example is the word “noon”", (), "noon"),
    ("entry", r"0.25 (unit 2): whether it rains", (), r"0.25 \times 2"),
    ("entry", r"the value -0.5 (entry 1) says so", (), r"-0.5 \times 1"),
    ("entry", r"and −1.5 (Neuron 12)", (), r"−1.5 \times 12"),
    ("cell", r"A GRU has two gates", (), "GRU"),
    ("cell", r"LSTMs use an input gate and others", (), "LSTM"),
    ("cell", r"the long short-term memory adds gates to the state", (), "LSTM"),
    ("not-mathematical", r"Such networks are Turing complete", (), "Turing-complete"),
    ("not-mathematical", r"it works much better in practice", (), "works better"),
    ("not-mathematical", r"a biologically plausible rule", (), "praise"),
]


def found(text: str, name: str = "a.md") -> list[Said]:
    return sentences(parse_document(text, name))


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@pytest.mark.parametrize(("kind", "text", "subjects", "value"), CASES)
def test_a_sentence_is_recognised_with_subject_and_value(kind: str, text: str, subjects: tuple[str, ...], value: str, name: str):
    said = [s for s in found(f"We say this.\n\n{text}\n\nMore follows.\n", name) if s.kind == kind]
    assert [(s.subjects, s.value, s.line) for s in said] == [(subjects, value, 3)]
    assert said[0].text.rstrip(".") == " ".join(re.sub(r"\\\((.*?)\\\)", r"$\1$", text).rstrip(".").split())


def test_every_kind_has_three_wordings_or_displays_of_its_own():
    counted = {kind: sum(k == kind for k, *_ in CASES) for kind in KINDS}
    assert {k for k, n in counted.items() if n < 3} == {"case", "defining", "rejected"}
    assert {row.kind for row in ROWS} == set(KINDS)
    assert all(m in TYPES for row in ROWS for m in re.findall(r"<\w+:(\w+)>", row.pattern))


@pytest.mark.parametrize("text", [
    "When $i = k$ ,\n\n$$ a_i = \\alpha_k $$\n", "If $i = k$, we get\n\n$$ a_i = \\alpha_k $$\n",
    "In the case $i = k$ this becomes:\n\n$$ a_i = \\alpha_k $$\n", "for \\(i = k\\) we obtain \\[ a_i = \\alpha_k \\]\n",
])
def test_a_case_is_the_condition_of_the_display_that_follows(text: str):
    document = parse_document(text, "a.md")
    (said,) = sentences(document)
    assert (said.kind, said.value, said.about.reach) == ("case", "i = k", "next")
    assert said.spans == tuple(s.offset for s in document.spans)


def test_distinct_indices_are_a_case_too_and_each_case_has_its_display():
    text = "When $j = m$:\n\nq_j = \\alpha\n\nFor $j \\ne m$ , we find\n\nq_j = \\beta_m\n"
    document = parse_document(text, "a.txt")
    offsets = {s.latex: s.offset for s in document.spans}
    assert [(s.value, s.spans[1]) for s in sentences(document)] == [
        ("j = m", offsets[r"q_j = \alpha"]), (r"j \ne m", offsets[r"q_j = \beta_m"])]


@pytest.mark.parametrize("text", [
    "we CANNOT simply have\n\nd_i = \\alpha\n\nbecause it depends on all of them\n",
    "It would be wrong to write\n\nd_i = \\alpha\n\nas the sum has other terms.\n",
    "One may try\n\nd_i = \\alpha\n\nThis is incorrect.\n",
    "One may try\n\nd_i = \\alpha\n\nbut we cannot use this here, because the sum has other terms.\n",
    "The following formula is wrong:\n\nd_i = \\alpha\n",
    "We can't apply\n\nd_i = \\alpha\n\nhere.\n",
])
def test_a_rejected_form_is_a_mention(text: str):
    document = parse_document(text, "a.txt")
    said = [s for s in sentences(document) if s.kind == "rejected"]
    assert [(s.spans, s.about.role) for s in said] == [((document.spans[0].offset,), "mention")]


@pytest.mark.parametrize("words", [
    "Consider the recurrence of a cell:", "We start with the rule for the state,", "The activation of a cell is given by",
    "A cell is defined by the equation", "Recall how the state is updated:"])
def test_a_display_that_a_sentence_introduces_defines(words: str):
    document = parse_document(f"{words}\n\nd_i = \\alpha\n\nThe next one is derived.\n\nd_i = \\beta\n", "a.txt")
    said = [s for s in sentences(document) if s.kind == "defining"]
    assert [(s.spans, s.about.reach) for s in said] == [((document.spans[0].offset,), "next")]


@pytest.mark.parametrize(("text", "kind"), [
    ("The sequence $s$ is long and its size is not known.", "size"),
    ("The components might not sum to one before the softmax.", "sums-to-one"),
    ("$s_t$ at time $t$", "at"),
    ("where $x \\in \\mathbb{R}^n$ is given", "bound"),
    ("For $i = 1$ to $m$ do nothing.", "case"),
    ("We cannot find\n\nthe term. Later\n\n$$ a = b $$", "rejected"),
    ("We use the bias $b$.", "dropped"),
    ("$s_0$ is random", "initial-zero"),
    ("It ranges over many things in $[0, 1]$.", "range"),
    ("`the size of $A$ is $m$`", "size"),
    ("<!-- $n$ is the number of units -->", "count"),
    ("$a = b$ is the number of units", "count"),
    ("$u$ is shared with $v$", "shared"),
    ("the tanh. It maps\n\nsomething else to $[0, 1]$", "range"),
])
def test_a_sentence_of_another_meaning_says_nothing_of_the_kind(text: str, kind: str):
    assert [s for s in found(text) if s.kind == kind] == []


def test_a_count_names_the_display_whose_sum_it_bounds():
    text = "$$ L = \\sum_{k=1}^m e_k $$\n\nThen\n\n$$ g = \\sum_{j = 1}^{q} z_j $$\n\n"
    text += "where $q$ is the number of time steps and $m$ is the number of units.\n"
    document = parse_document(text, "a.md")
    by_letter = {s.subjects[0]: s for s in sentences(document) if s.kind == "count"}
    assert by_letter["q"].spans == (document.spans[2].offset, document.spans[1].offset)
    assert by_letter["m"].spans == (document.spans[3].offset, document.spans[0].offset)


@pytest.mark.parametrize(("latex", "bound", "letters"), [
    (r"\sum_{j=1}^n x_j", "n", ("j",)), (r"\sum_i^{n} x_i", "n", ("i",)), (r"\sum\limits_{t = 1}^{\tau} x_t", r"\tau", ("t",)),
    (r"\sum^n_{k=1} \sum_{j=1}^m x", "n", ("k",)), (r"\sum_k x_k", "n", ()), (r"\prod_{j=1}^n x_j", "n", ("j",)),
    (r"\sum_{i \ne j}^n x_j", "n", ("i",)),
])
def test_sums_up_to_a_letter_are_found(latex: str, bound: str, letters: tuple[str, ...]):
    assert sums_to(latex, bound) == letters


def test_subjects_have_names_without_fonts():
    (said,) = found(r"the size of $\boldsymbol{A_{zu}}$ is $m \times n$")
    assert said.names == ("A_zu",)


def test_letters_and_lines_do_not_matter():
    text = ("The size of $A$ is $m \\times n$ and\n$b$ is a vector of size $m$. Then tanh squashes the values\n"
            "to the range $[0, 1]$. Here $m$ is the length of the sequence.\n")
    renamed = "\n\n" + text.replace("$A$", r"$\mathbf{Q}_{r}$").replace("$b$", "$c_r$").replace("$m$", r"$\nu$").replace("\nto", " to")
    plain, other = found(text), found(renamed)
    assert [s.kind for s in plain] == [s.kind for s in other] == ["size", "size", "range", "count"]
    assert [s.line for s in other] == [3, 4, 4, 4]


def test_what_is_said_is_explained_in_words():
    assert list(explain(found("The size of $A$ is $m$."))) == [
        "1: size: A has the size m: one number for a vector, two joined by a product sign for a matrix"]


@pytest.mark.usefixtures("no_hang")
def test_every_sentence_of_a_long_text_is_found():
    text = "".join(f"{text}\n\n" for _, text, *_ in CASES) * 10
    document = parse_document(text, "a.md")
    assert len(sentences(document)) > 800


@pytest.mark.parametrize("text", [
    "$" + r"\alpha" * 3000 + "!$", "$" + "{" * 4000 + "}" * 4000 + "$", "$x" + "_{a" * 3000 + "}" * 3000 + "$",
    "$" + r"a \times " * 3000 + "$",
    "the size of " * 4000, "$a$ and " * 1500, "$a$ is a " + "very " * 5000, "(" * 5000 + "$x$", "$(" + "0, " * 4000 + "$", "one " * 8000,
], ids=range(10))
@pytest.mark.usefixtures("no_hang")
def test_no_text_takes_for_ever(text: str):
    document = parse_document(text, "a.md")
    assert len(sentences(document)) <= len(document.text)


def test_nothing_is_said_in_front_matter():
    text = "---\nsymrnn:\n  # we use numerator layout, many-to-one\n---\nWe use denominator layout."
    assert [(s.kind, s.value, s.line) for s in sentences(parse_document(text, "a.md"))] == [("layout", "denominator", 5)]
