"""`python -m bench [--quick]`: derive, prove and emit against SymPy, as Markdown tables of ratios; no file is written."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bench.by_sympy import CALLS, MODEL, context, timed
from bench.shapes import SHAPES, SMALL, Shape


@dataclass(frozen=True)
class Size:
    """How much is run: T and n against SymPy, its time limit in seconds, T of the long run, T and n of emitted code, its shapes
    against code by hand and the seconds for each."""

    steps: range
    sizes: range
    limit: float
    long: int
    emitted: tuple[tuple[int, int], ...]
    shapes: tuple[Shape, ...]
    seconds: float


FULL = Size(range(1, 5), range(1, 4), 5.0, 1_000_000, ((1, 2), (2, 2), (3, 2), (2, 3)), SHAPES, 3.0)
QUICK = Size(range(1, 3), range(1, 2), 0.5, 2_000, ((1, 1),), SMALL, 0.05)


def best(call: Callable[[], Any], times: int = 5) -> float:
    """The shortest of some runs, in seconds."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def shown(s: float) -> str:
    """A time for people."""
    return f"{s:.2f} s" if s >= 1 else f"{s * 1e3:.3g} ms" if s >= 1e-3 else f"{s * 1e6:.3g} us"


def times(ratio: float) -> str:
    """A ratio to two or three digits."""
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.2g}"


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> None:
    """Print a Markdown table, row by row as it is measured."""
    print("| " + " | ".join(head) + " |\n|" + "--:|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def ours() -> tuple[float, float]:
    """Seconds for all gradients of the model, and for the proof of one in the form that textbooks print."""
    from symrnn import api
    from symrnn.bptt import derive
    from symrnn.prove.decide import decide

    model = api.model(MODEL)
    equation = api.check(
        r"\frac{\partial L}{\partial W} = \sum_{t=1}^{T} \mathrm{diag}(1 - h_t^2) \frac{\partial L}{\partial h_t} h_{t-1}^\top",
        given=[r"h_t = \tanh(W h_{t-1} + U x_t + b)", r"\hat{y}_t = \mathrm{softmax}(V h_t + c)",
               r"\ell_t = -\sum_i y_{t,i} \log \hat{y}_{t,i}", r"L = \sum_{t=1}^{T} \ell_t"],
        shapes={"h_t": "n_h", "x_t": "n_x", r"\hat{y}_t": "n_y", "y_t": "n_y", "W": "n_h x n_h", "U": "n_h x n_x",
                "b": "n_h", "V": "n_y x n_h", "c": "n_y"}).equation
    claim = equation.relations[0].claim
    assert equation.verdict == "proved" and claim is not None
    return best(lambda: derive(model)), best(lambda: decide(claim))


def against_sympy(size: Size) -> None:
    """Derivation and proof, which know no T and no n, against calls of SymPy that do."""
    derive, prove = ours()
    print(f"symrnn, for all sizes and every T: all gradients in {shown(derive)}, one gradient proved in {shown(prove)}.\n")
    ways, late = context(), set()

    def cell(call: str, T: int, n: int) -> tuple[str, str]:  # noqa: N803
        """The time of a call, and its ratio to ours; a call that was too late at a smaller T is not run again."""
        reference = derive if call == "diff" else prove
        if (call, n) in late:
            return "not run", "-"
        found = timed(ways, call, T, n, size.limit)
        if found is not None:
            return shown(found), times(found / reference)
        late.add((call, n))
        return f"> {size.limit:g} s", f"> {times(size.limit / reference)}"

    def rows() -> Iterator[Sequence[str]]:
        for n in size.sizes:
            for T in size.steps:  # noqa: N806
                yield [str(T), str(n), *(text for call in CALLS for text in cell(call, T, n))]

    print("SymPy on the network in components, n inputs, n units, n + 1 classes: `diff` of the loss by every weight; `simplify` "
          "and `equals` on one entry of its gradient by W and what backpropagation gives.\n")
    table(["T", "n", "SymPy diff", "/ derive", "SymPy simplify", "/ prove", "SymPy equals", "/ prove"], rows())


def any_length(size: Size) -> None:
    """One derivation for every T: the same text, run at a small and a large T."""
    import numpy as np

    from symrnn import api
    from symrnn.emit.load import load

    texts: set[str] = set()

    def rows() -> Iterator[Sequence[str]]:
        rng = np.random.default_rng(0)
        for T in (3, size.long):  # noqa: N806
            took = best(lambda: texts.add(api.derive(MODEL).to_text()), 1)
            net = load(api.emit(MODEL))
            params = net.Params(*(rng.normal(size=s) / 2 for s in [(2, 2), (2, 2), (2,), (2, 2), (2,)]))
            x, y = rng.normal(size=(T, 2)), rng.integers(2, size=T)
            run = best(lambda net=net, params=params, x=x, y=y: net.gradients(params, x, y), 3 if T < 100 else 1)
            yield [str(T), shown(took), "the same" if len(texts) == 1 else "another", shown(run), shown(run / T)]

    table(["T", "derived in", "text", "gradients in NumPy, n = 2", "of it per step"], rows())


def looped_and_unrolled(size: Size) -> None:
    """The looped module against the one that `lambdify` writes."""
    import numpy as np

    from symrnn import api
    from symrnn.emit.load import load

    looped_source = api.emit(MODEL)
    looped = load(looped_source)

    def rows() -> Iterator[Sequence[str]]:
        rng = np.random.default_rng(0)
        for T, n in size.emitted:  # noqa: N806
            start = time.perf_counter()
            source = api.emit(MODEL, style="unrolled", steps=T, sizes=(n, n, n))
            took = time.perf_counter() - start
            unrolled = load(source)
            values = [rng.normal(size=s) for s in [(n, n), (n, n), (n,), (n, n), (n,)]]
            x, y = rng.normal(size=(T, n)), np.eye(n)[rng.integers(n, size=T)]
            pair = [best(lambda m=m, v=values, x=x, y=y: m.gradients(m.Params(*v), x, y), 30) for m in (looped, unrolled)]
            yield [str(T), str(n), shown(took), times(len(source) / len(looped_source)), *map(shown, pair),
                   times(pair[1] / pair[0])]

    table(["T", "n", "unrolled written in", "length / looped", "looped, one call", "unrolled, one call", "unrolled / looped"],
          rows())


def emitted_and_by_hand(size: Size) -> None:
    """Loss and all gradients, in the precision of the parameters: the emitted module against NumPy written by hand."""
    import numpy as np

    from bench import by_hand
    from symrnn import api
    from symrnn.emit.load import load

    net = load(api.emit(MODEL))

    def rows() -> Iterator[Sequence[str]]:
        for kind in ("float64", "float32"):
            for s in size.shapes:
                weights, x, labels = s.numbers(np.dtype(kind))
                ways = [partial(way.loss_and_gradients, params(*weights), x, labels)
                        for way, params in ((net, net.Params), (by_hand, by_hand.Weights))]
                emitted, hand = alternating(ways, size.seconds)
                yield [*map(str, s), kind, shown(emitted), shown(hand), f"{emitted / hand:.2f}"]

    print("One run for both, call by call in turn; the shortest call of each counts.\n")
    table([*Shape._fields, "precision", "emitted", "by hand", "emitted / by hand"], rows())


def alternating(ways: Sequence[Callable[[], Any]], seconds: float) -> list[float]:
    """The shortest call of each, all called in turn for so long, and at least five times after a first one."""
    found = [[best(call, 1)] for call in ways]
    start = time.perf_counter()
    while len(found[0]) < 6 or time.perf_counter() - start < seconds:
        for calls, call in zip(found, ways, strict=True):
            calls.append(best(call, 1))
    return [min(calls[1:]) for calls in found]


def main(arguments: Sequence[str]) -> None:
    """Run the tables."""
    if set(arguments) - {"--quick"}:
        raise SystemExit("usage: python -m bench [--quick]")
    size = QUICK if arguments else FULL
    print(f"# symrnn against SymPy: {MODEL}\n\n## Gradients and their proof\n")
    against_sympy(size)
    print("## One derivation for every T\n")
    any_length(size)
    print("## Emitted code\n")
    looped_and_unrolled(size)
    print("## Emitted code against code by hand\n")
    emitted_and_by_hand(size)


if __name__ == "__main__":
    main(sys.argv[1:])
