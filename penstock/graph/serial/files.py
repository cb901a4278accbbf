"""How does a graph get to disk and back?

    save_graph(graph, "model.json")      model.json, and model.npz beside it for constants above 1 KiB
    load_graph("model.json")             also .pb and .pbtxt: see `graphdef_read`

Files are written beside their final place and moved there; the document names the checksum of its npz file, so that two
files which do not belong together are found out.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import GraphFormatError
from ..graph import Graph
from .document import DocumentWriter, document_text
from .graphdef_read import load_graphdef
from .graphdef_write import write_graphdef
from .limits import DEFAULT_LIMITS, Limits, read_limited
from .reading import DocumentReader, parse
from .rebuild import short

SUFFIXES = (".json", ".pb", ".pbtxt")


def save_graph(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Write `graph` to `path` (.json; .pb or .pbtxt for TensorFlow's GraphDef) and return the path.

    Everything is kept: names, attributes, shapes with their named dimensions, control inputs, devices, the lines that
    made each node, and what `set_shape` added. Constants above 1 KiB go into an .npz file beside a .json.

    Raises:
        GraphFormatError (a ValueError): another suffix, or a node that has no written form.
        OSError: as the file system says; then the old file is still there.

    >>> import penstock as tf, tempfile
    >>> from penstock.graph.serial import load_graph, save_graph
    >>> with tf.Graph().as_default() as g:
    ...     total = tf.placeholder(tf.float32, ["batch"], name="x") + 1.0
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_graph(save_graph(g, folder + "/model.json"))
    >>> print(again.get_tensor_by_name(total.name).shape, g.diff(again))
    (batch,) no difference
    """
    target = Path(path)
    try:
        if _suffix(target) == ".json":
            _save_json(graph, target)
        else:
            write_bytes(target, write_graphdef(graph, text=_suffix(target) == ".pbtxt"))
    except GraphFormatError as error:
        raise GraphFormatError(f"save_graph({str(target)!r}): {error}", code=error.code) from None
    return target


def load_graph(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Graph:
    """The graph in a file that `save_graph` wrote, or in a GraphDef of which every op is supported.

    Nothing in the file is run. Sizes are checked against `limits` before memory is asked for.

    Raises:
        GraphFormatError (a ValueError): the file is damaged, too large or not of this form. OSError: it cannot be read.
    """
    source = Path(path)
    try:
        if _suffix(source) == ".json":
            return _load_json(source, limits)
    except GraphFormatError as error:
        raise GraphFormatError(f"load_graph({short(str(source))}): {error}", code=error.code) from None
    loaded = load_graphdef(source, limits=limits)
    if loaded.missing:
        raise GraphFormatError(
            f"load_graph({short(str(source))}): {loaded.report}; every op must be supported. Use load_graphdef for the "
            "part that is"
        )
    return loaded.graph


def write_bytes(target: Path, content: bytes) -> None:
    """Write a file in one step: a reader sees the old one or the new one, never half of one."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".penstock-", suffix=".tmp")
    except OSError as error:
        error.filename = str(target)  # the one that the caller knows
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        found = f"the suffix {short(path.suffix)}" if suffix else "no suffix"
        raise GraphFormatError(
            f"the path has {found}; graphs are kept as {', '.join(SUFFIXES)}; rename it to one of these"
        )
    return suffix


def _save_json(graph: Graph, target: Path) -> None:
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


def _load_json(source: Path, limits: Limits) -> Graph:
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
