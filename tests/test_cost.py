"""What a network costs is counted from its formulas, as polynomials in the sizes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from symrnn import api
from symrnn.bptt import derive
from symrnn.cli.app import app
from symrnn.cost import cost
from symrnn.emit import emit
from symrnn.emit.load import load
from symrnn.expr import size_value
from symrnn.zoo import names

SIZES = {"n_h": 3, "n_x": 2, "n_y": 4, "n_p": 5, "n_f": 6, "B": 2}


@pytest.mark.parametrize("name", ["elman", "lstm", "gru-reset-after", "lstm-projection", "lstm-one-matrix"])
def test_the_parameters_are_as_many_as_the_arrays_of_the_code_have(name):
    m = api.model(name)
    module = load(emit(m))
    fields = zip(module.Params._fields, m.parameters, strict=True)
    shapes = {field: [size_value(n, SIZES) for n in s.shape if n != 1] for field, s in fields}
    assert size_value(str(cost(derive(m)).parameters), SIZES) == sum(int(np.prod(shape)) for shape in shapes.values())


def test_the_work_of_a_step_is_that_counted_by_hand():
    found = cost(derive(api.model("elman")))
    assert str(found.forward.products) == "n_h*n_h+n_h*n_x+n_h*n_y+n_y", "W h, U x, V h, and y times the logarithms"
    assert str(found.forward.functions) == "n_h+2*n_y", "tanh, softmax and log"
    assert [s.name for s in found.kept] == ["h", "hat(y)"] and str(found.entries) == "n_h+n_y"
    matrices = ("n_h*n_h", "n_h*n_x", "n_h*n_y")
    assert all(f"2*{term}" in str(found.backward.products) for term in matrices), "once for the adjoints, once for the gradients"


@pytest.mark.parametrize("name", names())
def test_the_cost_of_a_step_depends_on_no_number_of_steps(name):
    found = cost(derive(api.model(name)))
    counts = (found.forward.products, found.forward.functions, found.backward.products, found.entries, found.parameters)
    assert {size for count in counts for size in count.names} <= {*api.model(name).sizes}
    assert found.parameters.terms and found.backward.products.terms


def test_the_command_prints_it_where_it_is_asked_for():
    run = CliRunner().invoke(app, ["derive", "elman", "--level", "brief", "--cost"])
    assert "The parameters have n_h+n_h*n_h+n_h*n_x+n_h*n_y+n_y entries." in " ".join(run.stdout.split())
    assert "What it costs" not in CliRunner().invoke(app, ["derive", "elman", "--level", "brief"]).stdout
    found = json.loads(CliRunner().invoke(app, ["derive", "elman", "--cost", "--format", "json"]).stdout)["cost"]
    assert found["kept"] == ["h", "hat(y)"] and found["parameters"] == "n_h+n_h*n_h+n_h*n_x+n_h*n_y+n_y"
