"""The network as a picture: a model over a few steps, or one step with what it hands on, with the flow of values and of derivatives.

Rows are the order in which quantities need each other within a step, columns are steps. A card shows a quantity and below it the
derivative of the loss by it, which is what the dashed arrows that leave the card carry.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

from symrnn.bptt import adjoint
from symrnn.errors import CallError
from symrnn.expr import Expr, Time, fix_time, node
from symrnn.model import Model
from symrnn.pictures import label
from symrnn.pictures.canvas import BLUE, INK, MUTED, ORANGE, Point, box, path, plain, svg
from symrnn.pictures.curves import LANE, Curve, Way, arrow, curve, down, left, right, up
from symrnn.pictures.layered import Node, Placed, fitted, layout
from symrnn.pictures.wiring import Place, Use, Wiring, arrival, leaving
from symrnn.write.latex import latex
from symrnn.write.notation import Notation
from symrnn.write.words import listed

MOST_STEPS = 8
MARGIN, ROW_GAP, GAP, NECK = 26.0, 58.0, 54.0, 16.0
PADDING, PORT, LEAST, TIGHT = 11.0, 16.0, 42.0, 17.0
"""Room beside a label, for a wire, of the narrowest card, and between two delayed values that enter a step in one row."""
LOOP, LOOP_LABELLED = 18.0, 46.0
STRAIGHT, LOOSE = 4.0, 0.02
"""How much straighter than others a wire is along which derivatives return, and one from an earlier step."""
LONGEST = 130.0
"""The widest formula that is written on a wire."""

Box = tuple[float, float, float, float]
Road = tuple[Use, int, tuple[Way, ...]]
Wish = tuple[str, str, list[Point]]
"""A label, its class, and the points beside which it could stand."""


@dataclass(frozen=True)
class Steps:
    """The steps that are drawn: their numbers, and how a step is written."""

    numbers: tuple[int, ...]
    base: str = ""

    def time(self, step: int) -> Time:
        return Time(self.base, step)


def unrolled(m: Model, T: int, notation: Notation | None = None) -> str:  # noqa: N803
    """The model over ``T`` steps as SVG; CallError unless T is from 1 to 8."""
    if isinstance(T, bool) or not isinstance(T, int) or not 1 <= T <= MOST_STEPS:
        raise CallError("T", must=f"be a number of steps from 1 to {MOST_STEPS} for a picture", came=repr(T),
                        next_step="draw the folded network instead, which stands for any T")
    return Network(Wiring(m), notation or Notation.of(m), Steps(tuple(range(1, T + 1)))).picture()


def folded(m: Model, notation: Notation | None = None) -> str:
    """One step of the model as SVG, for any number of steps: what it hands on comes back to it one step later."""
    return Network(Wiring(m), notation or Notation.of(m), Steps((0,), "t")).picture()


class Network:
    """One picture. Every step has the same places, shifted; what stands before the first step has a column at the left."""

    def __init__(self, wiring: Wiring, notation: Notation, steps: Steps) -> None:
        self.wiring, self.notation, self.steps = wiring, notation, steps
        self.model = wiring.model
        self.rows = wiring.rows
        self.leaving = leaving(wiring)
        self.height = 48.0 if wiring.felt else 32.0
        self.kinds = {s.name: s.kind for s in (*self.model.inputs, *self.model.targets)}
        self.taken: list[Box] = []

    # ---------------------------------------------------------------------------------------------------------------- labels
    def name(self, place: Place) -> str:
        """A quantity as its author writes it."""
        return self.notation.at(place[0], self.time(*place))

    def time(self, name: str, step: int) -> Time:
        """The step of a quantity; in the folded network what exists at the last step only stands at that."""
        return Time("T") if self.steps.base and name in self.wiring.last else self.steps.time(step)

    def there(self, name: str, step: int) -> bool:
        """Whether a quantity exists at a step."""
        return name not in self.wiring.last or step == self.steps.numbers[-1]

    def derivative(self, name: str, step: int) -> str:
        """The derivative of the loss by a quantity, as LaTeX; '' where none returns to it, 1 for the loss itself."""
        if name not in self.wiring.felt:
            return ""
        s = adjoint(self.model.symbol(name))
        return "1" if name == self.model.loss else latex(node("sym", attr=replace(s, time=self.time(name, step))), self.notation)

    def formula(self, e: Expr, step: int) -> str:
        """An expression of step t, at another step."""
        return latex(fix_time(e, "t", self.steps.time(step)), self.notation)

    @cached_property
    def sent(self) -> dict[str, Expr]:
        """State -> what a step sends back to the one before it, where that is one state of one step ago and short."""
        found = self.wiring.derivation.initial if self.wiring.derivation is not None else {}
        once = [name for name, _ in self.wiring.delayed]
        return {name: e for name, e in found.items() if (name, 1) in self.wiring.delayed and once.count(name) == 1
                and label.width(self.formula(e, self.steps.numbers[-1]), 13) <= LONGEST}

    # ---------------------------------------------------------------------------------------------------------------- places
    @cached_property
    def widths(self) -> dict[str, float]:
        """The width of each card: room for its labels at every step, and for the wires at its lower and upper side."""
        steps = [min(self.steps.numbers) - 1, *self.steps.numbers]
        out = {}
        for name in [*self.wiring.sources, *(e.name for e in self.model.equations)]:
            labels = [label.width(self.name((name, t))) for t in steps] + [label.width(self.derivative(name, t), 13) for t in steps]
            wires = max(sum(u.head == name for u in self.wiring.uses), sum((u.tail, u.lag) == (name, 0) for u in self.wiring.uses) + 1)
            out[name] = max(LEAST, max(labels) + 2 * PADDING, wires * PORT + 6)
        return out

    @cached_property
    def step(self) -> Placed:
        """The places within one step."""
        late = list(self.wiring.delayed)
        tracks = {name: [f"{name} leaves {r}" for r in rows[1:]] for name, rows in self.leaving.items()}
        nodes = [Node(arrival(*x), self.rows[arrival(*x)], 2.0, k - len(late)) for k, x in enumerate(late)]
        nodes += [Node(n, self.rows[n], w, self.side(n, 0) if n in self.leaving else 0) for n, w in self.widths.items()]
        nodes += [Node(x, self.leaving[n][k], PORT, self.side(n, k)) for n, found in tracks.items() for k, x in enumerate(found, 1)]
        edges = {(u.tail, u.head): STRAIGHT if u.back else 1.0 for u in self.wiring.uses if not u.lag}
        edges |= {(arrival(u.tail, u.lag), u.head): LOOSE for u in self.wiring.uses if u.lag}
        edges |= {pair: 1.0 for n, found in tracks.items() for pair in zip([n, *found], found, strict=False)}
        return layout(nodes, edges)

    def side(self, name: str, k: int) -> int:
        """How far right what later steps use stands in the k-th of its rows: at the end in that in which it leaves the step."""
        return 2 if k == len(self.leaving[name]) - 1 else 1

    @cached_property
    def top_row(self) -> int:
        return max([*self.rows.values(), *(r for rows in self.leaving.values() for r in rows)])

    @cached_property
    def gap(self) -> float:
        """The room between two steps: for the wires, and for what is written on them."""
        wide = [label.width(self.formula(e, t), 13) for e in self.sent.values() for t in self.steps.numbers]
        return GAP + NECK + max((w + 2 * PADDING for w in wide), default=0.0) + 2 * LOOP * len(self.around)

    @cached_property
    def first(self) -> float:
        """The left edge of the first step: behind what stands before it."""
        if self.steps.base or not self.early:
            return MARGIN + (len(self.around) * LOOP + NECK if self.steps.base and self.wiring.delayed else 0.0)
        return MARGIN + max(self.widths[name] for name, _ in self.early) + GAP + 2 * LOOP * len(self.around)

    @cached_property
    def around(self) -> dict[tuple[str, int, int], int]:
        """What goes round below the steps: (name, lag, step it comes from modulo lag) -> number of the lane."""
        if self.steps.base:
            return {(n, lag, 0): k for k, (n, lag) in enumerate(self.wiring.delayed)}
        keys = [(n, lag, (t - lag) % lag) for n, lag in self.wiring.delayed for t in self.steps.numbers if self.is_around(t, lag)]
        return {key: k for k, key in enumerate(dict.fromkeys(keys))}

    def is_around(self, step: int, lag: int) -> bool:
        """Whether what enters a step from ``lag`` before goes round below: not from the step or column beside it."""
        return bool(self.steps.base) or (lag > 1 and step > 1)

    @cached_property
    def early(self) -> tuple[Place, ...]:
        """What the first steps use from before the first."""
        return tuple(dict.fromkeys((n, t - lag) for t in self.steps.numbers for n, lag in self.wiring.delayed if t - lag < 1))

    def left(self, step: int) -> float:
        """The left edge of a step."""
        return self.first + (step - self.steps.numbers[0]) * (self.step.width + self.gap)

    def y(self, row: int) -> float:
        """The middle of a row."""
        return MARGIN + self.height / 2 + sum(self.height + max(ROW_GAP, TIGHT * len(self.entering(r)) + TIGHT / 3)
                                              for r in range(row, self.top_row))

    def entering(self, row: int) -> list[tuple[str, int]]:
        """The delayed values that enter a step between a row and the next."""
        return [late for late in self.wiring.delayed if self.rows[arrival(*late)] == row]

    @cached_property
    def bottom(self) -> float:
        """Below all cards."""
        return max([self.y(0), *(y for _, y in self.early_at.values())]) + self.height / 2

    def lane_y(self, key: tuple[str, int, int]) -> float:
        """The height of a lane below the steps."""
        apart = LOOP_LABELLED if self.steps.base else LOOP
        return self.bottom + 34 + self.around[key] * apart + (10 if self.steps.base else 0)

    @cached_property
    def early_at(self) -> dict[Place, Point]:
        """The middles of the cards before the first step: each at the height at which it enters, if there is room."""
        if self.steps.base or not self.early:
            return {}
        beside = {(n, 1 - lag): self.entry(n, lag, 1).y for n, lag in self.wiring.delayed}
        order = sorted(self.early, key=lambda place: beside.get(place, self.y(0)))
        ys = fitted([beside.get(place, self.y(0)) for place in order], [self.height + 12] * (len(order) - 1))
        wide = max(self.widths[name] for name, _ in self.early)
        return {place: (MARGIN + wide / 2, y) for place, y in zip(order, ys, strict=True)}

    def middle(self, place: Place) -> Point:
        """The middle of a card."""
        if place in self.early_at:
            return self.early_at[place]
        name, step = place
        return self.left(step) + self.step.middle[name], self.y(self.rows[name])

    def entry(self, name: str, lag: int, step: int) -> Way:
        """Where a delayed value enters a step: just above the cards of a row; several in one row do so one below the other."""
        row = self.rows[arrival(name, lag)]
        same = self.entering(row)
        return right(self.left(step) - NECK, self.y(row) - self.height / 2 - TIGHT * (len(same) - same.index((name, lag))) + 4)

    # ----------------------------------------------------------------------------------------------------------------- roads
    @cached_property
    def ports(self) -> dict[tuple[str, str, str], float]:
        """(card, ``in`` or ``out``, name of the other end) -> how far from its middle a wire meets the card: straight if it can."""
        sides: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        for u in self.wiring.uses:
            tail = arrival(u.tail, u.lag) if u.lag else u.tail
            chain = [tail, *self.step.through[tail, u.head], u.head]
            sides[u.head, "in"][tail] = self.step.middle[chain[-2]]
            sides[tail, "out"][u.head] = self.step.middle[chain[1]]
        for name, rows in self.leaving.items():
            if len(rows) > 1:
                sides[name, "out"][""] = self.step.middle[f"{name} leaves {rows[1]}"]
        out = {}
        for (card, side), ends in sides.items():
            room = self.widths.get(card, 0.0) / 2 - PORT / 2
            others = [other for _, other in sorted((x, other) for other, x in ends.items())]
            share = {o: 0.5 if o in self.widths else 1.0 for o in others}     # two cards meet halfway
            wanted = [min(max(share[o] * (ends[o] - self.step.middle[card]), -room), room) for o in others]
            places = list(fitted(wanted, [PORT] * (len(wanted) - 1)))
            over = max(0.0, places[-1] - room) + min(0.0, places[0] + room)
            out.update({(card, side, o): x - over for o, x in zip(others, places, strict=True)})
        return out

    def roads(self) -> Iterator[Road]:
        """Every wire with its step and its waypoints: within the steps, and between them one for each delayed value that enters one."""
        for t in self.steps.numbers:
            for u in self.wiring.uses:
                if self.there(u.head, t):
                    yield u, t, self.within(u, t)
            for name, lag in self.wiring.delayed:
                back = self.wiring.returns(name, lag)
                yield Use(name, "", lag, "", back), t, self.between(name, lag, t)

    def within(self, u: Use, t: int) -> tuple[Way, ...]:
        """From the upper side of a card, or the place where a delayed value enters, to the lower side of another."""
        tail = arrival(u.tail, u.lag) if u.lag else u.tail
        half = self.height / 2
        if u.lag:
            ways = [self.entry(u.tail, u.lag, t)]
        else:
            x, y = self.middle((u.tail, t))
            ways = [up(x + self.ports[u.tail, "out", u.head], y - half)]
        for k, passed in enumerate(self.step.through[tail, u.head], self.rows[tail] + 1):
            x = self.left(t) + self.step.middle[passed]
            ways += [up(x, self.y(k) + half), up(x, self.y(k) - half)]
        x, y = self.middle((u.head, t))
        ways.append(up(x + self.ports[u.head, "in", tail], y + half))
        if u.lag and (past := self.past(ways[1].x, self.rows[tail] + 1, t)) > ways[0].x:
            ways.insert(1, right(past, ways[0].y))
        return tuple(ways)

    def past(self, x: float, row: int, t: int) -> float:
        """The right edge of the last card that stands left of ``x`` in a row: what turns up at ``x`` goes level as far as there."""
        edges = (self.extent((name, t))[2] for name in self.widths if self.rows[name] == row and self.there(name, t))
        return max((edge for edge in edges if edge < x), default=-inf)

    def exit(self, name: str, t: int) -> list[Way]:
        """From a card to the right edge of its step."""
        x, y = self.middle((name, t))
        rows = self.leaving[name]
        edge = self.left(t) + self.step.width
        if len(rows) == 1:
            return [right(x + self.widths[name] / 2, y), right(edge + 1, y)]
        ways = [up(x + self.ports[name, "out", ""], y - self.height / 2)]
        for r in rows[1:]:
            x = self.left(t) + self.step.middle[f"{name} leaves {r}"]
            ways.append(up(x, self.y(r) + self.height / 2))
        return [*ways, right(edge + 1, self.y(rows[-1]))]

    def between(self, name: str, lag: int, t: int) -> tuple[Way, ...]:
        """From where a value leaves its step to where it enters step ``t``: straight on, or round below."""
        end = self.entry(name, lag, t)
        source = t if self.steps.base else t - lag
        if (name, source) in self.early_at:
            x, y = self.early_at[name, source]
            start = [right(x + self.widths[name] / 2, y)]
        else:
            start = self.exit(name, source)
        if not self.is_around(t, lag):
            return *start, end
        key = (name, lag, 0 if self.steps.base else source % lag)
        low, k = self.lane_y(key), self.around[key]
        out, back = start[-1].x + 18 + k * LOOP, end.x - 18 - k * LOOP
        across, turn = (right, 16) if out < back else (left, -16)
        lane = (across(out + turn, low), across(back - turn, low))
        return *start, down(out, start[-1].y + 18), down(out, low - 16), *lane, up(back, low - 16), up(back, end.y + 16), end

    # --------------------------------------------------------------------------------------------------------------- drawing
    def picture(self) -> str:
        """The whole file."""
        drawn: list[str] = []
        self.taken = [self.extent(place) for place in self.cards()]
        curves: list[Curve] = []
        wished: list[Wish] = []
        for u, t, ways in self.roads():
            marks, line = self.lane(ways, BLUE, "wire", headless=not u.head)
            drawn += marks
            curves.append(line)
            if u.label:
                wished.append((self.notation.name(u.label), f"tag {MUTED}", list(line.points())))
            if not u.head and self.steps.base:
                wished.append((self.name((u.tail, -u.lag)), f"tag {INK}", level(line)))
            if u.back:
                marks, line = self.lane([w.turned() for w in reversed(ways)], ORANGE, "wire back", headless=bool(u.lag and u.head))
                drawn += marks
                curves.append(line)
                if not u.head and u.tail in self.sent:
                    sent = self.formula(self.sent[u.tail], t)
                    wished.append((sent, f"tag {ORANGE}", level(line) if self.steps.base else list(line.points())))
        drawn += [mark for place in self.cards() for mark in self.card(place)]
        drawn += self.labels(wished, curves)
        return self.finished(drawn)

    def lane(self, ways: Sequence[Way], hue: str, kind: str, headless: bool) -> tuple[list[str], Curve]:
        """An arrow, or a line that another one carries on."""
        if not headless:
            return arrow(ways, hue, kind)
        drawn = curve(ways)
        return [path(drawn.data, f"{hue} {kind}")], drawn

    def cards(self) -> list[Place]:
        """The places that have a card."""
        return [*self.early_at, *((name, t) for t in self.steps.numbers for name in self.widths if self.there(name, t))]

    def extent(self, place: Place) -> Box:
        """Left, top, right and bottom of a card."""
        (x, y), w = self.middle(place), self.widths[place[0]]
        return x - w / 2, y - self.height / 2, x + w / 2, y + self.height / 2

    def card(self, place: Place) -> Iterator[str]:
        """A quantity, and below it the derivative of the loss by it."""
        name, step = place
        x, y = self.middle(place)
        x0, y0, x1, y1 = self.extent(place)
        given = name in self.kinds or place in self.early_at
        yield box(x0, y0, x1 - x0, y1 - y0, f"card card-fill {'thin' if given else ''}".strip())
        yield box(x0, y0, x1 - x0, y1 - y0, f"{MUTED} {'thin dashed' if given else 'thin'}")
        slope = self.derivative(name, step) if any(u.back and u.tail == name for u in self.wiring.uses) or name == self.model.loss else ""
        yield label.text(self.name(place), x, y + (5 if not slope else -4), INK)
        if slope:
            yield label.text(slope, x, y + 16, f"tag {ORANGE}")

    def labels(self, wished: Sequence[Wish], curves: Sequence[Curve]) -> Iterator[str]:
        """What is written on wires, where there is room for it; what has no room is left out."""
        grid: dict[tuple[int, int], list[Point]] = defaultdict(list)
        for c in curves:
            for p in c.points():
                grid[int(p[0] // 40), int(p[1] // 40)].append(p)
        for text, kind, points in wished:
            w = label.width(text, 13)
            for cx, cy in candidates(points, w):
                area = (cx - w / 2 - 2, cy - 9, cx + w / 2 + 2, cy + 9)
                if not any(overlap(area, other) for other in self.taken) and not _crowded(area, grid):
                    self.taken.append(area)
                    yield label.text(text, cx, cy + 4, kind)
                    break

    def finished(self, drawn: list[str]) -> str:
        """With the headings of the steps and the key."""
        right_edge = max([x for _, _, x, _ in self.taken] + [self.left(self.steps.numbers[-1]) + self.step.width])
        lanes = [self.lane_y(key) for key in self.around]
        low = max([self.bottom, *(y for _, _, _, y in self.taken), *(y + 8 for y in lanes)]) + 24
        if self.steps.base and self.wiring.delayed:
            right_edge += len(self.around) * LOOP + NECK
        if not self.steps.base:
            for t in self.steps.numbers:
                drawn.append(label.text(f"{self.notation.letter} = {t}", self.left(t) + self.step.width / 2, low, f"tag {MUTED}"))
        key_y = low + 30
        drawn += key(key_y, bool(self.wiring.felt))
        width = max(right_edge + MARGIN, 330.0)
        return svg(drawn, width, key_y + 18, *self.words())

    def words(self) -> tuple[str, str]:
        """Title and description."""
        count = len(self.steps.numbers)
        title = f"{self.model.name}: one step, for any T" if self.steps.base else f"{self.model.name} over {count} step{'s' * (count > 1)}"
        uses = []
        for e in self.model.equations:
            tails = [self.notation.at(u.tail, Time("t", -u.lag)) for u in self.wiring.uses if u.head == e.name]
            if tails:
                uses.append(f"{label.spoken(self.notation.at(e.name, Time('t')))} from {listed([label.spoken(x) for x in tails])}")
        flow = " Derivatives of the loss flow along the dashed arrows, the other way." if self.wiring.felt else ""
        return title, f"Values flow along the solid arrows: {'; '.join(uses)}.{flow}"


def key(y: float, both: bool) -> Iterator[str]:
    """What the two kinds of arrows mean."""
    marks, _ = arrow([right(MARGIN, y), right(MARGIN + 34, y)], BLUE, "wire", 0)
    yield from marks
    yield plain("values", MARGIN + 42, y + 4, f"note start {MUTED}")
    if both:
        marks, _ = arrow([left(MARGIN + 134, y), left(MARGIN + 100, y)], ORANGE, "wire back", 0)
        yield from marks
        yield plain("derivatives of the loss", MARGIN + 142, y + 4, f"note start {MUTED}")


def level(c: Curve) -> list[Point]:
    """The points of the lowest part of a curve: the lane that goes round."""
    points = list(c.points())
    low = max(y for _, y in points)
    return [p for p in points if low - p[1] < 1]


def candidates(points: Sequence[Point], wide: float) -> Iterator[Point]:
    """Where a label could stand beside a curve: near its middle first, on either side."""
    for share in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
        x, y = points[round(share * (len(points) - 1))]
        for dx, dy in ((-wide / 2 - 7, 0), (wide / 2 + 7, 0), (wide / 2 + 7 + 2 * LANE, 0), (0, 14), (0, -14), (0, 14 + 2 * LANE)):
            yield x + dx, y + dy


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes have a point in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _crowded(area: Box, grid: dict[tuple[int, int], list[Point]]) -> bool:
    """Whether a curve passes through a box."""
    x0, y0, x1, y1 = area
    cells = ((i, j) for i in range(int(x0 // 40), int(x1 // 40) + 1) for j in range(int(y0 // 40), int(y1 // 40) + 1))
    return any(x0 - 1 < x < x1 + 1 and y0 - 1 < y < y1 + 1 for cell in cells for x, y in grid.get(cell, ()))
