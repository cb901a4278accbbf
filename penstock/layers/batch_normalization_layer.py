"""batch_normalization: the layer, with moving averages of the mean and the variance for use after training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ShapeError, UnimplementedError, UseError, ValueRuleError
from ..graph.building.context_functions import control_dependencies
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike, as_int
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import bfloat16, float16, float32
from ..ops.declare.composite import reported_as_call
from ..ops.nn.normalization import batch_normalization as normalize
from ..ops.nn.normalization import divide_counts
from ..variables.constant_initializers import OnesInitializer, ZerosInitializer
from ..variables.variable import Variable
from ..variables.variable_scope_object import whole_variables
from .layer import Layer, chosen, known_flag

_ADJUSTMENT: Final = "it is a function of the shape of the inputs that returns two tensors, a factor and a shift"


class BatchNormalization(Layer):
    """A layer gamma * (x - mean) / sqrt(variance + epsilon) + beta, for each index along `axis`.

    In training the mean and the variance are those of the inputs, and the moving averages come nearer to them where a
    step runs the operations in `tf.GraphKeys.UPDATE_OPS`. Otherwise they are the moving averages.

    Args:
        axis: the axis of the channels, a Python int; the last one by default.
        momentum: how much of a moving average stays in an update.
        epsilon: a small number that is added to the variance.
        center: whether there is a variable beta that is added.
        scale: whether there is a variable gamma that is the factor.
        beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: how the variables
            start; by default zeros, ones, zeros and ones.
        beta_regularizer, gamma_regularizer: functions of a variable whose results are regularization losses.
        beta_constraint, gamma_constraint: functions from a new value to the one that an optimizer keeps.
        renorm: whether inputs are normalized in training by the moving averages, and gradients flow as by those of the
            inputs (batch renormalization: Ioffe, 2017).
        renorm_clipping: a dictionary of "rmin", "rmax" and "dmax", numbers or scalar tensors: bounds of the factor and
            of the shift that this needs.
        renorm_momentum: how much of the moving averages of renorm stays in an update.
        virtual_batch_size: how many rows are normalized together in training, a divisor of their number; then gamma,
            beta and the averages have a dimension more than the inputs, of sizes 1 but for the channels.
        adjustment: a function of the shape of the inputs that gives the factor and the shift of normalized inputs in
            training, before gamma and beta; each broadcasts to the inputs.
        fused: False lets the moving variance of inputs of rank 4 follow the variance of all elements; by default it
            follows that of a sample, which is divided by n - 1, as TensorFlow's kernel for images.
        trainable: whether optimizers change beta and gamma.
        name: the name of the variable scope, made unique; by default "batch_normalization".

    Raises:
        TypeError: `axis` is not an int.
        UnimplementedError: an argument that is not supported is given.
        ValueError: `renorm_clipping` has another key, or both `renorm` and `fused` are True.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     layer = tf.layers.BatchNormalization(momentum=0.5, epsilon=0.0)
    ...     y = layer(tf.constant([[1.0], [3.0]]), training=True)
    ...     session.run(tf.global_variables_initializer())
    ...     print(*session.run([y, *layer.updates])[0], session.run(layer.moving_mean))
    [-1.] [1.] [1.]

    Source: TensorFlow 1.x, `tf.layers.BatchNormalization`.
    """

    base_name = "batch_normalization"

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = None,
        gamma_initializer: Any = None,
        moving_mean_initializer: Any = None,
        moving_variance_initializer: Any = None,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(trainable, name)
        if renorm and (virtual_batch_size is not None or adjustment is not None):
            raise UnimplementedError(message="batch_normalization: renorm has neither virtual batches nor an "
                                     "adjustment; leave out virtual_batch_size and adjustment, or renorm")  # fmt: skip
        if fused and (virtual_batch_size is not None or adjustment is not None):
            raise ValueRuleError("Passing `fused=True` with virtual_batch_size or adjustment is not supported; leave "
                                 "`fused` out")  # fmt: skip
        if virtual_batch_size is not None and as_int(virtual_batch_size, "virtual_batch_size") < 1:
            raise ValueRuleError(f"virtual_batch_size is {virtual_batch_size}; it must be an int above 0 that divides "
                                 "the number of rows")  # fmt: skip
        if adjustment is not None and not callable(adjustment):
            raise UseError(f"adjustment is {adjustment!r:.60}; {_ADJUSTMENT}")
        self.virtual_batch_size, self.adjustment = virtual_batch_size, adjustment
        self.renorm, self.renorm_momentum = renorm, renorm_momentum
        self.renorm_clipping = checked_clipping(renorm_clipping or {}, renorm, fused)
        self.axis = as_int(axis[0] if isinstance(axis, (list, tuple)) and len(axis) == 1 else axis)
        self.momentum, self.epsilon, self.center, self.scale, self.fused = momentum, epsilon, center, scale, fused
        self.gamma: Variable | None = None
        self.beta: Variable | None = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None
        self.moving_stddev: Any = None
        self.renorm_mean: Any = None
        self.renorm_stddev: Any = None
        self._of_beta = (beta_initializer or ZerosInitializer(), beta_regularizer, beta_constraint)
        self._of_gamma = (gamma_initializer or OnesInitializer(), gamma_regularizer, gamma_constraint)
        self._of_mean = moving_mean_initializer or ZerosInitializer()
        self._of_variance = moving_variance_initializer or OnesInitializer()

    def _build(self, x: Tensor) -> None:
        """Makes gamma, beta and the moving averages."""
        if not x.dtype.is_floating:
            raise DTypeError(f"batch_normalization takes floats, not {x.dtype}; tf.cast(x, tf.float32) makes floats of "
                             "numbers")  # fmt: skip
        if x.dtype in (float16, bfloat16):
            self.dtype = float32
        place, size = self._place(x)
        shape = [size]
        if self.virtual_batch_size is not None:
            if place == 0:
                raise ShapeError("When using virtual_batch_size, the batch dimension must be 0 and thus axis cannot be "
                                 "0; give the axis of the channels, or leave virtual_batch_size out")  # fmt: skip
            rows = (x.shape.raw or (None,))[0]
            if isinstance(rows, int) and rows % self.virtual_batch_size:
                raise ShapeError(f"virtual_batch_size is {self.virtual_batch_size} and the batch has {rows} rows; it "
                                 "must divide their number, since so many are normalized together")  # fmt: skip
            shape = [size if d == place + 1 else 1 for d in range(len(x.shape.raw or ()) + 1)]
        if self.scale:
            self.gamma = self._weight("gamma", shape, *self._of_gamma)
        if self.center:
            self.beta = self._weight("beta", shape, *self._of_beta)
        with whole_variables():  # moving averages have no parts, as in TensorFlow
            self.moving_mean = self._weight("moving_mean", shape, self._of_mean, None, None, trainable=False)
            self.moving_variance = self._weight(
                "moving_variance", shape, self._of_variance, None, None, trainable=False
            )
            if self.renorm:
                roots = root_of(self._of_variance)
                self.moving_stddev = self._weight("moving_stddev", [size], roots, None, None, trainable=False)
                self.renorm_mean = self._weight("renorm_mean", [size], self._of_mean, None, None, trainable=False)
                self.renorm_stddev = self._weight("renorm_stddev", [size], roots, None, None, trainable=False)

    def _place(self, x: Tensor) -> tuple[int, int]:
        """The axis counted from the front, and its size."""
        dims = x.shape.raw
        if dims is None:
            raise ShapeError("batch_normalization: the rank of the inputs must be known; give it with t.set_shape")
        if not -len(dims) <= self.axis < len(dims):
            raise ShapeError(f"Invalid axis {self.axis}. Expected -rank <= axis < rank, with rank {len(dims)}")
        size = dims[self.axis]
        if not isinstance(size, int):
            raise ShapeError(f"Axis {self.axis} of input tensor should have a defined dimension but the layer received "
                             f"an input with full shape {x.shape}. Give it with t.set_shape")  # fmt: skip
        return self.axis % len(dims), size

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The normalized inputs."""
        if self.virtual_batch_size is not None:
            return self._in_virtual_batches(x, training)
        place, _ = self._place(x)
        rank = len(x.shape.raw or ())
        mean, variance = self.moving_mean.as_operand(), self.moving_variance.as_operand()
        if known_flag(training) is not False:
            wide = x if x.dtype is mean.dtype else ops.cast(x, mean.dtype)
            others = [d for d in range(rank) if d != place]
            center, spread = ops.moments(wide, others)
            known = spread
            if self.renorm:
                return self._renormalized(x, center, spread, training)
            if rank == 4 and place in (1, 3) and self.fused is not False and self.adjustment is None:
                count = ops.cast(ops.reduce_prod(ops.gather(ops.shape(x), others)), mean.dtype)
                known = spread * divide_counts(count)
            self._move(self.moving_mean, center, training)
            self._move(self.moving_variance, known, training)
            mean, variance = chosen(training, center, mean), chosen(training, spread, variance)

        return self._normalized(x, mean, variance, self.gamma, self.beta, training)

    def _in_virtual_batches(self, x: Tensor, training: Any) -> Tensor:
        """The inputs normalized in groups of rows; the averages follow the mean of what the groups have."""
        place, _ = self._place(x)
        mean, variance = self.moving_mean.as_operand(), self.moving_variance.as_operand()
        whole = ops.shape(x)
        groups = ops.reshape(x, ops.concat(0, [[self.virtual_batch_size, -1], whole[1:]]))
        if known_flag(training) is not False:
            rank = len(x.shape.raw or ()) + 1
            wide = groups if x.dtype is mean.dtype else ops.cast(groups, mean.dtype)
            center, spread = ops.moments(wide, [d for d in range(rank) if d not in (1, place + 1)], keep_dims=True)
            self._move(self.moving_mean, ops.reduce_mean(center, [1], keep_dims=True), training)
            self._move(self.moving_variance, ops.reduce_mean(spread, [1], keep_dims=True), training)
            mean = chosen(training, center, mean + ops.zeros_like(center))
            variance = chosen(training, spread, variance + ops.zeros_like(spread))
        gamma, beta = self._adjusted(groups, self.gamma, self.beta, training)
        return ops.reshape(normalize(groups, mean, variance, beta, gamma, self.epsilon), whole)

    def _adjusted(self, x: Tensor, gamma: Any, beta: Any, training: Any) -> tuple[Any, Any]:
        """Factor and shift after those that `adjustment` gives in training."""
        gamma, beta = (each.as_operand() if isinstance(each, Variable) else each for each in (gamma, beta))
        if self.adjustment is None or known_flag(training) is False:
            return gamma, beta
        pair = self.adjustment(ops.shape(x))
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise UseError(f"adjustment returned {pair!r:.60}; {_ADJUSTMENT}")
        factor, shift = (ops.convert_to_tensor(each, x.dtype) for each in pair)
        factor = chosen(training, factor, ops.ones_like(factor))
        shift = chosen(training, shift, ops.zeros_like(shift))
        if gamma is not None:
            factor, shift = factor * gamma, shift * gamma
        return factor, shift if beta is None else shift + beta

    def _normalized(
        self, x: Tensor, mean: Any, variance: Any, gamma: Any, beta: Any, training: Any = False
    ) -> Tensor:
        """The inputs normalized by a mean and a variance for each channel."""
        place, size = self._place(x)
        rank = len(x.shape.raw or ())

        def by_channel(vector: Any) -> Any:
            if vector is None:
                return None
            each = vector.as_operand() if isinstance(vector, Variable) else vector
            return each if place == rank - 1 else ops.reshape(each, [size if d == place else 1 for d in range(rank)])

        gamma, beta = self._adjusted(x, by_channel(gamma), by_channel(beta), training)
        return normalize(x, by_channel(mean), by_channel(variance), beta, gamma, self.epsilon)

    def _renormalized(self, x: Tensor, center: Tensor, spread: Tensor, training: Any) -> Tensor:
        """The inputs normalized by their own mean and variance, then moved to where the averages would put them.

        r = stddev / average stddev and d = (mean - average mean) / average stddev are constants to gradients.
        """
        stddev = ops.sqrt(spread + self.epsilon)
        average = ops.maximum(self.renorm_stddev.as_operand(), self.epsilon**0.5)
        r, d = stddev / average, (center - self.renorm_mean.as_operand()) / average
        bounds = self.renorm_clipping
        if bounds.get("rmin") is not None:
            r = ops.maximum(r, bounds["rmin"])
        if bounds.get("rmax") is not None:
            r = ops.minimum(r, bounds["rmax"])
        if bounds.get("dmax") is not None:
            d = ops.minimum(ops.maximum(d, -bounds["dmax"]), bounds["dmax"])
        r = ops.stop_gradient(chosen(training, r, ops.ones_like(r)))
        d = ops.stop_gradient(chosen(training, d, ops.zeros_like(d)))
        with control_dependencies([
            self._moved(self.renorm_mean, center, self.renorm_momentum, training)[0],
            self._moved(self.renorm_stddev, stddev, self.renorm_momentum, training)[0],
        ]):  # fmt: skip
            self._move(self.moving_mean, center, training)
            write, after = self._moved(self.moving_stddev, stddev, self.momentum, training)
            variance = chosen(training, ops.relu(ops.square(after) - self.epsilon), self.moving_variance.as_operand())
            with control_dependencies([write]):
                self._add_update(self.moving_variance.assign(ops.stop_gradient(variance), read_value=False))
        gamma = r if self.gamma is None else self.gamma.as_operand() * r
        shift = d if self.gamma is None else self.gamma.as_operand() * d
        beta = shift if self.beta is None else shift + self.beta.as_operand()
        mean = chosen(training, center, self.moving_mean.as_operand())
        variance = chosen(training, spread, self.moving_variance.as_operand())
        return self._normalized(x, mean, variance, gamma, beta)

    def _moved(self, average: Variable, value: Tensor, momentum: float, training: Any) -> tuple[Any, Tensor]:
        """(the update of a moving average, its new value); it changes nothing outside of training."""
        before = average.as_operand()
        delta = (before - ops.stop_gradient(value)) * (1.0 - momentum)
        delta = chosen(training, delta, ops.zeros_like(delta))
        return average.assign_sub(delta, name="AssignMovingAvg", read_value=False), before - delta

    def _move(self, average: Variable, value: Tensor, training: Any) -> None:
        """Note the update of a moving average, which changes nothing outside of training."""
        self._add_update(self._moved(average, value, self.momentum, training)[0])


def checked_clipping(clipping: Mapping[str, Any], renorm: bool, fused: bool | None) -> Mapping[str, Any]:
    """The bounds of renorm; ValueError where they have another key, or renorm is to be fused."""
    if set(clipping) - {"rmax", "rmin", "dmax"}:
        raise ValueRuleError(f"renorm_clipping {dict(clipping)} contains keys not in ['rmax', 'rmin', 'dmax']")
    if renorm and fused:
        raise ValueRuleError("Passing both `fused=True` and `renorm=True` is not supported; leave `fused` out")
    return clipping


def root_of(initializer: Any) -> Callable[..., Tensor]:
    """An initializer whose numbers are the roots of another one's."""

    def roots(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        one = initializer() if isinstance(initializer, type) else initializer
        return ops.sqrt(one(shape, dtype))

    return roots


@reported_as_call("batch_normalization")
@documented_like(BatchNormalization)
def batch_normalization(
    inputs: TensorLike,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = None,
    gamma_initializer: Any = None,
    moving_mean_initializer: Any = None,
    moving_variance_initializer: Any = None,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Tensor:
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, for each index along `axis`.

    In training the mean and the variance are those of `inputs`, and the moving averages come nearer to them where a
    step runs the operations in `tf.GraphKeys.UPDATE_OPS`:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.minimize(loss)

    Otherwise they are the moving averages.

    Args:
        inputs: floats, of which the size along `axis` is known.
        training: whether this is a step of training: True, False, or a bool scalar such as a placeholder.
        name: the name of the variable scope; by default "batch_normalization", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or `axis` is not an int.
        ValueError: the rank or the size along `axis` is not known, or the variables exist without `reuse`, or not with
            it.
        UnimplementedError: an argument that is not supported is given.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.layers.batch_normalization([[1.0], [3.0]], epsilon=0.0, training=True)
    ...     updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y).tolist(), len(updates))
    [[-1.0], [1.0]] 2
    """
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
        moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint, renorm,
        renorm_clipping, renorm_momentum, fused, trainable, virtual_batch_size, adjustment, name,
    )  # fmt: skip
    return layer._shared_by(name, reuse)(inputs, training)
