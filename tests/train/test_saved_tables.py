"""Tables that change are saved with the variables of their graph, under TensorFlow's names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import penstock.compat.v1 as tf


def table(name: str = "words", **options: Any) -> Any:
    return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name=name, **options)


def names_in(path: str) -> list[str]:
    return sorted(name for name, _ in tf.train.list_variables(path))


def test_a_saver_saves_tables_and_restores_them(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0, name="v")
        words = table()
        rows = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.float32, [0.0, 0.0], 0, -1, name="rows")
        saver = tf.train.Saver()
        session.run([v.initializer, words.insert(["a", "b"], [1, 2]), rows.insert([5], [[0.5, 1.5]])])
        path = saver.save(session, str(tmp_path / "model"))
        assert path is not None
        assert names_in(path) == ["rows-keys", "rows-values", "v", "words-keys", "words-values"]
        session.run([v.assign(7.0), words.remove(["a"]), words.insert(["c"], [3]), rows.remove([5])])
        saver.restore(session, path)
        keys, values = session.run(words.export())
        assert dict(zip(keys.tolist(), values.tolist(), strict=True)) == {b"a": 1, b"b": 2}
        assert session.run([v, rows.lookup([5])])[1].tolist() == [[0.5, 1.5]]
        assert session.run(v) == 1.0


def test_the_nodes_of_a_saver_do_the_same(tmp_path: Path) -> None:
    """A file with the graph has them alone."""
    with tf.Graph().as_default(), tf.Session() as session:
        words = table()
        saver = tf.train.Saver()
        session.run(words.insert(["a"], [1]))
        path = saver.save(session, str(tmp_path / "model"))
        session.run(words.insert(["a"], [9]))
        definition = saver.as_saver_def()
        session.run(definition.restore_op_name, {definition.filename_tensor_name: path})
        assert session.run(words.lookup(["a"])).tolist() == [1]


def test_a_table_may_stay_out_of_checkpoints(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0, name="v")
        table("one", checkpoint=False)
        other = table("other")
        session.run([v.initializer, other.insert(["a"], [1])])
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
        assert names_in(str(path)) == ["other-keys", "other-values", "v"]
        path = tf.train.Saver([v]).save(session, str(tmp_path / "alone"))
        assert names_in(str(path)) == ["v"]


def test_nothing_is_restored_where_a_table_is_not_in_the_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0, name="v")
        session.run(v.initializer)
        path = tf.train.Saver([v]).save(session, str(tmp_path / "model"))
        table()
        session.run(v.assign(5.0))
        with pytest.raises(tf.errors.NotFoundError, match="'words-keys' is not in the checkpoint"):
            tf.train.Saver().restore(session, path)
        assert session.run(v) == 5.0


def test_a_table_of_other_values_is_told(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        words = table()
        session.run(words.insert(["a"], [1]))
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, -1.0, name="words")
        with pytest.raises(tf.errors.InvalidArgumentError, match="'words-values' has another dtype than float32"):
            tf.train.Saver().restore(session, path)


def test_two_tables_of_one_name_are_told() -> None:
    with tf.Graph().as_default():
        table()
        table()
        with pytest.raises(ValueError, match="the same name in a checkpoint: words-keys"):
            tf.train.Saver()


def test_positions_of_iterators_are_saved_too(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.Dataset.range(9).make_initializable_iterator()
        element = iterator.get_next()
        saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
        session.run(iterator.initializer)
        for _ in range(3):
            session.run(element)
        path = saver.save(session, str(tmp_path / "model"), write_meta_graph=False)
        assert session.run(element) == 3
        saver.restore(session, path)
        assert session.run(element) == 3


@pytest.mark.parametrize("first", ["table", "iterator"])
def test_a_table_and_an_iterator_that_uses_it_begin_in_one_run(first: str) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        table = tf.contrib.lookup.index_table_from_tensor(["a", "b", "c"])
        rows = tf.data.Dataset.from_tensor_slices(["c", "a", "x"]).map(table.lookup)
        rows = rows.map(lambda row: tf.cond(row < 0, lambda: table.lookup("b"), lambda: row))
        iterator = rows.make_initializable_iterator()
        begin = [tf.tables_initializer(), iterator.initializer]
        element = iterator.get_next()
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            session.run(iterator.initializer)
        for _ in range(2):
            session.run(begin if first == "table" else begin[::-1])
            assert [session.run(element) for _ in range(3)] == [2, 0, 1]
