"""HParams, the vocabulary of documents, scopes of older programs: what programs use beside layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

TF: Any = tf
LEARN: Any = tf.contrib.learn
HParams: Any = tf.contrib.training.HParams


def test_hyperparameters_are_attributes_that_keep_their_type() -> None:
    sizes = HParams(rate=0.1, units=[64, 32], cell="lstm", train=True, steps=10)
    sizes.parse("rate=1, units=[3,4,5],cell=gru,train=false").parse("units[1]=7")
    assert sizes.values() == {"rate": 1.0, "units": [3, 7, 5], "cell": "gru", "train": False, "steps": 10}
    assert isinstance(sizes.rate, float) and "cell" in sizes and "x" not in sizes and sizes.get("x", 4) == 4
    sizes.add_hparam("extra", None)
    sizes.set_hparam("steps", 12.0)
    sizes.override_from_dict({"rate": 2})
    sizes.del_hparam("extra")
    assert sizes.to_json(sort_keys=True) == (
        '{"cell": "gru", "rate": 2.0, "steps": 12, "train": false, "units": [3, 7, 5]}'
    )
    assert HParams(**sizes.values()).parse_json('{"cell": "rnn"}').cell == "rnn"
    sizes.cell = "other"
    assert sizes.values()["cell"] == "other" and str(HParams(a=1)) == "[('a', 1)]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x=1", "Unknown hyperparameter: x; there are rate, train, units"), ("rate=fast", "as float"),
        ("rate", "Malformed"),
        ("train=maybe", "write true or false"), ("units=[1", "a list ends with"), ("rate=[1]", "was given as no list"),
        ("units=[a]", "as int"),
    ],
)  # fmt: skip
def test_a_text_that_does_not_fit_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        HParams(rate=0.1, units=[1], train=True).parse(text)


def test_names_and_values_that_do_not_fit_are_refused() -> None:
    sizes = HParams(rate=1)
    with pytest.raises(ValueError, match="reserved: rate"):
        sizes.add_hparam("rate", 2)
    with pytest.raises(ValueError, match="reserved: values"):
        HParams(values=1)
    with pytest.raises(ValueError, match="cannot be empty"):
        HParams(units=[])
    with pytest.raises(ValueError, match=r"of type int from value 1\.5"):
        sizes.set_hparam("rate", 1.5)
    with pytest.raises(KeyError, match="no 'x'"):
        sizes.set_hparam("x", 1)
    with pytest.raises(AttributeError, match="no 'speed'; it has rate"):
        _ = sizes.speed


def test_documents_become_rows_of_numbers(tmp_path: Path) -> None:
    documents = ["the cat sat on the mat", "the dog", ""]
    words = LEARN.preprocessing.VocabularyProcessor(max_document_length=5)
    rows = np.array(list(words.fit_transform(documents)))
    assert rows.tolist() == [[1, 2, 3, 4, 1], [1, 6, 0, 0, 0], [0] * 5] and rows.dtype == np.int64
    assert len(words.vocabulary_) == 7 and words.vocabulary_.get("bird") == 0
    words.save(str(tmp_path / "vocab"))
    again = LEARN.preprocessing.VocabularyProcessor.restore(str(tmp_path / "vocab"))
    assert [row.tolist() for row in again.transform(["dog cat bird"])] == [[6, 2, 0, 0, 0]]
    assert next(iter(again.reverse([[1, 2, 0]]))) == "the cat <UNK>"
    frequent = LEARN.preprocessing.VocabularyProcessor(5, min_frequency=1)
    assert [row.tolist() for row in frequent.fit_transform(documents)][1] == [1, 0, 0, 0, 0]


def test_a_file_without_a_vocabulary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab").write_bytes(b"\x80\x03cbuiltins\nprint\n")
    with pytest.raises(ValueError, match="holds no vocabulary"):
        LEARN.preprocessing.VocabularyProcessor.restore(str(tmp_path / "vocab"))


def test_scopes_of_older_programs() -> None:
    assert (LEARN.ModeKeys.TRAIN, LEARN.ModeKeys.EVAL, LEARN.ModeKeys.INFER) == ("train", "eval", "infer")
    with pytest.raises(AttributeError, match="Estimators"):
        _ = LEARN.DNNClassifier
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        with tf.op_scope([x], None, "loss") as scope, tf.container("train"):
            assert str(scope) == "loss/" and (x + 1.0).op.name == "loss/add"
        with pytest.raises(TypeError, match="must be a string"), TF.container(3):
            pass
