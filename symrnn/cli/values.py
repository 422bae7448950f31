"""Option values that have a small syntax of their own: seconds, sizes, shapes, lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import click

from symrnn.errors import CallError, DeclarationError

LONGEST = 1_000_000.0
"""The largest number of seconds that can be asked for."""


_NO_SIZE = re.compile(r"-\s*\d+|0+|\d*\.\d+|")


class Seconds(click.FloatRange):
    """A positive number of seconds that a clock can count.

    >>> Seconds().convert("2.5", None, None)
    2.5
    """

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=LONGEST)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        if seconds != seconds:
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


def sizes(text: str | None) -> tuple[int, ...] | dict[str, int] | None:
    """Read ``2,2,3`` (in the order of the model's sizes) or ``n_x=2,n_h=2,n_y=3``.

    >>> sizes("2,2,3"), sizes("n_x=2, n_h=3"), sizes(None)
    ((2, 2, 3), {'n_x': 2, 'n_h': 3}, None)
    """
    if text is None:
        return None
    parts = [part.partition("=") for part in text.replace(" ", "").split(",")]
    named = [bool(equals) for _, equals, _ in parts]
    numbers = [value if equals else name for name, equals, value in parts]
    names = [name for name, equals, _ in parts if equals]
    plain = all(number.isascii() and number.isdigit() and int(number) > 0 for number in numbers)
    if not plain or len(set(named)) != 1 or len(set(names)) != len(names) or "" in names:
        raise CallError(
            "--sizes",
            must="be positive numbers such as 2,2,3, or distinct names with numbers such as n_x=2,n_h=2,n_y=3",
            came=text,
            next_step="`symrnn derive MODEL` prints the sizes of a model, in order.",
        )
    if named[0]:
        return {name: int(number) for name, number in zip(names, numbers, strict=True)}
    return tuple(map(int, numbers))


def shapes(texts: Iterable[str]) -> dict[str, str]:
    """Read ``SYMBOLS = SHAPE`` declarations; what a symbol and a shape may be is the reader's to say.

    >>> shapes(["h_t, c_t = n (column)", "W_* = n x n"])
    {'h_t, c_t': 'n (column)', 'W_*': 'n x n'}
    """
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise DeclarationError(
                "--shape", must="be SYMBOL=SHAPE", came=text, next_step="Write for example --shape 'W_{hh} = n_h x n_h'."
            )
        sizes = re.split(r"\s+x(?:\s+|$)|×|\\times", value)
        if len(sizes) > 2 or any(_NO_SIZE.fullmatch(size.strip()) for size in sizes):
            raise DeclarationError(
                f"--shape {key}", must="have one or two sizes, each a name or a positive number", came=value,
                next_step="Write for example --shape 'W_{hh} = n_h x n_h'.",
            )
        if found.get(key, value) != value:
            raise DeclarationError(
                f"--shape {key}", must="be given once", came=f"{found[key]} and {value}", next_step="Drop one of the two."
            )
        found[key] = value
    return found


def names(text: str | None, known: tuple[str, ...], option: str) -> tuple[str, ...]:
    """Read a list of names separated by commas, each one of `known`; None means all, in the order of `known`.

    >>> names("loss, forward", ("forward", "loss", "gradients"), "--outputs")
    ('forward', 'loss')
    """
    if text is None:
        return known
    asked = {part.strip() for part in text.split(",")}
    if unknown := sorted(asked - set(known)):
        raise CallError(
            option,
            must=f"be some of {', '.join(known)}, separated by commas",
            came=", ".join(unknown) or text,
            next_step="Leave the option out to have them all.",
        )
    return tuple(name for name in known if name in asked)
