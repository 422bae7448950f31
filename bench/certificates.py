"""`python -m bench.certificates [--claims N]`: certificates of true and of false equations, altered, and what the checker says.

The equations are those that hold in the Elman networks of `tests/tools`, and mutants of them. Alterations of each certificate are tried
with the hash made to fit, and with the hash left as it was.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.alterations import alterations, claim_of
from symrnn.certificates import Certificate, Place, Source, certify
from symrnn.prove.claim import Claim
from symrnn.prove.decide import decide
from symrnn.prove.exact import compare
from symrnn.prove.shapes import conflict
from symrnn.repair.mutants import mutants
from symrnn.standalone import symrnn_check as checker

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tools"))
from networks import identities, networks  # type: ignore[import-not-found]  # noqa: E402

PER_CERTIFICATE = 12


def claims(count: int) -> Iterator[Claim]:
    """Equations that hold, and one mutant of each."""
    pick = random.Random(1)
    truths = [claim for model in networks() for _, claim in identities(model)]
    for claim in pick.sample(truths, min(count, len(truths))):
        yield claim
        yield pick.choice([mutant for _, mutant in mutants(claim)])


def certificates(count: int) -> Iterator[Certificate | None]:
    for claim in claims(count):
        text = f"{claim.left!r} = {claim.right!r}"
        verdict = decide(claim)
        if verdict.word in ("proved", "conditional", "refuted"):
            yield certify(claim, verdict, Source(Place(1, 1, text)))


def stands(value: dict[str, object]) -> bool:
    try:
        checker.check(json.dumps(value))
    except checker.Refused:
        return False
    return True


def true_all_the_same(value: dict[str, object]) -> bool:
    """Whether symrnn says the same of the claim that an altered certificate makes: by its verdict, or by exact evaluation."""
    claim = claim_of(value["statement"])  # type: ignore[arg-type]
    if value["word"] == "refuted":
        return conflict(claim) is not None or decide(claim).word == "refuted"
    return decide(claim).word in ("proved", "conditional") or compare(claim).status == "equal"


def main(arguments: Sequence[str]) -> int:
    """Print what was made, how long it took to check, and what became of the altered ones."""
    count = int(arguments[arguments.index("--claims") + 1]) if "--claims" in arguments else 60
    made = list(certificates(count))
    found = [c for c in made if c is not None]
    words = Counter((str(c.value["word"]), "whole" if c.full else "smaller") for c in found)
    rows = ", ".join(f"{n} {word} ({scope} scope)" for (word, scope), n in sorted(words.items()))
    print(f"{len(made)} verdicts, {len(found)} certificates: {rows}")
    times = []
    for c in found:
        start = time.process_time()
        assert stands(dict(c.value))
        times.append(time.process_time() - start)
    print(f"checked in {sorted(times)[len(times) // 2]:.2f} s (median), {max(times):.2f} s (longest)\n")
    tally: Counter[tuple[str, str]] = Counter()
    wrong = 0
    for number, c in enumerate(found):
        every = list(alterations(dict(c.value), number))
        for kind, value in random.Random(number).sample(every, min(PER_CERTIFICATE, len(every))):
            tally["hash as it was", "stands" if stands({**value, "hash": c.value["hash"]}) else "refused"] += 1
            if not stands(value):
                tally[kind, "refused"] += 1
            elif true_all_the_same(value):
                tally[kind, "true"] += 1
            else:
                tally[kind, "WRONG"] += 1
                wrong += 1
                print(f"WRONG: {kind}: {json.dumps(value)[:2000]}", file=sys.stderr)
    print("| altered | refused | true all the same | wrong |\n|:--|--:|--:|--:|")
    for kind in sorted({kind for kind, _ in tally}):
        print(f"| {kind} | {tally[kind, 'refused']} | {tally[kind, 'true']} | {tally[kind, 'WRONG'] + tally[kind, 'stands']} |")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
