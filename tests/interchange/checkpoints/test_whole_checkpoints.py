"""A checkpoint is there whole, or the one before is: under `kill -9` at any moment, with a full disk, with damage."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penstock.errors import DataLossError, InvalidArgumentError, NotFoundError, OpError, ResourceExhaustedError
from penstock.interchange.checkpoints import bundle_files, whole_files
from penstock.interchange.checkpoints.bundle_reader import BundleReader
from penstock.interchange.checkpoints.bundle_writer import NamedArray, write_bundle
from penstock.interchange.checkpoints.open_checkpoint import open_checkpoint
from penstock.interchange.checkpoints.version_one import write_version_one

from ...helpers import needs_fork, nightly
from ...warm_python import run_warm
from .numbered_arrays import arrays

ROOT = Path(__file__).parents[3]


def number_of(prefix: str) -> int:
    """Which checkpoint is there; all of its tensors must be of one."""
    with closing(open_checkpoint(prefix)) as checkpoint:
        found = {int(value) for name in checkpoint.entries for value in checkpoint.read(name).reshape(-1).tolist()}
    assert len(found) == 1, found
    return found.pop()


# ---- kill -9 ------------------------------------------------------------------------------------

WRITERS = """
import os, sys
from penstock.interchange.checkpoints.bundle_writer import write_bundle
from tests.interchange.checkpoints.numbered_arrays import arrays
prefix, shards = sys.argv[1], int(sys.argv[2])
for line in sys.stdin:  # a writer for each line, which is the number of the last checkpoint
    writer, number = os.fork(), int(line)
    while not writer:
        number += 1
        write_bundle(prefix, arrays(number, 20_000), shards)
    print(writer, flush=True)
    print(os.waitpid(writer, 0)[1], flush=True)
"""


@pytest.mark.share(2)
@needs_fork
@pytest.mark.parametrize("shards", [1, 3])
def test_a_reader_finds_a_whole_checkpoint_whenever_the_writer_is_killed(shards: int, tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    write_bundle(prefix, arrays(0, 20_000))
    rng = random.Random(shards)
    last = 0
    command = [sys.executable, "-c", WRITERS, prefix, str(shards)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writers:
        assert writers.stdin is not None and writers.stdout is not None
        for _ in range(5):
            writers.stdin.write(f"{last}\n")
            writers.stdin.flush()
            writer = int(writers.stdout.readline())
            deadline = time.monotonic() + 0.005 + 0.06 * rng.random()
            patience = time.monotonic() + 60.0  # on a busy machine the first checkpoint may take long
            while time.monotonic() < (deadline if last else patience):  # another process reads meanwhile
                seen = number_of(prefix)
                assert seen >= last
                last = seen
            os.kill(writer, signal.SIGKILL)
            assert writers.stdout.readline() == f"{signal.SIGKILL:d}\n"
            assert number_of(prefix) >= last
            last = number_of(prefix)
        writers.stdin.close()
    assert last > 0
    write_bundle(prefix, arrays(-1), 1)
    # What the killed writers left behind is gone.
    assert sorted(os.listdir(tmp_path)) == ["model.data-00000-of-00001", "model.index"]


STEPS = ("open", "replace", "link", "unlink", "fsync")


@contextmanager
def stopped_at(step: int, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> Iterator[list[str]]:
    """The operating system refuses the call number `step` that changes files; yields the calls."""
    calls: list[str] = []

    def refusing(name: str) -> Any:
        original = getattr(os, name)

        def call(*args: Any, **options: Any) -> Any:
            calls.append(name)
            if len(calls) == step + 1:
                raise error
            return original(*args, **options)

        return call

    with monkeypatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, refusing(name))
        yield calls


@pytest.mark.share(2)
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr)
def test_a_failure_at_each_step_leaves_the_old_checkpoint_or_the_new_one(
    before: bool, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in range(60):
        folder = tmp_path / str(step)
        folder.mkdir()
        prefix = str(folder / "model")
        if before:
            write_bundle(prefix, arrays(1), 2)
        with stopped_at(step, monkeypatch, error) as calls:
            try:
                write_bundle(prefix, arrays(2), 2)
                failed = False
            except (OpError, KeyboardInterrupt) as found:
                failed = True
                if isinstance(error, OSError):
                    assert isinstance(found, ResourceExhaustedError)
                    assert "No space left" in str(found) and prefix in str(found)
        if os.path.exists(prefix + ".index"):
            assert number_of(prefix) in ((1, 2) if failed else (2,))
        else:
            assert failed and not before
        write_bundle(prefix, arrays(3), 2)
        assert number_of(prefix) == 3
        if len(calls) <= step:
            break
    else:
        pytest.fail("there are more steps than the test takes")
    assert step > 8


def test_a_file_system_without_links_keeps_the_new_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    prefix = str(tmp_path / "model")
    for number in range(4):
        write_bundle(prefix, arrays(number))
        assert number_of(prefix) == number
        assert len(os.listdir(tmp_path)) == 2


# ---- a full disk --------------------------------------------------------------------------------

LIMITED = """
import resource, signal, sys
from penstock.interchange.checkpoints.bundle_writer import write_bundle
from penstock.interchange.checkpoints.version_one import write_version_one
from tests.interchange.checkpoints.numbered_arrays import arrays
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
for write, name in ((write_bundle, sys.argv[1]), (write_version_one, sys.argv[1] + "1")):
    try:
        write(name, arrays(2, 20_000))
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of the size of files")
def test_a_file_that_cannot_grow_is_a_clear_error_and_what_was_there_stays(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    write_bundle(prefix, arrays(1))
    write_version_one(prefix + "1", arrays(1))
    files = sorted(os.listdir(tmp_path))
    done = run_warm(["-c", LIMITED, prefix])
    said = done.stdout.splitlines()
    assert len(said) == 2, done.stderr
    for line in said:
        assert line.startswith("ResourceExhaustedError the checkpoint '") and "could not be written" in line
        assert line.endswith("; the files that were there are unchanged")
    assert number_of(prefix) == number_of(prefix + "1") == 1
    assert sorted(os.listdir(tmp_path)) == files


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="could not be written: No such file or directory"):
        write_bundle(str(tmp_path / "no" / "model"), arrays(1))


def test_arguments_that_cannot_be_written_leave_no_file(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    twice = [NamedArray("a", np.zeros(2)), NamedArray("a", np.zeros(2))]
    for write in (write_bundle, write_version_one):
        with pytest.raises(InvalidArgumentError, match="'a' is given twice"):
            write(prefix, twice)
    assert not os.listdir(tmp_path)


# ---- damage -------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, *nightly([2])])
@pytest.mark.parametrize("version", [1, 2])
def test_each_byte_that_is_changed_is_noticed(version: int, parts: int, tmp_path: Path) -> None:
    """A bit of every other byte, and all bits of those between them; at night both of each."""
    prefix = str(tmp_path / "model")
    (write_version_one if version == 1 else write_bundle)(prefix, arrays(7, 4))
    for path in sorted(tmp_path.iterdir()):
        content = path.read_bytes()
        for place in range(len(content)):
            for part in range(place, place + parts):
                mask = 0xFF if part % 2 else 1 << place // 2 % 8
                path.write_bytes(content[:place] + bytes([content[place] ^ mask]) + content[place + 1 :])
                with pytest.raises(DataLossError, match=r"model.*damaged"):
                    number_of(prefix)
        for length in range(0, len(content), 7):
            path.write_bytes(content[:length])
            with pytest.raises(DataLossError, match=r"model.*damaged"):
                number_of(prefix)
        path.write_bytes(content)
    assert number_of(prefix) == 7


def test_a_missing_data_file_is_named_and_the_other_tensors_are_read(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    write_bundle(prefix, arrays(5, 10), 2)
    os.unlink(prefix + ".data-00001-of-00002")
    checkpoint = BundleReader(prefix)
    assert checkpoint.read("a").tolist() == [5] * 10
    with pytest.raises(NotFoundError, match=r"'s' are in '.*data-00001-of-00002', which does not exist"):
        checkpoint.read("s")
    checkpoint.close()


def test_an_open_checkpoint_stays_what_it_is_while_another_takes_its_place(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    write_bundle(prefix, arrays(1))
    checkpoint = BundleReader(prefix)
    write_bundle(prefix, arrays(2))
    bundle_files.remove_bundle(prefix)
    assert set(checkpoint.read("a").tolist()) == {1}
    checkpoint.close()
    assert not os.listdir(tmp_path)


def test_files_of_other_checkpoints_are_left_alone(tmp_path: Path) -> None:
    others = ["model-1", "model-10", "model.data", "[ab]"]
    for other in others:
        write_bundle(str(tmp_path / other), arrays(1))
    for name in ("model", "model-1", "[ab]"):
        write_bundle(str(tmp_path / name), arrays(2), 2)
        write_bundle(str(tmp_path / name), arrays(3), 1)
    assert [number_of(str(tmp_path / name)) for name in ("model", "model-1", "model-10", "model.data", "[ab]")] == [
        3, 3, 1, 1, 3]  # fmt: skip
    assert len(os.listdir(tmp_path)) == 10


def test_only_abandoned_temporary_files_are_removed(tmp_path: Path) -> None:
    target = str(tmp_path / "model.index")
    with whole_files.TemporaryFile(target) as alive:
        abandoned = tmp_path / ".model.index.0123456789ab.tmp"
        abandoned.write_bytes(b"left")
        other = tmp_path / ".model.index.old.tmp"
        other.write_bytes(b"a user's")
        whole_files.remove_abandoned(target)
        assert not abandoned.exists() and other.exists() and os.path.exists(alive.path)
