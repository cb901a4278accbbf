"""Records `checkpoints/`: files that TensorFlow's own ops write, from the contents in `checkpoint_contents.py`.

    python -m tests.golden_extra.record_checkpoints

Run by an interpreter that has TensorFlow 2.21.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from .checkpoint_contents import CONTENTS, SHARDS, VERSION_ONE, Row, many

FOLDER = Path(__file__).parent / "checkpoints"


def columns(rows: list[Row]) -> tuple[list[str], list[str], list[Any]]:
    """Names, parts and values."""
    names, parts, values = zip(*rows, strict=True)
    return list(names), list(parts), list(values)


def record(raw: Any) -> None:
    """Write all files to the working directory."""
    for prefix, rows in CONTENTS.items():
        names, parts, values = columns(rows)
        raw.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=parts, tensors=values)
    for number, rows in enumerate(SHARDS):
        names, parts, values = columns(rows)
        raw.SaveV2(prefix=f"part-{number}", tensor_names=names, shape_and_slices=parts, tensors=values)
    prefixes = [f"part-{number}" for number in range(len(SHARDS))]
    raw.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix="merged", delete_old_dirs=True)
    for file, rows in VERSION_ONE.items():
        names, parts, values = columns(rows)
        raw.SaveSlices(filename=file, tensor_names=names, shapes_and_slices=parts, data=values)


def main() -> None:
    """Record everything anew."""
    tf = importlib.import_module("tensorflow")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    os.chdir(FOLDER)
    record(tf.raw_ops)
    with tempfile.TemporaryDirectory() as other:
        names, parts, values = columns(many())
        tf.raw_ops.SaveV2(prefix=f"{other}/many", tensor_names=names, shape_and_slices=parts, tensors=values)
        found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(Path(other).iterdir())}
    Path("many.json").write_text(json.dumps({"tensorflow": tf.__version__, "sha256": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
