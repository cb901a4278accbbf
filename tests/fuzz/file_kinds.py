"""Every kind of file that the package reads: a good one, what changes it, the reader, and the errors it may raise."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import itertools
import json
import random
import zlib
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import penstock as tf
from penstock.cli.main import main
from penstock.errors import DataLossError, GraphFormatError, OpError
from penstock.interchange.checkpoints.bundle_writer import NamedArray, write_bundle
from penstock.interchange.checkpoints.open_checkpoint import open_checkpoint
from penstock.interchange.checkpoints.tensor_slices import TensorSlice
from penstock.interchange.checkpoints.version_one import write_version_one
from penstock.interchange.onnx.wire.onnx_messages import ModelProto, TextEntryProto
from penstock.interchange.tensorflow import read_graphdef
from penstock.interchange.wire.wire_format import decode, encode
from penstock.lessons import kept_progress
from penstock.lessons.lesson_folders import find_lesson
from penstock.lessons.lesson_notebook import notebook_text
from penstock.lessons.lesson_page import page_text
from penstock.printable_text import printable_lines
from penstock.repro import load_repro
from penstock.train.checkpoints.safetensors_exchange import read_safetensors, write_safetensors

from ..graph.serial.programs import program
from ..interchange.tensorflow import flow_programs
from .file_changes import (
    Change,
    archive_changed,
    bytes_changed,
    header_changed,
    json_changed,
    message_changed,
    packed_records,
    records_changed,
    table_changed,
    text_changed,
)
from .model_files import MODELS, read_graph, read_messages, read_model, write_graph, write_model

RECORDS = 3000
"""So many records of a file are read: how many there are is up to the caller of an iterator."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """One kind of file.

    Attributes:
        make: writes good files to an empty folder.
        changes: by file, what may change it.
        read: reads them all.
        errors: what `read` may raise, as documented.
        seal: mends what ties files together, such as checksums of each other.
    """

    make: Callable[[Path], object]
    changes: dict[str, tuple[Change, ...]]
    read: Callable[[Path], object]
    errors: tuple[type[Exception], ...]
    seal: Callable[[Path], object] = lambda folder: None


# ---- graphs -------------------------------------------------------------------------------------


def _graph() -> tf.Graph:
    """Branches, loops, arrays, variables and large constants."""
    with tf.Graph().as_default() as graph:
        flow_programs.branches_and_counts()
        with tf.name_scope("more"):
            flow_programs.maps_and_scans()
            flow_programs.arrays()
        v = tf.Variable(np.arange(600, dtype="f4"), name="v")
        v.assign_add(tf.constant(np.ones(600, "f4")))
        tf.constant([b"letters" * 30] * 20, name="letters")
        tf.constant([b"a", b"\xff"], name="few")
        tf.placeholder(tf.float32, ["batch", 3], name="named") + 1.0
    return graph


def _save_graph(suffix: str) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        graph, _, _ = program()
        tf.save_graph(_graph() if suffix == ".json" else graph, folder / f"g{suffix}")

    return make


def _write_onnx(folder: Path) -> None:
    """Operators of many kinds, and an array in a file beside the model."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 6, 6, 2], name="x")
        value = tf.nn.relu(tf.nn.conv2d(x, np.ones([3, 3, 2, 4], "f4"), [1, 1, 1, 1], "SAME"))
        value = tf.nn.local_response_normalization(tf.nn.max_pool(value, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"))
        value = tf.image.resize_bilinear(tf.pad(value, [[0, 0], [1, 1], [0, 2], [0, 0]]), [4, 5])
        value = tf.reverse(tf.transpose(value[:, 1:, ::2], [0, 3, 1, 2]), [False, True, False, False])
        parts = tf.split(1, 3, tf.reshape(value, [-1, 36]))
        logits = tf.matmul(tf.concat(1, parts), np.ones([36, 3], "f4")) + np.arange(3, dtype="f4")
        best = tf.nn.top_k(tf.nn.softmax(logits), 2)
        chosen = tf.where(tf.greater(best.values, 0.5), tf.one_hot(best.indices, 3)[:, :, 0], best.values)
        kept = tf.cumsum(chosen, axis=1)
        content = tf.save_onnx(None, {"kept": kept, "mean": tf.reduce_mean(logits, [1], keepdims=True)})
    model = decode(ModelProto, memoryview(content))
    assert model.graph is not None
    large = max(model.graph.initializers, key=lambda each: len(each.raw_data or b""))
    (folder / "w").write_bytes(bytes(large.raw_data or b""))
    large.external_data = [TextEntryProto("location", "w"), TextEntryProto("offset", "0")]
    large.raw_data, large.data_location = None, 1
    (folder / "m.onnx").write_bytes(encode(model))


def _write_onnx_flow(folder: Path) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 2], name="x")
        sums = tf.scan(lambda a, row: tf.cond(tf.reduce_sum(row) > 0.0, lambda: a + row, lambda: a * row), x,
                       initializer=tf.zeros([2]))  # fmt: skip
        last = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2.0), [0, x])[1]
        tf.save_onnx(folder / "m.onnx", [sums, last, *tf.gradients(sums, x)])


def _load_onnx(folder: Path) -> None:
    with tf.Graph().as_default() as graph:
        str(tf.load_onnx(folder / "m.onnx"))
        graph.summary(width=0)


def _flow(folder: Path) -> None:
    with tf.Graph().as_default() as graph:
        flow_programs.branches_and_counts()
        flow_programs.choices()
        flow_programs.maps_and_scans()
    tf.save_graph(graph, folder / "g.pb")
    read_graphdef((folder / "g.pb").read_bytes())


def _load_graph(name: str) -> Callable[[Path], object]:
    return lambda folder: tf.load_graph(folder / name).summary(width=0)


def _load_graphdef(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        loaded = tf.load_graphdef(folder / name)
        _ = loaded.report, loaded.graph.summary(width=0)

    return read


def _seal_constants(document: str) -> Callable[[Path], object]:
    """The checksum of the archive in the document beside it, where there is a place for it."""

    def seal(folder: Path) -> None:
        path = folder / document
        try:
            parsed = json.loads(path.read_bytes())
            said = parsed["constants"]
            content = path.with_suffix(".npz").read_bytes()
            said.update(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
            path.write_text(json.dumps(parsed))
        except (ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError):
            pass  # then that is what the reader is to find

    return seal


# ---- records, checkpoints -----------------------------------------------------------------------


def _write_records(kind: str) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        with tf.python_io.TFRecordWriter(folder / "r", kind) as writer:
            for number in range(12):
                writer.write(random.Random(number).randbytes(number * 9))

    return make


def _read_records(kind: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        for _ in itertools.islice(tf.python_io.tf_record_iterator(folder / "r", kind), RECORDS):
            pass

    return read


def _write_events(folder: Path) -> None:
    with tf.summary.FileWriter(folder) as writer, tf.Graph().as_default() as graph, tf.Session() as session:
        writer.add_graph(graph)
        histogram = tf.summary.histogram("h", np.arange(30.0))
        writer.add_summary(session.run(tf.summary.merge([histogram, tf.summary.scalar("s", 1.0)])), 3)
    next(folder.glob("events*")).rename(folder / "events")


def _read_events(folder: Path) -> None:
    for event in itertools.islice(tf.train.summary_iterator(folder / "events"), RECORDS):
        str(event)


def _save(folder: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.arange(12.0).reshape(3, 4), name="a")
        tf.Variable([b"text", b"\xff"], name="s")
        tf.add_to_collection("things", tf.identity(v, name="scope/n"))
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, folder / "m")


def _write_checkpoint(write: Callable[[str, list[NamedArray]], object]) -> Callable[[Path], object]:
    values = np.arange(12, dtype="f4")
    texts = np.array([b"text", b"", b"\xff" * 200], object)
    arrays = [
        NamedArray("a", values.reshape(3, 4)), NamedArray("n", np.arange(7, dtype="i8")), NamedArray("s", texts),
        *[NamedArray("p", values[s : s + 6], TensorSlice(((s, 6),)), (12,)) for s in (0, 6)],
    ]  # fmt: skip
    return lambda folder: write(str(folder / "m"), arrays)


def _read_checkpoint(folder: Path) -> None:
    with closing(open_checkpoint(str(folder / "m"))) as checkpoint:
        for name in itertools.islice(checkpoint.entries, 100):
            checkpoint.read(name)


def _read_state(folder: Path) -> None:
    tf.train.get_checkpoint_state(folder)
    tf.train.latest_checkpoint(folder)


def _import_meta(folder: Path) -> None:
    with tf.Graph().as_default():
        tf.train.import_meta_graph(folder / "m.meta")


def _write_safetensors(folder: Path) -> None:
    write_safetensors(str(folder / "t"), {"a": np.arange(6, dtype="f4").reshape(2, 3), "b": np.array([1, 2])})


# ---- folders of runs ----------------------------------------------------------------------------


def _write_run(folder: Path) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        v = tf.Variable(np.arange(400, dtype="f4"), name="v")
        session.run(v.initializer)
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.gather(x + v[0] + tf.random_normal([]), 900), lambda: 0.0)
        try:
            session.run([y, tf.constant(np.ones(500))], {x: np.ones(400, "f4")})
        except tf.errors.OpError:
            session.repro(folder / "run")


def _read_run(folder: Path) -> None:
    repro = load_repro(folder / "run")
    print(printable_lines("\n".join(repro._head())), file=io.TextIOWrapper(io.BytesIO(), "utf-8"))
    repro.session().close()


def _seal_run(folder: Path) -> None:
    for name in ("run.json", "graph.json"):
        _seal_constants(name)(folder / "run")


# ---- what commands read -------------------------------------------------------------------------


def _command(*arguments: str) -> Callable[[Path], object]:
    """A command, which reports bad input with exit code 1 or 2; its output can be printed."""

    def read(folder: Path) -> None:
        out = io.TextIOWrapper(io.BytesIO(), "utf-8")
        with redirect_stdout(out), redirect_stderr(out):
            code = main([each.replace("FOLDER", str(folder)) for each in arguments])
        out.flush()
        told = out.buffer.getvalue().decode()
        assert code in (0, 1, 2), code
        unseen = {letter for letter in told if not letter.isprintable()} - {"\n", "\t"}
        assert not unseen, f"the command prints {unseen!a}"

    return read


def _write_feed(folder: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.add(tf.placeholder(tf.float32, [None], name="x"), 1.0, name="y")
    tf.save_graph(graph, folder / "g.json")
    np.save(folder / "x.npy", np.arange(5, dtype="f4"))


def _write_small_graph(folder: Path) -> None:
    _write_feed(folder)
    (folder / "x.npy").unlink()


def _write_progress(folder: Path) -> None:
    lessons = {"01_building": {"passed": "2026-01-01", "hints": 2, "asked": False}}
    (folder / "lessons.json").write_text(json.dumps({"format": "penstock-lessons", "version": 1, "lessons": lessons}))


def _read_progress(folder: Path) -> None:
    before = kept_progress.data_folder
    kept_progress.data_folder = lambda: folder
    try:
        kept_progress.load_progress()
    finally:
        kept_progress.data_folder = before


def _write_lesson(folder: Path) -> None:
    for path in find_lesson(1).folder.rglob("*"):
        if path.is_file() and path.suffix in (".py", ".md", ".svg"):
            target = folder / path.relative_to(find_lesson(1).folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())


def _read_lesson(folder: Path) -> None:
    lesson = find_lesson(str(folder))
    _ = lesson.title, lesson.hints, lesson.start, notebook_text(lesson), page_text(lesson)


def _write_table(folder: Path) -> None:
    (folder / "t.csv").write_text("a,b,kind\n" + "".join(f"{i}.5,{i},{'xyz'[i % 3]}\n" for i in range(30)))


# ---- all of them --------------------------------------------------------------------------------

_JSON = (json_changed, json_changed, bytes_changed)
_PROTO = (message_changed, message_changed, bytes_changed)
_TEXT = (text_changed, bytes_changed)
_TABLE = (table_changed, table_changed, bytes_changed)
_NPZ = (archive_changed,)
_CHECKPOINT: tuple[type[Exception], ...] = (OpError, ValueError)

KINDS: dict[str, FileKind] = {
    "a graph": FileKind(_save_graph(".json"), {"g.json": _JSON, "g.npz": _NPZ}, _load_graph("g.json"),
                        (GraphFormatError, OSError), _seal_constants("g.json")),
    "a GraphDef": FileKind(_save_graph(".pb"), {"g.pb": _PROTO}, _load_graphdef("g.pb"), (GraphFormatError,)),
    "a GraphDef with control flow": FileKind(_flow, {"g.pb": _PROTO}, _load_graphdef("g.pb"), (GraphFormatError,)),
    "an ONNX model": FileKind(_write_onnx, {"m.onnx": _PROTO, "w": (bytes_changed,)}, _load_onnx,
                              (GraphFormatError, OSError)),
    "an ONNX model with control flow": FileKind(_write_onnx_flow, {"m.onnx": _PROTO}, _load_onnx,
                                                (GraphFormatError,)),
    "a GraphDef as text": FileKind(_save_graph(".pbtxt"), {"g.pbtxt": _TEXT}, _load_graphdef("g.pbtxt"),
                                   (GraphFormatError,)),
    "records": FileKind(_write_records(""), {"r": (records_changed, bytes_changed)}, _read_records(""),
                        (DataLossError,)),
    "records, ZLIB": FileKind(_write_records("ZLIB"), {"r": (packed_records(zlib.compress), bytes_changed)},
                              _read_records("ZLIB"), (DataLossError,)),
    "records, GZIP": FileKind(_write_records("GZIP"), {"r": (packed_records(gzip.compress), bytes_changed)},
                              _read_records("GZIP"), (DataLossError,)),
    "events": FileKind(_write_events, {"events": (records_changed, records_changed, bytes_changed)}, _read_events,
                       (DataLossError, ValueError)),
    "a checkpoint": FileKind(_write_checkpoint(write_bundle),
                             {"m.index": _TABLE, "m.data-00000-of-00001": (bytes_changed,)}, _read_checkpoint,
                             _CHECKPOINT),
    "a checkpoint of version 1": FileKind(_write_checkpoint(write_version_one), {"m": _TABLE}, _read_checkpoint,
                                          _CHECKPOINT),
    "the state of checkpoints": FileKind(_save, {"checkpoint": _TEXT}, _read_state, (ValueError,)),
    "a meta graph": FileKind(_save, {"m.meta": _PROTO}, _import_meta, (GraphFormatError, OpError)),
    "a run": FileKind(_write_run, {"run/run.json": _JSON, "run/graph.json": _JSON, "run/run.npz": _NPZ,
                                   "run/graph.npz": _NPZ}, _read_run, (GraphFormatError, OSError), _seal_run),
    "a graph for commands": FileKind(_write_small_graph, {"g.json": _JSON},
                                     _command("explain", "FOLDER/g.json"), ()),
    "a graph to inspect": FileKind(_save_graph(".json"), {"g.json": _JSON}, _command("inspect", "FOLDER/g.json"), (),
                                   _seal_constants("g.json")),
    "an array to feed": FileKind(_write_feed, {"x.npy": (bytes_changed,)},
                                 _command("run", "FOLDER/g.json", "--feed", "x=FOLDER/x.npy"), ()),
    "progress of lessons": FileKind(_write_progress, {"lessons.json": _JSON}, _read_progress, ()),
    "a lesson": FileKind(_write_lesson, {"text.md": _TEXT, "hints.md": _TEXT, "start.py": _TEXT}, _read_lesson,
                         (ValueError, OSError)),
    "a table": FileKind(_write_table, {"t.csv": _TEXT}, _command("demo", "--csv", "FOLDER/t.csv", "--out", "FOLDER"),
                        ()),
    **{f"a SavedModel of TensorFlow: {name}": FileKind(
        write_model(name), {"saved_model.pb": _PROTO, "variables/variables.index": _TABLE}, read_model,
        (ValueError, OpError, RuntimeError)) for name in MODELS},
    **{f"a GraphDef of TensorFlow: {name}": FileKind(write_graph(f"{name}.pb"), {"g.pb": _PROTO}, read_graph,
                                                     (GraphFormatError,))
       for name in ("loops_inside.v1", "gradient_of_rnn.v1", "switch_case.v2", "gradient_of_loop.v2")},
    "a message of a GraphDef": FileKind(write_graph("cond_in_loop.v1.pb"), {"g.pb": _PROTO}, read_messages,
                                        (ValueError,)),
}  # fmt: skip
if importlib.util.find_spec("safetensors") is not None:
    KINDS["safetensors"] = FileKind(_write_safetensors, {"t": (header_changed, bytes_changed)},
                                    lambda folder: read_safetensors(str(folder / "t")), (OpError,))  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their paths in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def changed(kind: FileKind, good: dict[str, bytes], rng: random.Random) -> dict[str, bytes]:
    """The files of a kind with one of them changed, seldom two."""
    made: dict[str, Any] = dict(good)
    for name in rng.sample(list(kind.changes), min(len(kind.changes), rng.choice([1, 1, 1, 2]))):
        made[name] = rng.choice(kind.changes[name])(made[name], rng)
    return made
