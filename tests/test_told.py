"""Claims in sentences beside formulas: what the text says is judged where a pattern recognises it, and nothing is read into it."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from symrnn.audit import Audit, Auditor, Equation, Judged
from symrnn.document import compile_document
from symrnn.read.document import parse_document
from symrnn.read.names import canonical_name
from symrnn.report.build import Builder
from symrnn.report.markdown import write
from symrnn.told import JUDGES
from symrnn.told.guards import blocked, does
from symrnn.told.networks import one_slip
from symrnn.told.world import World

SCHEMA = json.loads((files("symrnn") / "schema" / "audit.json").read_text(encoding="utf-8"))

NETWORK = r"""
# A network

$$ g_k = \tanh(M g_{k-1} + U v_k + b) $$

$$ z_k = V g_k + c $$

$$ q_k = \operatorname{softmax}(z_k) $$

$$ E = \sum_{k=1}^{K} E_k $$

where $k = 1, \dots, K$.
"""

GRADIENT = r"""
$$ \frac{\partial E}{\partial g_k} = V^\top \frac{\partial E}{\partial z_k}
   + M^\top \operatorname{diag}(1 - g_{k+1}^2) \frac{\partial E}{\partial g_{k+1}} $$

"""


def audited(text: str, name: str = "a.md") -> list[Equation]:
    """All equations of a document, each valid by the schema."""
    document = parse_document(text, name)
    auditor = Auditor(document)
    equations = auditor.run()
    audit = Audit((Judged(name, "0" * 64, document, equations, {}),))
    jsonschema.Draft202012Validator(SCHEMA).validate(audit.to_json())
    return list(equations)


def told(text: str, name: str = "a.md") -> list[tuple[str, str | None, str]]:
    """Kind and verdict of every claim of a sentence, and what carries it."""
    found = [e for e in audited(text, name) if (e.label or "").startswith("sentence: ")]
    return [((e.label or "").removeprefix("sentence: "), e.verdict, e.span.latex) for e in found]


def about(sentence: str, before: str = NETWORK) -> list[tuple[str, str | None, str]]:
    return told(f"{before}\n{sentence}\n")


# ------------------------------------------------------------------------------------------------------------------------- sizes
@pytest.mark.parametrize(("sentence", "carrier"), [
    (r"The size of $M$ is $(K - 1) \times (K - 1)$.", r"(K - 1) \times (K - 1)"),
    (r"the size of $U$ is $(K - 1) \times K$", r"(K - 1) \times K"),
    (r"$M$ is a $K \times K$ matrix", r"K \times K"),
    (r"$g_k$ is the state vector of size $(K + 1)$", "(K + 1)"),
    (r"$g_k$ is the hidden state of size $2 K$", "2 K"),
    (r"$b$ is the bias vector of size $K$", "K"),
    (r"$c$ is the output bias of size $K$", "K"),
])
def test_a_size_that_depends_on_the_number_of_steps_is_refuted(sentence, carrier):
    assert about(sentence) == [("size", "refuted", carrier)]


def test_the_counterexample_of_a_size_has_sizes_and_steps():
    equation = next(e for e in audited(NETWORK + "\n$b$ is the bias vector of size $K$\n") if e.verdict == "refuted")
    (relation,) = equation.to_json()["relations"]
    assert relation["code"] == "SR401" and relation["counterexample"]["T"] == 2
    assert list(relation["counterexample"]["sizes"].values()) == [1]
    assert (relation["counterexample"]["left"], relation["counterexample"]["right"]) == ("1", "2")


@pytest.mark.parametrize("sentence", [
    r"The size of $M$ is $m \times m$, and $b$ is a vector of size $m$.",
    r"$U$ is an $m \times d$ matrix and $v_k$ is a vector of size $d$.",
    "There are $C$ classes. The sequence has length $K$. $K$ is the number of steps.",
    r"The matrix $X$ of all inputs has size $K \times d$.",
    r"Each $g_k$ is stored in an array of size $(K + 1)$.",
    r"$g_k$ for all steps is kept as a matrix of size $K \times m$.",
    r"$M$ is not a matrix of size $K \times K$.",
    r"If the size of $M$ were $K \times K$, every length would need its own network.",
    r"The attention weights $w_k$ are vectors of size $K$.",
    r"With attention, $c$ is a bias vector of size $K$.",
    r"The vector $g$ of all states has size $K$.",
    r"$z_k$ is a vector of size $m$ for $k = 1, \dots, K$.",
])
def test_a_size_that_may_well_be_so_is_a_declaration(sentence):
    assert about(sentence) == []


def test_a_letter_that_the_text_uses_for_a_size_is_no_number_of_steps():
    assert about(r"$z_k \in \mathbb{R}^K$. The size of $M$ is $K \times K$.") == []
    assert about(r"There are $K$ hidden units. The size of $M$ is $K \times K$.") == []


def test_a_letter_that_a_sentence_calls_a_size_first_stays_a_size():
    assert told("The state $g_k$ is a vector of size $K$.\n" + NETWORK + "\n$b$ is the bias vector of size $K$\n") == []


def test_a_single_letter_declares_a_size_unless_the_time_runs_up_to_it_in_two_places():
    once = NETWORK.replace(r"where $k = 1, \dots, K$.", "")
    assert about("$b$ is the bias vector of size $K$", once) == []
    assert about("$b$ is the bias vector of size $K + 1$", once) == [("size", "refuted", "K + 1")]


def test_a_memory_that_is_read_by_softmax_may_have_an_entry_for_each_step():
    text = r"""
$$ s_k = \tanh(A s_{k-1} + C c_k) $$

$$ e_k = Y s_k $$

$$ w_k = \operatorname{softmax}(e_k) $$

$$ c_k = Y^\top w_k $$

$$ E = \sum_{k=1}^{K} E_k, \qquad k = 1, \dots, K $$

The matrix $Y$ has size $K \times d$, and $e_k$ is a vector of size $K$.
"""
    assert told(text) == []


# ------------------------------------------------------------------------------------------------------------------------ counts
COMPONENTS = r"$$ \frac{\partial E}{\partial V} = \sum_{k=1}^{K} \sum_{i=1}^{m} \frac{\partial E}{\partial z_{k,i}} " \
             r"\frac{\partial z_{k,i}}{\partial V} $$"


@pytest.mark.parametrize("sentence", [
    "where $m$ is the length of the sequence", "where $m$ is the number of time steps", "Here $m$ denotes the sequence length.",
])
def test_a_letter_that_counts_components_is_not_the_number_of_steps(sentence):
    assert about(f"{COMPONENTS}\n\n{sentence}\n") == [("count", "refuted", "m")]


@pytest.mark.parametrize("text", [
    COMPONENTS + "\n\nwhere $m$ is the number of classes, and $K$ is the length of the sequence\n",
    COMPONENTS + "\n\nwhere $m$ is not the length of the sequence\n",
    COMPONENTS + "\n\n## Cost\n\nAttention needs $m^2$ products, where $m$ is the length of the sequence.\n",
    COMPONENTS + "\n\n$$ b = 1 $$\n\nwhere $m$ is the length of the sequence\n",
    "$$ r = \\frac{1}{m} \\sum_{i=1}^{m} g_i $$\n\nwhere $m$ is the length of the sequence\n",
    "$$ \\frac{\\partial E}{\\partial M} = \\sum_{i=1}^{m} \\frac{\\partial E}{\\partial g_i} \\frac{\\partial g_i}{\\partial M} $$\n\n"
    "where $m$ is the number of steps\n",
    "$$ w_i = \\frac{e^{s_i}}{\\sum_{j=1}^{m} e^{s_j}} $$\n\nwhere $m$ is the length of the sequence\n",
])
def test_a_letter_that_may_count_steps_is_left_alone(text):
    assert about(text) == []


def test_the_last_step_is_not_any_step():
    assert about("- $q_k$ is the normalised $z_k$ at $K = k$") == [("at", "refuted", "K = k")]


@pytest.mark.parametrize("sentence", [
    "$g_k$ is the final state at $k = K$.", "The sum ends at $k = K$.", "The loss is zero at $K = k$.", "At $K = k$ we stop.",
    "$q_k$ is the last output at $K = k$.",
])
def test_the_last_step_by_itself_is_no_error(sentence):
    assert about(sentence) == []


# ------------------------------------------------------------------------------------------------------------------------ ranges
@pytest.mark.parametrize(("sentence", "carrier", "word"), [
    (r"The activation is $\tanh$, which squashes its argument to the range $[0, 1]$.", "[0, 1]", "refuted"),
    (r"$\tanh(u) = \frac{e^u - e^{-u}}{e^u + e^{-u}}$ squashes the activations to the range $[0, 1]$", "[0, 1]", "refuted"),
    (r"The hyperbolic tangent maps every number to the interval $[0, 1]$.", "[0, 1]", "refuted"),
    (r"The range of $\tanh$ is $[0, 1]$.", "[0, 1]", "refuted"),
    (r"The range of $\tanh$ is $[-1, 1]$.", "[-1, 1]", "proved"),
    (r"tanh is used to squash the values to $(-1, 1)$.", "(-1, 1)", "proved"),
    (r"A sigmoid gives numbers between $0$ and $1$.", "", "proved"),
    (r"ReLU gives values in $[0, \infty)$.", r"[0, \infty)", "proved"),
    (r"The sigmoid squashes the values to $(0.5, 1)$.", "(0.5, 1)", "refuted"),
])
def test_the_range_of_a_function_is_held_against_its_values(sentence, carrier, word):
    found = told(sentence + "\n")
    assert [(kind, verdict) for kind, verdict, _ in found] == [("range", word)]
    assert not carrier or found[0][2] == carrier


def test_a_wrong_range_comes_with_an_argument_whose_value_lies_outside():
    (equation,) = (e for e in audited("tanh squashes its argument to the range $[0, 1]$.\n") if e.verdict)
    example = equation.relations[0].verdict.counterexample
    assert example["values"] == {"u": "-1"} and example["left"].startswith("-0.7615") and example["right"] == "[0, 1]"


def test_two_ranges_in_two_places_are_judged_each_for_itself():
    text = "The function np.tanh squashes the values to the range [-1, 1].\n\nLater $\\tanh$ squashes the values to the range $[0, 1]$.\n"
    assert [verdict for _, verdict, _ in told(text)] == ["proved", "refuted"]


@pytest.mark.parametrize("sentence", [
    r"The derivative of $\tanh$ has values in the range $[0, 1]$.",
    r"The sigmoid, unlike tanh, squashes its argument to $[0, 1]$.",
    r"We use tanh, and restrict the weights to the range $[0, 1]$.",
    r"We use tanh and then scale to the range $[0, 1]$.",
    r"tanh does not squash its argument to $[0, 1]$.",
    r"If tanh squashed its argument to $[0, 1]$, it would be a gate.",
    r"tanh squashes numbers in the range $[0, 10]$ to $(-1, 1)$.",
    r"For non-negative inputs, tanh maps values to the range $[0, 1)$.",
    r"We apply ReLU first. Then tanh squashes the values to $[0, 1)$.",
    r"$\frac{1}{2}(\tanh(u) + 1)$ squashes the values to $(0, 1)$.",
    r"$\tanh'(u)$ takes values in $(0, 1]$.",
    r"$|\tanh(u)|$ takes values in $[0, 1)$.",
    r"A scaled tanh squashes the values to $[0, 1]$.",
    r"Besides tanh, any function $f: \mathbb{R} \to [0, 1]$ will do.",
    r"The function $f$ squashes its argument to $[0, 1]$.",
])
def test_what_is_denied_supposed_or_said_of_something_else_is_not_judged(sentence):
    assert told(sentence + "\n") == []


# ---------------------------------------------------------------------------------------------------------------- softmax and maps
def test_the_components_of_softmax_lie_between_zero_and_one_and_add_up_to_one():
    found = told("After softmax each component will be in the interval $(0, 1)$, and the components add up to 1.\n")
    assert [(kind, verdict) for kind, verdict, _ in found] == [("component-range", "proved"), ("sums-to-one", "proved")]


def test_a_bound_that_lets_in_a_single_component_is_refuted_and_the_map_needs_two():
    text = "The softmax function $s: \\mathbb{R}^m \\to (0, 1)^m$, where $m \\ge BOUND$, is used.\n"
    assert told(text.replace("BOUND", "1")) == [("map", "conditional", r"s: \mathbb{R}^m \to (0, 1)^m"), ("bound", "refuted", r"m \ge 1")]
    assert told(text.replace("BOUND", "2")) == [("map", "proved", r"s: \mathbb{R}^m \to (0, 1)^m")]
    assert told(text.replace("(0, 1)^m", "[0, 1]^m").replace("BOUND", "1"))[1:] == []


def test_a_bound_of_an_elementwise_function_is_no_error():
    text = "The sigmoid function $s: \\mathbb{R}^m \\to (0, 1)^m$, where $m \\ge 1$, acts on each entry.\n"
    assert told(text) == [("map", "proved", r"s: \mathbb{R}^m \to (0, 1)^m")]


@pytest.mark.parametrize(("sentence", "word"), [
    (r"Softmax turns numbers into probabilities. It maps $\mathbb{R}^d \rightarrow \mathbb{R}^d$.", "proved"),
    (r"The softmax maps $\mathbb{R}^d \to \mathbb{R}^e$.", "undecided"),
    (r"The tanh function $f: \mathbb{R} \to [0, 1]$ is used.", "refuted"),
    (r"The tanh function $f: \mathbb{R}^d \to (-1, 1)^d$ is used.", "proved"),
])
def test_a_map_is_judged_by_what_the_function_keeps(sentence, word):
    assert [(kind, verdict) for kind, verdict, _ in told(sentence + "\n")] == [("map", word)]


def test_a_column_of_components_goes_to_as_many_components():
    softmax = "$$ \\phi(z)_i = \\frac{e^{z_i}}{\\sum_{j=1}^{m} e^{z_j}} $$\n\n"
    arrow = (r"$$ \phi(z): \begin{pmatrix} z_1 \\ z_2 \\ \dots \\ z_m \end{pmatrix} \to "
             r"\begin{pmatrix} \phi_1 \\ \phi_2 \\ \dots \\ \phi_m \end{pmatrix} $$" "\n")
    assert [(kind, verdict) for kind, verdict, _ in told(softmax + arrow)] == [("map", "proved")]
    assert told(softmax + arrow.replace(r"\phi_m", r"\phi_n")) == []


# ------------------------------------------------------------------------------------------------------------------------- codes
CODES = ("A vocabulary of three letters “abn”. In the “ban” example the targets are "
         r"$\begin{pmatrix}1\\0\\0\end{pmatrix}, \begin{pmatrix}0\\0\\1\end{pmatrix}$." "\n")


def test_the_codes_of_the_letters_to_predict_are_checked_against_the_vocabulary():
    assert [(kind, verdict) for kind, verdict, _ in told(CODES)] == [("codes", "proved")]
    assert [verdict for _, verdict, _ in told(CODES.replace("abn", "nba"))] == ["undecided"]
    assert told(CODES.replace("A vocabulary of three letters “abn”. ", "")) == []


LISTED = """
```python
state = [0.25, -0.5, 0.75]
```

0.25 (unit 1): the number.

{} (unit 2): the tense.

0.75 (unit 3): the mood.
"""


@pytest.mark.parametrize(("value", "word"), [("-0.5", "proved"), ("0.5", "refuted"), ("0.55", "undecided")])
def test_an_entry_in_the_text_is_the_one_that_the_listing_prints(value, word):
    assert [verdict for _, verdict, _ in told(LISTED.format(value))] == ["proved", word, "proved"]


def test_entries_that_do_not_fit_the_listing_are_those_of_another_vector():
    assert told(LISTED.format("0.5").replace("0.75 (", "0.1 (")) == []
    assert told(LISTED.format("0.5").replace("(unit 3)", "(unit 4)")) == []


# ------------------------------------------------------------------------------------------------------------- terms and sources
def test_a_term_that_the_display_does_not_have_is_no_term_of_it():
    right = r"The second term $M^\top \operatorname{diag}(1 - g_{k+1}^2) \frac{\partial E}{\partial g_{k+1}}$ is zero at the last step."
    assert about(right, NETWORK + GRADIENT) == [("vanishes", "proved", canonical_term("M"))]
    assert about(right.replace("$M^", "$N^"), NETWORK + GRADIENT) == [], "a letter that is no parameter is no slip of one"
    square = NETWORK.replace("M g_{k-1}", "M g_{k-1} + W g_{k-1}")
    assert ("term", "refuted") in [(kind, v) for kind, v, _ in about(right.replace("$M^", "$W^"), square + GRADIENT)]


def canonical_term(name: str) -> str:
    return rf"{name}^\top \operatorname{{diag}}(1 - g_{{k+1}}^2) \frac{{\partial E}}{{\partial g_{{k+1}}}}"


def test_one_slip_is_one_name_and_nothing_else():
    def tree(latex):
        return World(compile_document(parse_document(f"${latex}$", "a.md")), None, lambda _: ()).tree(1)
    assert one_slip(tree("A b + c"), tree("A d + c")) == ("b", "d")
    assert one_slip(tree("A b"), tree("A b")) is None and one_slip(tree("A b + c"), tree("C d + c")) is None
    assert one_slip(tree("A b"), tree("A b c")) is None


@pytest.mark.parametrize(("sentence", "found"), [
    ("The gradient at $g_k$ has contributions from both $z_k$ and $g_{k+1}$.", [("sources", "proved")]),
    ("The gradient at $z_k$ has contributions from both $q_k$ and $g_{k+1}$.", [("sources", "undecided")]),
    ("The weights $M$, $U$ and $V$ are shared across all time steps.", [("shared", "proved")]),
    ("The weights $M$ and $R$ are shared across all time steps.", [("shared", "undecided")]),
    ("The weights are not shared across all time steps.", []),
    ("So it is a many-to-many model.", [("arrangement", "proved")]),
    ("Examples: many-to-many, many-to-one.", []),
    ("An LSTM has three gates, which decide what is forgotten.", [("cell", "undecided")]),
])
def test_what_is_said_of_the_network_is_held_against_its_equations(sentence, found):
    assert [(kind, verdict) for kind, verdict, _ in about(sentence)] == found


@pytest.mark.parametrize(("name", "word"), [("z", "proved"), ("g", "undecided")])
def test_values_that_no_later_one_depends_on_need_not_be_computed(name, word):
    network = NETWORK.replace("_k", "_t").replace("{k", "{t").replace("$k = 1", "$t = 1")
    sentence = f"To compute $z_K$ we do not need to compute ${name}_1, \\dots, {name}_{{K-1}}$."
    assert [(kind, verdict) for kind, verdict, _ in about(sentence, network)] == [("not-needed", word)]


def test_gates_with_equations_are_not_told_in_words_only():
    gate = "$$ f_k = \\sigma(A g_{k-1} + B v_k) $$\n\n$$ g_k = f_k \\odot g_{k-1} + v_k $$\n\n"
    assert told(gate + "where $\\sigma$ is the sigmoid. An LSTM has such gates.\n") in ([], [("cell", "undecided", "LSTM has such gates")])


@pytest.mark.parametrize(("formula", "word"), [(r"\log", "conditional"), (r"\log_2", "proved"), (r"\log_{10}", "undecided")])
def test_bits_are_logarithms_to_the_base_two(formula, word):
    text = f"The entropy of $p$ is the average number of bits.\n\n$$ H = - \\sum_i p_i {formula} p_i $$\n"
    assert [(kind, verdict) for kind, verdict, _ in told(text)] == [("unit", word)]


# -------------------------------------------------------------------------------------------------------------- where they are shown
def test_what_no_formula_decides_is_listed_as_not_mathematical():
    (equation,) = (e for e in audited("Such networks are Turing-complete.\n") if e.label)
    assert (equation.role, equation.verdict, equation.reason) == ("mention", None, "not mathematical: Turing-complete")


def test_a_claim_in_words_alone_is_an_entry_with_its_place_and_the_words():
    (equation,) = audited("First.\n\nThe sigmoid squashes the values to the range [0, 1].\n")
    shown = equation.to_json()
    assert (shown["id"], shown["label"], shown["role"], shown["line"]) == ("said-1", "sentence: range", "claim", 3)
    assert shown["latex"] == "squashes the values to the range [0, 1]" and shown["relations"][0]["latex"].endswith(r"\in [0, 1]")


def test_a_formula_that_is_judged_for_itself_keeps_its_verdict():
    before = [(e.id, e.verdict) for e in audited(NETWORK + GRADIENT)]
    after = [(e.id, e.verdict) for e in audited(NETWORK + GRADIENT + "\nThe sigmoid squashes the values to the range [0, 1].\n")]
    assert after[: len(before)] == before and [v for _, v in after[len(before):]] == ["proved"]


def test_a_report_shows_the_text_as_it_is():
    text = "# Title\n\nThe sigmoid squashes the values to the range [0, 1].\n"
    document = parse_document(text, "a.md")
    page = write(Builder(Judged("a.md", "0" * 64, document, Auditor(document).run(), {}), "a").report())
    assert "The sigmoid squashes the values to the range [0, 1].\n" in page and "proved: 1" in page


def test_every_rule_is_for_a_kind_of_claim_or_condition_and_guards_know_denials():
    from symrnn.read.sentence_rows import KINDS
    assert set(JUDGES) <= set(KINDS) and all(KINDS[k].role in ("claim", "condition") for k in JUDGES)
    assert all(blocked("it is not so", kind) for kind in ("any", "named", "function", "size", "count", "at"))
    assert does("", "squashes it to [0, 1]") and not does("and", "clip the gradients to [0, 1]")
    assert canonical_name("K") == "K"
