"""`sample_distorted_bounding_box`: TensorFlow 2.21's parts of images for 80 random calls, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ...helpers import every_case

RECORDED: list[Any] = json.loads(Path(__file__).with_name("distorted_boxes.json").read_text())
"""What `parts` gave with TensorFlow, for seeds from 0 on."""


def parts(api: Any, case: int) -> Any:
    """Three runs of a random call; the kind of an error instead of its result."""
    rng = np.random.RandomState(case)
    height, width = int(rng.randint(1, 60)), int(rng.randint(1, 60))
    count = int(rng.randint(0, 4))
    boxes = np.sort(rng.rand(count, 2, 2), 1).reshape(1, count, 4).astype("f4")
    options: dict[str, Any] = {}
    if rng.randint(2):
        options["area_range"] = sorted(float(x) for x in rng.uniform(0.01, 1, 2))
    if rng.randint(2):
        options["aspect_ratio_range"] = sorted(float(x) for x in rng.uniform(0.2, 3, 2))
    if rng.randint(2):
        options["max_attempts"] = int(rng.randint(1, 20))
    covered = float(rng.choice([0, 0.1, 0.5, 0.9, 1.0]))
    size = np.array([height, width, 3], ["i4", "i8", "u1"][rng.randint(3)])
    found: list[Any] = []
    with api.Graph().as_default(), api.Session() as session:
        part = api.image.sample_distorted_bounding_box(
            size, boxes, seed=int(rng.randint(1, 99)), seed2=int(rng.randint(0, 3)), min_object_covered=covered,
            use_image_if_no_bounding_boxes=bool(rng.randint(4)), **options)  # fmt: skip
        for _ in range(3):
            try:
                values = session.run(list(part))
                found.append([value.tolist() for value in values] + [value.dtype.name for value in values])
            except api.errors.InvalidArgumentError as error:
                found.append(type(error).__name__)
    return found


@every_case("case", range(len(RECORDED)), parts=3, by_day=1)
def test_parts_are_tensorflows(case: int) -> None:
    assert json.loads(json.dumps(parts(tf, case))) == RECORDED[case]


def test_some_calls_find_parts_and_some_are_refused() -> None:
    texts = [json.dumps(each) for each in RECORDED]
    assert any("InvalidArgumentError" in text for text in texts)
    assert len({text for text in texts if "Error" not in text}) > 50


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (([5, 5], [[[0.0, 0.0, 1.0, 1.0]]]), {}, tf.errors.InvalidArgumentError, "must contain 3 elements"),
        (([5, 5, 3], [[[0.0, 0.0, 1.0, 1.5]]]), {}, tf.errors.InvalidArgumentError, r"in \[0\.0, 1\.0\]"),
        (([5, 5, 3], [[0.0, 0.0, 1.0, 1.0]]), {}, ValueError, "rank 3"),
        (([5, 5, 3], [[[0.0, 0.0, 1.0, 1.0]]]), {"area_range": [0.5, 0.1]}, ValueError, "the least first"),
        (([5, 5, 3], [[[0.0, 0.0, 1.0, 1.0]]]), {"aspect_ratio_range": 1.0}, ValueError, "pair of numbers"),
        (([5, 5, 3], [[[0.0, 0.0, 1.0, 1.0]]]), {"max_attempts": 0}, ValueError, "max_attempts"),
    ],
)
def test_what_is_refused(arguments: Any, options: Any, error: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(error, match=words):
        session.run(list(tf.image.sample_distorted_bounding_box(*arguments, **{"seed": 1, **options})))


def test_without_seeds_the_parts_differ() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        part = tf.image.sample_distorted_bounding_box([500, 400, 3], [[[0.1, 0.1, 0.9, 0.9]]])
        assert len({tuple(session.run(part.size).tolist()) for _ in range(5)}) > 1
