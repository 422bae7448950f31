"""HTML reports: one file that needs nothing, escapes everything, and can be read by everybody, on a screen and on paper."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

import html5lib
import pytest
from hostile import HOSTILE, judged, report_of

from symrnn.report.findings import finding
from symrnn.report.html import SIGNS, blocks, display, line, style, write
from symrnn.report.model import Correction, Display, Finding, Maths, Ruling, Text
from symrnn.write.notation import Notation

X = "{http://www.w3.org/1999/xhtml}"


@lru_cache(maxsize=1)
def page() -> str:
    """The report of a document that means harm."""
    return write(report_of(HOSTILE))


@lru_cache(maxsize=1)
def tree():
    """The page as a browser reads it; an error of its HTML is an error here."""
    return html5lib.HTMLParser(strict=True).parse(page())


def elements(name: str) -> list:
    return list(tree().iter(X + name))


# ------------------------------------------------------------------------------------------------------------------ safe, alone
def test_the_page_is_html_without_an_error_and_the_same_on_every_run():
    assert elements("html")[0].get("lang") == "en"
    assert write(report_of(HOSTILE)) == page()


def test_nothing_of_a_document_is_carried_out():
    names = {str(e.tag).rpartition("}")[2] for e in tree().iter()}
    assert names.isdisjoint({"script", "iframe", "object", "embed", "form", "base", "link", "svg", "foreignObject"})
    assert not [key for e in tree().iter() for key in e.attrib if str(key).startswith("on")]
    assert len(elements("style")) == 1 and "display: none }" not in elements("style")[0].text[-200:]
    for k in range(1, 15):
        assert f"<script>alert({k})" not in page()
    assert "javascript:" not in {e.get("href", "")[:11] for e in elements("a")}


def test_a_link_leads_to_the_web_into_the_page_or_to_a_file_beside_it():
    targets = {e.get("href") for e in elements("a")}
    assert {"https://example.org/", "../secret"} <= targets
    ids = {e.get("id") for e in tree().iter() if e.get("id")}
    assert {t[1:] for t in targets if t.startswith("#")} <= ids
    assert all(re.match(r"https?://|#|[\w./%-]+\Z", t) for t in targets), targets


def test_the_page_asks_for_nothing_outside_itself():
    sources = [e.get("src", "") for e in tree().iter() if e.get("src")]
    assert all(s.startswith("data:") for s in sources)
    css = elements("style")[0].text
    assert "@import" not in css and all(u.startswith("data:font/woff2;base64,") for u in re.findall(r"url\(([^)]*)\)", css))
    policy = next(e.get("content") for e in elements("meta") if e.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "script" not in policy


def test_a_formula_that_cannot_be_set_is_shown_as_its_latex():
    shown = [e.text for e in elements("pre") if e.get("class") == "tex"]
    assert r"\newcommand{\x}{\input{secret}} h_t = \x" in shown
    assert any(r'\class{a" onclick="alert(11)}{x}' in text for text in shown)
    assert r"\unknown{x}" in {e.text for e in elements("code")}


def test_every_displayed_formula_has_its_latex_to_copy():
    for e in elements("div"):
        if e.get("class") == "formula":
            details = e.find(f"{X}details/{X}pre")
            assert details is not None and details.text and r"\changed" not in details.text


# ------------------------------------------------------------------------------------------------------------------ for everybody
def test_ids_are_given_once_and_headings_go_down_one_by_one():
    ids = [e.get("id") for e in tree().iter() if e.get("id") is not None]
    assert len(ids) == len(set(ids)) and "" not in ids
    levels = [int(str(e.tag)[-1]) for e in tree().iter() if re.fullmatch(r"h[1-6]", str(e.tag).rpartition("}")[2])]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))


def test_tables_name_their_columns_and_pictures_say_what_they_show():
    assert all(e.get("scope") in ("col", "row") for e in elements("th")) and elements("th")
    text = ('---\nsymrnn: {symbols: {h: "vector n, sequence", W: matrix n n}}\n---\n# A\n\n$$ h_t = \\tanh(W h_{t-1}) $$\n\n'
            "```{unroll} T=2\n```\n")
    shown = html5lib.HTMLParser(strict=True).parse(write(report_of(text)))
    assert [e.get("alt") for e in shown.iter(X + "img")] == ["The network over 2 steps"]


def test_a_verdict_is_said_by_sign_word_and_colour():
    badges = {e.get("class").split()[-1]: "".join(e.itertext()) for e in elements("b")}
    assert {"refuted", "unreadable"} <= set(badges)
    assert all(text == "\u00a0".join(SIGNS[word]) for word, text in badges.items())
    assert all(f".badge.{word} {{ color: var(--{word})" in style() for word in SIGNS)
    assert len({sign for sign, _ in SIGNS.values()}) == len(SIGNS)


def themes() -> dict[str, dict[str, str]]:
    """The colours of each theme, by name."""
    found = re.findall(r":root \{([^}]*--paper[^}]*)\}", style())
    return dict(zip(("light", "dark", "print"), (dict(re.findall(r"--([\w-]+): (#\w+)", block)) for block in found), strict=True))


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    channels = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_every_colour_of_text_stands_out_from_what_is_behind_it(theme):
    colours = themes()[theme]
    behind = {"ink": ("paper", "tint", "wrong-tint", "right-tint"), **{w: ("paper", "tint") for w in (*SIGNS, "soft", "link")}}
    for front, backs in behind.items():
        for back in backs:
            light, dark = sorted((luminance(colours[front]), luminance(colours[back])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (theme, front, back)


# --------------------------------------------------------------------------------------------------------------- screen and paper
def test_nothing_scrolls_and_nothing_is_cut_off():
    css = re.sub(r"@font-face \{.*?\}", "", style(), flags=re.S)
    assert "overflow: hidden" not in css and "overflow-x" not in css and "overflow: auto" not in css and "overflow: scroll" not in css
    assert "white-space: pre-wrap" in css and "white-space: pre;" not in css
    assert "@page" in css and not re.search(r"@page[^}]*size", css)                           # A4 or Letter, as the printer has it
    assert "prefers-color-scheme: dark" in css and "max-width" in css


def test_what_is_folded_on_the_screen_is_printed():
    paper = style().partition("@media print")[2]
    assert "details::details-content" in paper and "details.source" in paper


def test_a_long_formula_is_pieces_between_which_the_line_may_be_broken():
    source = "y = " + " + ".join(rf"W_{{{k}}} \tanh(a_{{{k}}})" for k in range(300))
    shown = str(display(Display(source)))
    assert shown.count("<wbr>") > 150 and max(map(len, re.findall(r"<math\b.*?</math>", shown))) < 1_000
    assert str(display(Display("y = W x"))).count("<math") == 1


def test_a_part_that_is_too_wide_for_any_page_has_a_name():
    wide = " + ".join(f"a_{{{k}}}" for k in range(60))
    shown = str(display(Display(rf"y = \frac{{{wide}}}{{2}}")))
    assert '<div class="where"><span>where <math>' in shown and "<mi>𝖯</mi>" in shown


def test_a_refuted_formula_stands_beside_its_correction_with_the_difference_marked():
    pair = next(e for e in elements("div") if e.get("class") == "pair")
    printed, right = pair
    assert (printed.get("class"), right.get("class")) == ("printed", "right")
    assert "refuted" in "".join(printed.itertext()) and "corrected" in "".join(right.itertext())
    marked = ["".join(e.itertext()) for e in pair.iter() if e.get("class") == "changed"]
    assert marked == ["⊤"]


def test_what_is_wrong_is_said_first_and_leads_to_its_place():
    body = page().partition("<main")[2]
    assert re.findall(r"<h\d[^>]*>([^<]*)", body)[0] == "What is wrong"
    assert re.search(r'<a href="#eq-\d+">equation \d+</a>, line \d+', body)


def test_the_licence_of_the_fonts_goes_with_them():
    from importlib.resources import files

    assets = files("symrnn.report") / "assets"
    assert "SIL OPEN FONT LICENSE Version 1.1" in (assets / "OFL.txt").read_text(encoding="utf-8")
    assert sum(len((assets / f"{name}.woff2").read_bytes()) for name in ("maths", "text", "text-italic", "text-bold")) < 120_000


def test_a_formula_stands_whole_above_the_correction_of_a_part_of_it():
    part = Ruling("refuted", (Text("wrong"),), (), Correction("b = c", r"b = c^{\changed{\top}}", "proved"))
    for compared, copies in ((False, ["a = b = c", "b = c", r"b = c^{\top}"]), (True, ["b = c", r"b = c^{\top}"])):
        found = Finding("eq-1", Display("a = b = c", "eq-1", "1"), (part,), "refuted", compared=compared)
        assert re.findall(r"<pre>(.*?)</pre>", blocks((found,))) == copies
        assert blocks((found,)).count(' id="eq-1"') == 1


def test_only_a_relation_that_is_the_whole_formula_stands_in_its_comparison_alone():
    (e,) = [e for e in judged(HOSTILE).equations if e.fix is not None]
    shown = Display(e.span.latex, "eq-1", "1")
    assert finding(e, shown, Notation()).compared
    assert not finding(replace(e, span=replace(e.span, latex=f"x = {e.span.latex}")), shown, Notation()).compared


def test_punctuation_stays_on_the_line_of_its_formula():
    assert line((Maths("x"), Text(", y"))).endswith("</math>,</span> y")
