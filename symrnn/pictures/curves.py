"""Curves through waypoints, each passed in a direction, and the two lanes of a wire: who drives keeps to the left.

A wire from a to b is drawn beside its waypoints, and so is the one back from b to a; as both keep to the left they never meet.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from symrnn.pictures.canvas import Point, path, polygon, xy

LANE = 3.6
"""How far a lane is from the middle of the road."""
HEAD = 7.0
"""The length of an arrow head."""
SAMPLED = 5.0
"""How far apart the points are at which a curve is looked at."""


class Way(NamedTuple):
    """A point and the direction in which it is passed: a unit step along one axis."""

    x: float
    y: float
    dx: int
    dy: int

    def turned(self) -> Way:
        """The same point on the way back."""
        return Way(self.x, self.y, -self.dx, -self.dy)

    def moved(self, along: float) -> Way:
        """A point further on."""
        return Way(self.x + along * self.dx, self.y + along * self.dy, self.dx, self.dy)


def up(x: float, y: float) -> Way:
    return Way(x, y, 0, -1)


def right(x: float, y: float) -> Way:
    return Way(x, y, 1, 0)


def down(x: float, y: float) -> Way:
    return Way(x, y, 0, 1)


def left(x: float, y: float) -> Way:
    return Way(x, y, -1, 0)


@dataclass(frozen=True)
class Curve:
    """A drawn lane: its Bezier pieces, each of four points."""

    pieces: tuple[tuple[Point, Point, Point, Point], ...]

    @property
    def data(self) -> str:
        """The text of an SVG path."""
        return f"M{xy(self.pieces[0][0])}" + "".join(f" C{xy(b)} {xy(c)} {xy(d)}" for _, b, c, d in self.pieces)

    def points(self) -> Iterator[Point]:
        """Points along the curve, close to each other."""
        for a, b, c, d in self.pieces:
            count = 4 + int((abs(d[0] - a[0]) + abs(d[1] - a[1])) / SAMPLED)
            for k in range(count + 1):
                s = k / count
                p, q, r, w = (1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s * s * (1 - s), s ** 3
                yield (p * a[0] + q * b[0] + r * c[0] + w * d[0], p * a[1] + q * b[1] + r * c[1] + w * d[1])


def curve(ways: Sequence[Way], lane: float = LANE) -> Curve:
    """The curve on the left of the waypoints.

    >>> curve([right(0, 0), right(40, 0)], 3).data
    'M0.0,-3.0 C20.0,-3.0 20.0,-3.0 40.0,-3.0'
    """
    return Curve(tuple(_piece(a, b, lane) for a, b in zip(ways, ways[1:], strict=False)))


def _piece(a: Way, b: Way, lane: float) -> tuple[Point, Point, Point, Point]:
    """One Bezier piece; the control points move outwards in a bend, so that two lanes stay apart in it."""
    gone = (b.x - a.x, b.y - a.y)
    ends = [(w.x + lane * w.dy, w.y - lane * w.dx) for w in (a, b)]
    straight = (a.dx, a.dy) == (b.dx, b.dy)
    controls = []
    for w, end, sign in ((a, ends[0], 1), (b, ends[1], -1)):
        reach = abs(gone[0] * w.dx + gone[1] * w.dy) * (0.5 if straight else 0.62)
        across = gone[0] * w.dy - gone[1] * w.dx                      # how far the way leads to the right of this direction
        bend = lane * ((across < -1) - (across > 1)) if straight else 0.0
        controls.append((end[0] + w.dx * (sign * reach + bend), end[1] + w.dy * (sign * reach + bend)))
    return ends[0], controls[0], controls[1], ends[1]


def arrow(ways: Sequence[Way], hue: str, kind: str, lane: float = LANE) -> tuple[list[str], Curve]:
    """A lane with a head at its end, as SVG and as a curve."""
    end = ways[-1]
    drawn = curve([*ways[:-1], end.moved(-HEAD)], lane)
    x, y = end.x + lane * end.dy, end.y - lane * end.dx
    back = (x - HEAD * end.dx, y - HEAD * end.dy)
    wings = [(back[0] + sign * 3.4 * end.dy, back[1] - sign * 3.4 * end.dx) for sign in (1, -1)]
    return [path(drawn.data, f"{hue} {kind}"), polygon([wings[0], (x, y), wings[1]], f"{hue}-fill")], drawn
