"""The object cache returns exactly what was put in, whatever happens to its files."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penstock.runtime.llvm import object_cache as cache_module
from penstock.runtime.llvm.object_cache import MAGIC, ObjectCache, key_of

from ...helpers import needs_fork, nightly
from ...warm_python import run_warm

MACHINE = "a machine"


def compiled(ir: str) -> bytes:
    return b"code of " + ir.encode()


def never(ir: str) -> bytes:
    raise AssertionError(f"{ir} was compiled again")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "objects"


@pytest.fixture
def cache(folder: Path) -> Iterator[ObjectCache]:
    made = ObjectCache(folder, 1 << 20)
    yield made
    assert made.get("last", MACHINE, compiled) == compiled("last")  # whatever was done to it, it goes on giving code


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_code_is_compiled_once_and_read_by_others(cache: ObjectCache, folder: Path) -> None:
    assert not cache.has("ir", MACHINE)
    assert cache.get("ir", MACHINE, compiled) == compiled("ir")
    assert cache.has("ir", MACHINE)
    other = ObjectCache(folder, 1 << 20)
    assert other.get("ir", MACHINE, never) == compiled("ir")
    assert (cache.counts.misses, cache.counts.hits, other.counts.hits) == (1, 0, 1)


def test_other_ir_and_another_machine_are_other_files(cache: ObjectCache) -> None:
    cache.get("ir", MACHINE, compiled)
    assert not cache.has("ir2", MACHINE)
    assert not cache.has("ir", "another machine")
    assert key_of("b\nc", "a") != key_of("c", "a\nb")  # where one ends and the other begins is part of the key


def test_the_folder_is_made_private_and_its_parents_ordinary(cache: ObjectCache, folder: Path) -> None:
    cache.get("ir", MACHINE, compiled)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert only_file(folder).stat().st_mode & 0o777 == 0o600


def test_damage_of_every_kind_is_noticed_and_repaired(cache: ObjectCache, folder: Path) -> None:
    cache.get("ir", MACHINE, compiled)
    whole = only_file(folder).read_bytes()
    rng = np.random.default_rng(3)
    damaged = [whole[:n] for n in range(len(whole))]
    damaged += [whole + b"x", bytes(len(whole)), whole[len(MAGIC):], MAGIC + whole]
    for place in range(len(whole)):
        one = bytearray(whole)
        one[place] ^= 1 << int(rng.integers(8))
        damaged.append(bytes(one))
    for data in damaged:
        only_file(folder).write_bytes(data)
        assert cache.get("ir", MACHINE, compiled) == compiled("ir")
        assert only_file(folder).read_bytes() == whole
    assert cache.counts.damaged == len(damaged)
    assert cache.counts.hits == 0


def test_a_file_under_another_name_is_no_match(cache: ObjectCache, folder: Path) -> None:
    cache.get("ir", MACHINE, compiled)
    only_file(folder).rename(folder / key_of("other", MACHINE))
    assert cache.get("other", MACHINE, compiled) == compiled("other")
    assert cache.counts.damaged == 1


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o720, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(cache: ObjectCache, folder: Path, mode: int) -> None:
    cache.get("ir", MACHINE, compiled)
    folder.chmod(mode)
    assert not cache.has("ir", MACHINE)
    assert cache.get("ir", MACHINE, compiled) == compiled("ir")
    assert cache.counts.hits == 0
    assert "others can write to it" in cache.why_not()
    assert cache.clear() == 0
    folder.chmod(0o700)
    assert cache.get("ir", MACHINE, never) == compiled("ir")
    assert cache.why_not() == ""


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_to_is_not_read(cache: ObjectCache, folder: Path, mode: int) -> None:
    cache.get("ir", MACHINE, compiled)
    only_file(folder).chmod(mode)
    assert not cache.has("ir", MACHINE)
    assert cache.get("ir", MACHINE, compiled) == compiled("ir")
    assert cache.counts.hits == 0


def test_somebody_elses_folder_and_files_are_not_used(
    cache: ObjectCache, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.get("ir", MACHINE, compiled)
    with monkeypatch.context() as changed:
        changed.setattr(os, "geteuid", lambda: os.stat(folder).st_uid + 1)
        assert not cache.has("ir", MACHINE)
        assert cache.get("ir", MACHINE, compiled) == compiled("ir")
        assert cache.entries() == []
    assert cache.counts.hits == 0


def test_a_link_in_place_of_the_folder_or_of_a_file_is_not_followed(tmp_path: Path) -> None:
    real = ObjectCache(tmp_path / "real", 1 << 20)
    real.get("ir", MACHINE, compiled)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert ObjectCache(tmp_path / "link", 1 << 20).get("ir", MACHINE, compiled) == compiled("ir")
    file = only_file(tmp_path / "real")
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert not real.has("ir", MACHINE)
    assert real.get("ir", MACHINE, compiled) == compiled("ir")
    assert real.counts.hits == 0
    assert not file.is_symlink()  # the new file took its place


def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(cache: ObjectCache, folder: Path) -> None:
    cache.get("ir", MACHINE, compiled)
    file = only_file(folder)
    file.unlink()
    os.mkfifo(file, 0o600)
    assert cache.get("ir", MACHINE, compiled) == compiled("ir")


def test_a_folder_in_place_of_a_file_is_survived(cache: ObjectCache, folder: Path) -> None:
    cache.get("ir", MACHINE, compiled)
    file = only_file(folder)
    file.unlink()
    file.mkdir()
    assert cache.get("ir", MACHINE, compiled) == compiled("ir")
    assert cache.counts.unwritten == 1


def test_a_file_in_place_of_the_folder_or_of_a_parent_is_survived(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "objects"):
        cache = ObjectCache(place, 1 << 20)
        assert cache.get("ir", MACHINE, compiled) == compiled("ir")
        assert cache.counts.unwritten == 1
        assert str(place) in cache.why_not()


@pytest.mark.parametrize("call", ["write", "replace", "open", "fstat", "scandir", "mkdir"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES, errno.EDQUOT])
def test_a_full_read_only_or_broken_disk_costs_no_result(
    cache: ObjectCache, folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as changed:
        if call == "write":
            changed.setattr(os, "fdopen", fails)
        else:
            changed.setattr(os, call, fails)
        assert cache.get("ir", MACHINE, compiled) == compiled("ir")
        assert cache.counts.unwritten == 1 or call == "scandir"
    left = list(folder.iterdir()) if folder.exists() else []
    assert all("." not in file.name for file in left)  # nothing half-written stays
    assert cache.get("ir", MACHINE, compiled) == compiled("ir")


def test_the_cache_stays_within_its_cap_and_drops_what_was_used_longest_ago(folder: Path) -> None:
    size = len(MAGIC) + 32 + 1000
    cache = ObjectCache(folder, 10 * size)

    def thousand(ir: str) -> bytes:
        return ir.encode().ljust(1000, b".")

    for i in range(10):
        cache.get(f"ir {i}", MACHINE, thousand)
        os.utime(folder / key_of(f"ir {i}", MACHINE), (1e9 + i, 1e9 + i))
    cache.get("ir 0", MACHINE, never)  # used again: now the youngest
    for i in range(10, 40):
        cache.get(f"ir {i}", MACHINE, thousand)
        assert sum(entry.size for entry in cache.entries()) <= 10 * size
        if i == 10:
            assert cache.has("ir 0", MACHINE)
            assert not cache.has("ir 1", MACHINE)
            assert cache.has("ir 9", MACHINE)
    assert len(cache.entries()) >= 6


def test_code_larger_than_the_whole_cache_is_not_kept(folder: Path) -> None:
    cache = ObjectCache(folder, 100)
    assert cache.get("ir" * 100, MACHINE, compiled) == compiled("ir" * 100)
    assert cache.entries() == []
    assert ObjectCache(folder, 0).get("ir", MACHINE, compiled) == compiled("ir")
    assert cache.entries() == []


def test_what_a_killed_process_left_half_written_goes_when_room_is_made(folder: Path) -> None:
    cache = ObjectCache(folder, 1000)
    cache.get("ir", MACHINE, compiled)
    for name, age in (("a.1-ff", 1e9), ("b.1-ff", None)):
        (folder / name).write_bytes(b"half")
        if age is not None:
            os.utime(folder / name, (age, age))
    for i in range(20):
        ObjectCache(folder, 1000).get(f"ir {i}", MACHINE, compiled)
    assert not (folder / "a.1-ff").exists()


def test_clear_removes_every_file(cache: ObjectCache) -> None:
    for i in range(3):
        cache.get(f"ir {i}", MACHINE, compiled)
    assert cache.clear() == 3
    assert cache.entries() == []
    assert cache.get("ir 1", MACHINE, compiled) == compiled("ir 1")


def test_without_a_folder_nothing_is_kept() -> None:
    cache = ObjectCache(None, 1 << 20)
    assert cache.get("ir", MACHINE, compiled) == compiled("ir")
    assert not cache.has("ir", MACHINE)
    assert cache.why_not() == "the object cache is switched off"


def test_where_privacy_cannot_be_checked_nothing_is_kept(cache: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(cache_module, "_CAN_CHECK", False)
        assert cache.get("ir", MACHINE, compiled) == compiled("ir")
        assert "cannot be checked" in cache.why_not()
        assert not cache.has("ir", MACHINE)


RACERS = """
import os, sys
from pathlib import Path
from penstock.runtime.llvm.object_cache import ObjectCache
def compiled(ir):
    return ir.encode() * 100
def race(folder, rounds, seed):
    cache = ObjectCache(folder, 40_000)
    for i in range(rounds):
        ir = f"ir {(i * seed) % 50}"
        assert cache.get(ir, "m", compiled) == compiled(ir)
        if i % 97 == seed:
            cache.clear()
    assert not cache.counts.damaged and not cache.counts.unwritten, cache.counts
    assert cache.counts.hits + cache.counts.misses == rounds, cache.counts
racers = []
for seed in (3, 7, 11, 13):
    racers.append(os.fork())
    if not racers[-1]:
        race(Path(sys.argv[1]), int(sys.argv[2]), seed)
        sys.exit()
print([os.waitstatus_to_exitcode(os.waitpid(racer, 0)[1]) for racer in racers])
"""


@needs_fork
@pytest.mark.parametrize("rounds", [120, *nightly([300])])
def test_racing_processes_read_each_others_whole_files_or_none(folder: Path, rounds: int) -> None:
    done = run_warm(["-c", RACERS, str(folder), str(rounds)])
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[0, 0, 0, 0]", "")
    assert all("." not in entry.name for entry in ObjectCache(folder, 1).entries())
