"""Curves over logarithmic or linear axes, with a legend below: data in, an SVG file out.

Series differ by colour and by dash or mark, so that none is told by its colour alone. Coordinates are rounded to a tenth of a pixel.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from symrnn.pictures import label
from symrnn.pictures.canvas import INK, LINE, MUTED, Point, dot, line, plain, polyline, svg

WIDTH, HEIGHT = 640.0, 340.0
LEFT, RIGHT, TOP = 62.0, 18.0, 40.0
ROW = 24.0
MOST_TICKS = 9


@dataclass(frozen=True)
class Axis:
    """A title in label LaTeX, the least and the greatest value, and whether the axis is logarithmic."""

    title: str
    low: float
    high: float
    log: bool = True

    def share(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one.

        >>> Axis("T", 1, 100).share(10), Axis("T", 0, 4, log=False).share(1)
        (0.5, 0.25)
        """
        if self.log:
            return (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Round values within the axis, with their labels.

        >>> Axis("T", 1, 1000).ticks()[-1], [v for v, _ in Axis("T", 0, 24, log=False).ticks()]
        ((1000.0, '10^{3}'), [0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0])
        """
        low, high = (log10(self.low), log10(self.high)) if self.log else (self.low, self.high)
        step = next(s for s in (1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 500, 1000) if (high - low) / s < MOST_TICKS)
        whole = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
        if self.log:
            return tuple((10.0 ** (k * step), "1" if k == 0 else f"10^{{{k * step}}}") for k in whole)
        return tuple((float(k * step), str(k * step)) for k in whole)


@dataclass(frozen=True)
class Series:
    """A curve with its name in label LaTeX, its colour, and its kind: a class of the style, ``marked`` for one with dots."""

    name: str
    points: tuple[tuple[float, float], ...]
    hue: str
    kind: str = "curve"
    marked: bool = False


@dataclass(frozen=True)
class Note:
    """A word at a point of the chart, such as where something was given up; it ends or starts there, or stands below ('')."""

    text: str
    at: tuple[float, float]
    hue: str = MUTED
    anchor: str = "end"


def decades(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten round some positive values.

    >>> decades([0.02, 3.0])
    (0.01, 10.0)
    """
    low, high = floor(log10(min(values)) + 1e-9), ceil(log10(max(values)) - 1e-9)
    return 10.0 ** low, 10.0 ** max(high, low + 1)


def chart(series: Sequence[Series], x: Axis, y: Axis, title: str, description: str, notes: Sequence[Note] = ()) -> str:
    """The whole file. Points outside of the axes are not drawn."""
    right, bottom = WIDTH - RIGHT, TOP + HEIGHT - 70

    def place(p: tuple[float, float]) -> Point:
        return LEFT + x.share(p[0]) * (right - LEFT), bottom - y.share(p[1]) * (bottom - TOP)

    body = [*grid(x, y, right, bottom)]
    for s in series:
        inside = [p for p in s.points if x.low <= p[0] <= x.high and y.low <= p[1] <= y.high]
        if len(inside) > 1:
            body.append(polyline([place(p) for p in inside], f"{s.hue} {s.kind}"))
        body += [dot(place(p), 3, f"{s.hue}-fill") for p in inside if s.marked]
    for n in notes:
        (px, py), shift = place(n.at), {"end": -8, "start": 8}.get(n.anchor, 0)
        body.append(plain(n.text, px + shift, py + (4 if shift else 17), f"note {n.anchor} {n.hue}"))
    entries = list(legend(series, right, bottom + 62))
    body += [mark for mark, _ in entries]
    return svg(body, WIDTH, max([low for _, low in entries], default=bottom + 46) + 20, title, description)


def grid(x: Axis, y: Axis, right: float, bottom: float) -> Iterator[str]:
    """Lines at the ticks, their labels, and the titles of the axes: that of the upright one stands above it."""
    for value, text in x.ticks():
        at = LEFT + x.share(value) * (right - LEFT)
        yield line((at, TOP), (at, bottom), f"{LINE} thin")
        yield label.text(rf"\mathrm{{{text}}}", at, bottom + 20, f"tag {MUTED}")
    for value, text in y.ticks():
        at = bottom - y.share(value) * (bottom - TOP)
        yield line((LEFT, at), (right, at), f"{LINE} thin")
        yield label.text(rf"\mathrm{{{text}}}", LEFT - 9, at + 4, f"tag {MUTED}", "end")
    yield line((LEFT, bottom), (right, bottom), f"{MUTED} thin")
    yield line((LEFT, TOP), (LEFT, bottom), f"{MUTED} thin")
    yield label.text(y.title, 12, TOP - 17, INK, "start")
    yield label.text(x.title, (LEFT + right) / 2, bottom + 41, INK)


def legend(series: Sequence[Series], right: float, top: float) -> Iterator[tuple[str, float]]:
    """What each curve is: marks with the height at which they stand, in as many columns as there is room for."""
    wide = max([label.width(s.name, 14) for s in series], default=0.0) + 36 + 16
    columns = max(1, min(len(series), int((right - LEFT) // wide)))
    for k, s in enumerate(series):
        at, low = LEFT + k % columns * wide, top + k // columns * ROW
        yield polyline([(at + 3, low), (at + 27, low)], f"{s.hue} {s.kind}"), low
        if s.marked:
            yield dot((at + 15, low), 3, f"{s.hue}-fill"), low
        yield label.text(s.name, at + 36, low + 5, f"legend {INK}", "start"), low
