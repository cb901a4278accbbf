"""`tensorflow_stand_in`: what is imported while it is there, and that nothing of it stays."""

from __future__ import annotations

import importlib
import sys
import types

import pytest

import penstock as tf
from penstock.tf1.older_names import GONE


def test_a_block_imports_penstock_and_leaves_nothing() -> None:
    before = list(sys.meta_path)
    with tf.tensorflow_stand_in() as there:
        module = importlib.import_module("tensorflow.contrib.layers")
        assert module.xavier_initializer is tf.contrib.layers.xavier_initializer and "era" not in repr(there)
        assert "tensorflow" in sys.modules
    assert sys.meta_path == before and not [name for name in sys.modules if name.startswith("tensorflow.")]
    assert repr(there) == "<TensorFlowStandIn: closed>"
    there.close()


def test_it_can_be_installed_again_with_the_same_era_only() -> None:
    with tf.tensorflow_stand_in("0"):
        with pytest.raises(tf.errors.UseError, match="close that one first"):
            tf.tensorflow_stand_in("1")
        assert importlib.import_module("tensorflow").__version__ == "0.12.1"
        again = tf.tensorflow_stand_in("0")
        again.close()


def test_an_imported_tensorflow_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", types.ModuleType("tensorflow"))
    with pytest.raises(tf.errors.UseError, match=r"imported already.*restart the kernel"):
        tf.tensorflow_stand_in()


def test_an_era_is_0_or_1() -> None:
    with pytest.raises(tf.errors.UseError, match='write era="1"'):
        tf.tensorflow_stand_in("2")  # type: ignore[arg-type]  # the error under test


def test_dir_shows_the_names_and_the_modules_below() -> None:
    with tf.tensorflow_stand_in():
        module = importlib.import_module("tensorflow")
        assert {"concat", "nn", "python", "contrib", "Session"} <= set(dir(module))
        assert "mnist" in dir(importlib.import_module("tensorflow.examples.tutorials"))


def test_names_that_tensorflow_1_took_away_are_there_for_programs_of_0x_only() -> None:
    with tf.tensorflow_stand_in("0"):
        older = importlib.import_module("tensorflow")
        assert all(hasattr(older, name) for name in ("pack", "mul", "merge_all_summaries", "batch_matmul"))
        assert hasattr(older.train, "SummaryWriter")
        assert not hasattr(importlib.import_module("tensorflow.compat.v1"), "pack")
    with tf.tensorflow_stand_in("1"):
        newer = importlib.import_module("tensorflow")
        assert not any(hasattr(newer, name) or name in dir(newer) for name in ("pack", "mul", "select", "op_scope"))
        assert not hasattr(newer.train, "SummaryWriter") and not hasattr(newer.nn, "deconv2d")
        assert hasattr(newer, "stack") and hasattr(newer, "initialize_all_variables")  # deprecated, and still there
        with pytest.raises(AttributeError, match=r"tensorflow has no pack since TensorFlow 1.0: write tf.stack"):
            _ = newer.pack
        for name, instead in GONE.items():
            words = instead.removeprefix("tf.").split(".")
            held = newer
            for word in words:
                held = getattr(held, word)  # what is named is there
            assert name not in GONE.values()
