"""TensorFlow's gradients of a folder of GraphDefs: run by its own interpreter, never imported by the tests.

    python tensorflow_gradients.py FOLDER

For each NAME.pb there is a NAME.json (the names of ys, xs and stops) and NAME.feeds. What it finds goes to
NAME.out.pickle: the values of the ys, and a list of gradients, None among them; or the text of the error.
"""

from __future__ import annotations

import importlib
import json
import pickle
import sys
from pathlib import Path
from typing import Any


def gradients(tf: Any, graphdef: bytes, names: dict[str, list[str]], feeds: dict[str, Any]) -> Any:
    """The values of ys, and their gradients with respect to xs, weighted by ones."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(tf.GraphDef.FromString(graphdef), name="")
        ys, xs, stops = ([graph.get_tensor_by_name(name) for name in names[part]] for part in ("ys", "xs", "stops"))
        found = tf.gradients(ys, xs, [tf.ones_like(y) for y in ys], stop_gradients=stops)
        dense = [tf.convert_to_tensor(g) for g in found if g is not None]
        config = tf.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.Session(graph=graph, config=config) as session:
            values, numbers = session.run([ys, dense], feeds)
    waiting = iter(numbers)
    return values, [None if g is None else next(waiting) for g in found]


def main(folder: Path) -> None:
    """Every graph of the folder."""
    tf = importlib.import_module("tensorflow").compat.v1
    for path in sorted(folder.glob("*.pb")):
        names = json.loads(path.with_suffix(".json").read_text())
        feeds = pickle.loads(path.with_suffix(".feeds").read_bytes())
        try:
            result: Any = gradients(tf, path.read_bytes(), names, feeds)
        except Exception as error:  # whatever TensorFlow says is the result
            result = f"{type(error).__name__}: {error}"
        path.with_suffix(".out.pickle").write_bytes(pickle.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
