"""Lesson 10: an op with a shape, a kernel and a gradient."""

import penstock as tf
from penstock.extend import Float, Tensor, op, shape_of


@op("Mirror")
def mirror(x: Float, name: str | None = None) -> Tensor:
    """The elements of the vector `x`, and then the same ones from the last to the first."""


@mirror.shape
def shape_of_mirror(x):
    size = ...  # your turn: the size of the result, from x.shape
    return shape_of((size,))


@mirror.kernel
def kernel_of_mirror(xp, x):
    result = ...  # your turn: the array, from the array x; xp has the functions of NumPy
    return result


@mirror.gradient("the first half of g, plus the second half from the last to the first")
def gradient_of_mirror(ops, op, g):
    slope = ...  # your turn: the derivative by x, from the tensor g; ops has the functions of Penstock
    return [slope]


values = tf.placeholder(tf.float32, ["n"], name="values")
both = mirror(values, name="both")
print(both)
