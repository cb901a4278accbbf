"""Checkpoints that TensorFlow 2.21 wrote (`golden_extra/checkpoints`): read, and written byte for byte as it does."""

from __future__ import annotations

import filecmp
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from penstock.interchange.checkpoints.bundle_reader import BundleReader
from penstock.interchange.checkpoints.bundle_writer import NamedArray, write_bundle
from penstock.interchange.checkpoints.open_checkpoint import open_checkpoint
from penstock.interchange.checkpoints.save_restore import merge_bundles
from penstock.interchange.checkpoints.tensor_slices import parse_slice
from penstock.interchange.checkpoints.version_one import write_version_one
from tests.golden_extra.checkpoint_contents import CONTENTS, SHARDS, VERSION_ONE, Row, many

RECORDED = Path(__file__).parents[2] / "golden_extra" / "checkpoints"
NEEDS_A_PART = {"p": "4 3 2,2:0,3"}


def named(rows: list[Row]) -> list[NamedArray]:
    found = []
    for name, text, value in rows:
        shape, part = parse_slice(text) if text else ((), None)
        found.append(NamedArray(name, np.asarray(value), part, shape))
    return found


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal dtypes, shapes and bits."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()


@pytest.mark.parametrize("prefix", [*CONTENTS, "merged", *VERSION_ONE])
def test_every_value_is_read_as_it_was_written(prefix: str) -> None:
    rows = {**CONTENTS, **VERSION_ONE, "merged": [row for shard in SHARDS for row in shard]}[prefix]
    checkpoint = open_checkpoint(str(RECORDED / prefix))
    assert set(checkpoint.entries) == {name for name, _, _ in rows}
    for name, text, value in rows:
        part = parse_slice(text)[1] if text else None
        assert same(checkpoint.read(name, part), value), name
    checkpoint.close()


def test_partitioned_variables_are_put_together() -> None:
    for prefix in ("parts", "merged", "one_shards-?????-of-00002"):
        checkpoint = open_checkpoint(str(RECORDED / prefix))
        assert same(checkpoint.read("p"), np.arange(12, dtype="f4").reshape(4, 3))
        across = parse_slice("4 3 1,2:1,2")[1]
        assert same(checkpoint.read("p", across), np.arange(12, dtype="f4").reshape(4, 3)[1:3, 1:3])
        checkpoint.close()


@pytest.mark.parametrize("prefix", CONTENTS)
def test_bundles_are_written_byte_for_byte(prefix: str, tmp_path: Path) -> None:
    write_bundle(str(tmp_path / prefix), named(CONTENTS[prefix]))
    equal(tmp_path)


def test_merged_bundles_are_written_byte_for_byte(tmp_path: Path) -> None:
    prefixes = [str(tmp_path / "parts" / f"part-{number}") for number in range(len(SHARDS))]
    (tmp_path / "parts").mkdir()
    for prefix, rows in zip(prefixes, SHARDS, strict=True):
        write_bundle(prefix, named(rows))
    merge_bundles(prefixes, str(tmp_path / "merged"))
    assert not (tmp_path / "parts").exists()
    equal(tmp_path)


@pytest.mark.parametrize("file", VERSION_ONE)
def test_files_of_version_one_are_written_byte_for_byte(file: str, tmp_path: Path) -> None:
    write_version_one(str(tmp_path / file), named(VERSION_ONE[file]))
    equal(tmp_path)


def equal(folder: Path) -> None:
    """The files of the folder are those recorded."""
    names = sorted(path.name for path in folder.iterdir())
    assert names
    match, differ, unknown = filecmp.cmpfiles(folder, RECORDED, names, shallow=False)
    assert (sorted(match), differ, unknown) == (names, [], [])


def test_an_index_of_several_blocks_is_written_byte_for_byte(tmp_path: Path) -> None:
    rows = many()
    write_bundle(str(tmp_path / "many"), named(rows))
    recorded = json.loads((RECORDED / "many.json").read_text())["sha256"]
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.iterdir()} == recorded
    checkpoint = BundleReader(str(tmp_path / "many"))
    assert len(checkpoint.entries) == len(rows)
    assert all(same(checkpoint.read(name), value) for name, _, value in rows[::997])
    checkpoint.close()
