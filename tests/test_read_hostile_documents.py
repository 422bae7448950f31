r"""What a document may try against its reader: each attempt is refused with its place, and what stands beside it is read all the same."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from symrnn import api

RIGHT = r"$h_t = \tanh(W h_{t-1})$"
OTHER = r"$p_t = V h_t$"
BOMB = "".join(rf"\def\{chr(97 + k)}{{\{chr(98 + k)}\{chr(98 + k)}}}" for k in range(24)) + r"\def\y{x}"
ATTEMPTS = {
    "a macro bomb": (BOMB + "\n", r"u = \a", "calls of macros", 4), "a recursive macro": ("\\def\\a{\\b}\\def\\b{\\a}\n", r"v + \a",
    "macro", 4),
    "a hundred thousand tokens": ("", "a" + " + a" * 50_000, "longer than", None), "an unbalanced environment": ("", r"\begin{cases} u",
    "closed", 0),
    "environments that cross": ("", r"\begin{cases} u \begin{matrix} \end{cases} \end{matrix}", "open here", None),
    "code as text": ("", r"u = \text{__import__('os')} + )", "", 30), "code as a name": ("",
    r"u = \operatorname{__import__('os').system}(x", "closed", None),
    "a file of the system": ("", r"u = \input{/etc/passwd}", "instructions to TeX", 4), "a command of the shell": ("",
    r"u = \write18{touch x}", "instructions to TeX", 4),
    "a null byte": ("", "u = \0", "no text", 4), "half a character": ("", "u = \ufffd", "no text", 4),
    "braces without end": ("", "u = " + "{" * 5000, "", None), "scripts without end": ("", "u" + "_{a" * 5000, "", None),
    "digits without end": ("", "u = " + "9" * 5000, "digits", 4), "a number with two points": ("", "u = 1.2.3", "", None),
}


@pytest.mark.parametrize("suffix", [".md", ".tex"])
@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_is_refused_with_its_place_and_the_rest_is_read(tmp_path: Path, name: str, suffix: str):
    head, latex, hint, offset = ATTEMPTS[name]
    path = tmp_path / f"a{suffix}"
    path.write_text(f"{head}{RIGHT}\n\n$${latex}$$\n\n{OTHER}\n", encoding="utf-8")
    (document,) = api.read(path).to_json()["documents"]
    first, odd, last = document["spans"]
    assert (first["role"], odd["role"], last["role"]) == ("definition", "unreadable", "definition")
    unread = odd["unread"]
    assert hint in unread["hint"] and unread["hint"] and unread["line"] == 3 + head.count("\n")
    assert offset is None or (unread["offset"], unread["column"]) == (offset, 3 + offset)


def test_names_of_code_are_names_and_nothing_is_carried_out(tmp_path: Path):
    mark = tmp_path / "mark"
    path = tmp_path / "a.md"
    code = f"__import__('pathlib').Path('{mark}').touch()".replace("_", r"\_")
    path.write_text(rf"$u = \text{{{code}}}$ and $\operatorname{{exec}}(u) = \mathrm{{eval}}(u)$ and $\mathrm{{__class__}} = u$")
    spans = api.read(path).to_json()["documents"][0]["spans"]
    assert len(spans) == 3 and "unreadable" not in {s["role"] for s in spans[:2]}
    api.audit(path), api.declare(path)
    assert not mark.exists()


@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "~/secret", "sub/../../secret", "link"])
def test_what_lies_outside_the_folder_is_not_included_and_that_is_said(tmp_path: Path, target: str):
    (tmp_path / "secret.tex").write_text("$s_t = S$")
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "a.tex").write_text(rf"\input{{{target}}} {RIGHT}")
    (document,) = api.read(folder / "a.tex").to_json()["documents"]
    assert [s["latex"] for s in document["spans"]] == [RIGHT.strip("$")]
    assert [(p["line"], p["column"]) for p in document["problems"]] == [(1, 1)]


@pytest.mark.parametrize("encoded", [
    "é: ".encode() + b"\xe9\xff " + RIGHT.encode(), b"\xff\xfe" + RIGHT.encode("utf-16-le"), b"\xef\xbb\xbf" + RIGHT.encode(),
    b"\xe9 " + RIGHT.encode() + " ü".encode(),
], ids=["two encodings", "UTF-16", "a mark of order", "Latin-1 and UTF-8"])
def test_a_text_in_mixed_encodings_is_read_where_it_is_text(tmp_path: Path, encoded: bytes):
    path = tmp_path / "a.md"
    path.write_bytes(encoded)
    assert [s["role"] for s in api.read(path).to_json()["documents"][0]["spans"]] == ["definition"]


@pytest.mark.parametrize("suffix", [".md", ".tex", ".html", ".ipynb", ".rst", ".py", ".txt", ".jsonl"])
def test_an_empty_file_has_nothing_to_read(symrnn_command, tmp_path: Path, suffix: str):
    path = tmp_path / f"a{suffix}"
    path.write_text(json.dumps({"cells": []}) if suffix == ".ipynb" else "")
    done = symrnn_command("read", str(path))
    assert done.exit_code == 0 and done.stdout.endswith("1 document: no formula\n")
