"""`Listing`: the code of a fused group at every stage of compilation, as text.

The stages are the formula, the instructions, the nest, the operands and the LLVM IR; the optimised IR and the assembly
are computed on request. If the group cannot be compiled, the listing says why. For a step on a GPU it holds the CUDA
sources instead of the IR: see `runtime.cuda.cuda_listing`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..ir.fused_ir import Body, Value
from ..ir.scalar_ir import CannotLower
from ..llvm import tier
from ..llvm.tier import ModuleSource
from ..llvm.toolchain import assembly, optimised_ir
from .emit_llvm import generate
from .flat_nest import divisors_of, flat_nest, for_pattern, parts_of, program_of


@dataclass(frozen=True, slots=True, repr=False)
class Listing:
    """The code of one group.

    Attributes:
        node: the name of the group's node.
        formula: what it computes, as one formula.
        body: its instructions.
        operands: one line for each input and result.
        ir: the module that is compiled.
        reason: why later stages are empty; on a GPU a note that follows the kernels.
        kernels: on a GPU, (launch, CUDA source) for each launch; the source is empty if it is that of the launch
            before.
        nest: what it computes, as loads, steps, reductions and stores.
    """

    node: str
    formula: str
    body: str
    operands: tuple[str, ...] = ()
    ir: str = ""
    reason: str = ""
    kernels: tuple[tuple[str, str], ...] = ()
    nest: str = ""

    @property
    def cuda(self) -> str:
        """The CUDA sources, one after another; "" for a step on the CPU."""
        return "\n\n".join(source for _, source in self.kernels if source)

    @property
    def optimised(self) -> str:
        """The IR after LLVM's passes; RuntimeError if there is no LLVM."""
        return optimised_ir(self.ir)

    @property
    def assembly(self) -> str:
        """The machine instructions; RuntimeError if there is no LLVM."""
        return assembly(self.ir)

    def __str__(self) -> str:
        parts = [f"{'group' if self.body else 'node'} {self.node}", f"formula: {self.formula}"]
        if self.body:
            parts += ["instructions:", _indented(self.body)]
        if self.nest:
            parts += ["nest:", _indented(self.nest)]
        if self.operands:
            parts += ["operands:", *[f"  {line}" for line in self.operands]]
        if self.ir:
            parts += ["LLVM IR:", _indented(self.ir)]
        for started, source in self.kernels:
            parts += [f"CUDA kernel {started}{':' if source else ', of the source above'}"]
            parts += [_indented(source)] if source else []
        if self.reason:
            parts.append(self.reason if self.kernels else f"interpreted: {self.reason}")
        return "\n".join(parts)

    __repr__ = __str__


def _indented(text: str) -> str:
    return "\n".join([f"  {line}".rstrip() for line in text.split("\n")])


def list_group(node: str, body: Body, names: Sequence[str], single: Sequence[bool]) -> Listing:
    """The listing of a group; `names` of its inputs, `single` is true for inputs of one number per row."""
    known = node, body.formula, str(body)
    pattern = (False,) * len(single) if all(single) else tuple(single)
    try:
        parts = parts_of(body)
        divisors_of(body)
        nest = for_pattern(flat_nest(body, parts), pattern)
    except CannotLower as error:
        return Listing(*known, reason=str(error))
    program = program_of(nest)
    operands = [f"{Value(i)} {names[i]}  {d.name}, {_stride_text(d.size, one)}"
                for i, (d, one) in enumerate(zip(body.inputs, single, strict=True))]  # fmt: skip
    for k, value in enumerate(parts.wanted):
        dtype = program.dtype_of(program.outputs[k])
        ends = k >= len(parts.made)
        use = f"reduced by {parts.tails[k - len(parts.made)].rule.ufunc.__name__}" if ends else "a result"
        operands.append(f"{Value(value)} {dtype.name}, {use}, one number each {dtype.size} bytes")
    return with_code(Listing(*known, operands=tuple(operands), nest=str(nest)), lambda: generate(nest))


def with_code(listing: Listing, source: Callable[[], ModuleSource]) -> Listing:
    """The listing with the code that is compiled, or with the reason why there is none."""
    reason = tier.why_off()
    try:
        return replace(listing, reason=reason) if reason else replace(listing, ir=source().ir)
    except (CannotLower, RuntimeError) as error:
        return replace(listing, reason=str(error))


def _stride_text(size: int, one: bool) -> str:
    return "one number for a whole row" if one else f"one number each {size} bytes"
