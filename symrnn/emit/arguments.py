"""The arguments of an emitted module: signatures, the statements that check each argument, and fixed numbers for a self-check."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symrnn.bptt import fusions
from symrnn.emit.plan import STAND_INS, Plan
from symrnn.emit.stable import expose
from symrnn.expr import Shape, Symbol
from symrnn.naming import identifier
from symrnn.unroll import lags


class Arguments:
    """What the functions of a looped module take, after its plan."""

    def __init__(self, plan: Plan, outputs: set[str]) -> None:
        self.plan, self.model, self.outputs = plan, plan.model, outputs
        self.lags = lags(plan.model)
        self.gradients = "gradients" in outputs
        self.functions = plan.functions
        self.values = {s.name: self.target_values(s) for s in self.plan.targets}

    # ------------------------------------------------------------------------------------------------------------ small texts
    def name(self, s: Symbol) -> str:
        return self.plan.layout.arrays[s.kind, s.name].name

    def dims(self, shape: Shape) -> list[str]:
        """The axes of a value in words: a scalar that changes over time has one axis of length 1."""
        return [identifier(n) if isinstance(n, str) else str(n) for n in shape if n != 1]

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
        if s.name in self.model.simplex and s.shape[1] == 1 and s.shape[0] != 1:
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
        def signature(aims: list[str], functions: Sequence[str]) -> str:
            named = [f"{c}: Any" for c in constants] + [f"{f}: Function" for f in functions]
            parts = ["params: Params", *(f"{x}: Any" for x in [*inputs, *aims]), *(f"{s}: Any = None" for s in starts)]
            return ", ".join([*parts, *(["*", *named] if named else [])])
        def check(aims: list[str], functions: Sequence[str]) -> str:
            stand = {f: f if f in functions else plain[0] for f in self.functions}
            given = [*inputs, *(y if y in aims else "..." for y in targets), *starts, *constants, *stand.values()]
            return ", ".join(["params", *given])
        everything = [f"{n}: Any" for n in [*inputs, *targets, *starts, *constants]]
        everything += [f"{f}: Function" for f in self.functions]
        return {"forward": signature(early, plain), "loss": signature(targets, plain),
                "gradients": signature(targets, self.functions), "check_forward": check(early, plain),
                "check_loss": check(targets, plain),
                "check_gradients": check(targets, self.functions), "check": ", ".join(["params: Params", *everything])}

    def check(self) -> list[str]:
        """The statements of ``_check``."""
        plan = self.plan
        names = ", ".join(self.name(s) for s in plan.parameters)
        out = ["if not isinstance(params, Params):",
               f'    raise TypeError(f"params must be Params({names}); it came as {{type(params).__name__}}")']
        first = next(iter((*plan.inputs, *plan.forward_targets, *plan.targets)))
        rank = len(self.lead(first)) - 1 + len(self.sequence_dims(first.shape))
        out += [f"single = _rank({self.name(first)}) == {rank}", 'sizes: dict[str, int] = {"B": 1} if single else {}']
        out.append("checked = Params(" if plan.parameters else "checked = Params()")
        for s in plan.parameters:
            dims = self.dims(s.shape)
            n, shape = self.name(s), "" if dims else ".reshape(1)"
            out.append(f'    {n}=_array("params.{n}", params.{n}, {self.tuple_of(dims)}, sizes){shape},')
        out += [")"] if plan.parameters else []
        out.append('many: tuple[str, ...] = () if single else ("B",)')
        for s in plan.inputs:
            out += self.check_sequence(s, "_array", "")
        for s in plan.targets:
            lines = self.check_sequence(s, "_target", f', "{self.values[s.name]}"')
            if s in plan.forward_targets:
                out += lines
            else:
                out += [f"if {self.name(s)} is not ...:", *(f"    {line}" for line in lines)]
        for s in plan.starts:
            out += self.check_start(s)
        for s in (*plan.inputs, *plan.targets):
            if s.name in self.lags:
                n, start = self.name(s), plan.start_name(s)
                out.append(f"{n} = np.concatenate(({start}{'[None]' if self.lags[s.name] == 1 else ''}, {n}))")
        for s in plan.constants:
            dims = self.dims(s.shape)
            n = self.name(s)
            out.append(f'{n} = _array("{n}", {n}, {self.tuple_of(dims)}, sizes){"" if dims else ".reshape(1)"}')
        given = [f"{n}" for n in self.fields_of_checked]
        out.append(f"return _Checked({', '.join(['checked', *given, 'sizes', 'single'])})")
        return out

    def check_sequence(self, s: Symbol, function: str, more: str) -> list[str]:
        n, dims = self.name(s), self.sequence_dims(s.shape)
        time = '"T", ' if self.lead(s) == ["T", "B"] else ""
        inner = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims)
        line = f'{n} = {function}("{n}", {n}, ({time}*many, {inner}), sizes{more})'
        if not time:
            return [line, f"{n} = {n}[None, None] if single else {n}[None]"]
        return [line, f"{n} = {n}[:, None] if single else {n}"]

    def check_start(self, s: Symbol) -> list[str]:
        n, past = self.plan.start_name(s), self.lags[s.name]
        dims = self.sequence_dims(s.shape)
        inner = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims)
        numbers = ", ".join(d if d.isdigit() else f'sizes["{d}"]' for d in dims)
        rows = "" if past == 1 else f"{past}, "
        axis = "[None]" if past == 1 else "[:, None]"
        return [f"if {n} is None:", f'    {n} = np.zeros(({rows}sizes["B"], {numbers}))', "else:",
                f'    {n} = _array("{n}", {n}, ({rows}*many, {inner}), sizes)',
                f"    {n} = {n}{axis} if single else {n}"]

    # ------------------------------------------------------------------------------------------------------------ self-check
    def check_sizes(self) -> dict[str, int]:
        """Small distinct sizes."""
        return {"T": 4, "B": 2, **{identifier(n): 2 + k for k, n in enumerate(self.model.sizes)}}

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
        out.append(f"c = _check({', '.join(['params', *self.check_arguments()])})")
        return out

    def check_arguments(self, take: Mapping[str, str] | None = None) -> list[str]:
        """The arguments of ``_check`` in the self-check; ``take`` says how one sequence is cut out."""
        stand = [STAND_INS[order] for _, order in self.plan.orders.values()]
        arrays = [n for n in self.fields_of_checked if n not in self.functions]
        return [n + (take or {}).get(n, "") for n in arrays] + stand

    def apart(self) -> list[str]:
        """The losses of single sequences against that of the batch."""
        sequences = (*self.plan.inputs, *self.plan.targets)
        take = {self.name(s): "[:, b]" if self.lead(s) == ["T", "B"] else "[b]" for s in sequences}
        take |= {self.plan.start_name(s): "[b]" if self.lags[s.name] == 1 else "[:, b]" for s in self.plan.starts}
        call = ", ".join(["params", *self.check_arguments(take)])
        return [f"ones = [_check({call}) for b in range(2)]", "together = float(_loss(c, run))",
                "difference = abs(sum(float(_loss(one, _run(one))) for one in ones) - together) / max(1.0, abs(together))",
                'print(f"  2 sequences together and one by one: losses differ by {difference:.1e}")',
                'worst = max(worst, difference if difference == difference else float("inf"))']
