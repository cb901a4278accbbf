"""Record what TensorFlow 2.21 saves of tables that change: a SavedModel, with the tables in its checkpoint.

    python -m tests.golden_extra.record_changing_tables
"""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("changing_tables")


def build(tf: Any) -> dict[str, Any]:
    """Two tables, what fills them, and look-ups; the same text builds them here."""
    tables = tf.lookup.experimental
    words = tables.MutableHashTable(tf.string, tf.int64, -1, name="words")
    rows = tables.MutableHashTable(tf.int64, tf.float32, [0.0, 0.5], name="rows")
    query = tf.placeholder(tf.string, [None], name="query")
    return {
        "query": query,
        "found": tf.identity(words.lookup(query), name="found"),
        "of_row": tf.identity(rows.lookup(tf.constant([7, 8], tf.int64)), name="of_row"),
        "size": tf.identity(words.size(), name="size"),
        "add": words.insert(tf.constant(["new"]), tf.constant([9], tf.int64), name="add"),
        "drop": words.remove(tf.constant(["a"]), name="drop"),
        "fill": tf.group(
            words.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)),
            rows.insert(tf.constant([7], tf.int64), tf.constant([[1.5, 2.5]])), name="fill",
        ),
    }  # fmt: skip


def save(tf: Any, folder: Path) -> None:
    """Save the tables once they are filled, with `tf.compat.v1` of TensorFlow or of Penstock."""
    with tf.Graph().as_default(), tf.Session() as session:
        parts = build(tf)
        session.run(parts["fill"])
        tf.saved_model.simple_save(session, str(folder), {"query": parts["query"]}, {"found": parts["found"]})


def main() -> None:
    """TensorFlow's side."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    save(import_module("tensorflow").compat.v1, FOLDER)


if __name__ == "__main__":
    main()
