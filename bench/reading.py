"""`python -m bench.reading [--spans N]`: how many formulas are read a second, on one core; nothing is remembered between them.

The formulas are those of the corpus in `tests/`, in all their styles, over and over up to the number of spans. One row is for one grammar
alone, one for both, as documents are read.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

from symrnn.read.reader import read
from symrnn.read.symbols import SymbolTable

CORPUS = Path(__file__).parents[1] / "tests" / "corpus"
SPANS = 1000


def formulas() -> Iterator[tuple[str, SymbolTable]]:
    """The equations of the corpus, each with the declarations of its file."""
    for path in sorted(CORPUS.glob("*.jsonl")):
        first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        table = SymbolTable.from_mapping(first.get("table") or first.get("text"))
        yield from ((row["latex"], table) for row in rows)


def rate(spans: Sequence[tuple[str, SymbolTable]], second: bool) -> tuple[float, float]:
    """Formulas read in a second, and the longest time that one took, in milliseconds."""
    longest = 0.0
    start = last = time.perf_counter()
    for latex, table in spans:
        assert read(latex, table, macros=table.macros, second=second).tree is not None, latex
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return len(spans) / (last - start), longest * 1e3


def main(arguments: Sequence[str]) -> int:
    """Print one row for each way of reading."""
    count = int(arguments[arguments.index("--spans") + 1]) if "--spans" in arguments else SPANS
    spans = list(islice(cycle(list(formulas())), count))
    print(f"{count} formulas, {sum(len(latex) for latex, _ in spans)} characters\n")
    print("| grammars | formulas a second | longest, ms |\n|:--|--:|--:|")
    for words, second in (("own", False), ("both", True)):
        found, longest = rate(spans, second)
        print(f"| {words} | {found:.0f} | {longest:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
