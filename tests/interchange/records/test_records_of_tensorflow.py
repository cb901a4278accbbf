"""Record files: TensorFlow's bytes, its options, and readers that share one owner."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest

import penstock as tf

GOLDEN = json.loads((Path(__file__).parent / "files_of_tensorflow.json").read_text())
RECORDS = [bytes.fromhex(text) for text in GOLDEN["records"]]
SAME_ZLIB = zlib.compress(b"", 6) is not None and zlib.ZLIB_RUNTIME_VERSION.count("ng") == 0


@pytest.mark.parametrize("case", GOLDEN["files"], ids=lambda case: f"{case['kind']}-{case['options']}")
def test_written_records_have_tensorflows_bytes(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "r"
    options = tf.io.TFRecordOptions(case["kind"], **case["options"])
    with tf.io.TFRecordWriter(path, options) as writer:
        for record in RECORDS:
            writer.write(record)
            if case["flushes"]:
                writer.flush()
    if not case["kind"] or SAME_ZLIB:  # another zlib makes other bytes of the same content
        assert path.read_bytes().hex() == case["bytes"]
    assert list(tf.python_io.tf_record_iterator(path, options)) == RECORDS


@pytest.mark.parametrize("case", GOLDEN["files"], ids=lambda case: f"{case['kind']}-{case['options']}")
def test_records_that_tensorflow_wrote_are_read(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(bytes.fromhex(case["bytes"]))
    assert list(tf.io.tf_record_iterator(str(path), case["kind"])) == RECORDS


@pytest.mark.parametrize(
    "options", [{"compression_level": 10}, {"mem_level": 0}, {"window_bits": 99}, {"compression_strategy": "best"}]
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} .*: it is an int from"):
        tf.io.TFRecordOptions("GZIP", **options)


def test_the_name_of_a_compression_is_told_for_all_ways_to_say_it() -> None:
    name = tf.io.TFRecordOptions.get_compression_type_string
    kinds = tf.io.TFRecordCompressionType
    assert [name(each) for each in (None, "", kinds.NONE, "GZIP", kinds.ZLIB)] == ["", "", "", "GZIP", "ZLIB"]
    assert name(tf.io.TFRecordOptions(tf.io.TFRecordOptions("ZLIB"))) == "ZLIB"


@pytest.mark.parametrize("end", [3, 11, 13, 20, -1])
def test_a_truncated_file_gives_its_whole_records_first(end: int, tmp_path: Path) -> None:
    path = tmp_path / "r"
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"first")
        writer.write(b"second")
    content = path.read_bytes()
    path.write_bytes(content[: 21 + end] if end > 0 else content[:end])
    records = tf.io.tf_record_iterator(path)
    assert next(records) == b"first"
    with pytest.raises(tf.errors.DataLossError, match=f"{os.path.basename(path)}: truncated record at 21"):
        next(records)
