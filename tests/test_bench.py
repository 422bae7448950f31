"""`python -m bench --quick` prints its tables; what the numbers are is not tested."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_the_quick_bench_prints_tables_of_ratios_and_writes_no_file():
    before = {path for path in ROOT.glob("*") if path.suffix != ".pyc"}
    done = subprocess.run([sys.executable, "-m", "bench", "--quick"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    tables = re.findall(r"(?:^\|.*\n)+", done.stdout, re.M)
    rows = [[re.split(r" *\| *", line.strip("| ")) for line in table.splitlines()] for table in tables]
    assert len(rows) == 4
    assert all(len({len(row) for row in table}) == 1 for table in rows)
    ratio = re.compile(r"(> )?\d[\d.]*(e-\d+)?|-")
    compared = rows[0][2:]
    assert [row[:2] for row in compared] == [["1", "1"], ["2", "1"]]
    assert all(ratio.fullmatch(row[k]) for row in compared for k in (3, 5, 7))
    assert [row[2] for row in rows[1][2:]] == ["the same", "the same"]
    assert [row[5] for row in rows[3][2:]] == ["float64", "float32"] and all(ratio.fullmatch(row[8]) for row in rows[3][2:])
    assert {path for path in ROOT.glob("*") if path.suffix != ".pyc"} == before


def test_the_bench_of_reading_reads_the_whole_corpus():
    done = subprocess.run([sys.executable, "-m", "bench.reading", "--spans", "400"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    rows = re.findall(r"^\| (own|both) \| (\d+) \| ([\d.]+) \|$", done.stdout, re.M)
    assert [row[0] for row in rows] == ["own", "both"] and all(int(row[1]) > 0 for row in rows)


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_the_code_by_hand_computes_what_emitted_code_does(kind):
    from bench import by_hand
    from bench.shapes import SMALL
    from symrnn import api
    from symrnn.emit.load import load

    net = load(api.emit("elman"))
    weights, x, labels = SMALL[0].numbers(kind)
    mine, theirs = net.loss_and_gradients(net.Params(*weights), x, labels), by_hand.loss_and_gradients(by_hand.Weights(*weights), x, labels)
    close = 1e-12 if kind == "float64" else 1e-4
    assert mine[0] == pytest.approx(theirs[0], rel=close)
    assert all(np.allclose(a, b, rtol=close, atol=close) for a, b in zip(mine[1], theirs[1], strict=False))


def test_the_bench_refuses_options_it_does_not_know():
    done = subprocess.run([sys.executable, "-m", "bench", "--fast"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "usage: python -m bench [--quick]" in done.stderr


@pytest.mark.slow
def test_what_is_measured_of_the_cost_can_be_drawn(tmp_path):
    from bench.cost import main
    from symrnn import api

    target = tmp_path / "cost.json"
    main([str(target)], steps=(1,), limit=30.0)
    assert "at T = 1" in api.picture("elman", "cost", data=target)


def test_the_measuring_of_the_cost_refuses_options():
    from bench.cost import main

    with pytest.raises(SystemExit, match="usage: python -m bench.cost"):
        main(["--fast"])


def test_the_bench_of_certificates_finds_no_altered_one_that_stands_and_is_false():
    command = [sys.executable, "-m", "bench.certificates", "--claims", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    rows = re.findall(r"^\| ([a-z ]+) \| (\d+) \| (\d+) \| (\d+) \|$", done.stdout, re.M)
    assert len(rows) > 4 and {row[3] for row in rows} == {"0"} and sum(int(row[1]) for row in rows) > 30
