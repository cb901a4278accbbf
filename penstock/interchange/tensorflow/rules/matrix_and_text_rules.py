"""Nodes about diagonals, mirrored borders and patterns of texts: rules that read TensorFlow's, and that write ours.

TensorFlow has three generations of the nodes for diagonals: without `k`, with it (V2), and with `align` too (V3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....ops.move.mirrored_borders import mirrored
from ..foreign_node import ForeignNode
from ..import_scope import Made
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import Unsupported
from .composite_rules import composite


def _known(tensor: Tensor, what: str) -> Any:
    value = known_value(tensor)
    if value is None:
        raise Unsupported(f"{tensor.name!r} gives {what}, and is no constant")
    return value


def _ends(tensor: Tensor) -> tuple[int, int]:
    ends = _known(tensor, "the diagonals").reshape(-1).tolist()
    return ends[0], ends[-1]


def _align(s: ForeignNode) -> str:
    default = b"RIGHT_LEFT" if s.node.op.endswith("V3") else b"LEFT_LEFT"
    return str(s.attr("align", "s", default).decode("ascii", "replace"))


def _padding(s: ForeignNode, like: Tensor) -> Tensor:
    return s.constant("padding", np.zeros((), like.dtype.np))


def _diagonal(s: ForeignNode) -> Operation:
    (diagonal,) = s.take(1)
    return s.add("MatrixDiagV3", diagonal, _padding(s, diagonal), (0, 0), -1, -1, "RIGHT_LEFT")


def _diagonals(s: ForeignNode) -> Operation:
    diagonal, k, rows, columns, padding = s.take(5)
    sizes = (int(_known(each, "a size")) for each in (rows, columns))
    return s.add("MatrixDiagV3", diagonal, padding, _ends(k), *sizes, _align(s))


def _part(s: ForeignNode) -> Operation:
    (matrix,) = s.take(1)
    return s.add("MatrixDiagPartV3", matrix, _padding(s, matrix), (0, 0), "RIGHT_LEFT")


def _parts(s: ForeignNode) -> Operation:
    matrix, k, padding = s.take(3)
    return s.add("MatrixDiagPartV3", matrix, padding, _ends(k), _align(s))


def _set(s: ForeignNode) -> Operation:
    matrix, diagonal = s.take(2)
    return s.add("MatrixSetDiagV3", matrix, diagonal, (0, 0), "RIGHT_LEFT")


def _set_several(s: ForeignNode) -> Operation:
    matrix, diagonal, k = s.take(3)
    return s.add("MatrixSetDiagV3", matrix, diagonal, _ends(k), _align(s))


def _mirror(s: ForeignNode) -> Made:
    tensor, paddings = s.take(2)
    reflects = s.attr("mode", "s") == b"REFLECT"
    return composite(s, lambda: [mirrored(tensor, paddings, reflects)])


def _static_pattern(s: ForeignNode) -> Operation:
    (texts,) = s.take(1)
    texts_of = s.attr("pattern", "s"), s.attr("rewrite", "s")
    return s.add("RegexReplace", texts, *texts_of, s.attr("replace_global", "b", True))


def _pattern(s: ForeignNode) -> Operation:
    texts, pattern, rewrite = s.take(3)
    known = (bytes(_known(each, "a pattern").item()) for each in (pattern, rewrite))
    return s.add("RegexReplace", texts, *known, s.attr("replace_global", "b", True))


MATRICES_AND_TEXTS: dict[str, Callable[[ForeignNode], Operation | Made]] = {
    **dict.fromkeys(["MatrixDiag", "BatchMatrixDiag"], _diagonal),
    **dict.fromkeys(["MatrixDiagV2", "MatrixDiagV3"], _diagonals),
    **dict.fromkeys(["MatrixDiagPart", "BatchMatrixDiagPart"], _part),
    **dict.fromkeys(["MatrixDiagPartV2", "MatrixDiagPartV3"], _parts),
    **dict.fromkeys(["MatrixSetDiag", "BatchMatrixSetDiag"], _set),
    **dict.fromkeys(["MatrixSetDiagV2", "MatrixSetDiagV3"], _set_several),
    "MirrorPad": _mirror,
    "RegexReplace": _pattern,
    "StaticRegexReplace": _static_pattern,
}
"""TensorFlow's node -> the rule that reads it."""


def _k(w: NodeWriter, ends: Any) -> str:
    return w.constant("k", np.array(ends[0] if ends[0] == ends[1] else ends, np.int32))


def _write_diagonals(w: NodeWriter, op: Operation) -> None:
    diagonal, padding, ends, rows, columns, align = op.args
    sizes = [w.constant(label, np.array(each, np.int32)) for label, each in (("num_rows", rows), ("num_cols", columns))]
    w.node("MatrixDiagV3", [w.ref(diagonal), _k(w, ends), *sizes, w.ref(padding)], T=diagonal.dtype, align=align)


def _write_parts(w: NodeWriter, op: Operation) -> None:
    matrix, padding, ends, align = op.args
    w.node("MatrixDiagPartV3", [w.ref(matrix), _k(w, ends), w.ref(padding)], T=matrix.dtype, align=align)


def _write_set(w: NodeWriter, op: Operation) -> None:
    matrix, diagonal, ends, align = op.args
    w.node("MatrixSetDiagV3", [w.ref(matrix), w.ref(diagonal), _k(w, ends)], T=matrix.dtype, align=align)


def _write_pattern(w: NodeWriter, op: Operation) -> None:
    texts, pattern, rewrite, everywhere = op.args
    w.node("StaticRegexReplace", [w.ref(texts)], pattern=pattern, rewrite=rewrite, replace_global=everywhere)


MATRICES_AND_TEXTS_WRITTEN: dict[str, ExportRule] = {
    "MatrixDiagPartV3": _write_parts,
    "MatrixDiagV3": _write_diagonals,
    "MatrixSetDiagV3": _write_set,
    "RegexReplace": _write_pattern,
}
"""Our op -> the rule that writes it."""
