"""Sentences that say how the number of parameters grows with the steps, and how many times that of a plain cell it is."""
from __future__ import annotations

import re
from types import MappingProxyType

from symrnn.judge import Relation
from symrnn.prove.counts import more, multiple, never_more
from symrnn.prove.parts import alike, cell, kind, outputs, parameters
from symrnn.read.sentences import Said
from symrnn.told.counts import NAMED, Counted, doubt, gap, undecided
from symrnn.told.guards import blocked
from symrnn.told.sizes import letters_of
from symrnn.told.values import Told
from symrnn.told.world import World

PLAIN_START = re.compile(r"(?:(?:so|thus|hence|therefore|then|note that|moreover|as a result|in (?:this|the|our|an?) (?:simple |vanilla )?"
                         r"(?:RNN|recurrent (?:neural )?network|LSTM|GRU|network)),? )*(?:the |its )?(?:total )?", re.I)
"""How a sentence begins that speaks of the number of parameters of the network at hand."""
TIMES = MappingProxyType({"twice": 2, "five": 5, "six": 6, "eight": 8})
def growth_of(said: Said, world: World) -> Told:
    """``the number of parameters does not depend on the length of the sequence``: no size of a parameter counts steps."""
    model, last = world.model(said.offset), {*world.steps, *world.setting(said.offset).scope.steps} - world.sizes_declared
    if blocked(said.clause.replace(said.words, " "), "parameters") or not set(said.names) <= last:
        return None
    own = parameters(model, (*cell(model), *outputs(model)))
    if said.value == "grows" and not PLAIN_START.fullmatch(said.clause.partition(said.words)[0]):
        return None                                                   # of another network, perhaps
    tied = sorted({f for p in own for n in p.shape for f in letters_of(n)} & {*world.ends, *world.setting(said.offset).scope.steps})
    if not own or not model.states:
        verdict = undecided("no equation that was understood has parameters")
    elif tied:
        verdict = undecided(f"the text uses {tied[0]} as a size and as the number of steps")
    elif why := gap(world, said.offset):
        verdict = undecided(why)
    else:
        verdict = never_more(own) if said.value == "stays" else more(own)
    return None, Relation(rf"\text{{{said.words}}}", verdict)


def ratio_of(said: Said, world: World) -> Told:
    """``four times as many parameters as a plain RNN``: an LSTM has four sums where that has one, each with as many parameters."""
    named = NAMED.search(said.clause.partition(said.words)[0])
    claimed = TIMES.get(said.value.lower(), int(said.value) if said.value.isdigit() else 0)
    if named is None or named.lastgroup == "RNN" or not claimed or blocked(said.clause, "parameters"):
        return None
    model = world.model(said.offset)
    own = alike(model)
    if kind(model) != named.lastgroup:
        verdict = undecided(f"no equations of {named[0]} were understood")
    elif not own:
        verdict = undecided("its equations have different numbers of parameters")
    elif why := doubt(Counted(own[0], cell(model)), model, world, said.offset):
        verdict = undecided(why)
    else:
        verdict = multiple(own, claimed)
    return None, Relation(rf"\text{{{said.words}}}", verdict)
