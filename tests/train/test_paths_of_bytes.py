"""Paths of checkpoints, models, records and summaries may be bytes, which `tf.compat.as_bytes` gives."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import penstock.compat.v1 as tf


def test_every_function_with_a_path_takes_bytes(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.get_variable("v", initializer=1.0)
        session.run(v.initializer)
        saver = tf.train.Saver()

        def loaded() -> Any:
            with tf.Session(graph=tf.Graph()) as other:
                return tf.saved_model.loader.load(other, ["serve"], folder + b"/model").signature_def

        def imported() -> Any:
            with tf.Graph().as_default():
                return tf.train.import_meta_graph(folder + b"/m-1.meta")

        def written() -> None:
            with tf.python_io.TFRecordWriter(folder + b"/r") as writer:
                writer.write(b"a")

        def built() -> Any:
            builder = tf.saved_model.builder.SavedModelBuilder(folder + b"/built")
            builder.add_meta_graph_and_variables(session, ["serve"])
            return builder.save()

        calls: dict[str, tuple[Callable[[], Any], Any]] = {
            "save": (lambda: saver.save(session, folder + b"/m", global_step=1), f"{tmp_path}/m-1"),
            "latest_checkpoint": (lambda: tf.train.latest_checkpoint(folder), f"{tmp_path}/m-1"),
            "get_checkpoint_state": (
                lambda: cast(Any, tf.train.get_checkpoint_state(folder)).model_checkpoint_path, f"{tmp_path}/m-1"),
            "checkpoint_exists": (lambda: tf.train.checkpoint_exists(folder + b"/m-1"), True),
            "restore": (lambda: saver.restore(session, folder + b"/m-1"), None),
            "list_variables": (lambda: tf.train.list_variables(folder + b"/m-1"), [("v", [])]),
            "load_variable": (lambda: float(tf.train.load_variable(folder, "v")), 1.0),
            "reader": (lambda: float(tf.train.NewCheckpointReader(folder + b"/m-1").get_tensor("v")), 1.0),
            "init_from_checkpoint": (lambda: tf.train.init_from_checkpoint(folder, {"v": v}), None),
            "export_meta_graph": (lambda: type(tf.train.export_meta_graph(folder + b"/e.meta")), tf.MetaGraphDef),
            "import_meta_graph": (lambda: type(imported()), tf.train.Saver),
            "write_graph": (lambda: tf.train.write_graph(graph, folder, b"g.pb", False), f"{tmp_path}/g.pb"),
            "FileWriter": (lambda: tf.summary.FileWriter(folder + b"/log", graph).close(), None),
            "TFRecordWriter": (written, None),
            "tf_record_iterator": (lambda: list(tf.python_io.tf_record_iterator(folder + b"/r")), [b"a"]),
            "summary_iterator": (lambda: len(list(tf.train.summary_iterator(os.fsencode(
                next((tmp_path / "log").iterdir()))))) > 0, True),
            "simple_save": (lambda: tf.saved_model.simple_save(session, folder + b"/model", {"v": v}, {"v": v}), None),
            "load": (lambda: list(loaded()), ["serving_default"]),
            "maybe": (lambda: tf.saved_model.loader.maybe_saved_model_directory(folder + b"/model"), True),
            "builder": (built, f"{tmp_path}/built/saved_model.pb"),
        }  # fmt: skip
        for name, (call, expect) in calls.items():
            found = call()
            assert (os.fsdecode(found) if isinstance(found, (str, bytes, os.PathLike)) else found) == expect, name
