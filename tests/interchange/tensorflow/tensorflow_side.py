"""What TensorFlow makes of a folder of GraphDefs: run by its own interpreter, never imported by the tests.

    python tensorflow_side.py FOLDER

For each NAME.pb there is a NAME.json with the feeds (tensor name -> array in NAME.npz) and the fetches. The results go
to NAME.out.pickle: a list of arrays, or the text of the error.
"""

from __future__ import annotations

import importlib
import json
import pickle
import sys
from pathlib import Path
from typing import Any


def run(tf: Any, graphdef: bytes, feeds: dict[str, Any], fetches: list[str]) -> Any:
    """The values of `fetches`, with TensorFlow's own rewriting switched off."""
    proto = tf.compat.v1.GraphDef()
    proto.ParseFromString(graphdef)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name="")
        config = tf.compat.v1.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.compat.v1.Session(graph=graph, config=config) as session:
            return session.run(fetches, feeds)


def main(folder: Path) -> None:
    """Run every case of the folder."""
    tf = importlib.import_module("tensorflow")
    text_format = importlib.import_module("google.protobuf.text_format")
    print(tf.__version__)
    for path in sorted(folder.glob("*.pb")):
        case = json.loads(path.with_suffix(".json").read_text())
        feeds = pickle.loads(path.with_suffix(".feeds").read_bytes())
        content = path.read_bytes()
        try:
            if path.with_suffix(".pbtxt").exists():
                proto = text_format.Parse(path.with_suffix(".pbtxt").read_text(), tf.compat.v1.GraphDef())
                other = tf.compat.v1.GraphDef.FromString(content)
                assert proto == other, "the text form differs from the binary form"
                # and TensorFlow's own text of it, for our reader
                path.with_suffix(".theirs.pbtxt").write_text(text_format.MessageToString(other))
                path.with_suffix(".theirs.pb").write_bytes(other.SerializeToString(deterministic=True))
            result: Any = run(tf, content, feeds, case["fetches"])
        except Exception as error:  # whatever TensorFlow says is the result
            result = f"{type(error).__name__}: {error}"
        path.with_suffix(".out.pickle").write_bytes(pickle.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
