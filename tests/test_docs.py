"""The pages of docs/ and the README say what is the case: sessions, examples, links and tables."""

from __future__ import annotations

import doctest
import re

import pages
import pytest
from pages import PAGES, ROOT, Shell, blocks, matches, sessions

NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


@pytest.fixture(params=NAMES)
def text(request):
    return (ROOT / request.param).read_text(encoding="utf-8")


def test_every_session_prints_what_the_page_shows(text, tmp_path):
    page, shell, wrong = blocks(text), Shell(tmp_path), []
    pages.files(page, tmp_path)
    for b in page:
        for command, wanted in sessions(b.body) if b.language == "console" else ():
            got = shell.run(command)
            if not matches(wanted, got):
                wrong.append(f"line {b.line}: $ {command}\n{got}")
    assert not wrong, "\n".join(wrong) + "\n`python tests/tools/pages.py PAGE` writes the sessions of a page anew"


def test_every_example_in_python_holds(text, tmp_path, monkeypatch):
    """The examples run where the files of the page are, after its sessions."""
    page, shell = blocks(text), Shell(tmp_path)
    source = "\n".join(b.body for b in page if b.language == "pycon")
    if not source:
        return
    pages.files(page, tmp_path)
    for b in page:
        for command, _ in sessions(b.body) if b.language == "console" else ():
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
    from symrnn.document import KEYS

    assert set(rows("documents.md", "## Front matter")) == set(KEYS)


def test_the_page_of_documents_lists_every_kind_of_symbol_and_every_way_to_write_a_time():
    from symrnn.read.symbols import KINDS, TIME_STYLES

    assert set(rows("documents.md", "### Kinds")) == {*KINDS, "time"}
    times = rows("documents.md", "### Times")
    assert set(times) == set(TIME_STYLES)
    assert all(f"`{example}`" in times[name] for name, example in TIME_STYLES.items())


def test_the_page_of_documents_lists_every_directive_with_its_argument_and_options():
    from symrnn.report.markdown import ARGUMENTS, DIRECTIVES, OPTIONS

    table = rows("documents.md", "## Directives")
    assert set(table) == set(DIRECTIVES)
    for name, line in table.items():
        argument, options = (cell.strip() for cell in line.split("|")[2:4])
        assert (argument != "none") is (name in ARGUMENTS), name
        if name != "scope":
            assert tuple(re.findall(r"`(\w+)`", options)) == OPTIONS.get(name, ()), name


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
