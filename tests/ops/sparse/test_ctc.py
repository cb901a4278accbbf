"""CTC losses and their gradients are those that TensorFlow 2.21 was recorded giving; errors are refused alike."""

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

INF = float("inf")
# labels, lengths, options, losses, sums of |gradient| by sequence: of tf.nn.ctc_loss on RandomState(0).randn logits
RECORDED: list[tuple[int, list[list[int]], dict[str, bool], list[float], list[float]]] = [
    (3, [[0, 0], [1]], {}, [2.2672727, 3.9633126], [3.0451434, 3.95937]),
    (2, [[0, 0], [1]], {}, [INF, 3.5071743], [2.0, 2.9484527]),
    (2, [[0, 1, 2], [1]], {"ignore_longer_outputs_than_inputs": True}, [0.0, 3.5071743], [0.0, 2.9484527]),
    (3, [[0, 0], [1]], {"preprocess_collapse_repeated": True}, [1.4304101, 3.9633126], [2.0442822, 3.95937]),
    (3, [[0, 0], [1]], {"ctc_merge_repeated": False}, [1.9601542, 4.634096], [2.286361, 4.0161033]),
    (2, [[0, 0], [1]], {"ctc_merge_repeated": False}, [3.3639693, 3.7572174], [3.1681554, 2.948453]),
]


def run(steps: int, labels: list[list[int]], lengths: list[int], **options: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.constant(np.random.RandomState(0).randn(steps, len(labels), 4).astype("f4"))
        places = [[row, place] for row, each in enumerate(labels) for place in range(len(each))]
        values = [label for each in labels for label in each]
        sparse = tf.SparseTensor(np.array(places, "i8").reshape(-1, 2), np.array(values, "i4"), [len(labels), 9])
        losses = tf.nn.ctc_loss(sparse, logits, lengths, **options)
        (slope,) = tf.gradients(losses, logits)
        return session.run([losses, tf.reduce_sum(tf.abs(slope), [0, 2])])


@pytest.mark.parametrize("case", RECORDED)
def test_losses_and_gradients_are_recorded_ones(case: Any) -> None:
    steps, labels, options, losses, slopes = case
    got = run(steps, labels, [steps, steps], **options)
    np.testing.assert_allclose(got[0], losses, rtol=2e-6)
    np.testing.assert_allclose(got[1], slopes, rtol=2e-6)


@pytest.mark.parametrize(("labels", "lengths", "words"), [
    ([[], [1]], [3, 3], "Labels length is zero in batch 0"),
    ([[2], [1]], [4, 3], "sequence_length"),
    ([[2], [1]], [0, 3], "Not enough time"),
    ([[2], [-1]], [3, 3], "nonnegative"),
    ([[2], [1]], [-1, 3], "seq_len"),
    ([[3, 1], [1]], [3, 3], "non-null label"),
])  # fmt: skip
def test_labels_that_tensorflow_refuses_are_refused(labels: Any, lengths: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(3, labels, lengths)


def test_the_loss_is_the_sum_over_all_paths() -> None:
    """A loop over all paths of 4 steps and 3 classes."""
    logits = np.random.RandomState(1).randn(4, 1, 3)
    p = np.exp(logits[:, 0]) / np.exp(logits[:, 0]).sum(1, keepdims=True)
    total = 0.0
    for path in np.ndindex(3, 3, 3, 3):
        merged = [c for i, c in enumerate(path) if (i == 0 or c != path[i - 1]) and c != 2]
        total += np.prod(p[range(4), path]) if merged == [0, 1] else 0.0
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.SparseTensor([[0, 0], [0, 1]], np.array([0, 1], "i4"), [1, 2])
        loss = session.run(tf.nn.ctc_loss(labels, tf.constant(logits), [4]))
    np.testing.assert_allclose(loss, [-np.log(total)], rtol=1e-12)
