"""The listing of a group of rows: its nest and its code for operands of given shapes."""

from __future__ import annotations

from collections.abc import Sequence

from ..compiled.llvm_listing import Listing
from ..ir.fused_ir import Body, Value
from ..ir.nest_of_body import nest_of
from ..ir.row_form import row_form
from ..ir.scalar_ir import CannotLower
from ..ir.tiling import Shape
from ..llvm import tier
from .block_writer import writer_for


def list_nest(node: str, body: Body, names: Sequence[str], shapes: Sequence[Shape]) -> Listing:
    """The listing of a group whose inputs have these names and shapes."""
    known = node, body.formula, str(body)
    operands = tuple([f"{Value(i)} {name}  {dtype.name} {list(shape)}" for i, (name, dtype, shape) in
                      enumerate(zip(names, body.inputs, shapes, strict=True))])  # fmt: skip
    form = row_form(body, shapes)
    if isinstance(form, str):
        return Listing(*known, operands=operands, reason=f"it runs in parts: {form}")
    try:
        nest = nest_of(body, form)
    except CannotLower as error:
        return Listing(*known, operands=operands, reason=f"it runs in parts: {error}")
    reason = tier.why_off()
    if not reason:
        try:
            ir = writer_for(nest, form.count).module().ir
            return Listing(*known, operands=operands, ir=ir, nest=str(nest))
        except (CannotLower, RuntimeError) as error:
            reason = str(error)
    return Listing(*known, operands=operands, reason=reason, nest=str(nest))
