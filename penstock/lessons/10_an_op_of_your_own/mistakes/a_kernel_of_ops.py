# the-kernel-builds

import penstock as tf
from penstock.extend import Float, Tensor, op, shape_of


@op("Mirror")
def mirror(x: Float, name: str | None = None) -> Tensor:
    """The elements of the vector `x`, and then the same ones from the last to the first."""


@mirror.shape
def shape_of_mirror(x):
    return shape_of((x.shape[0] * 2,))


@mirror.kernel
def kernel_of_mirror(xp, x):
    return tf.concat(0, [x, tf.reverse(x, [True])])


@mirror.gradient("the first half of g, plus the second half from the last to the first")
def gradient_of_mirror(ops, op, g):
    n = ops.shape(op.inputs[0])[0]
    return [g[:n] + ops.reverse(g[n:], [True])]


values = tf.placeholder(tf.float32, ["n"], name="values")
both = mirror(values, name="both")
print(both)
