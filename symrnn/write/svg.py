"""Graphs as SVG: a model unrolled over a few steps, or folded for any number, with the flow of values and of derivatives.

Everything is drawn from the equations: rows are the order in which variables need each other within a step, columns are steps.
The same model gives the same bytes; colours follow the theme of the reader, light or dark.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from math import hypot

from symrnn.errors import CallError
from symrnn.expr import Expr, Symbol, Time, symbols, walk
from symrnn.model import Model
from symrnn.read.names import split_name

MOST_STEPS = 8
RADIUS, ROW, LANE, GAP, MARGIN = 20, 72, 66, 70, 32
BENDS = (0, 30, -30, 55, -55, 80, -80)
"""How far an edge leaves the straight line, in the order in which they are tried, so that it passes no node."""
SIDE = 3.5
"""How far the arrows of values and of derivatives stand from the line between two nodes."""

Point = tuple[float, float]
Place = tuple[str, int]
"""A node: the name of a variable, and its step."""

STYLE = """
text { font: 14.5px ui-serif, Georgia, "Times New Roman", serif; fill: #1f2328; text-anchor: middle; }
text .sub { font-size: 10px; }
.note { font-size: 11px; }
.note { font-family: ui-sans-serif, system-ui, sans-serif; fill: #59636e; }
.left { text-anchor: start; }
circle { fill: #f6f8fa; stroke: #59636e; stroke-width: 1.2; }
.input circle, .target circle, .start circle { fill: none; stroke-dasharray: 3 2.5; }
.loss circle { stroke-width: 2; }
path { fill: none; stroke-width: 1.4; }
.value { stroke: #0969da; } .value-head { fill: #0969da; }
.derivative { stroke: #bc4c00; stroke-dasharray: 4 2.5; } .derivative-head { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .note { fill: #9198a1; }
  circle { fill: #151b23; stroke: #9198a1; }
  .input circle, .target circle, .start circle { fill: none; }
  .value { stroke: #58a6ff; } .value-head { fill: #58a6ff; }
  .derivative { stroke: #f0883e; } .derivative-head { fill: #f0883e; }
}
"""

_NAMES = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega ell"
GREEK = {**dict(zip(_NAMES.split(), "αβγδεζηθικλμνξπρστυφχψωℓ", strict=True)), "loss": "ℓ"}
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307", "ddot": "\u0308", "check": "\u030c"}


@dataclass(frozen=True)
class Edge:
    """A use: the equation of ``head`` uses ``tail``; ``label`` names the parameter on the way; ``back``: derivatives return."""

    tail: Place
    head: Place
    label: str = ""
    back: bool = True


# ------------------------------------------------------------------------------------------------------------------- the graph
def levels(m: Model) -> dict[str, int]:
    """The row of every quantity: inputs below, each variable above what it needs in its own step, targets beside their users."""
    out = {s.name: 0 for s in m.inputs}
    first = 1 if out else 0
    for e in m.equations:
        needs = [out[s.name] for s in symbols(e.right) if s.kind == "variable" and s.time is not None and s.time.offset == 0]
        out[e.name] = max([n + 1 for n in needs] + [first])
    for y in m.targets:
        out[y.name] = min(out[e.name] for e in m.equations if any(s.name == y.name for s in symbols(e.right)))
    return out


def edges(m: Model, T: int) -> Iterator[Edge]:  # noqa: N803
    """Every use over the steps 1..``T``, each once."""
    found: dict[Edge, None] = {}
    for t in range(1, T + 1):
        for e in m.equations:
            for s in symbols(e.right):
                if s.time is not None and s.kind in ("variable", "input", "target"):
                    found[Edge((s.name, t + s.time.offset), (e.name, t), parameter(e.right, s), s.kind == "variable")] = None
    return iter(found)


def uncluttered(found: list[Edge]) -> list[Edge]:
    """The edges, without the labels where more than two leave one node."""
    return [e if sum(x.tail == e.tail and bool(x.label) for x in found) <= 2 else replace(e, label="") for e in found]


def parameter(e: Expr, s: Symbol) -> str:
    """The parameter that ``e`` multiplies ``s`` by, if there is exactly one."""
    found = {x.args[0].attr.name for x in walk(e) if x.op == "matmul" and x.args[1].op == "sym" and x.args[1].attr == s
             and x.args[0].op == "sym" and x.args[0].attr.kind == "parameter"}
    return found.pop() if len(found) == 1 else ""


# --------------------------------------------------------------------------------------------------------------------- drawing
def unrolled_svg(m: Model, T: int) -> str:  # noqa: N803
    """The model unrolled over ``T`` steps; CallError unless T is from 1 to 8."""
    if not 1 <= T <= MOST_STEPS:
        raise CallError("T", must=f"be a number of steps from 1 to {MOST_STEPS} for a drawing", came=str(T),
                        next_step="draw the folded graph instead")
    found = uncluttered(list(edges(m, T)))
    at = places(m, found, T)
    body = [column_note(m, at, t, f"t = {t}") for t in range(1, T + 1)]
    body += [drawn for e in found for drawn in edge(at, e)]
    body += [node(m, place, at[place], Time("", place[1])) for place in at]
    return picture(body, at, f"{m.name} over {T} step{'s' if T > 1 else ''}")


def folded_svg(m: Model) -> str:
    """The model at any step t: what it takes from earlier steps at the left, and what it sends to later ones at the right."""
    found = uncluttered(list(edges(m, 1)))
    at = places(m, found, 1)
    right = max(x for x, _ in at.values()) + LANE
    sent = {s.name: (right, at[s.name, 1][1]) for s in m.states}
    whole = {**at, **{(name, 2): xy for name, xy in sent.items()}}
    body = [column_note(m, at, 1, "t = 1, …, T")]
    body += [drawn for e in [*found, *(Edge((name, 1), (name, 2)) for name in sent)] for drawn in edge(whole, e)]
    body += [node(m, place, at[place], Time("t", place[1] - 1)) for place in at]
    body += [f'<text class="note" x="{x:.1f}" y="{y + 4:.1f}">t+1</text>' for x, y in sent.values()]
    return picture(body, whole, f"{m.name}, one step of any number")


def places(m: Model, found: list[Edge], T: int) -> dict[Place, Point]:  # noqa: N803
    """The centre of every node; what lies before step 1 stands in columns at the left."""
    rows = levels(m)
    lanes: dict[str, float] = {}
    for level in sorted(set(rows.values())):
        line = [n for n in rows if rows[n] == level and n not in {y.name for y in m.targets}]
        beside = [y.name for y in m.targets if rows[y.name] == level]
        middle = (len(line) - 1) / 2
        lanes.update((n, k - middle) for k, n in enumerate(line))
        lanes.update((n, (len(line) - 1) - middle + 1 + k) for k, n in enumerate(beside))
    shown = dict.fromkeys([p for e in found for p in (e.tail, e.head)])
    shown.update(dict.fromkeys((e.name, t) for t in range(1, T + 1) for e in m.equations))
    top, left = max(rows.values()), float(MARGIN + RADIUS)
    out: dict[Place, Point] = {}
    for t in sorted({t for _, t in shown}):
        column = sorted((n for n, step in shown if step == t), key=lambda n: (rows[n], lanes[n]))
        low, high = min(lanes[n] for n in column), max(lanes[n] for n in column)
        out.update({(n, t): (left + (lanes[n] - low) * LANE, MARGIN + RADIUS + (top - rows[n]) * ROW) for n in column})
        left += (high - low) * LANE + LANE + GAP / 2
    return out


def edge(at: dict[Place, Point], e: Edge) -> Iterator[str]:
    """The arrow of values and, dashed, the arrow of derivatives the other way."""
    a, b = at[e.tail], at[e.head]
    others = [p for place, p in at.items() if place not in (e.tail, e.head)]
    bend = next((x for x in BENDS if clear(a, b, x, others)), 0)
    control = middle(a, b, bend)
    yield from arrows(a, control, b, e)


def arrows(a: Point, control: Point, b: Point, e: Edge) -> Iterator[str]:
    """One arrow, or two side by side, along a curve from a to b."""
    nx, ny = normal(a, b)
    side = SIDE if e.back else 0.0
    for kind, sign in (("value", 1.0), *((("derivative", -1.0),) if e.back else ())):
        p, q, r = ((x + sign * side * nx, y + sign * side * ny) for x, y in (a, control, b))
        if kind == "derivative":
            p, r = r, p
        start, end = toward(p, q, RADIUS + 2), toward(r, q, RADIUS + 9)
        tip = toward(r, q, RADIUS + 2)
        yield f'<path class="{kind}" d="M{xy(start)} Q{xy(q)} {xy(end)}"/>'
        yield head(kind, end, tip)
    if e.label:
        x, y = ((a[0] + 2 * control[0] + b[0]) / 4 + 15 * nx, (a[1] + 2 * control[1] + b[1]) / 4 + 15 * ny + 4)
        yield f'<text class="note" x="{x:.1f}" y="{y:.1f}">{label(e.label, None)}</text>'


def head(kind: str, end: Point, tip: Point) -> str:
    """An arrow head from ``end`` to ``tip``."""
    nx, ny = normal(end, tip)
    left, right = (end[0] + 3.2 * nx, end[1] + 3.2 * ny), (end[0] - 3.2 * nx, end[1] - 3.2 * ny)
    return f'<polygon class="{kind}-head" points="{xy(left)} {xy(tip)} {xy(right)}"/>'


def node(m: Model, place: Place, centre: Point, time: Time) -> str:
    """A node with its name."""
    name, t = place
    kinds = {**{s.name: "input" for s in m.inputs}, **{s.name: "target" for s in m.targets}}
    kind = kinds.get(name) or ("start" if t < 1 else "loss" if name == m.loss else "variable")
    x, y = centre
    return (f'<g class="{kind}"><circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}">{label(name, time)}</text></g>')


def column_note(m: Model, at: dict[Place, Point], t: int, text: str) -> str:
    """The heading of a column, below it."""
    spots = [p for (_, step), p in at.items() if step == t]
    x, y = sum(x for x, _ in spots) / len(spots), max(y for _, y in at.values())
    main = [p[0] for (n, step), p in at.items() if step == t and n in {e.name for e in m.equations}]
    x = sum(main) / len(main) if main else x
    return f'<text class="note" x="{x:.1f}" y="{y + RADIUS + 22:.1f}">{escape(text)}</text>'


def picture(body: list[str], at: dict[Place, Point], title: str) -> str:
    """The whole file."""
    width = max(max(x for x, _ in at.values()) + RADIUS + MARGIN, 330)
    low = max(y for _, y in at.values()) + RADIUS + 52
    key = (f'<path class="value" d="M16 {low:.1f} h26"/>{head("value", (42, low), (49, low))}'
           f'<text class="note left" x="56" y="{low + 4:.1f}">values</text>'
           f'<path class="derivative" d="M126 {low:.1f} h-17"/>{head("derivative", (109, low), (102, low))}'
           f'<text class="note left" x="133" y="{low + 4:.1f}">derivatives of the loss</text>')
    size = f"{width:.0f} {low + 20:.0f}"
    w, h = size.split()
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {size}" role="img" '
        f'aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *body, key, "</svg>", ""])


# --------------------------------------------------------------------------------------------------------------------- geometry
def xy(p: Point) -> str:
    """A point as text; minus zero is zero."""
    return f"{p[0] + 0.0:.1f},{p[1] + 0.0:.1f}"


def normal(a: Point, b: Point) -> Point:
    """The unit vector to the left of the way from a to b, as it is seen on the page."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    n = hypot(dx, dy) or 1.0
    return (dy / n, -dx / n) if (dx, dy) != (0, 0) else (1.0, 0.0)


def middle(a: Point, b: Point, bend: float) -> Point:
    """The control point of a curve from a to b that leaves the straight line by ``bend`` at its middle."""
    nx, ny = normal(a, b)
    return (a[0] + b[0]) / 2 + 2 * bend * nx, (a[1] + b[1]) / 2 + 2 * bend * ny


def toward(a: Point, b: Point, distance: float) -> Point:
    """The point at ``distance`` from a on the way to b."""
    n = hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    return a[0] + (b[0] - a[0]) * distance / n, a[1] + (b[1] - a[1]) * distance / n


def clear(a: Point, b: Point, bend: float, others: list[Point]) -> bool:
    """Whether a curve keeps away from all other nodes."""
    c = middle(a, b, bend)
    for k in range(1, 24):
        s = k / 24
        x = (1 - s) ** 2 * a[0] + 2 * s * (1 - s) * c[0] + s * s * b[0]
        y = (1 - s) ** 2 * a[1] + 2 * s * (1 - s) * c[1] + s * s * b[1]
        if any(hypot(x - u, y - w) < RADIUS + 7 for u, w in others):
            return False
    return True


def label(name: str, time: Time | None) -> str:
    """A canonical name as SVG text, with its labels and its time below."""
    base, sub, sup = split_name(name)
    accent = re.fullmatch(r"(\w+)\((.*)\)", base)
    letter = GREEK.get(accent[2], accent[2]) + ACCENTS.get(accent[1], "") if accent else GREEK.get(base, base)
    below = ",".join(x for x in (sub, sup, str(time).replace("-", "−") if time is not None else "") if x)
    small = f'<tspan class="sub" dy="4">{escape(below)}</tspan>' if below else ""
    return escape(letter) + small
