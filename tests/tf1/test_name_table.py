"""Every public name of TensorFlow 1 is here, or the table says what to use instead."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import penstock as tf
from penstock.api.name_table import instead_of, table
from penstock.tf1.checked_programs import is_here

ROOT = Path(__file__).resolve().parents[2]
NAMES = Path(__file__).with_name("public_names_1.txt").read_text("utf-8").split()


def test_every_public_name_is_here_or_in_the_table() -> None:
    assert len(NAMES) > 2000
    assert [name for name in NAMES if not instead_of(name) and not is_here(name, "1")] == []


def test_the_table_names_nothing_that_is_here_and_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("make_tensorflow_names", ROOT / "docs" / "make_tensorflow_names.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TABLE.read_text("utf-8") == module.table()
    assert module.PAGE.read_text("utf-8") == module.page(module.table())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("keras.layers.Dense", "Keras is a library"), ("linalg.pinv", "write it with"),
        ("raw_ops.Add", "small letters"),
        ("python.eager.context.x", "not planned"), ("nonsense", ""), ("math.nonsense", ""),
    ],
)  # fmt: skip
def test_the_nearest_row_answers(name: str, words: str) -> None:
    assert words in instead_of(name) and bool(words) == bool(instead_of(name))


def test_namespaces_answer_with_the_table() -> None:
    path, words = next((name, words) for name, words in table().items() if re.fullmatch(r"math\.\w+", name))
    with pytest.raises(AttributeError, match=rf"no attribute '{path[5:]}': {re.escape(words)}"):
        getattr(tf.math, path.removeprefix("math."))
