"""What takes the place of a name of TensorFlow 1.15 that Penstock lacks, or why it is not planned.

The table is a file of the package, `tensorflow_names.tsv`: a name, or a namespace with `.*`, and the words. It is read
at the first missing name. docs/tensorflow-names.md shows it, and a test asks that every public name of TensorFlow 1.15
is in Penstock or in the table.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("tensorflow_names.tsv")


@cache
def table() -> dict[str, str]:
    """Name, or namespace with `.*` -> what to use, or why there is nothing.

    >>> table()["keras.*"][:6]
    'Keras '
    """
    lines = _FILE.read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {name: words for names, words in rows for name in names.split()}


def instead_of(name: str) -> str:
    """What to use instead of a name without its `tf.`, or why there is nothing; "" if the table does not know it.

    >>> instead_of("keras.layers.Dense") == table()["keras.*"]
    True
    """
    known = table()
    if name in known:
        return known[name]
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        space = ".".join(parts[:count])
        if f"{space}.*" in known:
            return known[f"{space}.*"]
        if count < len(parts) and space in known:
            return known[space]
    return ""
