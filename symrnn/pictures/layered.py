"""A layered layout: rows from the bottom up, few crossings, nothing on anything else; a graph goes in, places come out.

An edge that spans several rows passes through the rows between by nodes of its own. The order in each row follows the middle of
the neighbours, and the order with the fewest crossings wins; then every node stands as near to its neighbours as the others let
it (a least-squares fit, exact for each row). The same graph gives the same places.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

SWEEPS = 24
FITS = 200
"""How often the rows are ordered, and how often the places in them are fitted."""
TRACK = 12.0
"""The width of an edge that passes a row."""


@dataclass(frozen=True)
class Node:
    """A box: its row from the bottom, its width, and a side; in a row lesser sides stand left of greater ones."""

    name: str
    row: int
    width: float
    side: int = 0


@dataclass(frozen=True)
class Placed:
    """Node -> its middle (the leftmost edge of all is 0); edge -> the nodes of its own that it passes, from the bottom up."""

    middle: Mapping[str, float]
    through: Mapping[tuple[str, str], tuple[str, ...]]
    width: float


def layout(nodes: Sequence[Node], edges: Mapping[tuple[str, str], float], gap: float = 18.0) -> Placed:
    """Places for a graph whose edges all lead upwards; the greater the weight of an edge, the straighter it is.

    >>> cards, wires = [Node("x", 0, 30), Node("a", 1, 30), Node("b", 1, 30), Node("c", 2, 30)], ["xa", "xb", "xc"]
    >>> found = layout(cards, {(tail, head): 1.0 for tail, head in wires})
    >>> {name: round(at) for name, at in found.middle.items()}, found.through["x", "c"]
    ({'x': 60, 'a': 15, 'b': 63, 'x>c@1': 102, 'c': 102}, ('x>c@1',))
    """
    known = {n.name: n for n in nodes}
    through: dict[tuple[str, str], tuple[str, ...]] = {}
    pieces: Pieces = {}
    for (tail, head), weight in edges.items():
        own = [Node(f"{tail}>{head}@{row}", row, TRACK) for row in range(known[tail].row + 1, known[head].row)]
        known.update((n.name, n) for n in own)
        through[tail, head] = tuple(n.name for n in own)
        chain = [tail, *through[tail, head], head]
        pieces.update(dict.fromkeys(zip(chain, chain[1:], strict=False), weight))
    rows = ordered(known, pieces)
    middle = spread(rows, known, pieces, gap)
    left = min((middle[n] - known[n].width / 2 for n in middle), default=0.0)
    right = max((middle[n] + known[n].width / 2 for n in middle), default=0.0)
    return Placed({n: middle[n] - left for row in rows for n in row}, through, right - left)


Rows = list[list[str]]
Pieces = dict[tuple[str, str], float]


def neighbours(pieces: Pieces) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Node -> the nodes below it that it is joined to, and node -> those above."""
    below: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    for tail, head in pieces:
        below.setdefault(head, []).append(tail)
        above.setdefault(tail, []).append(head)
    return below, above


# ----------------------------------------------------------------------------------------------------------------------- order
def ordered(known: Mapping[str, Node], pieces: Pieces) -> Rows:
    """The nodes of each row from left to right: the best of many sweeps up and down, the first of equals."""
    below, above = neighbours(pieces)
    rows: Rows = [[] for _ in range(max((n.row for n in known.values()), default=-1) + 1)]
    for n in known.values():
        rows[n.row].append(n.name)
    rows = [sorted(row, key=lambda name: known[name].side) for row in rows]
    best, fewest = rows, crossings(rows, pieces)
    for sweep in range(SWEEPS):
        beside, order = (below, range(1, len(rows))) if sweep % 2 == 0 else (above, range(len(rows) - 2, -1, -1))
        rows = [list(row) for row in rows]
        for r in order:
            at = {name: (k + 0.5) / len(row) for row in rows for k, name in enumerate(row)}
            want = {name: (known[name].side, mean([at[o] for o in beside.get(name, [name])])) for name in rows[r]}
            rows[r].sort(key=want.__getitem__)
        if (found := crossings(rows, pieces)) < fewest:
            best, fewest = rows, found
    return best


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def crossings(rows: Rows, pieces: Pieces) -> int:
    """How many pairs of edges cross.

    >>> crossings([["a", "b"], ["c", "d"]], {("a", "d"): 1.0, ("b", "c"): 1.0})
    1
    """
    at = {name: k for row in rows for k, name in enumerate(row)}
    level = {name: r for r, row in enumerate(rows) for name in row}
    return sum(level[a] == level[c] and (at[a] - at[c]) * (at[b] - at[d]) < 0 for (a, b), (c, d) in combinations(pieces, 2))


# ---------------------------------------------------------------------------------------------------------------------- places
def spread(rows: Rows, known: Mapping[str, Node], pieces: Pieces, gap: float) -> dict[str, float]:
    """The middle of every node: near the middle of its neighbours, in the order of its row, ``gap`` apart."""
    below, above = neighbours(pieces)
    middle: dict[str, float] = {}
    for row in rows:
        middle.update(zip(row, fitted([0.0] * len(row), apart(row, known, gap)), strict=True))
    weight = {**pieces, **{(head, tail): w for (tail, head), w in pieces.items()}}
    for fit in range(FITS):
        for row in rows if fit % 2 == 0 else reversed(rows):
            near = {n: below.get(n, []) + above.get(n, []) for n in row}
            wanted = [weighted([(middle[o], weight[n, o]) for o in near[n]], middle[n]) for n in row]
            heavy = [sum(weight[n, o] for o in near[n]) or 1.0 for n in row]
            middle.update(zip(row, fitted(wanted, apart(row, known, gap), heavy), strict=True))
    return middle


def weighted(values: Sequence[tuple[float, float]], otherwise: float) -> float:
    """The mean of values with weights; of none what stands there already.

    >>> weighted([(0.0, 1.0), (4.0, 3.0)], 9.0), weighted([], 9.0)
    (3.0, 9.0)
    """
    return sum(x * w for x, w in values) / sum(w for _, w in values) if values else otherwise


def apart(row: Sequence[str], known: Mapping[str, Node], gap: float) -> list[float]:
    """The least distance between the middles of neighbours in a row."""
    return [(known[a].width + known[b].width) / 2 + gap for a, b in zip(row, row[1:], strict=False)]


def fitted(wanted: Sequence[float], least: Sequence[float], weights: Sequence[float] | None = None) -> Iterator[float]:
    """The places nearest to those wanted (least squares, by weight) that keep the least distances.

    >>> list(fitted([0.0, 0.0, 9.0], [2.0, 2.0])), list(fitted([0.0, 0.0], [4.0], [1.0, 3.0]))
    ([-1.0, 1.0, 9.0], [-3.0, 1.0])
    """
    shifts = [0.0]
    for d in least:
        shifts.append(shifts[-1] + d)
    blocks: list[tuple[float, float, int]] = []                       # of a run that stands together: its mean, weight and length
    for want, shift, weight in zip(wanted, shifts, weights or [1.0] * len(wanted), strict=False):
        blocks.append((want - shift, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, v, m), (b, w, n) = blocks[-2:]
            blocks[-2:] = [((a * v + b * w) / (v + w), v + w, m + n)]
    places = [value for value, _, n in blocks for _ in range(n)]
    return (value + shift for value, shift in zip(places, shifts, strict=False))


def lowered(rows: Mapping[str, int], uses: Sequence[tuple[str, str]], sources: Sequence[str]) -> dict[str, int]:
    """The rows, with each source just below its lowest user.

    >>> lowered({"x": 0, "y": 0, "a": 1, "b": 4}, [("x", "a"), ("y", "b")], ["x", "y"])
    {'x': 0, 'y': 3, 'a': 1, 'b': 4}
    """
    lowest = {s: min([rows[head] for tail, head in uses if tail == s], default=1) - 1 for s in sources}
    return {name: lowest.get(name, row) for name, row in rows.items()}
