"""Models and graphs that TensorFlow wrote, for the fuzz of files: what lies in `golden_extra`, and how it is read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import penstock as tf
from penstock.interchange.tensorflow.graphdef_reader import read_graphdef_file

GOLDEN = Path(__file__).parents[1] / "golden_extra"
MODELS = ("embeddings.v2", "pipeline.v1", "queue.v1", "recurrent.v1", "branches.v2", "module", "words")
"""A folder of `foreign_models` each."""


def write_model(name: str) -> Callable[[Path], object]:
    """Copies a SavedModel to an empty folder."""

    def write(folder: Path) -> None:
        source = GOLDEN / "foreign_models" / name
        shutil.copytree(source / "saved" if (source / "saved").is_dir() else source, folder, dirs_exist_ok=True)

    return write


def read_model(folder: Path) -> None:
    """Load a SavedModel as a program does, and what an inspection of it asks."""
    tf.saved_model.loader.maybe_saved_model_directory(folder)
    with tf.Session(graph=tf.Graph()) as session:
        model = tf.saved_model.loader.load(session, ["serve"], folder, allow_missing=True)
        for signature in model.signature_def.values():
            str(signature)
        session.graph.as_graph_def()


def write_graph(name: str) -> Callable[[Path], object]:
    """Copies a graph that TensorFlow wrote to an empty folder."""
    return lambda folder: shutil.copy(GOLDEN / "foreign_graphs" / name, folder / "g.pb")


def read_graph(folder: Path) -> None:
    """Read a GraphDef with its report."""
    _ = read_graphdef_file(folder / "g.pb").report


def read_messages(folder: Path) -> None:
    """Read a GraphDef as a message, add its nodes to a graph, and take it apart and together again."""
    message = tf.GraphDef.FromString((folder / "g.pb").read_bytes())
    for node in message.node:
        for value in node.attr.values():
            value.WhichOneof("value")
    str(message)
    tf.GraphDef.FromString(message.SerializeToString())
    with tf.Graph().as_default():
        tf.import_graph_def(message, name="part", allow_missing=True)
    tf.graph_util.remove_training_nodes(message)
    tf.graph_util.extract_sub_graph(message, [node.name for node in message.node][-1:])
