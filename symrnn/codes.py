r"""The findings: a permanent code and a page for each kind, as data.

A code is never reused and never changes its meaning. ``symrnn explain CODE`` prints :func:`page`.

>>> code("SR201").slug, code("sr201") is code("missing-transpose")
('missing-transpose', True)
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from symrnn.errors import CallError, closest_name


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding: what it is, why it matters, an example and its correction, and what is not seen."""

    id: str
    slug: str
    title: str
    what: str
    why: str
    example: str
    fix: str
    limits: str


CODES: tuple[Code, ...] = (
    Code(
        "SR101", "shape-conflict", "The shapes do not fit",
        what="A sum, a product or an equality joins two shapes that cannot be joined, whatever the sizes are.",
        why="The formula has no value, so nothing that follows from it does. Where a library broadcasts, the code "
            "runs all the same and computes something else.",
        example=r"h_t = \tanh(W_{xh} h_{t-1} + U x_t), where W_{xh} is n_h x n_x and h_{t-1} is n_h",
        fix=r"h_t = \tanh(W_{hh} h_{t-1} + U x_t)",
        limits="Shapes come from the defining equations first and from stated shapes second; a stated shape that "
               "contradicts them is the one that is refuted. With all sizes equal the conflict is invisible, so "
               "distinct sizes are used.",
    ),
    Code(
        "SR102", "free-index", "An index is bound on one side only",
        what="An index such as t or i occurs on one side of a relation and is neither bound by a sum or product "
             "nor free on the other side.",
        why="The left side would have to be the same for every value of the index; usually a sum was forgotten.",
        example=r"\frac{\partial L}{\partial W} = \delta_t h_{t-1}^\top",
        fix=r"\frac{\partial L}{\partial W} = \sum_{t=1}^{T} \delta_t h_{t-1}^\top",
        limits="A text may say in prose that one time step is meant; then the claim is judged for one time step.",
    ),
    Code(
        "SR103", "undeclared-symbol", "A symbol has no meaning here",
        what="A symbol of the claim is neither defined by an equation nor declared, and its use does not identify "
             "it.",
        why="Without its meaning the claim is neither true nor false.",
        example=r"\delta_t = V^\top e_t, where the text never says what e_t is",
        fix=r"e_t = \hat{y}_t - y_t, stated once anywhere in the document, or declared in its front matter",
        limits="A symbol that is one slip away from a declared one is reported as SR205 with the correction instead.",
    ),
    Code(
        "SR201", "missing-transpose", "A transpose is missing or superfluous",
        what="The claim becomes true when one factor is transposed.",
        why="In backpropagation errors travel through the transposed weights. With square matrices the wrong "
            "formula has the right shape, and a network trained with it learns badly instead of failing.",
        example=r"\delta_h = V \delta_o, with o = V h",
        fix=r"\delta_h = V^\top \delta_o",
        limits="If a declared layout makes the claim true as printed it is `proved`; if the document's other "
               "equations need that layout too it is `conditional`, with the layout named.",
    ),
    Code(
        "SR202", "wrong-order", "Factors stand in the wrong order",
        what="The claim becomes true when two factors of a matrix product change places.",
        why="Matrix products do not commute: the order says which map is applied first.",
        example=r"\frac{\partial h_t}{\partial h_{t-1}} = W \operatorname{diag}(1 - h_t^2)",
        fix=r"\frac{\partial h_t}{\partial h_{t-1}} = \operatorname{diag}(1 - h_t^2) W",
        limits="A product over time printed without an order is read both ways; if the readings differ see SR302.",
    ),
    Code(
        "SR203", "wrong-sign", "A sign is wrong",
        what="The claim becomes true when the sign of one term changes.",
        why="A gradient of the wrong sign climbs instead of descending.",
        example=r"\frac{\partial \ell}{\partial o} = y - \hat{y}",
        fix=r"\frac{\partial \ell}{\partial o} = \hat{y} - y",
        limits="A document that maximises a log-likelihood has the opposite sign throughout: then its own loss "
               "decides.",
    ),
    Code(
        "SR204", "wrong-time-index", "A time index is off",
        what="The claim becomes true when the time index of one symbol is shifted.",
        why="The state before and the state after a step differ; a shift usually uses a value that is not there yet.",
        example=r"\frac{\partial L}{\partial W} = \sum_{t} \delta_t h_t^\top",
        fix=r"\frac{\partial L}{\partial W} = \sum_{t} \delta_t h_{t-1}^\top",
        limits="Shifts by one and two steps are tried. Sums that are re-indexed as a whole are equal and no finding.",
    ),
    Code(
        "SR205", "wrong-symbol", "One symbol stands for another",
        what="The claim becomes true when one symbol is replaced by another of the same kind.",
        why="W_{xh} for W_{hh}, or y for its prediction: easily printed, hard to see, and often of the same shape.",
        example=r"\delta_{h_t} = V^\top \delta_{o_t} + U^\top \delta_{a_{t+1}}, where U multiplies the input",
        fix=r"\delta_{h_t} = V^\top \delta_{o_t} + W^\top \delta_{a_{t+1}}",
        limits="Only symbols that the document declares or defines are tried.",
    ),
    Code(
        "SR206", "missing-factor", "A factor or a term is missing",
        what="The claim becomes true when one factor or term is put in.",
        why="The usual one is the derivative of the activation; without it the gradient is that of a linear network.",
        example=r"\delta_{a_t} = \delta_{h_t}, with h_t = \tanh(a_t)",
        fix=r"\delta_{a_t} = (1 - h_t^2) \odot \delta_{h_t}",
        limits="The factors tried are those that occur in the derived gradient and in the document.",
    ),
    Code(
        "SR207", "extra-factor", "A factor or a term is too many",
        what="The claim becomes true when one factor or term is taken out.",
        why="A factor counted twice scales the gradient, or applies the activation's derivative a second time.",
        example=r"\delta_{a_t} = (1 - h_t^2) \odot (1 - h_t^2) \odot \delta_{h_t}",
        fix=r"\delta_{a_t} = (1 - h_t^2) \odot \delta_{h_t}",
        limits="A constant factor can be a matter of the loss (a mean for a sum); then the loss of the document "
               "decides.",
    ),
    Code(
        "SR208", "wrong-sum-range", "A sum or product runs over the wrong range",
        what="The claim becomes true when a bound of one sum or product is changed, or a sum is put around it.",
        why="A sum that stops too early loses terms of the gradient, and one that starts too early uses a state "
            "before h_0.",
        example=r"\frac{\partial L}{\partial V} = \sum_{t=2}^{T} \delta_{o_t} h_t^\top",
        fix=r"\frac{\partial L}{\partial V} = \sum_{t=1}^{T} \delta_{o_t} h_t^\top",
        limits="Truncated backpropagation leaves terms out on purpose: say so, or bound the sum by the window.",
    ),
    Code(
        "SR209", "wrong-derivative-kind", "A partial, an immediate and a total derivative are confused",
        what="The claim is true for another kind of derivative: the total one (through all later steps), the "
             "partial one (other arguments held) or the immediate one (through this time step only).",
        why="In a recurrent network they differ by every path through later states; that difference is "
            "backpropagation through time.",
        example=r"\frac{d L}{d h_t} = \frac{\partial \ell_t}{\partial h_t}, for t < T",
        fix=r"\frac{d L}{d h_t} = \frac{\partial \ell_t}{\partial h_t} + \left(\frac{\partial h_{t+1}}{\partial "
            r"h_t}\right)^\top \frac{d L}{d h_{t+1}}",
        limits="Many texts write one sign for all three. If one kind makes all equations of the document true, "
               "the verdict is `conditional`, naming it.",
    ),
    Code(
        "SR210", "wrong-function", "A function is another one, or is applied where it should not be",
        what="The claim becomes true when one function is exchanged, applied, or taken away.",
        why="The derivative of the sigmoid used for tanh, or an activation applied twice, has the right shape and "
            "a plausible size.",
        example=r"\tanh'(a) = \tanh(a) (1 - \tanh(a))",
        fix=r"\tanh'(a) = 1 - \tanh(a)^2",
        limits="The functions tried are those of the table of elementwise functions, softmax, and none.",
    ),
    Code(
        "SR299", "wrong-value", "The two sides differ, and no single edit mends it",
        what="The claim is refuted by a counterexample, and no correction was found.",
        why="The counterexample stands by itself: at these small sizes and numbers the two sides are certainly "
            "not equal.",
        example=r"\operatorname{softmax}(o)_i = \frac{o_i}{\sum_j e^{o_j}}",
        fix=r"\operatorname{softmax}(o)_i = \frac{e^{o_i}}{\sum_j e^{o_j}} is what a definition would say; none is "
            "proposed",
        limits="A correction is looked for by single edits of the claim, up to a stated number of them.",
    ),
    Code(
        "SR301", "unreadable", "The formula was not read",
        what="Reading stopped at the token that is named. Nothing of the formula is judged: there is no guessing "
             "from a part.",
        why="A part of a formula can be true where the whole is false.",
        example=r"h_t = \tanh(W h_{t-1} + U x_t",
        fix=r"h_t = \tanh(W h_{t-1} + U x_t)",
        limits="An unbalanced bracket is reported where it is noticed, which can be later than where it was made.",
    ),
    Code(
        "SR302", "ambiguous-reading", "The formula can be read in several ways",
        what="At least two readings remain and their verdicts differ; each is shown.",
        why="Choosing one would be a guess about the author's intent.",
        example=r"\sum_{t} a_t + b, where b is inside or outside the sum",
        fix=r"\sum_{t} (a_t + b), or \left(\sum_{t} a_t\right) + b",
        limits="If all readings have the same verdict it is given without this finding.",
    ),
    Code(
        "SR303", "unsupported-construct", "The formula was read but not modelled",
        what="The formula uses an operation that has no row in the tables of operations, such as an integral or "
             "an expectation.",
        why="It may well be right; symrnn cannot tell.",
        example=r"\mathbb{E}_{x}[L] = \int L(x) p(x) \, dx",
        fix="none; the verdict is `undecided`",
        limits="The operations that are modelled are those of cells, losses and their gradients.",
    ),
    Code(
        "SR304", "limit", "A bound was reached before a decision",
        what="The number of steps, the time or the memory allowed for one claim was used up.",
        why="An answer that depends on patience would not be the same on every machine, so none is given.",
        example="a product of forty state Jacobians, written out",
        fix="state it as a product over t, or allow more time with --timeout",
        limits="Counted steps decide first; the clock is only a guard.",
    ),
    Code(
        "SR305", "internal-fault", "symrnn failed on this formula",
        what="An error inside symrnn stopped the judgement of this formula. It says nothing about the formula; the others are judged "
             "all the same, and the command ends with status 3.",
        why="One fault must not hide the verdicts on the rest of a document, and must not pass for a verdict either.",
        example="any formula; the reason names the error",
        fix="report it, with the document and what symrnn --debug audit prints",
        limits="An error in the reading of the document as a whole still ends the command.",
    ),
    Code(
        "SR401", "size-from-steps", "A size is tied to the number of steps",
        what="A sentence gives a weight, a bias or a state a size that depends on the number of steps. The equations give it a size "
             "that is the same for every number of steps.",
        why="The parameters of a recurrent network are shared by all steps: they are as large for a sequence of three as for one of a "
            "thousand. Code that allocates them by the length of a sequence works for one length at most.",
        example=r"b is the hidden bias of size T, with h_t = \tanh(W h_{t-1} + U x_t + b) and t = 1, \dots, T",
        fix=r"b has as many entries as h_t",
        limits="Only where the equations tie the size to a parameter of a recurrence: weights of attention over T inputs may have the "
               "size T. A sentence about any other size declares it and is not judged.",
    ),
    Code(
        "SR402", "wrong-count", "A letter is said to count something else than it does",
        what="A sentence beside a sum says that its bound is the number of steps, but the sum runs over the components of a vector.",
        why="A vector has its components at every step, so the two numbers have nothing to do with each other.",
        example=r"p_i = e^{o_i} / \sum_{j=1}^{n} e^{o_j}, where n is the length of the sequence and o_t = V h_t",
        fix="n is the number of entries of o_t",
        limits="Only the display just before the sentence is looked at, and only components of what an equation defines at every step.",
    ),
    Code(
        "SR403", "wrong-range", "The values do not lie in the range that is stated",
        what="A sentence or a map says in which interval the values of a function lie, and some value lies outside.",
        why="Who believes that tanh is never negative chooses the wrong function for a gate, or the wrong scale for a target.",
        example=r"tanh squashes its argument to the range [0, 1]",
        fix=r"tanh squashes its argument to the range (-1, 1)",
        limits="Functions of the table of ranges only. A range that is too wide is no error. A sentence that alters the function "
               "(scaled, of positive arguments, its derivative) is not judged.",
    ),
    Code(
        "SR404", "wrong-step", "The last step is taken for the present one",
        what="A sentence says of what is defined at every step that it is meant where the last step is the present one.",
        why="The step that runs and the number of steps are two letters: they agree at the end of the sequence only.",
        example=r"p_t is the softmax of o_t at T = t",
        fix=r"p_t is the softmax of o_t at step t",
        limits="Only where the letter of the last step stands first; `at t = T` restricts what is said to the last step.",
    ),
    Code(
        "SR405", "bound-too-wide", "A condition lets in a case in which the statement fails",
        what="What is stated holds under a stronger condition than the one that is printed beside it.",
        why="The missing case is usually an edge that code meets: one class, one step, one unit.",
        example=r"softmax maps R^K to (0, 1)^K, where K >= 1",
        fix=r"softmax maps R^K to (0, 1)^K, where K >= 2",
        limits="Known for the number of components of softmax.",
    ),
    Code(
        "SR406", "wrong-parameter-count", "The network has another number of parameters",
        what="A sentence or a formula says how many parameters a network has, or how their number grows, and the shapes of the parameters "
             "in its equations add up to something else.",
        why="A bias that is forgotten, a gate too few or an input size in the wrong place makes a layer of code that no saved weights fit.",
        example=r"h_t = \tanh(W h_{t-1} + U x_t + b) with n units and d inputs has n(n + d) parameters",
        fix=r"h_t = \tanh(W h_{t-1} + U x_t + b) with n units and d inputs has n(n + d + 1) parameters",
        limits="Only where the equations and the letters of the text determine the shape of every parameter. Another way to count, such as "
               "two biases for each gate, makes a count conditional if the text speaks of it or leaves it open.",
    ),
    Code(
        "SR407", "wrong-arrangement", "The network has other numbers of inputs and outputs",
        what="A sentence calls the network that is defined many-to-many, many-to-one, one-to-many or one-to-one, and its equations take "
             "inputs and give outputs at other steps.",
        why="Who takes the output of every step for one output, or the other way round, adds up the wrong losses.",
        example=r"as defined, \hat y = V h_T with h_t = \tanh(W h_{t-1} + U x_t) is a many-to-many model",
        fix=r"as defined, \hat y = V h_T with h_t = \tanh(W h_{t-1} + U x_t) is a many-to-one model",
        limits="Only where the sentence speaks of the network that is defined; which outputs a task uses is not said by equations.",
    ),
)
"""All findings, by code."""

_BY_NAME = {name: row for row in CODES for name in (row.id.casefold(), row.slug)}


def code(name: str) -> Code:
    """Return the row with this code or slug, whatever its case; CallError if there is none."""
    row = _BY_NAME.get(name.strip().casefold())
    if row is None:
        close = closest_name(name, [c.id for c in CODES] + [c.slug for c in CODES])
        raise CallError(
            name,
            must="be the code or the name of a finding, such as SR201 or missing-transpose",
            came=name,
            next_step=f"Did you mean {close}?" if close else "`symrnn explain` without a code lists them all.",
        )
    return row


def page(row: Code, width: int = 88) -> str:
    """Return the page of one finding as plain text, without a final newline."""
    parts = [f"{row.id} {row.slug}", row.title + "."]
    for heading, text in (("What it is", row.what), ("Why it matters", row.why)):
        parts += ["", heading, _indented(text, width)]
    parts += ["", "Example", "  " + row.example, "", "Correction", "  " + row.fix]
    parts += ["", "Limits", _indented(row.limits, width)]
    return "\n".join(parts)


def overview() -> str:
    """Return one line for each finding, without a final newline."""
    widest = max(len(row.slug) for row in CODES)
    return "\n".join(f"{row.id}  {row.slug:<{widest}}  {row.title}" for row in CODES)


def _indented(text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
