"""`python -m bench.texts mutants|copies FILE ... [--each N] [--seed N]`: judge changed texts; only what is to be looked at is printed.

`mutants` changes every formula that stands in N ways that make it wrong (or, rarely, say the same) and prints the changed ones
that are still proved. `copies` writes each text N times with other letters, fonts and lines, and prints every relation whose
verdict is another one.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from symrnn.audit import Auditor
from symrnn.read.document import parse_document

Change = Callable[[str], str]
Verdicts = list[list[str | None]]
KEPT = r"\\\\|\\(?:begin|end|text|mathrm|mathbb|operatorname|color|htmlClass)\{[^{}]*\}|softmax|diag|tanh|sigmoid|textbf"
"""What holds letters that name nothing."""


# --------------------------------------------------------------------------------------------------------------------- changes
def spans(text: str, change: Callable[[str], str]) -> str:
    """A text with its formulas changed."""
    out, last = "", 0
    for s in parse_document(text, "a.txt").spans:
        out, last = out + text[last : s.offset] + change(s.latex), s.offset + len(s.latex)
    return out + text[last:]


def letters(new: Mapping[str, str]) -> Change:
    """Other letters (or what is written with one sign) in all formulas, all at once."""
    keys = "|".join(re.escape(k) for k in sorted(new, key=len, reverse=True))

    def one(m: re.Match[str]) -> str:
        found = new.get(m[0], m[0])
        return found + " " if found is not m[0] and re.search(r"\\[a-z]+$", found, re.I) else found

    return lambda text: spans(text, lambda x: re.sub(rf"{KEPT}|{keys}|\\[A-Za-z]+|[A-Za-z]", one, x).strip())


def written(pattern: str, new: str) -> Change:
    """A text whose formulas have something written in another way."""
    return lambda text: spans(text, lambda x: re.sub(pattern, new, x))


def lines(text: str) -> str:
    """Lines shifted by further sentences, none of them between a sentence and the display that it leads to."""
    return "A line before.\n\n" + text.replace(".\n\n", ".\n\nWords between them.\n\n")


def verdicts(text: str) -> Verdicts:
    """The verdicts on the relations of the equations; formulas without a relation are left out."""
    return [[r.verdict.word for r in e.relations] for e in Auditor(parse_document(text, "a.txt")).run() if e.role != "mention"]


# --------------------------------------------------------------------------------------------------------------------- mutants
ATOM = r"(?:\\boldsymbol\{\w+\}|\\mathbf\{\w+\}|\\?[A-Za-z]+)(?:[_^](?:\w|\\\w+|\{[^{}]*\}))*"
SLIPS: tuple[tuple[str, str], ...] = (
    (r"= (?!=)", "= -"), (r"= (?!=)", "= 2 "), (r" ?\+ ?", " - "), (r"(?<=[^=({\[& ]) ?- ?(?=[^}])", " + "), (r"\^\{?2\}?", "^3"),
    (r"\^\{?(?:\\intercal|\\top|T)\}?", ""), (r"([A-Z]\b|\\mathbf\{[A-Z]\})(?=[ (])", r"\1^\\top "),
    (r"\(t\)", "(t - 1)"), (r"\(t ?- ?1\)", "(t)"), (r"\(t\)", "(t + 1)"), (r"\(n\)", "(n-1)"), (r"\(n ?- ?(\d)\)", r"(n - 1\1)"),
    (r"_t\b", "_{t-1}"), (r"_\{t ?[-+] ?1\}", "_t"), (r"(?<=_)i\b", "j"), (r"(?<=_)j\b", "i"), (r"(?<=_)k\b", "i"),
    (r"\\sum(_\{[^{}]*\})?(\^(?:\{[^{}]*\}|\\?\w+))?", ""), (r"= ?1\}", "= 2}"), (r"\\tau\b(?!\))", r"{\\tau + 1}"),
    (r"\bdiag\b|\\mathrm\{diag\}", ""), (r"\\log\b", r"\\exp"), (r"\\tanh\b|\btanh\b", r"\\sigma"),
    (rf"(?<=[ (])({ATOM}) ({ATOM})(?=[ )])", r"\2 \1"), (rf"(?<=[ )])({ATOM})(?=$|[ )])", ""),
    (r"1 - ", "1 + "), (r"1 - ", ""), (r"\\frac\{1\}\{([^{}]*)\}", r"\1"),
)
"""What a mutant has in another way; each stands for every place where it fits."""


def other_letters(text: str, formula: str) -> Iterator[str]:
    """A formula with one letter, where it stands, exchanged for another one of the text that is a capital or not like it."""
    known = sorted(set(re.findall(r"(?<![\\A-Za-z{])[A-Za-z](?![A-Za-z])", "".join(s.latex for s in parse_document(text, "a.txt").spans))))
    for m in re.finditer(r"(?<![\\A-Za-z])[A-Za-z](?![A-Za-z])", formula):
        for new in known:
            if new != m[0] and new.isupper() == m[0].isupper():
                yield formula[: m.start()] + new + formula[m.end():]


def mutants(text: str, formula: str) -> list[str]:
    """Every formula that has one slip, none twice; never the formula itself."""
    held = [m.span() for m in re.finditer(KEPT, formula)]
    slipped = (formula[: m.start()] + m.expand(new) + formula[m.end():] for old, new in SLIPS for m in re.finditer(old, formula)
               if not any(a < m.end() and m.start() < b for a, b in held))
    return [x for x in dict.fromkeys((*slipped, *other_letters(text, formula))) if "".join(x.split()) != "".join(formula.split())]


def standing(path: Path) -> list[tuple[int, str, list[str | None]]]:
    """The number of each formula of which something stands, with its verdicts; definitions are no claims."""
    found = Auditor(parse_document(path.read_text(encoding="utf-8", errors="replace"), "a.txt")).run()
    rows = {e.span.offset: e for e in found if not (e.label or "").startswith("sentence")}
    document = parse_document(path.read_text(encoding="utf-8", errors="replace"), "a.txt")
    out = []
    for n, s in enumerate(document.spans):
        e = rows.get(s.offset)
        words = [r.verdict.word for r in e.relations] if e else []
        if e and {"proved", "conditional"} & set(words):
            out.append((n, s.latex, words))
    return out


def judge_mutant(job: tuple[str, int, str, list[str | None]]) -> tuple[str, str] | None:
    """A mutant, with its verdicts, of which as much stands as of its original; None where it does not."""
    text, n, formula, before = job
    s = parse_document(text, "a.txt").spans[n]
    changed = text[: s.offset] + formula + text[s.offset + len(s.latex):]
    auditor = Auditor(parse_document(changed, "a.txt"))
    row = next((r for r in auditor.compiled.rows if r.span.offset == s.offset), None)
    if row is None:
        return None
    words = [r.verdict.word for r in auditor._judge(row).relations]
    stands = {"proved", "conditional"}
    as_many = sum(w in stands for w in words) >= sum(w in stands for w in before)
    return (formula, ", ".join(map(str, words))) if as_many and set(words) <= {*stands, None} else None


def run_mutants(paths: Sequence[Path], each: int, seed: int, workers: int) -> None:
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        jobs = []
        formulas = standing(path)
        for n, latex, words in formulas:
            found = mutants(text, latex)
            random.Random(f"{seed} {n}").shuffle(found)
            jobs += [(text, n, x, words) for x in found[:each]]
        with multiprocessing.Pool(workers) as pool:
            stands = [x for x in pool.imap(judge_mutant, jobs) if x is not None]
        print(f"{path.name}: {len(formulas)} formulas that stand, {len(jobs)} mutants, {len(stands)} of which as much stands", flush=True)
        for formula, words_ in stands:
            print(f"    {words_}: {formula}", flush=True)


# ---------------------------------------------------------------------------------------------------------------------- copies
LOWER, UPPER = "abcghklmnopqrsuvwxyz", "ABCEFGHJKMNPQRSUVWXYZ"
GREEK = (r"\tau", r"\theta", r"\phi", r"\psi", r"\xi", r"\omega")
FONTS = (written(r"\\boldsymbol", r"\\mathbf"), written(r"\\mathbf", r"\\boldsymbol"), written(r"\\intercal", r"\\top"),
         written(r"\\top", r"\\intercal"), written(r"\^\{\(([^(){}]*)\)\}", r"^{\\langle \1 \\rangle}"), lines)


def copies(text: str, each: int, seed: int) -> Iterator[tuple[str, str]]:
    """Copies of a text, each with what was changed: one to three letters exchanged for unused ones, one other way of writing."""
    formulas = "".join(s.latex for s in parse_document(text, "a.txt").spans)
    bare = re.sub(KEPT, "", formulas)
    used = set(re.findall(r"(?<![\\A-Za-z])[A-Za-z](?![A-Za-z])", bare)) | set(re.findall(r"\\[A-Za-z]+", bare))
    letter_of = random.Random(seed)
    for _ in range(each):
        new: dict[str, str] = {}
        for kind in (LOWER, UPPER, GREEK):
            old, free = [x for x in kind if x in used], [x for x in kind if x not in used]
            for x, y in zip(letter_of.sample(old, min(len(old), len(free), letter_of.randint(0, 2))), letter_of.sample(free, len(free)),
                            strict=False):
                new[x] = y
        number = letter_of.randrange(len(FONTS))
        said = ", ".join(f"{x} -> {y}" for x, y in new.items()) + f"; way {number}"
        yield said, FONTS[number](letters(new)(text) if new else text)


def judge_copy(text: str) -> Verdicts:
    return verdicts(text)


def run_copies(paths: Sequence[Path], each: int, seed: int, workers: int) -> None:
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        made = list(copies(text, each, seed))
        expected = verdicts(text)
        with multiprocessing.Pool(workers) as pool:
            found = list(pool.imap(judge_copy, [copy for _, copy in made]))
        same = sum(x == expected for x in found)
        print(f"{path.name}: {len(made)} copies, {same} with the same verdicts", flush=True)
        for (said, copy), x in zip(made, found, strict=True):
            if x == expected:
                continue
            print(f"    {said}" + ("" if len(x) == len(expected) else f": {len(x)} equations, not {len(expected)}"))
            shown = [s.latex for s in parse_document(copy, "a.txt").spans]
            for n, (old, new) in enumerate(zip(expected, x, strict=False)):
                if old != new and len(x) == len(expected):
                    print(f"        {n if len(shown) != len(x) else shown[n][:90]}: {old} -> {new}", flush=True)


RUNS = {"mutants": run_mutants, "copies": run_copies}


def main(arguments: Sequence[str]) -> None:
    """Run one of the two over the files."""
    options = {"--each": 20, "--seed": 0, "--workers": 2}
    rest = list(arguments)
    while len(rest) > 1 and rest[-2] in options and rest[-1].isdigit():
        *rest, name, value = rest
        options[name] = int(value)
    files = [Path(x) for x in rest[1:]]
    if not files or rest[0] not in RUNS or not all(f.is_file() for f in files):
        raise SystemExit("usage: python -m bench.texts mutants|copies FILE ... [--each N] [--seed N] [--workers N]")
    RUNS[rest[0]](files, options["--each"], options["--seed"], options["--workers"])


if __name__ == "__main__":
    main(sys.argv[1:])
