"""The paper of every picture: one SVG file in two themes, with a title and a description, and the curves and marks drawn on it.

Colours are classes, light ones by default and dark ones where the reader's theme is dark on a screen; what is printed is light.
There is no identifier, script, font or address in a file, so that several stand on one page without disturbing each other.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

Point = tuple[float, float]

INK, MUTED, LINE, CARD, BLUE, ORANGE, GREEN, PURPLE = "ink muted line card blue orange green purple".split()
LIGHT = {INK: "#1f2328", MUTED: "#59636e", LINE: "#d1d9e0", CARD: "#f6f8fa", BLUE: "#0969da", ORANGE: "#bc4c00", GREEN: "#1a7f37",
         PURPLE: "#8250df"}
DARK = {INK: "#e6edf3", MUTED: "#9198a1", LINE: "#3d444d", CARD: "#161b22", BLUE: "#58a6ff", ORANGE: "#f0883e", GREEN: "#3fb950",
        PURPLE: "#bc8cff"}
HUES = (BLUE, ORANGE, GREEN, PURPLE)

SHAPES = """text { font-family: "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif; font-size: 13px; text-anchor: middle; }
text.maths { font-family: "STIX Two Text", "Latin Modern Roman", "Times New Roman", "Liberation Serif", serif; }
text.maths { font-size: 15px; font-style: italic; }
text.tag { font-size: 13px; }
text.legend { font-size: 14px; }
text.start { text-anchor: start; }
text.end { text-anchor: end; }
text.note { font-size: 12px; }
text.head { font-weight: 600; }
tspan.small { font-size: 72%; }
tspan.bold { font-weight: bold; }
tspan.upright { font-style: normal; }
path, line, rect, circle, polygon { fill: none; stroke-linecap: round; stroke-linejoin: round; }
.thin { stroke-width: 1; }
.wire { stroke-width: 1.5; }
.curve { stroke-width: 2; }
.band { stroke-width: 6; stroke-opacity: 0.34; }
.dashed { stroke-dasharray: 5 4; }
.dotted { stroke-dasharray: 1 5; stroke-width: 2; }
.back { stroke-dasharray: 4.5 3; }"""
"""What does not depend on the theme; every rule holds inside of a picture only."""

ROOT = "symrnn-picture"


def style() -> str:
    """The rules of a picture, each below the class of its root."""
    below = "\n".join(_below(rule) for rule in SHAPES.splitlines())
    dark = "\n".join(f"  {rule}" for rule in colours(DARK))
    return "\n".join([below, *colours(LIGHT), "@media screen and (prefers-color-scheme: dark) {", dark, "}"])


def _below(rule: str) -> str:
    names, _, rest = rule.partition(" {")
    return ", ".join(f".{ROOT} {name.strip()}" for name in names.split(",")) + " {" + rest


def colours(theme: dict[str, str]) -> Iterable[str]:
    """The rules of one theme: a class for what is drawn in a colour, and one for what is filled with it."""
    for name, value in theme.items():
        yield f".{ROOT} .{name} {{ stroke: {value}; }} .{ROOT} text.{name}, .{ROOT} .{name}-fill {{ fill: {value}; stroke: none; }}"


def svg(body: Iterable[str], width: float, height: float, title: str, description: str) -> str:
    """The whole file, as wide as its place allows and no wider than it was drawn."""
    w, h = f"{width:.0f}", f"{height:.0f}"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT}" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" '
        'style="max-width:100%;height:auto">',
        f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>", f"<style>\n{style()}\n</style>", *body, "</svg>", ""])


# ----------------------------------------------------------------------------------------------------------------------- marks
def plain(text: str, x: float, y: float, kind: str = f"note {MUTED}") -> str:
    """A line of plain text."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def path(data: str, kind: str) -> str:
    return f'<path class="{kind}" d="{data}"/>'


def line(a: Point, b: Point, kind: str) -> str:
    return f'<line class="{kind}" x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"/>'


def box(x: float, y: float, width: float, height: float, kind: str, radius: float = 7) -> str:
    """A box with round corners, by its upper left corner."""
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}"/>'


def polyline(points: Sequence[Point], kind: str) -> str:
    """Straight pieces through some points."""
    return path("M" + " L".join(map(xy, points)), kind)


def polygon(points: Iterable[Point], kind: str) -> str:
    return f'<polygon class="{kind}" points="{" ".join(map(xy, points))}"/>'


def dot(at: Point, radius: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:g}"/>'


def xy(p: Point) -> str:
    """A point as text; minus zero is zero.

    >>> xy((1.25, -0.01))
    '1.2,0.0'
    """
    return ",".join("0.0" if f"{c:.1f}" == "-0.0" else f"{c:.1f}" for c in p)
