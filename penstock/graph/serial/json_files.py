"""Files of the JSON form: model.json, and model.npz beside it for constants above 1 KiB.

Files are written beside their final place and moved there. The document holds the checksum of its .npz file, so that
two files that do not belong together are refused.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import GraphFormatError
from ..model.nodes import Graph
from .atomic_write import write_bytes
from .document import DocumentWriter, document_text
from .document_reader import DocumentReader, parse
from .limits import DEFAULT_LIMITS, Limits, read_limited


def save_json(graph: Graph, target: Path) -> None:
    """Write `graph` to `target`, and its large constants to the .npz file beside it.

    Raises:
        GraphFormatError: a node has no written form.
        OSError: as the file system says; then the old file is still there.
    """
    writer = DocumentWriter(graph)
    document = writer.document()
    beside = target.with_suffix(".npz")
    archive = _npz(writer.arrays.outside) if writer.arrays.outside else None
    if archive is not None:
        document["constants"] = {"bytes": len(archive), "sha256": hashlib.sha256(archive).hexdigest()}
        write_bytes(beside, archive)
    write_bytes(target, document_text(document).encode("ascii"))


def _npz(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def load_json(source: Path, limits: Limits | None = None) -> Graph:
    """The graph in the file `source`.

    Raises:
        GraphFormatError: the file is damaged, too large or not of this form. OSError: it cannot be read.
    """
    limits = limits or DEFAULT_LIMITS
    document = parse(read_limited(source, limits.file_bytes), limits)
    said = document.get("constants")
    archive = None
    if said is not None:
        beside = source.with_suffix(".npz")
        try:
            archive = read_limited(beside, limits.constant_bytes)
        except FileNotFoundError:
            raise GraphFormatError(
                f"its constants are in {beside.name!r}, which is not there; keep the two together"
            ) from None
        if not isinstance(said, dict) or said.get("sha256") != hashlib.sha256(archive).hexdigest():
            raise GraphFormatError(f"{beside.name!r} beside it is not the file it was saved with; save the graph again")
    return DocumentReader(document, archive, limits, str(source)).graph()
