"""Altered certificates: one thing is changed in the statement, the evidence or what is said of them, and the hashes made to fit.

An altered certificate may state something true; :func:`claim_of` makes the claim of its statement, so that symrnn can say whether it is.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from symrnn.expr import Expr, Index, Symbol, Time
from symrnn.model import Equation, Model
from symrnn.prove.claim import Claim, Condition
from symrnn.standalone import symrnn_check as checker

Value = dict[str, Any]


def claim_of(statement: Value) -> Claim:
    """The claim that a statement in plain form makes."""
    nodes: list[Expr] = []
    for op, args, attr in statement["nodes"]:
        nodes.append(Expr(op, tuple(nodes[k] for k in args), attribute(op, attr)))
    m = statement["model"]
    model = Model("altered", tuple(Equation(nodes[e["left"]].attr, nodes[e["right"]]) for e in m["equations"]), m["loss"], m["total"],
                  frozenset(m["simplex"]), m["initial"], at_end=m["at_end"])
    conditions = tuple(Condition(c["kind"], tuple(part(s) for s in c["subject"])) for c in statement["conditions"])
    return Claim(nodes[statement["left"]], nodes[statement["right"]], model, "=", conditions)


def attribute(op: str, value: Any) -> Any:
    """What a node says beside its arguments, as symrnn has it."""
    if op == "sym":
        time = value["time"]
        return Symbol(value["name"], tuple(value["shape"]), value["kind"], None if time is None else Time(*time))
    if op == "num":
        return Fraction(value)
    if op in ("tsum", "mpow"):
        return tuple(Time(*v) if isinstance(v, list) else v for v in value)
    return part(value)


def part(value: Any) -> Any:
    if isinstance(value, dict):
        return Index(value["name"], value["size"])
    return tuple(part(v) for v in value) if isinstance(value, list) else value


# ------------------------------------------------------------------------------------------------------------------------ alterations
def rows(value: Value, *ops: str) -> list[int]:
    """The numbers of the nodes with these operations."""
    return [k for k, row in enumerate(value["statement"]["nodes"]) if row[0] in ops]


def changed(value: Value, number: int, row: list[Any]) -> Value:
    """The certificate with another node in one place."""
    out = copy.deepcopy(value)
    out["statement"]["nodes"][number] = row
    return out


def wrapped(value: Value, number: int, op: str, attr: Any, factor: str | None = None) -> Value:
    """The certificate with an operation around a node, everywhere."""
    out = copy.deepcopy(value)
    s, extra = out["statement"], [] if factor is None else [["num", [], factor]]
    old = s["nodes"]
    more = len(extra) + 1
    def moved(k: int) -> int:
        return k + more if k >= number else k
    nodes = [[o, [moved(k) for k in args], a] for o, args, a in old]
    kept = [nodes[number]]
    new = [op, [number + 1, number] if extra else [number], attr]
    s["nodes"] = nodes[:number] + kept + extra + [new] + nodes[number + 1:]
    s["left"], s["right"] = moved(s["left"]), moved(s["right"])
    for e in s["model"]["equations"]:
        plain = old[e["left"]][0] == "sym" and e["left"] == number
        e["left"], e["right"] = (e["left"] if plain else moved(e["left"])), moved(e["right"])
    return out


def signs(value: Value, pick: random.Random) -> Iterator[Value]:
    for k in pick.sample(range(len(value["statement"]["nodes"])), min(3, len(value["statement"]["nodes"]))):
        yield wrapped(value, k, "smul", None, "-1")


def coefficients(value: Value, pick: random.Random) -> Iterator[Value]:
    for k in pick.sample(range(len(value["statement"]["nodes"])), min(2, len(value["statement"]["nodes"]))):
        yield wrapped(value, k, "smul", None, "2")
    for k in rows(value, "num"):
        yield changed(value, k, ["num", [], str(Fraction(value["statement"]["nodes"][k][2]) + 1)])


def transposes(value: Value, pick: random.Random) -> Iterator[Value]:
    for k in rows(value, "matmul", "diag"):
        yield wrapped(value, k, "transpose", None)
    for k in rows(value, "transpose"):
        arg = value["statement"]["nodes"][k][1]
        yield changed(value, k, ["smul", [*rows(value, "num")[:1], *arg], None] if rows(value, "num") else ["pow", arg, 1])


def orders(value: Value, pick: random.Random) -> Iterator[Value]:
    for k in rows(value, "matmul"):
        op, (a, b), attr = value["statement"]["nodes"][k]
        yield changed(value, k, [op, [b, a], attr])


def names(value: Value, pick: random.Random) -> Iterator[Value]:
    """Another symbol of the same shape and kind of time."""
    table = value["statement"]["nodes"]
    found = rows(value, "sym")
    for k in found:
        for j in found:
            a, b = table[k][2], table[j][2]
            if a["name"] != b["name"] and a["shape"] == b["shape"] and (a["time"] is None) == (b["time"] is None):
                yield changed(value, k, ["sym", [], {**b, "time": a["time"]}])


def steps(value: Value, pick: random.Random) -> Iterator[Value]:
    for k in rows(value, "sym"):
        a = value["statement"]["nodes"][k][2]
        if a["time"] is not None:
            yield changed(value, k, ["sym", [], {**a, "time": [a["time"][0], a["time"][1] + pick.choice((-1, 1))]}])
    for k in rows(value, "tsum"):
        op, args, (letter, low, high) = value["statement"]["nodes"][k]
        yield changed(value, k, [op, args, [letter, [low[0], low[1] + 1], high]])
        yield changed(value, k, [op, args, [letter, low, [high[0], high[1] - 1]]])


def functions(value: Value, pick: random.Random) -> Iterator[Value]:
    for k in rows(value, "apply"):
        op, args, name = value["statement"]["nodes"][k]
        yield changed(value, k, [op, args, "sigmoid" if name != "sigmoid" else "tanh"])
    for k in rows(value, "pow"):
        op, args, n = value["statement"]["nodes"][k]
        yield changed(value, k, [op, args, n + 1])


def components(value: Value, pick: random.Random) -> Iterator[Value]:
    for k in rows(value, "entry"):
        op, args, at = value["statement"]["nodes"][k]
        yield changed(value, k, [op, args, [1 if isinstance(i, dict) else i for i in at]])


def terms(value: Value, pick: random.Random) -> Iterator[Value]:
    """A term or a factor left out."""
    for k in rows(value, "add", "had"):
        op, args, attr = value["statement"]["nodes"][k]
        if len(args) > 1:
            yield changed(value, k, [op, args[:-1] if op == "add" else [args[0], args[0]], attr])


def networks(value: Value, pick: random.Random) -> Iterator[Value]:
    """The definitions, the start, and the conditions."""
    m = value["statement"]["model"]
    out = copy.deepcopy(value)
    out["statement"]["model"]["initial"] = "zero" if m["initial"] == "given" else "given"
    yield out
    if m["loss"] is not None:
        out = copy.deepcopy(value)
        out["statement"]["model"]["at_end"] = not m["at_end"]
        yield out
    for k in range(len(value["statement"]["conditions"])):
        out = copy.deepcopy(value)
        del out["statement"]["conditions"][k]
        yield out


def words(value: Value, pick: random.Random) -> Iterator[Value]:
    """What is said to be established, and the verdict."""
    for word in ("proved", "refuted"):
        if word != value["word"]:
            yield {**value, "word": word}
    if "point" in value["establishes"] or "shapes" in value["establishes"]:
        yield {**value, "word": "proved", "establishes": {"sizes": "all", "T": "all"}, "evidence": {}}
        yield {**value, "establishes": {"shapes": True}, "evidence": {"kind": "shapes"}}
    elif value["establishes"]["sizes"] != "all":
        yield {**value, "establishes": {"sizes": "all", "T": "all"}}
    else:
        yield {**value, "word": "refuted", "establishes": {"shapes": True}, "evidence": {"kind": "shapes"}}


def points(value: Value, pick: random.Random) -> Iterator[Value]:
    """The point of a counterexample: values, sizes, step, component."""
    if value["evidence"].get("kind") != "point":
        return
    e = value["evidence"]
    for k, row in enumerate(e["values"]):
        out = copy.deepcopy(value)
        i, j = pick.randrange(len(row["rows"])), pick.randrange(len(row["rows"][0]))
        out["evidence"]["values"][k]["rows"][i][j] = pick.choice(["0", "7", "-3/2"])
        yield out
        out = copy.deepcopy(value)
        del out["evidence"]["values"][k]
        yield out
    for key in ("sizes", "times", "indices"):
        for name, n in e[key].items():
            out = copy.deepcopy(value)
            out["evidence"][key][name] = n + 1
            yield out
    for change in ({"entry": [e["entry"][0] + 1, e["entry"][1]]}, {"T": e["T"] + 1}):
        out = copy.deepcopy(value)
        out["evidence"].update(change)
        yield out


KINDS: dict[str, Callable[[Value, random.Random], Iterator[Value]]] = {
    "sign": signs, "coefficient": coefficients, "transpose": transposes, "order": orders, "symbol": names, "step": steps,
    "function": functions, "component": components, "term": terms, "network": networks, "word": words, "point": points,
}


def rehashed(value: Value) -> Value:
    """The certificate with the hash that belongs to it."""
    return {**value, "hash": checker.hash_of(value)}


def alterations(value: Value, seed: int = 0) -> Iterator[tuple[str, Value]]:
    """Every kind of alteration of a certificate, with the hash made to fit."""
    pick = random.Random(seed)
    for kind, make in KINDS.items():
        for out in make(value, pick):
            if out != value:
                yield kind, rehashed(out)
