"""NumPy's inner loops as functions that a module imports: their names, addresses and declarations."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import DType, bfloat16
from ..ir.scalar_ir import CannotLower
from ..llvm.ufunc_loops import numpy_loop


@dataclass(frozen=True, slots=True)
class ImportedLoop:
    """A loop of NumPy's.

    Attributes:
        name: its name in the module.
        data: its last argument.
        imports: addresses by name.
        declared: declarations by what they declare.
    """

    name: str
    data: str
    imports: dict[str, int]
    declared: dict[str, str]


def imported_loop(function: str, dtypes: Sequence[DType]) -> ImportedLoop:
    """The loop of a function for dtypes of its operands and its result, the last.

    Raises:
        CannotLower: NumPy has no such loop.
    """
    if bfloat16 in dtypes:
        raise CannotLower(f"NumPy has no {function} of bfloat16")
    letters = [d.np.char for d in dtypes]
    types = f"{''.join(letters[:-1])}->{letters[-1]}"
    loop = numpy_loop(function, types)
    if loop is None:
        raise CannotLower(f"NumPy has no loop {types} of {function}")
    name = f"numpy_{function}_{types.replace('->', '_').replace('?', 'q')}"
    imports, declared = {name: loop.address}, {f"@{name}": f"declare void @{name}(ptr, ptr, ptr, ptr)"}
    if loop.data:
        imports[f"{name}_data"] = loop.data
        declared[f"@{name}_data"] = f"declare void @{name}_data()"
    return ImportedLoop(f"@{name}", f"@{name}_data" if loop.data else "null", imports, declared)
