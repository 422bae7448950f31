"""The documents of the zoo: what each compiles to."""

from __future__ import annotations

import pytest

from symrnn import api
from symrnn.bptt import derive
from symrnn.zoo import names, source

STATE = ("a[t] = W @ h[t-1] + U @ x[t] + b", "h[t] = tanh(a[t])")
LOGITS = "o[t] = V @ h[t] + c"
CROSS_ENTROPY = ("hat(y)[t] = softmax(o[t])", "loss[t] = -sum(y[t] * log(hat(y)[t]))")
MODELS = {
    "elman": (*STATE, LOGITS, *CROSS_ENTROPY),
    "elman-relu": (STATE[0], "h[t] = relu(a[t])", LOGITS, *CROSS_ENTROPY),
    "elman-sigmoid-bce": (*STATE, LOGITS, "hat(y)[t] = sigmoid(o[t])",
                          "loss[t] = -sum(y[t] * log(hat(y)[t]) + (ones - y[t]) * log(ones - hat(y)[t]))"),
    "elman-linear-mse": (*STATE, "hat(y)[t] = V @ h[t] + c", "loss[t] = (1/2) * sum((hat(y)[t] - y[t])**2)"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_document_compiles_to_its_equations(name):
    assert tuple(map(str, api.model(name).equations)) == MODELS[name]


@pytest.mark.parametrize("name", MODELS)
def test_the_output_receives_prediction_minus_target(name):
    d = derive(api.model(name))
    assert str(d.adjoints["hat(y)" if name == "elman-linear-mse" else "o"]) == "hat(y)[t] - y[t]"


@pytest.mark.parametrize("name", names())
def test_a_document_has_a_title_a_source_and_a_given_initial_state(name):
    m = api.model(name)
    assert source(name).title != name
    assert m.source and m.initial == "given" and m.loss is not None
    assert {s.kind for s in m.states} == {"variable"}
