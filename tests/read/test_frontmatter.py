"""Front matter and fences of hostile documents: plain values only, each once, and no mark that is looked for again and again."""
from __future__ import annotations

import time
from dataclasses import replace

import pytest

from symrnn.document import compile_document
from symrnn.errors import DeclarationError, DocumentError, SymrnnError
from symrnn.read.document import parse_document
from symrnn.read.keys import KINDS, checked

BOMB = "\n".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True))

REFUSED = {
    "aliases that multiply": (f"a: &a [x, x]\n{BOMB}\nsymrnn: {{loss: *i}}", "too many"),
    "a value within itself": ("symrnn: &a\n  symbols: *a", "too many or nested too deeply"),
    "deep nesting": (f"symrnn: {{source: {'[' * 30}{']' * 30}}}", "nested too deeply"),
    "nesting without end": (f"symrnn: {'[' * 5000}", "nesting without end"),
    "a date that is none": ("symrnn: {source: 2020-02-31}", "day is out of range"),
    "a number of five thousand digits": (f"symrnn: {{source: {'9' * 5000}}}", "digits"),
    "a number of base sixty": (f"symrnn: {{source: 1{':59' * 5000}}}", "digits"),
    "a tag that makes an object": ('symrnn: !!python/object/apply:os.system ["true"]', "tag"),
    "a key that stands twice": ('symrnn:\n  symbols: {x: scalar, x: vector n}', "the key x a second time"),
    "a null byte": ("symrnn:\n  source: a\0b", "special characters are not allowed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_front_matter_that_is_no_plain_yaml_is_refused_with_its_reason(name):
    body, says = REFUSED[name]
    with pytest.raises(DocumentError) as caught:
        parse_document(f"---\n{body}\n---\n$$ x = 1 $$\n", "a.md")
    assert says in caught.value.came and str(caught.value.where).startswith("a.md:")


def test_a_key_that_stands_twice_is_placed_where_it_stands_again():
    with pytest.raises(DocumentError) as caught:
        parse_document("---\nsymrnn:\n  symbols:\n    x: scalar\n    x: vector n\n---\n", "a.md")
    assert str(caught.value.where) == "a.md:5:5"


def test_what_stands_below_other_keys_is_left_to_others():
    document = parse_document(f"---\na: &a [x, x]\n{BOMB}\ndate: 2020-99-99\nsymrnn: {{time: sub}}\n---\n", "a.md")
    assert dict(document.settings) == {"time": "sub"}


def test_front_matter_that_is_not_closed_is_not_passed_over():
    with pytest.raises(DocumentError, match="front matter"):
        parse_document("---\ntitle: a\nsymrnn: {time: sub}\n\n$$ x = 1 $$\n", "a.md")
    assert parse_document("---\n\nsymrnn: reads this\n", "a.md").settings == {}


def test_an_option_that_stands_twice_is_refused():
    with pytest.raises(DocumentError, match="the option expect"):
        parse_document("```{audit}\n:expect: refuted\n:expect: proved\n\n$$ x = 1 $$\n```\n", "a.md")


LONG = {
    "brackets that are not closed": "\\( " * 100_000,
    "environments that are not closed": "\\begin{align} " * 30_000,
    "dollars that are not closed": "$a " * 100_000,
    "a fence mark, and spaces up to a backtick": "```" + " " * 50_000 + "x`\n",
    "tildes up to a backtick": "~" * 50_000 + "`\n",
    "a heading of marks": "# " + " #" * 30_000 + "x\n",
    "backticks that are not closed": "`` `" * 50_000,
}


@pytest.mark.parametrize("name", LONG)
def test_marks_are_found_in_a_time_that_grows_with_the_text_only(name):
    start = time.process_time()
    assert len(parse_document(LONG[name], "a.md").spans) <= 1
    assert time.process_time() - start < 5


def test_headings_lose_their_closing_marks_only():
    found = [h.text for h in parse_document("# A ##\n## B#\n### ##\n# C # D #  \n", "a.md").headings]
    assert found == ["A", "B#", "", "C # D"]


def test_the_options_of_a_scope_are_read_in_the_same_way():
    from symrnn.document import compile_document

    text = '```{scope} one\n:symbols: {a: scalar, a: vector n}\n```\n\n$$ a = 1 $$\n'
    with pytest.raises(DocumentError) as caught:
        compile_document(parse_document(text, "a.md"))
    assert caught.value.came == "the key a a second time" and str(caught.value.where) == "a.md:1"


@pytest.mark.parametrize("mark", ("$$", "\\[", "\\(", "\\begin{align}"))
def test_mathematics_that_is_not_closed_is_a_span_that_cannot_be_read(mark):
    from symrnn.read.reader import read
    from symrnn.read.symbols import SymbolTable

    first, second = parse_document(f"{mark} h_t = W h_{{t-1}}\n\n$$ y_t = h_t $$\n", "a.md").spans
    assert first.latex == f"{mark} h_t = W h_{{t-1}}" and (first.line, first.column) == (1, 1)
    assert read(first.latex, SymbolTable.from_mapping({})).tree is None and second.latex == "y_t = h_t"


def test_a_code_block_or_a_comment_that_is_not_closed_is_noted(symrnn_command, tmp_path):
    path = tmp_path / "a.md"
    for mark in ("```python", "<!-- a remark"):
        path.write_text(f"# A\n\n{mark}\n\n$$ x = 1 $$\n")
        done = symrnn_command("audit", str(path))
        assert done.exit_code == 0 and "not closed, and what follows it is not read" in done.stderr
        refused = symrnn_command("derive", str(path))
        assert refused.exit_code == 2 and f"{path}:3:1: DocumentError" in refused.stderr


VALUES = [True, 3, "x", {"a": "b"}, [1], ["a"], [[["a"]]], {"a": 1}, {"a": ["b"]}, {"a": {"kind": ["x"], "shape": {}}}, {1: 2}, None]


@pytest.mark.parametrize("key", KINDS)
def test_a_value_of_another_kind_is_an_error_with_the_key_and_never_anything_else(key):
    document = parse_document(r"$$h_t = \tanh(W h_{t-1})$$ and $\delta_t = \partial L/\partial h_t$", "a.md")
    taken = 0
    for value in VALUES:
        for inferred in ({}, {"infer": True}):
            try:
                compile_document(replace(document, settings={**inferred, key: value}))
                taken += 1
            except SymrnnError as error:
                assert error.must and error.came and error.next_step
    assert taken > 0 or key in ("initial", "layout", "gradients_at", "time", "symbols")


@pytest.mark.parametrize(("settings", "came"), [
    ({"targets": {"y": 1}}, "a mapping"), ({"gradients": r"\delta"}, repr(r"\delta")), ({"arguments": ["a"]}, "a list"),
    ({"infer": "yes"}, "'yes'"), ({"macros": 3}, "3"), ({"symbols": {"h": ["vector"]}}, "a mapping"), ({"time_letter": None}, "None"),
])
def test_what_came_in_the_place_of_a_value_is_named(settings, came):
    with pytest.raises(DeclarationError) as caught:
        checked(settings)
    assert (caught.value.subject, caught.value.came) == (next(iter(settings)), came)
