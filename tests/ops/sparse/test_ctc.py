"""CTC losses and their gradients are those that TensorFlow 2.21 was recorded giving; errors are refused alike."""

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.ops.sparse import ctc_alignments
from penstock.ops.sparse.ctc_alignments import loss_and_gradient

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


def _loss_by_logarithms(logits: Any, labels: list[int], merge_repeated: bool) -> float:
    """A loop over steps and states, with logarithms."""
    logs = logits - np.logaddexp.reduce(logits, 1)[:, None]
    blank = logits.shape[1] - 1
    symbols = [blank, *[each for label in labels for each in (label, blank)]]
    before = [logs[0, symbols[0]], logs[0, symbols[1]] if labels else -INF, *[-INF] * (len(symbols) - 2)]
    for row in logs[1:]:
        now = []
        for s, symbol in enumerate(symbols):
            ways = [before[s]] if symbol == blank or merge_repeated else []
            ways += before[max(0, s - 1) : s]
            if s > 1 and symbol != blank and (not merge_repeated or symbol != symbols[s - 2]):
                ways.append(before[s - 2])
            now.append(np.logaddexp.reduce([*ways, -INF]) + row[symbol])
        before = now
    return -float(np.logaddexp.reduce(before[-2:]))


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("merge_repeated", [True, False])
def test_probabilities_that_are_far_apart_lose_no_path(scale: float, merge_repeated: bool) -> None:
    """Logits up to some thousand: their exponentials are zeros and infinities."""
    rng = np.random.default_rng(3)
    logits = rng.standard_normal((40, 7, 5)) * scale
    labels, lengths = [rng.integers(0, 4, n).tolist() for n in (0, 1, 2, 5, 9, 14, 20)], [40, 40, 2, 33, 40, 40, 39]
    for dtype in (np.float64, np.float32):
        given = logits.astype(dtype)
        with np.errstate(all="ignore"):
            losses, gradient = loss_and_gradient(given, [np.array(each, int) for each in labels], np.array(lengths),
                                                 merge_repeated)  # fmt: skip
        wanted = [_loss_by_logarithms(given[:length, row].astype(float), labels[row], merge_repeated)
                  for row, length in enumerate(lengths)]  # fmt: skip
        np.testing.assert_allclose(losses, wanted, rtol=1e-11 if dtype is np.float64 else 1e-5)
        inside = np.arange(40)[:, None] < lengths
        np.testing.assert_allclose(gradient.sum(2), 0.0, atol=1e-8 if dtype is np.float64 else 1e-5)
        assert not gradient[~inside].any()


def test_large_batches_are_computed_in_parts_that_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    logits, lengths = rng.standard_normal((9, 5, 4)).astype("f4"), np.array([9, 0, 7, 5, 9])
    labels = [np.array([0, 1, 0]), np.array([1]), None, np.array([2]), np.array([1, 1])]
    with np.errstate(all="ignore"):
        whole = loss_and_gradient(logits, labels, lengths, True)
        monkeypatch.setattr(ctc_alignments, "_ELEMENTS", 100)
        parts = loss_and_gradient(logits, labels, lengths, True)
    assert all(map(np.array_equal, parts, whole))
