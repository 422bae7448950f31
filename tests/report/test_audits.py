"""The report of an audit: one page for any number of documents, what is wrong first, every name given once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import html5lib
from click.testing import Result
from hostile import judged, report_of

from symrnn.audit import Audit
from symrnn.report import audits, findings, written
from symrnn.report.model import Display, Finding, Items, Link, Paragraph, plain

UNIT = ('---\nsymrnn: {symbols: {h: "vector n, sequence", W: matrix n n}}\n---\n# A unit\n\n$$ h_t = \\tanh(W h_{t-1}) $$\n\n'
        "$$ \\frac{\\partial h_t}{\\partial h_{t-1}} = W \\mathrm{diag}(1 - h_t^2) $$\n")
TWICE = UNIT + "\n$$ \\frac{\\partial h_t}{\\partial h_{t-1}} = W \\mathrm{diag}(1 - h_t^2) $$\n"
X = "{http://www.w3.org/1999/xhtml}"


def page(*paths: Path, command: Callable[..., Result]) -> str:
    done = command("audit", "--format", "html", *map(str, paths))
    assert done.exit_code == 1, done.output
    return done.stdout


def test_several_documents_are_one_page_in_which_every_anchor_is_given_once(symrnn_command, tmp_path):
    paths = [tmp_path / f"{name}.md" for name in "ab"]
    for path in paths:
        path.write_text(UNIT)
    text = page(*paths, command=symrnn_command)
    tree = html5lib.HTMLParser(strict=True).parse(text)
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    assert len(ids) == len(set(ids)) and {"d1-eq-2", "d2-eq-2"} <= set(ids)
    assert {e.get("href")[1:] for e in tree.iter(X + "a") if e.get("href").startswith("#")} <= set(ids)
    assert str(tmp_path) not in text and "a.md" in text and "Audit of 2 documents" in text


def test_an_audit_is_the_same_page_on_every_run_and_goes_to_a_file(symrnn_command, tmp_path):
    path = tmp_path / "unit.md"
    path.write_text(UNIT)
    done = symrnn_command("audit", str(path), "--format", "html", "--output", str(tmp_path / "audit.html"))
    assert done.exit_code == 1 and done.stdout == ""
    assert (tmp_path / "audit.html").read_text(encoding="utf-8") == page(path, command=symrnn_command)


def test_claims_of_a_file_of_claims_stand_under_their_own_names(symrnn_command, tmp_path):
    path = tmp_path / "claims.jsonl"
    given = {"claim": r"\frac{\partial y}{\partial x} = W", "language": "latex", "given": [r"y = W^\top x"],
             "shapes": {"x": "n", "W": "n x m"}}
    path.write_text("\n".join(json.dumps({"id": name, **given}) for name in ('the "first" <b>', "second")))
    text = page(path, command=symrnn_command)
    tree = html5lib.HTMLParser(strict=True).parse(text)
    assert {"the-first-b", "second"} <= {e.get("id") for e in tree.iter()} and "<b>" not in "".join(tree.itertext()).partition("}")[0]


def test_an_error_that_follows_from_another_stands_under_it():
    report = audits.report(Audit((judged(TWICE),)))
    (items,) = report.errors
    assert isinstance(items, Items) and len(items.items) == 1
    root, follower = items.items[0]
    assert plain(root.parts).startswith("equation 2, line 8: refuted (SR202 wrong-order)")
    assert plain(follower.parts) == "The same error is in equation 3."
    (second,) = [b for b in report.body if isinstance(b, Finding) and b.anchor == "eq-3"]
    assert [p.target for p in second.rulings[0].sentence if isinstance(p, Link)] == ["#eq-2"]


def test_what_the_document_expects_comes_last():
    expected = "```{audit}\n:expect: refuted\n\n$$ h_t = W h_t $$\n```\n\n"
    head, _, rest = UNIT.partition("$$ h_t")
    found = findings.errors(judged(f"{head}$$ h_t = \\tanh(W h_{{t-1}}) $$\n\n{expected}$$ \\frac{rest.partition('frac')[2]}").equations)
    lines = [plain(item[0].parts) for item in found[0].items]
    assert [line.partition(",")[0] for line in lines] == ["equation 3", "equation 2"] and "as the document expects" in lines[1]


def test_nothing_is_wrong_where_nothing_is_claimed():
    report = audits.report(Audit((judged("# Words\n\nNo formula.\n"),)))
    assert report.errors == () and isinstance(report.body[-1], Paragraph) and plain(report.body[-1].parts) == "Nothing is claimed."
    assert "What is wrong" not in str(written(report, "html"))


def test_every_format_says_the_same_of_a_finding():
    report = audits.report(Audit((judged(UNIT),)))
    for form in ("html", "tex", "md"):
        text = re.sub(r"<[^>]*>", "", str(written(report, form)))
        assert all(word in text for word in ("SR202", "orrected", "line 8", "counterexample")), form


def test_rows_of_an_environment_stand_apart_and_a_cell_of_a_notebook_is_named():
    text = UNIT.partition("$$ h_t")[0] + "\\begin{align}\nh_t &= \\tanh(W h_{t-1}) \\\\\nh_t &= W h_t\n\\end{align}\n"
    report = report_of(text)
    shown = [b.shown if isinstance(b, Finding) else b for b in report.body]
    assert [b.latex.splitlines()[1] for b in shown if isinstance(b, Display)] == [r"h_t &= \tanh(W h_{t-1})", "h_t &= W h_t"]
    assert not [b for b in shown if isinstance(b, Paragraph) and "align" in plain(b.parts)]
    span = judged(UNIT).equations[0].span
    assert findings.place(replace(span, cell=3, line=2)) == "cell 3, line 2"


def test_a_relation_that_only_says_a_definition_again_names_its_line(symrnn_command, tmp_path):
    text = UNIT + "\n$$ h_t = \\tanh(W h_{t-1}) = \\tanh(W \\tanh(W h_{t-2})) $$\n"
    path = tmp_path / "chain.md"
    path.write_text(text)
    (chain,) = [b for b in audits.report(Audit((judged(text),))).body if isinstance(b, Finding) and b.verdict == "proved"]
    (ruling,) = chain.rulings
    assert any(plain(p.parts) == "h_t = \\tanh(W h_{t-1}): defined in line 6" for p in ruling.notes if isinstance(p, Paragraph))
    assert "defined in line 6" in page(path, command=symrnn_command)
