"""Progress is silent while work is quick and says how far it is when it is not."""

from __future__ import annotations

import io
import time

from symrnn.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(stream: io.StringIO, seconds: float, delay: float, every: float = 60) -> str:
    with Progress("judging", stream=stream, delay=delay, every=every) as progress:
        progress(3, 40, "notes.md:41")
        time.sleep(seconds)
    return stream.getvalue()


def test_quick_work_prints_nothing():
    assert run(io.StringIO(), seconds=0, delay=60) == ""
    assert run(Terminal(), seconds=0, delay=60) == ""


def test_one_long_piece_of_work_is_seen_on_a_plain_stream():
    assert run(io.StringIO(), seconds=0.1, delay=0.01) == "judging 3 of 40: notes.md:41 (0 s)\n"


def test_a_plain_stream_gets_a_line_from_time_to_time():
    lines = run(io.StringIO(), seconds=0.3, delay=0.01, every=0.01).splitlines()
    assert len(lines) > 1 and set(lines) == {"judging 3 of 40: notes.md:41 (0 s)"}


def test_a_terminal_gets_a_bar(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    text = run(Terminal(), seconds=0.5, delay=0.01)
    assert "judging" in text and "3/40" in text and "notes.md:41" in text


def test_work_that_does_not_know_its_length_says_what_it_does():
    stream = io.StringIO()
    with Progress("deriving", stream=stream, delay=0.01, every=60):
        time.sleep(0.1)
    assert stream.getvalue() == "deriving (0 s)\n"


def test_an_error_ends_the_progress_and_passes():
    stream = io.StringIO()
    progress = Progress("judging", stream=stream, delay=60)
    try:
        with progress:
            raise KeyError("x")
    except KeyError:
        pass
    assert not progress._thread.is_alive()
