"""Pages that are tested: fenced blocks and shell transcripts. `python tests/tools/pages.py PAGE...` writes the transcripts anew.

A block whose info names a file (``file=rnn.md``) makes it; a ``console`` block is a transcript: lines that begin with ``$``
are commands, the lines below are what they print. A line ``...`` stands for any number of lines, and dots within a line for the
rest of it or a part. All blocks of a page share one folder. What ``pycon`` blocks hold is left to doctest.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^(?P<mark>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=mark)[ ]*$", re.M | re.S)
_PROGRESS = re.compile(r"[a-z]+ing( \d+ of \d+)?(: .*)? \(\d+ s\)\n")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the rest of its info, its body, where the body begins, and its line."""

    language: str
    info: str
    body: str
    offset: int
    line: int


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    out = []
    for found in _FENCE.finditer(text):
        language, _, info = found["info"].strip().partition(" ")
        out.append(Block(language, info, found["body"], found.start("body"), text.count("\n", 0, found.start()) + 1))
    return out


def files(page: list[Block], folder: Path) -> None:
    """Make the files that the blocks of a page hold."""
    for b in page:
        if named := re.search(r"file=(\S+)", b.info):
            (folder / named[1]).write_text(b.body, encoding="utf-8")


def transcripts(body: str) -> Iterator[tuple[str, str]]:
    """(command, what it prints) of a console block."""
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        while command.endswith("\\"):
            more, _, printed = printed.partition("\n")
            command += "\n" + more
        yield command, printed


class Shell:
    """Runs the commands of a page in one folder, `symrnn` in this process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.status = folder, 0

    def run(self, command: str) -> str:
        """What a command prints: stdout, then what it says on stderr besides its progress."""
        words = shlex.split(command.replace("\\\n", " "))
        if words[:2] == ["echo", "$?"]:
            return f"{self.status}\n"
        if words[0] == "cat":
            return (self.folder / words[1]).read_text(encoding="utf-8")
        if words[0] == "symrnn":
            from symrnn.cli import app

            with contextlib.chdir(self.folder):
                done = CliRunner().invoke(app, words[1:], prog_name="symrnn")
            self.status = done.exit_code
            return done.stdout + _PROGRESS.sub("", done.stderr)
        assert words[0] == "python", f"a page runs {command!r}"
        child = subprocess.run([sys.executable, *words[1:]], cwd=self.folder, capture_output=True, text=True, timeout=120,
                               env={**os.environ, "PYTHONPATH": str(ROOT)})
        self.status = child.returncode
        return child.stdout + child.stderr


def matches(wanted: str, got: str) -> bool:
    """Whether a transcript printed what the page shows, up to the dots.

    >>> matches("a\\n...\\nd e...\\n", "a\\nb\\nc\\nd e f\\n"), matches("a\\n", "b\\n")
    (True, False)
    """
    parts = [re.escape(part).replace(re.escape("..."), "[^\n]*")
             for part in re.split(r"^[ ]*\.\.\.\n", wanted.rstrip("\n") + "\n", flags=re.M)]
    return re.fullmatch("(?:.*\n)*?".join(parts), got.rstrip("\n") + "\n") is not None


def write_anew(path: Path) -> None:
    """Replace what the transcripts of a page print by what they print now, where the page shows all of it."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        shell, page, out, at = Shell(Path(name)), blocks(text), [], 0
        files(page, shell.folder)
        for b in (b for b in page if b.language == "console"):
            body = ""
            for command, printed in transcripts(b.body):
                got = shell.run(command).rstrip("\n") + "\n"
                keep = matches(printed, got) or "..." in printed
                body += f"$ {command}\n" + (printed.rstrip("\n") + "\n" if keep else got)
            out += [text[at:b.offset], body.rstrip("\n") + "\n"]
            at = b.offset + len(b.body)
    path.write_text("".join(out) + text[at:], encoding="utf-8")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write_anew(Path(argument))
