"""tf.train.Saver: what it writes, keeps and restores, and its errors."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import penstock as tf
from penstock.errors import DataLossError, FailedPreconditionError, InvalidArgumentError, NotFoundError

train = tf.train


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as opened:
        yield opened


def initialize(session: tf.Session) -> None:
    session.run(tf.global_variables_initializer())


def saved(saver: train.Saver, session: tf.Session, path: Path) -> str:
    """The prefix of a new checkpoint."""
    found = saver.save(session, path)
    assert found is not None
    return found


def files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


# ---- saving and restoring -----------------------------------------------------------------------


@pytest.mark.parametrize("version", [train.SaverDef.V1, train.SaverDef.V2])
def test_what_is_saved_comes_back(version: int, session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable([[1.0, 2.0]], name="v")
    words = tf.Variable(["a", "bc"], name="scope/words", trainable=False)
    half = tf.Variable(tf.constant([1.5], tf.bfloat16), name="half")
    initialize(session)
    saver = train.Saver(write_version=version)
    path = saved(saver, session, tmp_path / "model")
    assert path == str(tmp_path / "model")
    v.load([[5.0, 6.0]], session)
    words.load(["x", "y"], session)
    saver.restore(session, path)
    got = session.run([v, words, half])
    assert got[0].tolist() == [[1, 2]] and got[1].tolist() == [b"a", b"bc"] and got[2].astype("f4").tolist() == [1.5]
    assert train.list_variables(path) == [("half", [1]), ("scope/words", [2]), ("v", [1, 2])]


def test_restoring_initializes_variables(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(3, name="v")
    initialize(session)
    saver = train.Saver()
    path = saver.save(session, tmp_path / "model")
    with tf.Session(graph=session.graph) as other:
        saver.restore(other, path)
        assert other.run(v) == 3


def test_names_of_a_dict_are_those_in_the_file(session: tf.Session, tmp_path: Path) -> None:
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    initialize(session)
    path = saved(train.Saver({"first": v, "second/w": w}), session, tmp_path / "model")
    assert train.list_variables(path) == [("first", []), ("second/w", [])]
    train.Saver({"first": w, "second/w": v}).restore(session, path)
    assert session.run([v, w]) == [2.0, 1.0]
    train.Saver({"first": v}).restore(session, path)
    assert session.run([v, w]) == [1.0, 1.0]


def test_its_nodes_do_the_same(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    initialize(session)
    definition = train.Saver().as_saver_def()
    assert (definition.filename_tensor_name, definition.save_tensor_name, definition.restore_op_name) == (
        "save/Const:0", "save/control_dependency:0", "save/restore_all")  # fmt: skip
    feed = {definition.filename_tensor_name: str(tmp_path / "model")}
    assert session.run(definition.save_tensor_name, feed) == str(tmp_path / "model").encode()
    v.load([3.0, 4.0], session)
    session.run(definition.restore_op_name, feed)
    assert session.run(v).tolist() == [1.0, 2.0]
    again = train.Saver(saver_def=definition)
    v.load([3.0, 4.0], session)
    again.restore(session, tmp_path / "model")
    assert session.run(v).tolist() == [1.0, 2.0]


def test_a_value_restored_is_not_shared_with_anything(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(np.zeros(1000, "f4"), name="v")
    more = v.assign_add(np.ones(1000, "f4"))
    initialize(session)
    saver = train.Saver()
    path = saver.save(session, tmp_path / "model")
    fetched = session.run(v)
    for _ in range(2):
        saver.restore(session, path)
        session.run(more)
        session.run(more)
    assert session.run(v).tolist() == [2.0] * 1000 and not fetched.any()


def test_another_shape_is_restored_on_request(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(np.arange(6.0), name="v")
    initialize(session)
    path = train.Saver().save(session, tmp_path / "model")
    w = tf.Variable(np.zeros((2, 3)), name="w")
    with pytest.raises(InvalidArgumentError, match=r"v: float64 \[6\] there, float64 \(2, 3\) here"):
        train.Saver({"v": w}).restore(session, path)
    train.Saver({"v": w}, reshape=True).restore(session, path)
    assert np.array_equal(session.run(w), np.arange(6.0).reshape(2, 3))
    assert session.run(v).shape == (6,)


def test_a_checkpoint_is_of_one_moment(session: tf.Session, tmp_path: Path) -> None:
    """While another thread writes two variables in one run, every checkpoint has equal values of both."""
    a, b = tf.Variable(np.zeros(5000), name="a"), tf.Variable(np.zeros(5000), name="b")
    step = tf.group(a.assign_add(np.ones(5000)), b.assign_add(np.ones(5000)))
    initialize(session)
    saver = train.Saver(max_to_keep=None)
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            session.run(step)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        paths = [saver.save(session, tmp_path / "m", i, write_meta_graph=False) for i in range(20)]
    finally:
        stop.set()
        thread.join()
    for path in paths:
        assert path is not None
        values = {float(x) for name in "ab" for x in np.unique(train.load_variable(path, name))}
        assert len(values) == 1


# ---- which checkpoints are kept -------------------------------------------------------------------


def test_the_latest_are_kept_and_the_state_names_them(session: tf.Session, tmp_path: Path) -> None:
    step = tf.Variable(0, name="step")
    initialize(session)
    saver = train.Saver(max_to_keep=2)
    for _ in range(4):
        saver.save(session, tmp_path / "m", global_step=step)
        session.run(step.assign_add(10))
    kept = [str(tmp_path / "m-20"), str(tmp_path / "m-30")]
    assert saver.last_checkpoints == kept and train.latest_checkpoint(tmp_path) == kept[-1]
    lines = "".join(f'all_model_checkpoint_paths: "{path}"\n' for path in kept)
    assert (tmp_path / "checkpoint").read_text() == f'model_checkpoint_path: "{kept[1]}"\n{lines}'
    assert files(tmp_path) == ["checkpoint", *[f"m-{n}.{end}" for n in (20, 30)
                                               for end in ("data-00000-of-00001", "index", "meta")]]  # fmt: skip


def test_after_a_restart_the_old_ones_are_still_removed(session: tf.Session, tmp_path: Path) -> None:
    tf.Variable(0, name="v")
    initialize(session)
    first = train.Saver(max_to_keep=2)
    for step in range(2):
        first.save(session, tmp_path / "m", step, write_meta_graph=False)
    state = train.get_checkpoint_state(tmp_path)
    assert state is not None
    second = train.Saver(max_to_keep=2)
    second.recover_last_checkpoints([*state.all_model_checkpoint_paths, str(tmp_path / "gone")])
    assert second.last_checkpoints == state.all_model_checkpoint_paths
    second.save(session, tmp_path / "m", 2, write_meta_graph=False)
    assert not train.checkpoint_exists(tmp_path / "m-0") and train.checkpoint_exists(tmp_path / "m-1")


def test_all_are_kept_without_a_limit_and_those_of_a_list_for_ever(session: tf.Session, tmp_path: Path) -> None:
    tf.Variable(0, name="v")
    initialize(session)
    for most in (None, 0):
        saver = train.Saver(max_to_keep=most)
        for step in range(7):
            saver.save(session, tmp_path / f"m{most}", step, write_meta_graph=False)
        assert saver.last_checkpoints == []
    assert len([name for name in files(tmp_path) if name.endswith(".index")]) == 14
    saver = train.Saver(max_to_keep=1)
    saver.set_last_checkpoints([str(tmp_path / "mNone-0")])
    saver.save(session, tmp_path / "n", write_meta_graph=False)
    assert train.checkpoint_exists(tmp_path / "mNone-0")


def test_one_more_is_kept_every_few_hours(session: tf.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    tf.Variable(0, name="v")
    initialize(session)
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    saver = train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=2)
    for step in range(9):
        now[0] += 3600
        saver.save(session, tmp_path / "m", step, write_meta_graph=False)
    # Written after 1, 2 ... 9 hours: those of hours 3, 5 and 7 are the first after 2, 4 and 6; 9 is the latest.
    assert [name for name in files(tmp_path) if name.endswith(".index")] == ["m-2.index", "m-4.index", "m-6.index",
                                                                             "m-8.index"]  # fmt: skip


def test_paths_in_the_state_are_relative_on_request(session: tf.Session, tmp_path: Path) -> None:
    tf.Variable(0, name="v")
    initialize(session)
    train.Saver(save_relative_paths=True, pad_step_number=True).save(session, tmp_path / "m", 7)
    assert (tmp_path / "checkpoint").read_text().splitlines()[0] == 'model_checkpoint_path: "m-00000007"'
    moved = tmp_path.rename(tmp_path.parent / "moved")
    assert train.latest_checkpoint(moved) == str(moved / "m-00000007")
    assert train.list_variables(moved) == [("v", [])]


def test_relative_folders(session: tf.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    tf.Variable(0, name="v")
    initialize(session)
    saver = train.Saver()
    assert saver.save(session, "models/m", 1) == "models/m-1"
    assert train.latest_checkpoint("models") == "models/m-1"
    assert saver.save(session, "m") == "m"
    assert train.latest_checkpoint("") == "m" and train.latest_checkpoint(".") == "./m"


def test_a_damaged_state_is_no_state(tmp_path: Path) -> None:
    assert train.get_checkpoint_state(tmp_path) is None
    (tmp_path / "checkpoint").write_bytes(b"\xff{")
    assert train.get_checkpoint_state(tmp_path) is None and train.latest_checkpoint(tmp_path) is None
    (tmp_path / "checkpoint").write_text('all_model_checkpoint_paths: "m"\n')
    with pytest.raises(ValueError, match="names no checkpoint"):
        train.get_checkpoint_state(tmp_path)
    with pytest.raises(ValueError, match="2 times for 1 checkpoints"):
        train.update_checkpoint_state(tmp_path, "m", ["m"], all_model_checkpoint_timestamps=[1.0, 2.0])


# ---- errors ---------------------------------------------------------------------------------------


def test_what_does_not_match_is_listed_and_nothing_is_restored(session: tf.Session, tmp_path: Path) -> None:
    a, b, c = (tf.Variable(np.full(2, i, "f4"), name="abc"[i]) for i in range(3))
    initialize(session)
    path = train.Saver().save(session, tmp_path / "model")
    wide = tf.Variable(np.full(3, 9, "f4"), name="wide")
    ints = tf.Variable(np.full(2, 9, "i4"), name="ints")
    initialize(session)
    a.load([7, 7], session)
    with pytest.raises(NotFoundError) as error:
        train.Saver({"a": a, "b": wide, "c": ints, "d": b}).restore(session, path)
    assert str(error.value).splitlines() == [
        f"restore: 1 of 4 variables match the checkpoint {path!r}; no variable was changed",
        "  not in the checkpoint: d float32 (2,)",
        "  of another dtype or shape: b: float32 [2] there, float32 (3,) here; c: float32 [2] there, int32 (2,) here",
        "  match: a",
        "  To restore those that match: tf.train.Saver(var_list) with a list or a dict of them.",
    ]
    with pytest.raises(InvalidArgumentError, match="0 of 1 variables match"):
        train.Saver({"a": ints}).restore(session, path)
    assert session.run([a, b, c, wide, ints])[0].tolist() == [7, 7]


def test_a_damaged_checkpoint_changes_no_variable(session: tf.Session, tmp_path: Path) -> None:
    a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
    initialize(session)
    saver = train.Saver()
    path = saver.save(session, tmp_path / "model")
    data = tmp_path / "model.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-1] + b"\x01")
    session.run([a.assign(5.0), b.assign(6.0)])
    with pytest.raises(DataLossError, match="of 'b', its checksum"):
        saver.restore(session, path)
    assert session.run([a, b]) == [5.0, 6.0]


def test_a_save_that_fails_leaves_the_checkpoint_before(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    missing = tf.Variable(1.0, name="missing")
    session.run(v.initializer)
    train.Saver([v]).save(session, tmp_path / "model")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".meta"}
    with pytest.raises(FailedPreconditionError, match="uninitialized value missing"):
        train.Saver([v, missing]).save(session, tmp_path / "model")
    with pytest.raises(FailedPreconditionError):
        train.Saver([v, missing]).save(session, tmp_path / "new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".meta"} == before
    assert not (tmp_path / "new.meta").exists()


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda s, v: train.Saver().restore(s, None), ValueError, "Can't load save_path when it is None"),
        (lambda s, v: train.Saver().restore(s, "no/such"), ValueError, "not a valid checkpoint: no/such"),
        (lambda s, v: train.Saver().save(None, "m"), TypeError, "'sess' must be a Session"),
        (lambda s, v: train.Saver().save(s, "no/such/m"), ValueError, "Parent directory of no/such/m doesn't exist"),
        (lambda s, v: train.Saver().save(s, "m", latest_filename="a/b"), ValueError, "path components"),
        (lambda s, v: train.Saver().save(s, "checkpoint"), ValueError, "name of the file with the state"),
        (lambda s, v: train.Saver([v, v]), ValueError, "two variables have the same name: v"),
        (lambda s, v: train.Saver({"a": v, "b": v}), ValueError, "restored with two names"),
        (lambda s, v: train.Saver([v + 1.0]), TypeError, "only variables can be saved"),
        (lambda s, v: train.Saver({1: v}), TypeError, "a name in var_list is 1"),
        (lambda s, v: train.Saver(v), TypeError, "not Variable"),
        (lambda s, v: train.Saver([]), ValueError, "No variables to save"),
        (lambda s, v: train.Saver(write_version=3), ValueError, "SaverDef.V1 or V2"),
        (lambda s, v: train.Saver(saver_def=cast(Any, "x")), TypeError, "must be a tf.train.SaverDef"),
        (lambda s, v: train.Saver(defer_build=True).save(s, "m"), RuntimeError, "call build"),
        (lambda s, v: train.load_checkpoint("no/such"), NotFoundError, "there is no checkpoint 'no/such'"),
        (lambda s, v: train.load_checkpoint("."), ValueError, "Couldn't find 'checkpoint' file"),
    ],
)
def test_wrong_calls_are_refused_and_add_nothing(
    call: Any, kind: type[Exception], words: str, session: tf.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    v = tf.Variable(1.0, name="v")
    initialize(session)
    with pytest.raises(kind, match=words):
        call(session, v)
    assert not files(tmp_path)


def test_an_empty_saver_does_nothing(session: tf.Session, tmp_path: Path) -> None:
    saver = train.Saver(allow_empty=True)
    assert saver.save(session, tmp_path / "m") is None
    saver.restore(session, tmp_path / "m")
    assert not files(tmp_path)


def test_a_deferred_saver_takes_the_variables_that_are_there_later(session: tf.Session, tmp_path: Path) -> None:
    saver = train.Saver(defer_build=True)
    tf.Variable(1.0, name="late")
    saver.build()
    saver.build()
    initialize(session)
    path = saver.save(session, tmp_path / "m")
    assert path is not None and train.list_variables(path) == [("late", [])]


# ---- paths that look like patterns --------------------------------------------------------------

NEIGHBOURS = ("m", "m1", "m-1", "m1-1", "m1-2")


@pytest.fixture(scope="module")
def saved_neighbours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with checkpoints of both versions that patterns would match; `v` is 7 in all."""
    folder = tmp_path_factory.mktemp("neighbours")
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(7, name="v")
        initialize(session)
        for version in (train.SaverDef.V1, train.SaverDef.V2):
            saver = train.Saver([v], write_version=version)
            for prefix in NEIGHBOURS:
                saver.save(session, folder / f"{prefix}{'' if version == 1 else 'v2'}", write_state=False)
    return folder


@pytest.fixture
def neighbours(
    session: tf.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved_neighbours: Path
) -> list[str]:
    """The files of these checkpoints, which lie in `run1` of the working folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(saved_neighbours, "run1")
    tf.Variable(7, name="v")
    initialize(session)
    return files(tmp_path / "run1")


@pytest.mark.parametrize("version", [train.SaverDef.V1, train.SaverDef.V2])
@pytest.mark.parametrize("path", ["run[12]/m", "run?/m", "run*/m", "run[!2]/m", "run1/m[12]", "run1/m?", "run1/m*"])
def test_a_path_of_a_checkpoint_is_no_pattern(
    path: str, version: int, session: tf.Session, tmp_path: Path, neighbours: list[str]
) -> None:
    (v,) = tf.global_variables()
    Path(path).parent.mkdir(exist_ok=True)
    saver = train.Saver([v], max_to_keep=1, write_version=version)
    for step in (1, 2):
        v.load(step, session)
        saver.save(session, path, global_step=step, write_state=True)
    assert saver.last_checkpoints == [f"{path}-2"]
    assert train.get_checkpoint_mtimes([f"{path}-2"]) and train.checkpoint_exists(f"{path}-2")
    v.load(0, session)
    saver.restore(session, f"{path}-2")
    assert session.run(v) == 2 and train.load_variable(f"{path}-2", "v") == 2
    for name in files(tmp_path / os.path.dirname(path)):
        if name.startswith(f"{os.path.basename(path)}-2"):
            os.remove(os.path.join(os.path.dirname(path), name))  # by hand, so the Saver finds nothing to remove
    saver.save(session, path, global_step=3)
    train.remove_checkpoint(f"{path}-3", version)
    os.remove(os.path.join(os.path.dirname(path), "checkpoint"))
    assert files(tmp_path / "run1") == neighbours
    assert "run1" in path or not files(tmp_path / os.path.dirname(path))


def test_only_the_name_of_a_file_of_version_one_may_have_wildcards(session: tf.Session, neighbours: list[str]) -> None:
    for prefix in ("run?/m1", "run[1]/m1", "run*/m1", "run1/m[1]"):
        assert not train.checkpoint_exists(prefix)
        with pytest.raises(NotFoundError):
            train.load_variable(prefix, "v")
        train.remove_checkpoint(prefix, train.SaverDef.V1)
    assert files(Path("run1")) == neighbours
    assert train.load_variable("run1/?1", "v") == 7
    train.remove_checkpoint("run1/?1", train.SaverDef.V1)
    assert "m1" in neighbours and "m1" not in files(Path("run1"))


def test_what_killed_programs_left_is_removed_in_such_folders_too(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(1, name="v")
    initialize(session)
    folder = tmp_path / "run[12]"
    for each in (folder, tmp_path / "run1"):
        each.mkdir()
        (each / ".m.index.0123456789ab.tmp").touch()
    train.Saver([v]).save(session, folder / "m", write_meta_graph=False, write_state=False)
    assert files(folder) == ["m.data-00000-of-00001", "m.index"]
    assert files(tmp_path / "run1") == [".m.index.0123456789ab.tmp"]


# ---- reading without a graph ------------------------------------------------------------------------


def test_a_reader_tells_of_a_checkpoint(session: tf.Session, tmp_path: Path) -> None:
    tf.Variable(np.arange(6.0).reshape(2, 3), name="scope/v")
    tf.Variable(tf.constant([1.5], tf.bfloat16), name="half")
    initialize(session)
    path = saved(train.Saver(), session, tmp_path / "m")
    for reader in (train.NewCheckpointReader(path), train.load_checkpoint(tmp_path)):
        assert reader.get_variable_to_shape_map() == {"scope/v": [2, 3], "half": [1]}
        assert reader.get_variable_to_dtype_map() == {"scope/v": tf.float64, "half": tf.bfloat16}
        assert reader.has_tensor("half") and not reader.has_tensor("none")
        assert np.array_equal(reader.get_tensor("scope/v"), np.arange(6.0).reshape(2, 3))
        assert reader.debug_string() == b"half (DT_BFLOAT16) [1]\nscope/v (DT_DOUBLE) [2,3]\n"
        with pytest.raises(NotFoundError, match="Key none not found"):
            reader.get_tensor("none")
    assert train.load_variable(tmp_path, "half:0").dtype == tf.bfloat16.np
    train.remove_checkpoint(path)
    assert files(tmp_path) == ["checkpoint"] and reader.get_tensor("half").shape == (1,)


def test_times_of_checkpoints(session: tf.Session, tmp_path: Path) -> None:
    tf.Variable(0, name="v")
    initialize(session)
    path = train.Saver().save(session, tmp_path / "m")
    assert path is not None
    (found,) = train.get_checkpoint_mtimes([path, tmp_path / "none"])
    assert found == os.stat(path + ".index").st_mtime


def test_a_session_knows_the_checkpoint_that_was_written_or_read_last(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        saver = tf.train.Saver([v])
        one, other = [saver.save(session, str(tmp_path / name)) for name in ("one", "other")]
        assert session.variables.last_checkpoint == other
        saver.restore(session, one)
        assert session.variables.last_checkpoint == one


def test_a_saver_of_a_scope_is_not_one_of_a_scope_that_begins_alike() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(1.0)
        with tf.name_scope("ab"):
            saver = tf.train.Saver([v], name="save")
        assert saver.to_proto("a") is None
        described = saver.to_proto("ab")
        assert described is not None and described.save_tensor_name == "save/control_dependency:0"


def test_the_file_of_a_graph_is_no_checkpoint_whatever_lies_there(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        saver = tf.train.Saver([v])
        path = saver.save(session, str(tmp_path / "model"))
        old = tf.train.Saver([v], write_version=tf.train.SaverDef.V1)
        with pytest.raises(ValueError, match="is not a valid checkpoint"):
            saver.restore(session, f"{path}.meta")
        os.rename(str(old.save(session, str(tmp_path / "old"), write_meta_graph=False)), f"{path}.meta")
        with pytest.raises(ValueError, match="is not a valid checkpoint"):
            saver.restore(session, f"{path}.meta")


@pytest.mark.parametrize("shape", [[1, 2], [2, 3]])
def test_reshaping_takes_arrays_of_as_many_elements(shape: list[int], tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0, 3.0, 4.0], name="v")
        session.run(v.initializer)
        path = tf.train.Saver([v]).save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        other = tf.Variable(np.zeros(shape, np.float32), name="v")
        with pytest.raises(InvalidArgumentError, match=r"float32 \[4\] there"):
            tf.train.Saver([other], reshape=True).restore(session, path)


def test_the_state_of_checkpoints_has_a_time_for_each_or_none() -> None:
    for times in ([1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match=f"there are {len(times)} times for 2 checkpoints"):
            tf.train.generate_checkpoint_state_proto("/m", "/m/b", ["/m/a", "/m/b"], times)


def test_the_graph_of_shards_is_one_file(tmp_path: Path) -> None:
    for name in ("model-00000-of-00002", "model-?????-of-00002"):
        graph = tmp_path / "model.meta"
        graph.write_bytes(b"")
        tf.train.remove_checkpoint(str(tmp_path / name))
        assert not graph.exists()
