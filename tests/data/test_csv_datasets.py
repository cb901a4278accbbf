"""`CsvDataset`: fields in quotes may hold ends of lines; what TensorFlow 2.21 gives for these files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import penstock as tf

DEFAULTS = [tf.string, tf.string, tf.int32]


def given(path: Path, text: str, **options: Any) -> list[Any]:
    """The rows of a file and the kinds of errors between them."""
    path.write_bytes(text.encode())
    found: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.data.experimental.CsvDataset(str(path), DEFAULTS, **options)
        row = rows.make_one_shot_iterator().get_next()
        while True:
            try:
                a, b, c = session.run(row)
                found.append((a, b, int(c)))
            except tf.errors.OutOfRangeError:
                return found
            except tf.errors.OpError as error:
                found.append(type(error).__name__)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('a,"x\ny",3\nb,"p""q\r\nr",4\r\n', [(b"a", b"x\ny", 3), (b"b", b'p"q\r\nr', 4)]),
        ('a,"\n\n",3\nb,,4', [(b"a", b"\n\n", 3), "InvalidArgumentError"]),
        ('a,"x\ny,3\nb,c,4\n', ["InvalidArgumentError"]),
        ("a,b,3\n\nc,d,4\n", [(b"a", b"b", 3), "InvalidArgumentError", (b"c", b"d", 4)]),
    ],
)
def test_ends_of_lines_inside_quotes_belong_to_the_field(tmp_path: Path, text: str, rows: list[Any]) -> None:
    assert given(tmp_path / "a.csv", text) == rows


def test_without_quotes_a_line_is_a_line(tmp_path: Path) -> None:
    assert given(tmp_path / "a.csv", '"a,x",3\n', use_quote_delim=False) == [(b'"a', b'x"', 3)]


def test_a_header_is_left_out(tmp_path: Path) -> None:
    assert given(tmp_path / "a.csv", 'h,"i",j\na,"x\ny",3\n', header=True) == [(b"a", b"x\ny", 3)]


def test_batches_of_rows_are_decoded_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("".join(f'n{i},"{i}\n",{i}\n' for i in range(70)))
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.data.experimental.CsvDataset(str(tmp_path / "a.csv"), DEFAULTS).batch(32)
        assert rows.variant_tensor.op.type == "RowsMapAndBatchDataset"
        row = rows.make_one_shot_iterator().get_next()
        assert [int(session.run(row)[2].sum()) for _ in range(3)] == [496, 1520, 399]
