"""Notebooks: what a result shows of itself, and the tutorial, run cell by cell."""
from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import notebooks
import pytest

from symrnn import api
from symrnn.audit import audit_document
from symrnn.bptt import derive
from symrnn.expr import Symbol, apply
from symrnn.model import Model, param, scalar, sequence
from symrnn.notebook import bundle, harmless, shown
from symrnn.prove.verdict import Verdict
from symrnn.unroll import unroll

TUTORIAL = Path(__file__).resolve().parents[1] / "docs" / "tutorial.ipynb"
HOSTILE = "<script>alert(1)</script>"


class Reader(HTMLParser):
    """The tags and attributes of some HTML; a tag that is not closed is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.tags, self.attributes = [], set(), set()
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def refuted():
    return api.check(r"\frac{\partial h_t}{\partial h_{t-1}} = W \mathrm{diag}(1 - h_t^2)", given=[r"h_t = \tanh(W h_{t-1})"],
                     shapes={"h_t": "n", "W": "n x n"})


def document(folder: Path, text: str = "$$ h_t = \\tanh(W h_{t-1}) $$\n\n$$ \\frac{\\partial h_t}{\\partial h_{t-1}} = W $$\n"):
    path = folder / "a.md"
    path.write_text(text, encoding="utf-8")
    return path


RESULTS = {
    "a model": lambda folder: api.model("elman"), "a derivation": lambda folder: derive(api.model("elman")),
    "a derivation as text": lambda folder: api.derive("elman"), "an unrolled network": lambda folder: unroll(api.model("elman"), 2),
    "an unrolled network as text": lambda folder: api.unroll("elman", 9), "a verdict": lambda folder: Verdict("proved"),
    "a checked claim": lambda folder: refuted(), "a judged document": lambda folder: audit_document(document(folder)),
    "an audit": lambda folder: api.audit(document(folder)), "readings": lambda folder: api.read(document(folder)),
    "a table of declarations": lambda folder: api.declare(document(folder)),
}
FORMULAS = {"a model", "a derivation", "a derivation as text", "an unrolled network", "an unrolled network as text", "a checked claim"}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_as_text_and_html_and_a_formula_as_latex(name, tmp_path):
    found = RESULTS[name](tmp_path)._repr_mimebundle_()
    assert set(found) == {"text/plain", "text/html", *(["text/latex"] if name in FORMULAS else [])}
    assert all(found.values()) and "script" not in Reader(found["text/html"]).tags
    assert found.get("text/latex", "$$")[0] == found.get("text/latex", "$$")[-1] == "$"
    assert found == RESULTS[name](tmp_path)._repr_mimebundle_()


def test_only_what_is_asked_for_is_shown():
    m = api.model("elman")
    assert set(m._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
    assert set(m._repr_mimebundle_(exclude={"text/html"})) == {"text/plain", "text/latex"}


def test_a_refuted_claim_shows_its_code_its_counterexample_and_what_is_right():
    html = bundle(refuted())["text/html"]
    assert "✘&nbsp;refuted" in html and "SR2" in html and "for instance at" in html and "✔&nbsp;proved" in html
    assert r"\mathrm{diag}(1 - h_t^2) W" in html


def test_a_model_shows_its_equations_its_shapes_and_its_graph():
    html = bundle(api.model("elman"))["text/html"]
    assert "$$ h_t = \\tanh(a_t) $$" in html and "<td style=\"text-align:left\">n_h x n_x</td>" in html and "<svg" in html


def test_an_audit_counts_every_verdict_and_shows_its_formula(tmp_path):
    found = bundle(api.audit(document(tmp_path)))
    assert "1 refuted" in found["text/plain"] and "line 3: refuted" in found["text/plain"]
    assert re.search(r"<td[^>]*>3</td><td[^>]*><b[^>]*>✘&nbsp;refuted</b>", found["text/html"])


def test_readings_show_role_reading_and_doubt_of_every_formula_but_mentions(tmp_path):
    text = "$$ h_t = \\tanh(W h_{t-1}) $$\n\n$h_t$ and $$ v = \\frac{<b>}{2 $$\n\n$$ u = \\log a \\cdot b $$\n"
    html = api.read([document(tmp_path, text), tmp_path / "missing.md"])._repr_mimebundle_()["text/html"]
    assert "<td style=\"text-align:left\">definition</td>" in html and html.count("<tr>") == 4
    assert "it is not closed" in html and "both trees are kept" in html and "&lt;b&gt;" in html and "missing.md" in html


def test_an_audit_names_what_could_not_be_opened(tmp_path):
    found = bundle(api.audit(tmp_path / "none.md"))
    assert "none.md" in found["text/plain"] and "none.md" in found["text/html"]


# ------------------------------------------------------------------------------------------------------------------- hostile text
def hostile_model() -> Model:
    h = sequence("h", "n")
    latex = {"h": HOSTILE, "W": r"\href{javascript:alert(1)}{W}", "x": "$</span>"}
    e = apply("tanh", param("W", "n", "n") @ h[-1] + sequence("x", "n", kind="input"))
    return Model.build(HOSTILE, [(h, e), (scalar("l"), h.T @ h)], loss="l", latex=latex)


@pytest.mark.parametrize("make", [hostile_model, lambda: derive(hostile_model()), lambda: unroll(hostile_model(), 2)])
def test_names_that_are_markup_stay_text(make):
    html = bundle(make())["text/html"]
    read = Reader(html)
    assert "script" not in read.tags and "href" not in read.attributes and r"\href" not in html


@pytest.mark.parametrize("claim", [
    f"\\text{{{HOSTILE}}} = h_t", r"\href{javascript:alert(1)}{h_t} = h_t", "</p><img src=x onerror=alert(1)> = h_t",
    r"h_t = \text{<b onclick=x> \$}"])
def test_a_claim_that_is_markup_stays_text(claim, tmp_path):
    path = document(tmp_path, f"$$ h_t = \\tanh(W h_{{t-1}}) $$\n\n$$ {claim} $$\n")
    for result in (api.check(claim, given=[r"h_t = \tanh(W h_{t-1})"]), api.audit(path), audit_document(path)):
        found = bundle(result)
        read = Reader(found["text/html"])
        assert not {"script", "img"} & read.tags and not {"onerror", "onclick", "href", "src"} & read.attributes
        assert r"\href" not in found["text/html"] + found.get("text/latex", "")


def test_a_verdict_whose_words_are_markup_stays_text():
    v = Verdict("refuted", code=HOSTILE, reason=f"a $ {HOSTILE}", domain=f"$x$ {HOSTILE}", conditions=(HOSTILE,),
                counterexample={"T": 1, "sizes": {HOSTILE: 1}, "values": {"x": HOSTILE}, "left": HOSTILE, "right": "1"})
    assert "script" not in Reader(bundle(v)["text/html"]).tags


@pytest.mark.parametrize(("latex", "kept"), [(r"\hat{y} + \classical", True), (r"\class{a}{b}", False), (r"\htmlData{a}{b}", False),
                                             (r"\def\x{y}", False), (r"\let\x y", False), (r"\left( h \right)", True), ("a $ b", False)])
def test_commands_that_do_more_than_print_are_shown_as_their_names(latex, kept):
    assert (harmless(latex) == latex) is kept and harmless(harmless(latex)) == harmless(latex)


def test_what_is_no_result_has_no_form():
    with pytest.raises(TypeError, match="results of symrnn"):
        shown(Symbol("h", ("n", 1)))


# ------------------------------------------------------------------------------------------------------------------- the tutorial
def test_the_tutorial_is_a_notebook():
    nb = notebooks.load(TUTORIAL)
    assert (nb["nbformat"], set(nb)) == (4, {"cells", "metadata", "nbformat", "nbformat_minor"}) and nb["nbformat_minor"] >= 5
    ids = [cell["id"] for cell in nb["cells"]]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[\w-]{1,64}", i) for i in ids)
    for cell in nb["cells"]:
        keys = {"cell_type", "id", "metadata", "source"} | ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set())
        assert set(cell) == keys and cell["cell_type"] in ("code", "markdown") and all(isinstance(x, str) for x in cell["source"])
    assert [c["execution_count"] for c in nb["cells"] if c["cell_type"] == "code"] == \
        [k for k, c in enumerate((c for c in nb["cells"] if c["cell_type"] == "code"), 1)]


@pytest.mark.slow
def test_the_cells_of_the_tutorial_run_in_order_and_show_what_is_stored():
    nb = notebooks.load(TUTORIAL)
    code = [cell for cell in nb["cells"] if cell["cell_type"] == "code"]
    with notebooks.elsewhere():
        for cell, found in zip(code, notebooks.run(nb), strict=True):
            again = "`python tests/tools/notebooks.py docs/tutorial.ipynb` stores them anew"
            assert found == cell["outputs"], f"{notebooks.source(cell)}\n{again}"


def test_the_tutorial_shows_a_refutation_its_correction_and_the_run_of_emitted_code():
    shown = json.dumps([c["outputs"] for c in notebooks.load(TUTORIAL)["cells"] if c["cell_type"] == "code"], ensure_ascii=False)
    assert "refuted" in shown and "transpose" in shown and "they agree to 7 digits: True" in shown and "image/svg+xml" in shown


def test_a_cell_that_fails_is_no_output():
    with pytest.raises(ZeroDivisionError):
        notebooks.outputs("x = 1\nx / 0", {}, 1)
