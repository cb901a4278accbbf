"""Event files: what FileWriter writes, when it is on disk, and what the readers of TensorBoard make of it."""

import glob
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.interchange.records.record_files import framed
from penstock.interchange.tensorflow import read_graphdef

from ..warm_python import run_warm


def scalar(value: float, tag: str = "loss") -> tf.Summary:
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])


def events(folder: Path) -> list[tf.Event]:
    paths = sorted(glob.glob(f"{folder}/events.out.tfevents.*"))
    return [event for path in paths for event in tf.train.summary_iterator(path)]


def test_the_first_event_is_the_version_and_summaries_follow_with_their_steps(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        summary = tf.summary.scalar("loss", x)
        writer = tf.summary.FileWriter(tmp_path / "logs", graph, filename_suffix=".train")
        for step in range(3):
            writer.add_summary(session.run(summary, {x: step}), step)
        writer.add_summary(scalar(7.0), np.int64(3))
        writer.close()
    assert [path.suffix for path in (tmp_path / "logs").iterdir()] == [".train"]
    first, drawn, *rest = events(tmp_path / "logs")
    assert first.file_version == "brain.Event:2" and drawn.graph_def is not None
    shown = [(event.step, event.summary) for event in rest]
    told = [(step, summary.value[0].simple_value) for step, summary in shown if summary and summary.value]
    assert told == [(0, 0.0), (1, 1.0), (2, 2.0), (3, 7.0)]
    assert all(event.wall_time > 1.7e9 for event in (first, drawn, *rest))
    assert read_graphdef(drawn.graph_def).graph.get_operation_by_name("loss").type == "ScalarSummary"


def test_a_graph_with_ops_that_tensorflow_lacks_is_written_all_the_same(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.py_func(np.median, [x], tf.float32, name="middle")
        with tf.summary.FileWriter(tmp_path) as writer:
            writer.add_graph(graph)
    drawn = events(tmp_path)[1].graph_def
    assert drawn is not None and b"middle" in drawn and b"PyFunc" in drawn


def test_metadata_of_a_tag_is_written_once(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session, tf.summary.FileWriter(tmp_path) as writer:
        text = session.run(tf.summary.text("note", "a"))
        for step in range(2):
            writer.add_summary(text, step)
    told = [event.summary.value[0].metadata for event in events(tmp_path) if event.summary and event.summary.value]
    assert told[0] is not None and told[0].plugin_data is not None and told[0].plugin_data.plugin_name == "text"
    assert told[1] is None


def test_it_flushes_after_max_queue_events_and_after_flush_secs(tmp_path: Path) -> None:
    def on_disk() -> int:
        return len(events(tmp_path)) - 1

    writer = tf.summary.FileWriter(tmp_path, max_queue=3)
    seen = []
    for step in range(7):
        writer.add_summary(scalar(1.0), step)
        seen.append(on_disk())
    assert seen == [0, 0, 3, 3, 3, 6, 6]
    writer.flush()
    assert on_disk() == 7
    writer.close()
    soon = tf.summary.FileWriter(tmp_path, max_queue=100, flush_secs=0)
    soon.add_summary(scalar(1.0), 8)
    assert len([event for event in events(tmp_path) if event.step == 8]) == 1
    soon.close()


def test_a_closed_writer_refuses_events_and_reopens_with_a_new_file(tmp_path: Path) -> None:
    writer = tf.train.SummaryWriter(tmp_path)
    assert writer.get_logdir() == str(tmp_path)
    writer.close()
    writer.close()
    with pytest.raises(RuntimeError, match=r"call reopen\(\)"):
        writer.add_summary(scalar(1.0))
    writer.reopen()
    writer.add_summary(scalar(2.0), 5)
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2
    assert [event.step for event in events(tmp_path) if event.summary and event.summary.value] == [5]


def test_what_was_not_flushed_is_written_when_the_program_ends(tmp_path: Path) -> None:
    program = (
        "import sys, penstock as tf\n"
        "writer = tf.summary.FileWriter(sys.argv[1])\n"
        "writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=1.0)]), 4)\n"
    )
    run_warm(["-c", program, str(tmp_path)]).check_returncode()
    assert [event.step for event in events(tmp_path) if event.summary and event.summary.value] == [4]


def test_logs_run_metadata_and_meta_graphs_are_events(tmp_path: Path) -> None:
    metadata = tf.RunMetadata()
    with tf.Graph().as_default(), tf.Session() as session, tf.summary.FileWriter(tmp_path) as writer:
        x = tf.placeholder(tf.float32, [None], name="x")
        session.run(tf.cumsum(x, name="sums"), {x: [1.0, 2.0]}, run_metadata=metadata)
        writer.add_run_metadata(metadata, "step1", 1)
        with pytest.raises(ValueError, match="tag was already used"):
            writer.add_run_metadata(metadata, "step1", 1)
        with pytest.raises(TypeError, match="empty"):
            writer.add_run_metadata(tf.RunMetadata(), "step2")
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.CHECKPOINT, checkpoint_path="m-1"), 2)
        writer.add_meta_graph(b"\x0a\x00", 3)
        writer.add_event(tf.Event(wall_time=1.0, step=9, log_message=tf.LogMessage(20, "hello")))
    _, run, log, meta, message = events(tmp_path)
    assert run.tagged_run_metadata is not None and b"sums" in run.tagged_run_metadata.run_metadata
    assert log.session_log == tf.SessionLog(status=3, checkpoint_path="m-1")
    assert (meta.meta_graph_def, meta.step) == (b"\x0a\x00", 3)
    assert (message.step, message.wall_time, message.log_message) == (9, 1.0, tf.LogMessage(20, "hello"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda w: w.add_summary("text"), "serialised summary"), (lambda w: w.add_graph(3), "GraphDef"),
        (lambda w: w.add_event(3), "tf.Event"), (lambda w: w.add_session_log(3), "SessionLog"),
        (lambda w: w.add_summary(scalar(1.0), "x"), "global_step must be an int"),
    ],
)  # fmt: skip
def test_what_is_no_event_is_refused(call: Any, words: str, tmp_path: Path) -> None:
    with tf.summary.FileWriter(tmp_path) as writer, pytest.raises(TypeError, match=words):
        call(writer)
    assert len(events(tmp_path)) == 1


def test_two_writers_in_one_second_have_two_files(tmp_path: Path) -> None:
    writers = [tf.summary.FileWriter(tmp_path) for _ in range(3)]
    for writer in writers:
        writer.close()
    assert len(list(tmp_path.iterdir())) == 3
    assert tf.summary.FileWriterCache.get(tmp_path) is tf.summary.FileWriterCache.get(tmp_path)
    tf.summary.FileWriterCache.clear()


# ---- record files -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_records_come_back(kind: str, tmp_path: Path) -> None:
    records = [b"", b"one", bytes(range(256)) * 1000, b"last"]
    path = tmp_path / "records"
    with tf.python_io.TFRecordWriter(path, tf.python_io.TFRecordOptions(kind)) as writer:
        for record in records:
            writer.write(record)
        writer.flush()
    assert list(tf.python_io.tf_record_iterator(path, kind)) == records


def test_damage_is_told_with_its_place(tmp_path: Path) -> None:
    whole = framed(b"first") + framed(b"second")
    path = tmp_path / "records"
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError, match=f"corrupted record at {0 if at < 21 else 21}"):
            list(tf.python_io.tf_record_iterator(path))
    for size in range(1, len(whole)):
        path.write_bytes(whole[:size])
        if size != 21:
            with pytest.raises(tf.errors.DataLossError, match="truncated record"):
                list(tf.python_io.tf_record_iterator(path))
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.python_io.tf_record_iterator(tmp_path / "missing"))
    with pytest.raises(tf.errors.DataLossError, match="GZIP"):
        list(tf.python_io.tf_record_iterator(path, "GZIP"))


# ---- TensorBoard --------------------------------------------------------------------------------


def test_tensorboards_reader_finds_everything(tmp_path: Path) -> None:
    reader = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="tensorboard is not installed"
    )
    metadata = tf.RunMetadata()
    with tf.Graph().as_default() as graph, tf.Session() as session, tf.summary.FileWriter(tmp_path, graph) as writer:
        x = tf.placeholder(tf.float32, [None, 4, 4, 1])
        tf.summary.scalar("average", tf.reduce_mean(x))
        tf.summary.histogram("all", x)
        tf.summary.image("picture", x)
        tf.summary.text("note", "**bold**")
        everything = tf.summary.merge_all()
        for step in range(3):
            feeds = {x: np.full((2, 4, 4, 1), step, "f4")}
            writer.add_summary(session.run(everything, feeds, run_metadata=metadata), step)
        writer.add_run_metadata(metadata, "last", 2)
    found = reader.EventAccumulator(str(tmp_path), size_guidance=dict.fromkeys(reader.DEFAULT_SIZE_GUIDANCE, 0))
    found.Reload()
    tags = found.Tags()
    assert (tags["scalars"], tags["histograms"], tags["run_metadata"]) == (["average"], ["all"], ["last"])
    assert tags["images"] == ["picture/image/0", "picture/image/1"] and tags["tensors"] == ["note"]
    assert tags["graph"] is True
    assert [(each.step, each.value) for each in found.Scalars("average")] == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert found.Histograms("all")[2].histogram_value.sum == 64
    assert found.Images("picture/image/0")[0].width == 4
    assert {node.op for node in found.Graph().node} >= {"ImageSummary", "Placeholder", "MergeSummary"}
    assert found.RunMetadata("last").step_stats.dev_stats[0].node_stats
