"""Progress on stderr: nothing while work is quick, then a bar on a terminal and plain lines elsewhere.

>>> with Progress("judging") as progress:
...     progress(0, 3, "notes.md")

The work calls the object whenever a piece begins. A thread of its own does the printing, so that one long piece is seen too.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any, TextIO

DELAY = 2.0
"""Seconds of work before anything is printed."""

EVERY = 10.0
"""Seconds between two plain lines."""


class Progress:
    """Shows how far the work has come; a context manager that is called as ``progress(done, total, what)``."""

    def __init__(
        self, verb: str, *, stream: TextIO | None = None, delay: float | None = None, every: float = EVERY
    ) -> None:
        self._verb = verb
        self._stream = sys.stderr if stream is None else stream
        self._delay = DELAY if delay is None else delay
        self._every = every
        self._state = (0, 0, "")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show, name="progress", daemon=True)

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Say that `done` of `total` pieces are finished and `what` is next; a total of 0 is an unknown one."""
        self._state = (done, total, what)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _show(self) -> None:
        started = time.monotonic()
        if self._over.wait(self._delay):
            return
        if self._stream.isatty():
            self._bar()
        else:
            self._lines(started)

    def _lines(self, started: float) -> None:
        while True:
            done, total, what = self._state
            share = f" {done} of {total}" if total else f" {done}" if done else ""
            seconds = time.monotonic() - started
            self._stream.write(f"{self._verb}{share}{f': {what}' if what else ''} ({seconds:.0f} s)\n")
            self._stream.flush()
            if self._over.wait(self._every):
                return

    def _bar(self) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns: list[Any] = [
            TextColumn(self._verb), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"),
        ]
        with Bar(*columns, console=Console(file=self._stream), transient=True) as bar:
            task = bar.add_task("")
            while True:
                done, total, what = self._state
                bar.update(task, completed=done, total=total or None, description=escape(what))
                if self._over.wait(0.1):
                    return
