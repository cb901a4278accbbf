"""`FixedLengthRecordReader`: which records it reads.

`hopped_records.json` is what TensorFlow 2.21 gave for files of some lengths, by the sizes of the file, of a
record, the header, the footer and the hop.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from penstock.ops.datasets import file_sources

RECORDED: dict[str, list[str]] = json.loads(Path(__file__).with_name("hopped_records.json").read_text())


@pytest.mark.parametrize("piece", [2, 1 << 20])
def test_records_are_tensorflows(tmp_path: Path, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = file_sources.pieces_of

    def pieces(path: str, compression: str = "") -> object:
        content = b"".join(whole(path, compression))
        return (content[i : i + piece] for i in range(0, len(content), piece))

    monkeypatch.setattr(file_sources, "pieces_of", pieces)
    for sizes, expected in RECORDED.items():
        count, length, header, footer, hop = map(int, sizes.split(","))
        path = tmp_path / f"{count}"
        path.write_bytes(bytes(range(65, 65 + count)))
        found = file_sources.hopped_records_of(str(path), length, header, footer, hop or length)
        assert [f"{i}{each.decode()}" for i, each in enumerate(found)] == expected, sizes


def test_a_reader_hops(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"hABCDEFf")
    with tf.Graph().as_default(), tf.Session() as session:
        names = tf.FIFOQueue(2, tf.string, shapes=[])
        read = tf.FixedLengthRecordReader(3, 1, 1, hop_bytes=2).read(names)
        session.run(names.enqueue(str(tmp_path / "a")))
        session.run(names.close())
        assert [session.run(read)[1] for _ in range(2)] == [b"ABC", b"CDE"]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(read)


@pytest.mark.parametrize(("sizes", "words"), [((0,), "record_bytes"), ((2, -1), "header_bytes"),
                                              ((2, 0, 0, "a"), "hop_bytes")])  # fmt: skip
def test_sizes_are_checked(sizes: tuple[Any, ...], words: str) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match=words):
            tf.FixedLengthRecordReader(*sizes)
        assert not graph.get_operations()
