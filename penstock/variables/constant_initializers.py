"""Initializers that make the same value each time: zeros, ones, constants, the identity matrix.

An initializer is called with a shape and a dtype and returns a tensor of them. `tf.get_variable` calls it when it makes
a variable; the tensor is computed when the variable is initialised. Random ones are in `random_initializers`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, as_dtype, float32
from ..graph.shapes.shape import TensorShape, as_shape
from ..ops.create.constant_and_placeholder import constant
from ..ops.create.creation import ones, zeros
from ..ops.linalg.diagonals import eye
from ..ops.move.slicing import slice as slice_op


class Initializer:
    """The base class of initializers: objects that are called with a shape and a dtype and return a tensor of them.

    `tf.get_variable` also takes any function `(shape, dtype)`.

    >>> import penstock as tf
    >>> tf.constant_initializer(3.0)
    ConstantInitializer(value=3.0, dtype='float32')
    """

    fields: ClassVar[tuple[str, ...]] = ("dtype",)
    """The arguments of the class, which `get_config` gives."""
    dtype: DType

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        """The initial value of a variable.

        Args:
            shape: the shape, a list of ints.
            dtype: the dtype; without it, that of the initializer.
            partition_info: which part of a partitioned variable is made; only initializers of some classes use it.

        Returns:
            A tensor of that shape and dtype.

        Raises:
            ValueError: the initializer has no value of that shape or dtype.
            TypeError: there is no such dtype, or a size is not an int.
        """
        raise NotImplementedError(f"{type(self).__name__} has no __call__(shape, dtype)")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer.

        Returns:
            A dict of numbers and strings.

        >>> import penstock as tf
        >>> tf.ones_initializer(tf.int32).get_config()
        {'dtype': 'int32'}
        """
        config = {name: getattr(self, name) for name in self.fields}
        return {name: value.name if isinstance(value, DType) else value for name, value in config.items()}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """An initializer of the arguments that `get_config` gave.

        Args:
            config: the arguments.

        Returns:
            An initializer of this class.

        Raises:
            TypeError: the class has no such argument.
            ValueError: an argument is not allowed.

        >>> import penstock as tf
        >>> tf.ones_initializer.from_config({"dtype": "int32"})
        OnesInitializer(dtype='int32')
        """
        return cls(**config)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.get_config().items())})"


_SMALL = 1000  # TensorFlow's limit
_SHAPES = (list, tuple, TensorShape, Tensor, np.ndarray)


class _OfOneNumber(Initializer):
    """Zeros or ones. In TensorFlow 0.x the same name is a function of a shape, so a shape gives the tensor."""

    def __new__(cls, *given: Any, **named: Any) -> Any:
        made = super().__new__(cls)
        if "shape" in named or (given and isinstance(given[0], _SHAPES)):
            made.dtype = float32
            return made(*given, **named)  # a tensor: Python calls no __init__ then
        return made

    @hides_frames
    def __init__(self, dtype: DTypeLike = float32) -> None:
        self.dtype = as_dtype(dtype)


def _small(shape: Any) -> list[int] | None:
    """The sizes of a shape of few elements, which one constant holds; `zeros` and `ones` make three nodes."""
    if not isinstance(shape, (list, tuple)) or not all(type(size) is int and size >= 0 for size in shape):
        return None
    return list(shape) if math.prod(shape) < _SMALL else None


class ZerosInitializer(_OfOneNumber):
    """An initializer that makes zeros (False, or empty strings): `tf.zeros_initializer`.

    Args:
        dtype: the dtype where the call gives none. A shape in its place gives the tensor of zeros itself, as in
            TensorFlow 0.x: `tf.zeros_initializer(shape, dtype)`.

    Raises:
        TypeError: there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.zeros_initializer()([2])), session.run(tf.zeros_initializer([2], tf.int32)))
    [0. 0.] [0 0]

    Source: TensorFlow 1.x, `tf.zeros_initializer`.
    """

    @hides_frames
    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        wanted = self.dtype if dtype is None else as_dtype(dtype)
        if (sizes := _small(shape)) is None or wanted.is_string:
            return zeros(shape, wanted)
        return constant(np.zeros(sizes, wanted.np), name="zeros")


class OnesInitializer(_OfOneNumber):
    """An initializer that makes ones (or True): `tf.ones_initializer`.

    Args:
        dtype: the dtype where the call gives none. A shape in its place gives the tensor of ones itself, as in
            TensorFlow 0.x: `tf.ones_initializer(shape, dtype)`.

    Raises:
        TypeError: there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.ones_initializer()([2])))
    [1. 1.]

    Source: TensorFlow 1.x, `tf.ones_initializer`.
    """

    @hides_frames
    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        wanted = self.dtype if dtype is None else as_dtype(dtype)
        if (sizes := _small(shape)) is None or wanted.is_string:
            return ones(shape, wanted)
        return constant(np.ones(sizes, wanted.np), name="ones")


@hides_frames_of_methods
class ConstantInitializer(Initializer):
    """An initializer that makes a given value: `tf.constant_initializer`.

    Args:
        value: a number, or a list or array whose values are laid out in the shape; its last value is repeated to fill
            it.
        dtype: the dtype where the call gives none.
        verify_shape: True refuses a shape that is not that of `value`.

    Raises:
        TypeError: `value` is no number, list or array, or there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.constant_initializer([1, 2, 3])([2, 2])))
    [[1. 2.]
     [3. 3.]]

    Source: TensorFlow 1.x, `tf.constant_initializer`.
    """

    fields = ("value", "dtype")

    def __init__(self, value: Any = 0, dtype: DTypeLike = float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise DTypeError(f"constant_initializer({value!r}): the value is a number, a string, a list or an array, "
                             f"not {type(value).__name__}")  # fmt: skip
        self.value = value
        self.dtype = as_dtype(dtype)
        self.verify_shape = verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: DTypeLike | None = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        """The initial value of a variable.

        Args:
            shape: the shape, a list of ints.
            dtype: the dtype; without it, that of the initializer.
            partition_info: which part of a partitioned variable is made; only initializers of some classes use it.
            verify_shape: whether `shape` must be that of the value; without it, what the initializer says.

        Returns:
            A tensor of that shape and dtype.

        Raises:
            ValueError: the shape has room for fewer values, or it is not that of the value.
            TypeError: the value cannot be converted to the dtype.
        """
        if self.verify_shape if verify_shape is None else verify_shape:
            found = np.shape(self.value)
            if not as_shape(shape).is_compatible_with(found):
                raise ShapeError(f"constant_initializer(verify_shape=True): the value has shape {as_shape(found)}, but "
                                 f"the variable has {as_shape(shape)}; they must be equal",
                                 code="shape/dimensions-differ",
                                 cure="Without verify_shape the values are laid out in the shape.")  # fmt: skip
        return constant(self.value, self.dtype if dtype is None else dtype, shape)


@hides_frames_of_methods
class IdentityInitializer(Initializer):
    """An initializer that makes an identity matrix, not always square: `tf.initializers.identity`.

    Args:
        gain: the number on the diagonal.
        dtype: the dtype where the call gives none; a float dtype.

    Raises:
        ValueError: `dtype` is not a float dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.initializers.identity(gain=2.0)([2, 3])))
    [[2. 0. 0.]
     [0. 2. 0.]]

    Source: TensorFlow 1.x, `tf.initializers.identity`.
    """

    fields = ("gain", "dtype")

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = float32) -> None:
        self.gain = gain
        self.dtype = float_dtype("identity_initializer", dtype)

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        sizes = sizes_of(shape if partition_info is None else partition_info.full_shape)
        if len(sizes) != 2:
            raise ShapeError(f"identity_initializer: shape {as_shape(shape)} has rank {len(sizes)}, a "
                             "matrix has two", code="shape/ranks-differ")  # fmt: skip
        rows, columns = sizes
        matrix = eye(rows, columns, dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            matrix = slice_op(matrix, partition_info.var_offset, sizes_of(shape))
        return matrix if self.gain == 1.0 else matrix * self.gain


def float_dtype(what: str, dtype: DTypeLike) -> DType:
    """`dtype` as a DType.

    Raises:
        ValueRuleError: it is no float dtype.
    """
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueRuleError(f"{what}(dtype={found.name}): only float dtypes are allowed", code="dtype/not-allowed")
    return found


def sizes_of(shape: Any) -> list[int]:
    """The sizes of a shape that must be known.

    Raises:
        ShapeError: a size is not known.
    """
    known = as_shape(shape)
    sizes = known.as_list() if known.is_fully_defined() else None
    if sizes is None:
        raise ShapeError(f"initializer: shape {known} must be fully known")
    return [int(size) for size in sizes if size is not None]


# ---- the names that programs call ----------------------------------------------------------------

constant_initializer = ConstantInitializer
ones_initializer = OnesInitializer
zeros_initializer = ZerosInitializer
