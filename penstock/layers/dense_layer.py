"""dense: the layer activation(inputs @ kernel + bias)."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ShapeError, UseError, ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, as_int
from ..graph.model.nodes import Tensor
from ..graph.shapes.shape import shape_of
from ..ops.nn.bias import with_bias
from ..variables.constant_initializers import ZerosInitializer
from ..variables.variable import Variable
from .convolving_layers import Conv1D
from .layer import Activation, BuiltWeight, Layer, layer_function


@documented_like(Conv1D)
class Dense(Layer):
    """A layer activation(inputs @ kernel + bias), whose variables the first call makes and all calls share.

    Args:
        units: the size of the outputs' last dimension, a Python int.
        kernel_initializer, bias_initializer: how the variables start; by default `tf.glorot_uniform_initializer()` (or
            the initializer of the variable scope) and zeros.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a regularization
            loss.
        name: the name of the variable scope, made unique; by default "dense".

    Raises:
        TypeError: `units` is not an int.
        ValueError: `units` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     layer = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer())
    ...     one, other = layer(tf.ones([1, 3])), layer(tf.zeros([1, 3]))
    ...     session.run(tf.global_variables_initializer())
    ...     print(*session.run([one, other]), [v.name for v in layer.variables])
    [[3. 3.]] [[0. 0.]] ['dense/kernel:0', 'dense/bias:0']
    """

    kernel: Any = BuiltWeight()
    base_name = "dense"
    least_rank = 2

    def __init__(
        self,
        units: int,
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(trainable, name, dtype)
        self.units = as_int(units, "units")
        if self.units < 0:
            raise ValueRuleError(f"Received an invalid value for `units`, expected a positive integer: {units}")
        if activation is not None and not callable(activation):
            raise UseError(f"activation={activation!r}: this is not a function; give one, such as tf.nn.relu")
        self.activation = activation
        self.use_bias = use_bias
        self.activity_regularizer = activity_regularizer
        self.bias: Variable | None = None
        self._of_kernel = (kernel_initializer, kernel_regularizer, kernel_constraint)
        self._of_bias = (bias_initializer or ZerosInitializer(), bias_regularizer, bias_constraint)

    def _build(self, x: Tensor) -> None:
        """Makes the kernel and the bias."""
        if not x.dtype.is_floating and not x.dtype.is_complex:
            raise DTypeError(
                f"A Dense layer can only be built with a floating-point dtype. Received: {x.dtype}. Numbers become "
                "floats by tf.cast(inputs, tf.float32), ids vectors by tf.nn.embedding_lookup or tf.one_hot"
            )
        size = x.shape.raw[-1] if x.shape.raw else None
        if not isinstance(size, int):
            raise ShapeError("The last dimension of the inputs to a Dense layer should be defined. Found None. Full "
                             f"input shape received: {x.shape}. Give it with t.set_shape")  # fmt: skip
        self.kernel = self._weight("kernel", [size, self.units], *self._of_kernel)
        if self.use_bias:
            self.bias = self._weight("bias", [self.units], *self._of_bias)

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The product, the bias, the activation."""
        kernel = self.kernel.as_operand()
        made = ops.matmul(x, kernel) if x.shape.ndims == 2 else self._of_rows(x, kernel)
        if self.bias is not None:
            made = with_bias(made, self.bias.as_operand())
        return made if self.activation is None else self.activation(made)

    def _of_rows(self, x: Tensor, kernel: Tensor) -> Tensor:
        """The product of each vector along the last dimension with the kernel."""
        with name_scope("Tensordot"):
            rows = ops.matmul(ops.reshape(x, [-1, ops.shape(kernel)[0]]), kernel)
            made = ops.reshape(rows, ops.concat(0, [ops.shape(x)[:-1], [self.units]]))
            if x.shape.raw is not None:
                made.set_shape(shape_of((*x.shape.raw[:-1], self.units)))
        return made


@layer_function(Dense)
def dense(layer: Layer, inputs: Any) -> Tensor:
    """activation(inputs @ kernel + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of rank 2 or higher, of which the last size is known.
        name: the name of the variable scope; by default "dense", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape inputs.shape[:-1] + [units] with the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or `units` is not an int.
        ValueError: `inputs` has a lower rank, its last size is not known, `units` is negative, or the variables exist
            without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.layers.dense([[1.0, 2.0]], 3, tf.nn.relu, kernel_initializer=tf.ones_initializer())
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y), y.name, [v.name for v in tf.trainable_variables()])
    [[3. 3. 3.]] dense/Relu:0 ['dense/kernel:0', 'dense/bias:0']
    """
    return layer(inputs)
