"""The arguments of an emitted module: signatures, the statements that check each argument, and fixed numbers for a self-check."""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

from symrnn.bptt import fusions
from symrnn.emit.plan import STAND_INS, Plan
from symrnn.emit.stable import expose
from symrnn.emit.statements import WIDTH, axis, in_names
from symrnn.expr import Shape, Symbol, size_value
from symrnn.unroll import lags

WEIGHTS = ["mask: Any = None", 'reduction: str = "sum"']
"""The arguments that say how much the loss of each step counts."""


class Arguments:
    """What the functions of a looped module take, after its plan."""

    def __init__(self, plan: Plan, outputs: set[str]) -> None:
        self.plan, self.model, self.outputs = plan, plan.model, outputs
        self.lags = lags(plan.model)
        self.gradients = "gradients" in outputs
        self.functions = plan.functions
        self.measured = plan.model.loss is not None and bool(outputs & {"loss", "gradients"})
        self.values = {s.name: self.target_values(s) for s in self.plan.targets}
        self.of_classes = {s.name: s.name in plan.classes for s in self.plan.targets}

    # ------------------------------------------------------------------------------------------------------------ small texts
    def name(self, s: Symbol) -> str:
        return self.plan.layout.arrays[s.kind, s.name].name

    def dims(self, shape: Shape) -> list[str]:
        """The axes of a value in words: a scalar that changes over time has one axis of length 1."""
        return [axis(n) if isinstance(n, str) else str(n) for n in shape if n != 1]

    def sequence_dims(self, shape: Shape) -> list[str]:
        return self.dims(shape) or ["1"]

    def tuple_of(self, dims: Iterable[str]) -> str:
        """A tuple in source: names of sizes in quotes, numbers as they are."""
        parts = [d if d.isdigit() else f'"{d}"' for d in dims]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def words(self, dims: Iterable[str]) -> str:
        parts = list(dims)
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def target_values(self, s: Symbol) -> str:
        """What the entries of a target may be."""
        if self.plan.of_classes(s):
            return "classes"
        binary = [o for o, (why, _) in fusions(expose(self.plan.original)).items() if "binary" in why]
        return "unit" if binary and self.plan.aimed else "any"

    def lead(self, s: Symbol) -> list[str]:
        """The axes before those of the vector."""
        return ["B"] if self.plan.layout.arrays[s.kind, s.name].short else ["T", "B"]

    @property
    def fields_of_checked(self) -> list[str]:
        """The names of the checked arguments besides the parameters, in order."""
        plan = self.plan
        sequences = [self.name(s) for s in (*plan.inputs, *plan.targets)]
        starts = [plan.start_name(s) for s in plan.starts]
        return [*sequences, *starts, *(self.name(s) for s in plan.constants), *self.functions]

    @property
    def arrays_of_checked(self) -> list[str]:
        """Those of them that are arrays."""
        return [n for n in self.fields_of_checked if n not in self.functions]

    @property
    def state_starts(self) -> list[Symbol]:
        return [s for s in self.plan.starts if s.kind == "variable"]

    def start_dims(self, s: Symbol) -> list[str]:
        rows = [] if self.lags[s.name] == 1 else [str(self.lags[s.name])]
        return [*rows, "B", *self.sequence_dims(s.shape)]

    # ------------------------------------------------------------------------------------------------------------- arguments
    def calls(self) -> dict[str, str]:
        """Signatures, and the calls of ``_check`` in each function."""
        plan = self.plan
        inputs, targets = [self.name(s) for s in plan.inputs], [self.name(s) for s in plan.targets]
        early = [self.name(s) for s in plan.forward_targets]
        starts = [plan.start_name(s) for s in plan.starts]
        constants = [self.name(s) for s in plan.constants]
        plain = plan.plain
        def signature(aims: list[str], functions: Sequence[str], *more: str) -> str:
            named = [*(f"{c}: Any" for c in constants), *(f"{f}: Function" for f in functions), *more]
            parts = ["params: Params", *(f"{x}: Any" for x in [*inputs, *aims]), *(f"{s}: Any = None" for s in starts)]
            return ", ".join([*parts, *(["*", *named] if named else [])])
        def check(aims: list[str], functions: Sequence[str], weights: bool) -> str:
            stand = {f: f if f in functions else plain[0] for f in self.functions}
            given = [*inputs, *(y if y in aims else "..." for y in targets), *starts, *constants, *stand.values()]
            return ", ".join(["params", *given, *(["mask", "reduction"] if weights and self.measured else [])])
        everything = [f"{n}: Any" for n in [*inputs, *targets, *starts, *constants]]
        everything += [f"{f}: Function" for f in self.functions]
        everything += WEIGHTS if self.measured else []
        return {"forward": signature(early, plain), "loss": signature(targets, plain, *WEIGHTS),
                "gradients": signature(targets, self.functions, *WEIGHTS),
                "adjoints": signature(targets, self.functions, *WEIGHTS),
                "pass_on": ", ".join(["params", *inputs, *targets, *starts,
                                      *(f"{n}={n}" for n in [*constants, *self.functions, "mask", "reduction"])]),
                "check_forward": check(early, plain, False), "check_loss": check(targets, plain, True),
                "check_gradients": check(targets, self.functions, True), "check": ", ".join(["params: Params", *everything])}

    def check(self) -> list[str]:
        """The statements of ``_check``."""
        plan = self.plan
        names = ", ".join(self.name(s) for s in plan.parameters)
        out = ["if not isinstance(params, Params):", "    came = type(params).__name__"]
        whole = f'    raise TypeError(f"params must be Params({names}); it came as {{came}}")'
        out += [whole] if len(whole) < WIDTH else [
            "    raise TypeError(", *(f'        "{line} "' for line in wrap(f"params must be Params({names});", WIDTH - 12)),
            '        f"it came as {came}"', "    )"]
        first = next(iter((*plan.inputs, *plan.forward_targets, *plan.targets)))
        rank = len(self.lead(first)) - 1 + len(self.sequence_dims(first.shape))
        out += ["kind = _precision(params)", f"single = _rank({self.name(first)}) == {rank}",
                'sizes: dict[str, int] = {"B": 1} if single else {}']
        out.append("checked = Params(" if plan.parameters else "checked = Params()")
        for s in plan.parameters:
            dims = self.dims(s.shape)
            n, shape = self.name(s), "" if dims else ".reshape(1)"
            out.append(f'    {n}=_array("params.{n}", params.{n}, {self.tuple_of(dims)}, sizes, kind){shape},')
        out += [")"] if plan.parameters else []
        out.append('many: tuple[str, ...] = () if single else ("B",)')
        for s in plan.inputs:
            out.append(self.checked_array(s))
        if self.measured:
            out.append('real = _mask(mask, ("T", *many), sizes)')
        for s in plan.inputs:
            out += [f"{self.name(s)} = _unpadded({self.name(s)}, real)"] if self.measured else []
            out.append(self.expanded(s))
        for s in plan.targets:
            lines = [self.checked_target(s), self.expanded(s)]
            out += lines if s in plan.forward_targets else [f"if {self.name(s)} is not ...:", *(f"    {line}" for line in lines)]
        for s in plan.starts:
            out += self.check_start(s)
        for s in (*plan.inputs, *plan.targets):
            if s.name in self.lags:
                n, start = self.name(s), plan.start_name(s)
                out.append(f"{n} = np.concatenate(({start}{'[None]' if self.lags[s.name] == 1 else ''}, {n}))")
        for s in plan.constants:
            dims = self.dims(s.shape)
            n = self.name(s)
            out.append(f'{n} = _array("{n}", {n}, {self.tuple_of(dims)}, sizes, kind){"" if dims else ".reshape(1)"}')
        out += self.sums_of_sizes()
        out += self.weights()
        more = [*(["mask", "share", "share * count"] if self.measured else []), *(["end"] if plan.last else [])]
        out.append(f"return _Checked({', '.join(['checked', *self.fields_of_checked, *more, 'sizes', 'single'])})")
        return out

    def sums_of_sizes(self) -> list[str]:
        """An axis whose length is a sum of sizes must have it."""
        out = []
        for size in self.model.sums_of_sizes:
            whole = re.sub(r"[^\W\d]\w*", r"sizes['\g<0>']", str(in_names(size)))
            out += [f"if sizes['{axis(size)}'] != {whole}:",
                    f'    raise ValueError(f"{in_names(size)} must be {{{whole}}}; it came as {{sizes[\'{axis(size)}\']}}")']
        return out

    def weights(self) -> list[str]:
        """How much the loss of each step counts, and which step is the last one."""
        out = []
        if self.measured:
            every = 'sizes["B"]' if self.plan.last else 'sizes["T"] * sizes["B"] if real is None else int(real.sum())'
            out += ['mask = None if real is None else real.reshape(sizes["T"], sizes["B"])', f"count = {every}",
                    "share = _share(reduction, count)"]
        if self.plan.last:
            whole = 'np.full(sizes["B"], sizes["T"] - 1)'
            out += [f"last = {whole} if mask is None else mask.sum(axis=0) - 1" if self.measured else f"last = {whole}",
                    'end = last[None], np.arange(sizes["B"])[None]']
        return out

    def sequence_shape(self, s: Symbol) -> str:
        """The shape of a sequence as it may come, in source."""
        inner = ", ".join(d if d.isdigit() else f'"{d}"' for d in self.sequence_dims(s.shape))
        return f"({'' if self.is_short(s) else chr(34) + 'T' + chr(34) + ', '}*many, {inner})"

    def is_short(self, s: Symbol) -> bool:
        return self.lead(s) == ["B"]

    def checked_array(self, s: Symbol) -> str:
        n = self.name(s)
        return f'{n} = _array("{n}", {n}, {self.sequence_shape(s)}, sizes, kind)'

    def checked_target(self, s: Symbol) -> str:
        n, real = self.name(s), "real" if self.measured and not self.is_short(s) else "None"
        if self.values[s.name] == "classes":
            return f'{n} = _classes("{n}", {n}, {self.sequence_shape(s)}, sizes, kind, {real}, {self.of_classes[s.name]})'
        return f'{n} = _target("{n}", {n}, {self.sequence_shape(s)}, sizes, kind, {real}, {self.values[s.name] == "unit"})'

    def expanded(self, s: Symbol) -> str:
        """The statement that gives a sequence all its axes."""
        n = self.name(s)
        return f"{n} = {n}[None, None] if single else {n}[None]" if self.is_short(s) else f"{n} = {n}[:, None] if single else {n}"

    def check_start(self, s: Symbol) -> list[str]:
        n, past = self.plan.start_name(s), self.lags[s.name]
        dims = self.sequence_dims(s.shape)
        inner = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims)
        numbers = ", ".join(d if d.isdigit() else f'sizes["{d}"]' for d in dims)
        rows = "" if past == 1 else f"{past}, "
        lead = "[None]" if past == 1 else "[:, None]"
        return [f"if {n} is None:", f'    {n} = np.zeros(({rows}sizes["B"], {numbers}), kind)', "else:",
                f'    {n} = _array("{n}", {n}, ({rows}*many, {inner}), sizes, kind)',
                f"    {n} = {n}{lead} if single else {n}"]

    # ------------------------------------------------------------------------------------------------------------ self-check
    def check_sizes(self) -> dict[str, int]:
        """Small distinct sizes."""
        sizes = {n: 2 + k for k, n in enumerate(self.model.sizes)}
        sums = {n: size_value(n, sizes) for n in self.model.sums_of_sizes}
        return {"T": 4, "B": 2, **{axis(n): k for n, k in (sizes | sums).items()}}

    def numbers_of(self, dims: Iterable[str]) -> str:
        sizes = self.check_sizes()
        parts = [str(sizes.get(d, d)) for d in dims]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def self_check(self) -> list[str]:
        plan = self.plan
        out, seed = ["params = Params("], 0
        for s in plan.parameters:
            seed += 1
            out.append(f"    {self.name(s)}=_numbers({self.numbers_of(self.dims(s.shape))}, {seed}),")
        out.append(")")
        for s in (*plan.inputs, *plan.targets):
            seed += 1
            text = f"_numbers({self.numbers_of([*self.lead(s), *self.sequence_dims(s.shape)])}, {seed})"
            n = self.name(s)
            values = self.values.get(s.name, "any")
            out.append(f"{n} = {text}" if values == "any" else f"{n} = 0.5 + 0.6 * {text}")
            if values == "classes":
                out.append(f"{n} /= {n}.sum(axis=-1, keepdims=True)")
        for s in plan.starts:
            seed += 1
            out.append(f"{plan.start_name(s)} = _numbers({self.numbers_of(self.start_dims(s))}, {seed})")
        for s in plan.constants:
            seed += 1
            out.append(f"{self.name(s)} = _numbers({self.numbers_of(self.dims(s.shape))}, {seed})")
        short = plan.last
        lengths = "mask = np.array([[True, True], [True, True], [True, True], [True, False]])"
        out += [lengths, f"c = _check({', '.join(['params', *self.check_arguments(), 'mask', chr(34) + 'mean' + chr(34)])})"]
        take = {self.name(s): "[b]" if self.is_short(s) else "[: 4 - b, b]" for s in (*plan.inputs, *plan.targets)}
        take |= {plan.start_name(s): "[b]" if self.lags[s.name] == 1 else "[:, b]" for s in plan.starts}
        call = ", ".join(["params", *self.check_arguments(take), "None", '"sum"'])
        filled = [self.name(s) for s in (*plan.inputs, *plan.targets) if not self.is_short(s)]
        out[-2:-2] = [f"{' = '.join(f'{n}[3, 1]' for n in filled)} = np.nan  # padding may hold anything"]
        out += ["alone = [", f"    _check({call})", "    for b in range(2)", "]"]
        out.append(f"count = {2 if short else 7}")
        return out

    def check_arguments(self, take: Mapping[str, str] | None = None) -> list[str]:
        """The arguments of ``_check`` in the self-check; ``take`` says how one sequence is cut out."""
        stand = [STAND_INS[order] for _, order in self.plan.orders.values()]
        return [n + (take or {}).get(n, "") for n in self.arrays_of_checked] + stand
