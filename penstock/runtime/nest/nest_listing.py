"""The listing of a group of rows: its nest and its code for operands of given shapes."""

from __future__ import annotations

from collections.abc import Sequence

from ..compiled.llvm_listing import Listing, with_code
from ..ir.fused_ir import Body, Value
from ..ir.nest_of_body import nest_of
from ..ir.scalar_ir import CannotLower
from ..ir.shaped_rows import shaped_rows
from ..ir.tiling import Shape
from .block_writer import writer_for


def list_nest(node: str, body: Body, names: Sequence[str], shapes: Sequence[Shape]) -> Listing:
    """The listing of a group whose inputs have these names and shapes."""
    known = node, body.formula, str(body)
    operands = tuple([f"{Value(i)} {name}  {dtype.name} {list(shape)}" for i, (name, dtype, shape) in
                      enumerate(zip(names, body.inputs, shapes, strict=True))])  # fmt: skip
    form = shaped_rows(body, shapes)
    try:
        if isinstance(form, str):
            raise CannotLower(form)
        nest = nest_of(body, form)
    except CannotLower as error:
        return Listing(*known, operands=operands, reason=f"it runs in parts: {error}")
    count = form.count
    return with_code(Listing(*known, operands=operands, nest=str(nest)), lambda: writer_for(nest, count).module())
