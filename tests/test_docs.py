"""The pages of docs/ and the README say what is the case: transcripts, examples, links and tables."""

from __future__ import annotations

import doctest
import re

import pages
import pytest
from pages import PAGES, ROOT, Shell, blocks, matches, transcripts

NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


@pytest.fixture(params=NAMES)
def text(request):
    return (ROOT / request.param).read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_transcript_prints_what_the_page_shows(text, tmp_path):
    page, shell, wrong = blocks(text), Shell(tmp_path), []
    pages.files(page, tmp_path)
    for b in page:
        for command, wanted in transcripts(b.body) if b.language == "console" else ():
            got = shell.run(command)
            if not matches(wanted, got):
                wrong.append(f"line {b.line}: $ {command}\n{got}")
    assert not wrong, "\n".join(wrong) + "\n`python tests/tools/pages.py PAGE` writes the transcripts of a page anew"


@pytest.mark.slow
def test_every_example_in_python_holds(text, tmp_path, monkeypatch):
    """The examples run where the files of the page are, after its transcripts."""
    page, shell = blocks(text), Shell(tmp_path)
    source = "\n".join(b.body for b in page if b.language == "pycon")
    if not source:
        return
    pages.files(page, tmp_path)
    for b in page:
        for command, _ in transcripts(b.body) if b.language == "console" else ():
            if command.startswith("symrnn emit"):
                shell.run(command)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    test = doctest.DocTestParser().get_doctest(source, {}, "page", None, 0)
    printed: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test, out=printed.append)
    assert failed.failed == 0, "".join(printed)


def anchors(page):
    """The anchors that GitHub makes of the headings of a page."""
    found = re.findall(r"^#+ +(.*)$", re.sub(r"^(`{3,}).*?^\1", "", page, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name):
    path = ROOT / name
    plain = re.sub(r"^(`{3,}).*?^\1|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", plain):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = path.parent / file if file else path
        assert there.exists(), target
        assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), target


def test_every_page_is_reached_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert {p.name for p in PAGES if p.parent.name == "docs"} - {"index.md"} <= set(re.findall(r"\]\(([\w.-]+)\)", index))
    assert "docs/index.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def rows(name, heading):
    """The first cells of the first table below a heading, in order, each with the text of its row."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    part = text.split(f"\n{heading}\n", 1)[1]
    table = re.search(r"(?:^\|.*\n)+", part, re.M)[0].splitlines()[2:]
    return {re.sub(r"[`*]", "", line.split("|")[1]).strip(): line for line in table}


def test_the_page_of_documents_lists_every_key_of_front_matter():
    from symrnn.setting import KEYS

    assert set(rows("documents.md", "## Front matter")) == set(KEYS)


def test_the_page_of_documents_lists_every_kind_of_symbol_and_every_way_to_write_a_time():
    from symrnn.read.symbols import KINDS, TIME_STYLES

    assert set(rows("documents.md", "### Kinds")) == {*KINDS, "time"}
    times = rows("documents.md", "### Times")
    assert set(times) == set(TIME_STYLES)
    assert all(f"`{example}`" in times[name] for name, example in TIME_STYLES.items())


def test_the_page_of_documents_lists_every_directive_with_its_argument_and_options():
    from symrnn.report.build import ARGUMENTS, DIRECTIVES, OPTIONS

    table = rows("documents.md", "## Directives")
    assert set(table) == set(DIRECTIVES)
    for name, line in table.items():
        argument, options = (cell.strip() for cell in line.split("|")[2:4])
        assert (argument != "none") is (name in ARGUMENTS), name
        if name != "scope":
            assert tuple(re.findall(r"`([\w-]+)`", options)) == OPTIONS.get(name, ()), name


def test_the_page_of_verdicts_lists_every_word_worst_first():
    from symrnn.prove.verdict import ORDER

    assert tuple(rows("verdicts.md", "## The six words")) == ORDER


def test_the_page_of_verdicts_names_only_codes_that_exist():
    from symrnn.codes import CODES

    for page in PAGES:
        assert set(re.findall(r"\bSR\d{3}\b", page.read_text(encoding="utf-8"))) <= {c.id for c in CODES}


def test_the_page_of_proofs_lists_the_table_of_functions():
    from symrnn.expr.functions import TABLE

    assert set(rows("proofs.md", "## The shared table")) == set(TABLE)


def test_the_page_of_documents_lists_the_formats_of_every_command():
    from importlib import import_module

    from symrnn.cli.app import COMMANDS
    from symrnn.cli.report import FORMATS

    written = {}
    for name, place in COMMANDS.items():
        module, _, function = place.partition(":")
        option = next((p for p in getattr(import_module(module), function).params if p.name == "form"), None)
        if option is not None:
            written[name] = tuple(FORMATS if name == "report" else option.type.choices)
    table = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8").split("| command | formats |\n", 1)[1]
    shown = {}
    for line in re.match(r"(?:\|.*\n)+", table)[0].splitlines()[1:]:
        names, formats = line.strip("|").split("|")
        shown |= {name: tuple(re.findall(r"`(\w+)`", formats)) for name in re.findall(r"`(\w+)`", names)}
    assert shown == written


def document(tmp_path, body, front="symbols: {x: 'vector n, sequence', h: 'vector n, sequence', W: matrix n n, b: vector n}"):
    path = tmp_path / "a.md"
    path.write_text(f"---\nsymrnn: {{{front}}}\n---\n{body}\n", encoding="utf-8")
    return path


def test_every_condition_of_the_page_can_be_assumed(tmp_path):
    from symrnn.audit import audit_document

    front = "symbols: {h: 'vector n, sequence', y: vector n, b: vector n, i: index, k: index, t: time}"
    for row in rows("documents.md", "## Conditions").values():
        for condition in re.findall(r"`([^`]*)`", row.split("|")[1]):
            body = f"$$ h_t = h_{{t-1}} + b $$\n\n```{{audit}}\n:assume: {condition}\n\n$$ h_t - b = h_{{t-1}} $$\n```"
            found = audit_document(document(tmp_path, body, front)).equations[-1]
            assert found.verdict == "proved" and condition in found.relations[0].verdict.conditions, condition


@pytest.mark.parametrize(("front", "body"), [
    ("symbls: {}", ""), ("time: subb", ""), ("symbols: {x: vektor n}", ""), ("assume: nonsense", ""),
])
def test_declarations_that_the_page_rules_out_end_in_status_2(symrnn_command, tmp_path, front, body):
    done = symrnn_command("audit", str(document(tmp_path, body, front)))
    assert done.exit_code == 2 and "must:" in done.stderr


@pytest.mark.parametrize("equation", ["h_t = h_{t+1}", "h_t = v h_T", r"h_t = \sum_{s=1}^{t} x_s"])
def test_an_equation_that_is_not_causal_is_undecided_and_makes_no_model(symrnn_command, tmp_path, equation):
    front = "symbols: {h: 'scalar, sequence', g: 'scalar, sequence', x: 'scalar, sequence', v: scalar, s: time}"
    path = str(document(tmp_path, f"$$ {equation} $$\n\n$$ g_t = v h_t $$", front))
    judged, derived = symrnn_command("audit", path), symrnn_command("derive", path)
    assert judged.exit_code == 0 and "undecided" in judged.stdout
    assert derived.exit_code == 2 and "must:" in derived.stderr


def test_an_equation_that_needs_its_own_value_of_the_same_step_is_a_claim(symrnn_command, tmp_path):
    front = "symbols: {h: 'scalar, sequence', g: 'scalar, sequence'}"
    done = symrnn_command("audit", str(document(tmp_path, "$$ h_t = g_t, \\quad g_t = h_t $$", front)))
    assert done.exit_code == 0 and "1 document: 1 proved" in done.stdout


def test_an_equation_whose_shapes_do_not_fit_defines_nothing_and_is_refuted(symrnn_command, tmp_path):
    done = symrnn_command("audit", str(document(tmp_path, "$$ h_t = x_t^\\top W $$")))
    assert done.exit_code == 1 and "1 document: 1 refuted" in done.stdout


def test_a_membership_declares_nothing_and_has_no_verdict(symrnn_command, tmp_path):
    done = symrnn_command("audit", str(document(tmp_path, "$$ W \\in \\mathbb{R}^{n \\times n} $$", "time: sub")))
    assert done.exit_code == 0 and done.stdout == "1 document: no claim\n"


def test_a_scope_has_the_definitions_of_the_main_scope_only_if_it_says_so(symrnn_command, tmp_path):
    for option in ("", ":definitions: main\n"):
        body = f"$$ h_t = W h_{{t-1}} $$\n\n```{{scope}} other\n{option}```\n\n```{{audit}}\n$$ 2 h_t = 2 W h_{{t-1}} $$\n```"
        done = symrnn_command("audit", str(document(tmp_path, body)))
        assert ("1 proved" in done.stdout) is bool(option)


def test_the_page_of_verdicts_lists_the_fields_of_a_relation():
    import json
    from importlib.resources import files

    schema = json.loads((files("symrnn") / "schema" / "audit.json").read_text(encoding="utf-8"))
    fields = next(d["required"] for d in schema["$defs"].values() if "counterexample" in d.get("properties", {}))
    text = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8").split("## What a verdict carries", 1)[1]
    shown = re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `")))
    assert set(shown) == set(fields) - {"latex"}
