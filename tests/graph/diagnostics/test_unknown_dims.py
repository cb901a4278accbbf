"""Every unknown dimension of every op can be explained.

The samples of all ops are built with less and less known of their operands; each dimension that is then not known must
have a reason, and a walk through the graph to the tensor where it was lost.
"""

from collections.abc import Iterator

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.dimension import Dimension

from ...helpers import at_most, every_case, shares
from ...op_samples import USERS_OPS, calls, patterns


def unknown_dims(tensor: Tensor) -> list[int | None]:
    """The dimensions that are neither known nor named; [None] if the rank is not known."""
    if tensor.shape.raw is None:
        return [None]
    return [i for i, dim in enumerate(tensor.shape.raw) if isinstance(dim, Dimension) and not dim.is_named]


@shares(2)
@every_case("type", USERS_OPS, parts=3, by_day=2)
def test_every_unknown_dimension_has_a_reason(type: str, most: int) -> None:
    lines = []
    for call in at_most(calls(USERS_OPS[type]), most):
        for statics in at_most(patterns(call, 6), 8):
            with tf.Graph().as_default():
                try:
                    tensors = call.with_placeholders(statics)[0]
                except ValueError:
                    continue  # the op must know more; test_every_op says which may
            lines += [f"{call} with {list(statics.values())}: {line}" for t in tensors for line in unexplained(t)]
    assert not lines, "\n".join(lines[:10])


def unexplained(tensor: Tensor) -> Iterator[str]:
    reasons = tf.why_unknown(tensor)
    if sorted({str(r.dim) for r in reasons}) != sorted(map(str, unknown_dims(tensor))):
        yield f"{tensor.shape} is explained for {[r.dim for r in reasons]}"
    for reason in reasons:
        if reason.path[0] is not tensor or any(step.graph is not tensor.graph for step in reason.path):
            yield f"the path of {reason.dim} is {reason.path}"
        if reason.reason in ("", "the op gives no rank", "it was left open"):
            yield f"no reason for {reason.dim} of {tensor.shape}: {reason.reason!r}"
        if not reason.cure:
            yield f"no cure for {reason.dim} of {tensor.shape}"


def test_sizes_that_are_broadcast_are_explained_operand_by_operand() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        opened = tf.placeholder(tf.float32, [None, 3], name="opened")
        difference = tf.subtract(x[2:], x[:-2], name="difference")
        total = tf.add(tf.exp(difference), opened, name="total")
    (reason,) = tf.why_unknown(difference)
    assert [cause.tensor.name for cause in reason.causes] == ["strided_slice:0", "strided_slice_1:0"]
    (reason,) = tf.why_unknown(total)
    assert [cause.tensor.name for cause in reason.causes] == ["difference:0", "opened:0"]
    text = " ".join(str(reason).split())
    assert "Exp:0 (?, 3): dimension 0 is sliced, and its size is not known, in StridedSlice 'strided_slice'" in text
    assert "opened:0 (?, 3): the placeholder leaves it open, in Placeholder 'opened'" in text


def test_a_size_that_is_broadcast_with_a_name_is_explained_by_the_operand_without_one() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        opened = tf.placeholder(tf.float32, [None, 3], name="opened")
        (reason,) = tf.why_unknown(tf.add(x, opened))
        named = tf.placeholder(tf.float32, ["m", 3], name="named")
        (other,) = tf.why_unknown(tf.add(x, named))
    assert [cause.tensor for cause in reason.causes] == [opened]
    assert other.causes == () and other.reason == "n and m are broadcast against each other"


def test_explaining_a_size_that_is_broadcast_again_and_again_is_quick() -> None:
    with tf.Graph().as_default():
        x = y = tf.placeholder(tf.float32, [None, 3], name="x")
        other = tf.placeholder(tf.float32, [None, 3], name="other")
        for _ in range(60):  # 2**60 ways through the graph
            x, y = x + other, y * other
            x, y = x + y, y - x
        (reason,) = tf.why_unknown(x + y)
    assert len(reason.causes) == 2
