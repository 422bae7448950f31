"""Limits of time and memory for one piece of work: what goes over them is stopped, and everything else goes on."""
from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

SECONDS = 20.0
"""The time for one claim where nothing else is asked for."""
MEMORY = 2 * 2**30
"""The bytes that one claim may take beyond what is in use."""
AGAIN = 0.5
"""Seconds after which the alarm rings again, should the first one have been lost in a handler."""


class TimeIsUp(BaseException):
    """The time is over. No handler of ordinary errors stops it."""


@contextmanager
def limited(seconds: float | None, memory: int | None = MEMORY) -> Iterator[None]:
    """Run the body for some seconds (TimeIsUp after them) and with some further memory (MemoryError beyond it).

    Time is limited in the main thread of platforms that have alarms, memory where the platform limits address space.

    >>> try:
    ...     with limited(0.01):
    ...         while True:
    ...             pass
    ... except TimeIsUp:
    ...     print("stopped")
    stopped
    """
    with _in_memory(memory) if memory else nullcontext(), _in_time(seconds):
        yield


@contextmanager
def _in_time(seconds: float | None) -> Iterator[None]:
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise TimeIsUp
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _in_memory(memory: int) -> Iterator[None]:
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError, ValueError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = min((x for x in (soft, hard) if x != resource.RLIM_INFINITY), default=None)
    wanted = pages * resource.getpagesize() + memory
    if most is not None and wanted >= most:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
