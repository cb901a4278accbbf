"""The base of layers: the scope of their variables, which the first call makes and later calls share.

    dense(x, 2)                      scope "dense", "dense_1" ..., a new one for each call
    dense(x, 2, name="d")            scope "d"; a second call needs reuse=True, and has the name scope "d_1"
    layer = Dense(2); layer(x)       the variables of the first call serve all calls
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature, signature
from typing import Any, TypeAlias

from ..derivatives import rule_namespace as ops
from ..errors import GraphError, ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_value
from ..graph.building.context_functions import name_scope
from ..graph.common.source_location import user_stacklevel
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like, named, with_signature
from ..graph.declare.signature import DTypeLike, as_bool
from ..graph.model.default_graph import get_default_graph, outermost
from ..graph.model.identity_comparison import MistakeWarning
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, as_dtype
from ..ops.declare.composite import all_or_nothing, reported_as_call
from ..variables.get_variable import get_variable
from ..variables.graph_keys import GraphKeys
from ..variables.partitioned_variable import with_parts
from ..variables.variable import Variable
from ..variables.variable_scope_block import variable_scope
from ..variables.variable_scope_object import VariableScope

Activation: TypeAlias = Callable[[Tensor], Tensor] | None
Window: TypeAlias = int | Sequence[int]


class BuiltWeight:
    """A weight of a layer before the first call, which makes it: an AttributeError says so."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: Any = None) -> Any:
        if layer is None:
            return self
        raise AttributeError(f"the layer {layer.name!r} has no {self._name} yet: its first call makes it, for then the "
                             "size of the inputs is known")  # fmt: skip


class OfCalls:
    """What a layer was called with, or has returned. A class of layers may give an attribute of its own that name."""

    def __init__(self, of_call: Callable[[Tensor, Tensor], Any], is_shape: bool = False) -> None:
        self._of_call = of_call
        self._is_shape = is_shape
        self.__doc__ = of_call.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: Any = None) -> Any:
        if layer is None:
            return self
        values = [self._of_call(*each) for each in layer._calls]
        if not values:
            raise AttributeError(f"the layer {layer.name!r} is not connected, so it has no {self._name}: call it with "
                                 "its inputs first")  # fmt: skip
        if len(set(values) if self._is_shape else values) > 1:
            raise AttributeError(f"the layer {layer.name!r} was called {len(values)} times, so it has no one "
                                 f"{self._name}: keep the tensors that each call gets and returns")  # fmt: skip
        return values[0]


def _sizes(tensor: Tensor) -> tuple[int | None, ...] | None:
    return None if tensor.shape.ndims is None else tuple(tensor.shape.as_list())


def _input(x: Tensor, _: Tensor) -> Tensor:
    """The tensor that the layer was called with."""
    return x


def _output(_: Tensor, outputs: Tensor) -> Tensor:
    """The tensor that the layer returned."""
    return outputs


def _input_shape(x: Tensor, _: Tensor) -> tuple[int | None, ...] | None:
    """The static shape of the input, a tuple of ints and None; None if its rank is not known."""
    return _sizes(x)


def _output_shape(_: Tensor, outputs: Tensor) -> tuple[int | None, ...] | None:
    """The static shape of the output, a tuple of ints and None; None if its rank is not known."""
    return _sizes(outputs)


class Layer:
    """A function of tensors with variables. Classes of layers have `_build`, which makes them, and `_outputs`."""

    _fetch_instead = "fetch the tensor that the layer returns when it is called with its inputs"

    base_name = "layer"
    least_rank = 0
    activity_regularizer: Any = None

    def __init__(self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        self.trainable = trainable
        self.name = name or self.base_name
        self.dtype: DType | None = None if dtype is None else as_dtype(dtype)
        self.built = False
        self._first_shape: Any = None
        self._calls: list[tuple[Tensor, Tensor]] = []
        self.updates: list[Any] = []
        self.losses: list[Any] = []
        self._variables: list[tuple[Variable, bool]] = []
        self._scope: VariableScope | None = None
        self.variable_names: dict[str, str] = {}  # where variables have other names than those of the class
        self._shared_name: str | None = None
        self._reuse: Any = None

    # ---- for classes of layers --------------------------------------------------------------------

    def _build(self, x: Tensor) -> None:
        """Make the variables, once the first inputs are known."""

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The outputs."""
        raise NotImplementedError

    def _weight(
        self, name: str, shape: list[int], initializer: Any, regularizer: Any, constraint: Any, trainable: bool = True
    ) -> Variable:
        """Make, or share, a variable of the layer."""
        learns = trainable and self.trainable
        name = self.variable_names.get(name, name)
        made: Any = get_variable(name, shape, self.dtype, initializer, regularizer, learns, constraint=constraint)
        self._variables += [(part, learns) for part in with_parts([made])]
        variable: Variable = made  # or a partitioned one, which stands for a tensor too
        return variable

    def _add_update(self, update: Any) -> None:
        """Note an operation that a step of training should run: the collection `tf.GraphKeys.UPDATE_OPS`."""
        self.updates.append(update)
        get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, update)

    # ---- calls ------------------------------------------------------------------------------------

    @hides_frames
    def __call__(self, inputs: Any, training: Any = False) -> Tensor:
        before = {key: list(value) if isinstance(value, list) else value for key, value in vars(self).items()}
        # A body of a loop may be built again: then the graph takes back the variables, and the layer does too.
        outermost(get_default_graph()).journal.note(_restore, self, before)
        try:
            return all_or_nothing([inputs, training], lambda: self._within_scope(inputs, training))
        except BaseException:
            _restore(self, before)  # the graph has forgotten its variables too
            raise

    @hides_frames
    def apply(self, inputs: Any, training: Any = False) -> Tensor:
        """The outputs for `inputs`: the same as calling the layer.

        Args:
            inputs: a tensor.
            training: whether this is a step of training, for layers that ask for it.

        Returns:
            A tensor.

        Raises:
            TypeError, ValueError: `inputs` has a wrong dtype or shape.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.layers.Dense(2).apply(tf.zeros([4, 3])).shape
        TensorShape((4, 2))
        """
        return self(inputs, training)

    def _shared_by(self, name: str | None, reuse: Any) -> Layer:
        """Let the layer have the variables of a name, as functions of layers do."""
        self._shared_name, self._reuse = name, reuse
        return self

    def _within_scope(self, inputs: Any, training: Any) -> Tensor:
        _require_alike(inputs)
        x = ops.convert_to_tensor(inputs)
        if isinstance(inputs, tuple) and any(isinstance(each, Tensor) for each in inputs):
            parts = ", ".join(getattr(inputs, "_fields", [f"[{i}]" for i in range(len(inputs))]))
            text = (f"{self.name}: the inputs are a tuple of {len(inputs)} tensors, which are stacked to one of shape "
                    f"{x.shape}; take one of {parts}, or join them with tf.concat")
            warnings.warn(text, MistakeWarning, stacklevel=user_stacklevel())
        self._check(x)
        with self._own_scope():
            if not self.built:
                self.dtype = self.dtype or x.dtype
                self._build(x)
                self.built, self._first_shape = True, x.shape
            try:
                outputs = self._outputs(x, training)
            except ShapeError:
                if self._variables and not x.shape.is_compatible_with(self._first_shape):
                    raise ShapeError(
                        f"the layer {self.name!r} made its weights for inputs of shape {self._first_shape}, and these "
                        f"have shape {x.shape}; make another layer for them"
                    ) from None
                raise
            self._regularize(outputs)
        self._calls.append((x, outputs))
        return outputs

    @contextmanager
    def _own_scope(self) -> Iterator[None]:
        """The scope of the variables; the first call makes it."""
        if self._scope is None:
            shared = self._shared_name or (self.name if self._reuse else None)
            with variable_scope(shared, None if shared else self.name) as scope:
                self._scope = scope
        reuse = True if self.built else self._reuse
        with (
            variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False),
            name_scope(self._scope.original_name_scope),
        ):
            yield

    def _check(self, x: Tensor) -> None:
        rank = x.shape.ndims
        if rank is not None and rank < self.least_rank:
            raise ShapeError(f"Input 0 of layer {self.name!r} is incompatible with the layer: expected min_ndim="
                             f"{self.least_rank}, found ndim={rank}. Full shape received: {x.shape}")  # fmt: skip

    def _regularize(self, outputs: Tensor) -> None:
        if self.activity_regularizer is None:
            return
        with name_scope("ActivityRegularizer"):
            loss = self.activity_regularizer(outputs)
            if loss is None:
                return
            loss = ops.convert_to_tensor(loss)
            loss = loss / ops.cast(ops.shape(outputs)[0], loss.dtype)
        self.losses.append(loss)
        get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    # ---- what it has ------------------------------------------------------------------------------

    input = OfCalls(_input)
    output = OfCalls(_output)
    input_shape = OfCalls(_input_shape, is_shape=True)
    output_shape = OfCalls(_output_shape, is_shape=True)

    def count_params(self) -> int:
        """The number of elements of all variables of the layer.

        Returns:
            An int.

        Raises:
            ValueError: the layer has not been called yet, and has no variables.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     layer = tf.layers.Dense(2)
        ...     _ = layer(tf.zeros([4, 3]))
        ...     print(layer.count_params(), layer.input_shape, layer.output_shape)
        8 (4, 3) (4, 2)
        """
        if not self.built:
            raise ValueRuleError(f"count_params: the layer {self.name!r} has no variables yet: its first call makes "
                                 "them, for then the size of the inputs is known")  # fmt: skip
        return sum(variable.shape.num_elements() or 0 for variable in self.variables)

    @property
    def scope_name(self) -> str:
        """The name of the variable scope."""
        if self._scope is None:
            raise GraphError(f"No name available for layer scope because the layer {self.name!r} has not been used "
                             "yet. The scope name is determined the first time the layer is called")  # fmt: skip
        return self._scope.name

    @property
    def variables(self) -> list[Variable]:
        """All variables of the layer, those that optimizers change first."""
        return self.trainable_variables + self.non_trainable_variables

    @property
    def weights(self) -> list[Variable]:
        """All variables of the layer, those that optimizers change first."""
        return self.variables

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that optimizers change."""
        return [each for each, learns in self._variables if learns]

    @property
    def trainable_weights(self) -> list[Variable]:
        """The variables that optimizers change."""
        return self.trainable_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that optimizers leave as they are."""
        return [each for each, learns in self._variables if not learns]

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The variables that optimizers leave as they are."""
        return self.non_trainable_variables

    def __repr__(self) -> str:
        return f"<{type(self).__name__} layer {self.name!r}>"


def layout_of(data_format: Any) -> str:
    """The `data_format` of a layer, in small letters.

    Raises:
        ValueRuleError: it is another one, such as "NCHW", which is for functions of `tf.nn`.
    """
    layout = data_format.lower() if isinstance(data_format, str) else ""
    if layout in ("channels_last", "channels_first"):
        return layout
    cure = ""
    if layout.startswith("nc") or (layout.startswith("n") and layout.endswith("c")):
        word = "channels_first" if layout.startswith("nc") else "channels_last"
        cure = f". {data_format!r} is for functions of tf.nn; a layer calls it {word!r}: write data_format={word!r}"
    raise ValueRuleError(f"data_format is {data_format!r}, not 'channels_last' or 'channels_first'{cure}")


def _require_alike(inputs: Any) -> None:
    """ShapeError for several tensors which no stack can hold."""
    tensors = [each for each in inputs if isinstance(each, Tensor)] if isinstance(inputs, (list, tuple)) else []
    if any(not tensors[0].shape.is_compatible_with(each.shape) for each in tensors[1:]):
        shapes = ", ".join(str(each.shape) for each in tensors)
        raise ShapeError(f"a layer reads one tensor, and the inputs are {len(tensors)} of shapes {shapes}; take one of "
                         "them, or join them with tf.concat")  # fmt: skip


def _restore(layer: Layer, before: dict[str, Any]) -> None:
    state = vars(layer)
    state.clear()
    state.update(before)


# ---- the layers as functions --------------------------------------------------------------------

_INPUTS = Parameter("inputs", Parameter.POSITIONAL_OR_KEYWORD, annotation="TensorLike")
_REUSE = Parameter("reuse", Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="Any")


def layer_function(
    kind: type[Layer], **words: str
) -> Callable[[Callable[[Layer, Any], Tensor]], Callable[..., Tensor]]:
    """A decorator for what calls a new layer with its inputs. The function that it gives makes that layer.

    Its parameters are the inputs, those of the layer but `dtype`, and `reuse` where there are variables. What its
    docstring lacks is taken from that of the layer.

    Args:
        kind: the class of the layer.
        words: for `{word}` in the docstring, the text in its place; `{name}` is the name of the function.
    """
    own = [each for each in signature(kind).parameters.values() if each.name != "dtype"]
    has_variables = any(each.name == "trainable" for each in own)
    form = Signature([_INPUTS, *own, *([_REUSE] if has_variables else [])], return_annotation="Tensor")

    def decorate(call: Callable[[Layer, Any], Tensor]) -> Callable[..., Tensor]:
        @reported_as_call(kind.base_name)
        @documented_like(kind)
        @named(kind.base_name, **words)
        @with_signature(form)
        @functools.wraps(call, assigned=("__module__", "__doc__"))
        def function(*args: Any, **kwargs: Any) -> Tensor:
            arguments = form.bind(*args, **kwargs).arguments
            inputs, reuse = arguments.pop("inputs"), arguments.pop("reuse", None)
            return call(kind(**arguments)._shared_by(arguments.get("name"), reuse), inputs)

        return function

    return decorate


# ---- `training` ---------------------------------------------------------------------------------


def known_flag(training: Any) -> bool | None:
    """Whether this is a step of training; None for a tensor of which only the run knows it."""
    if training is None:
        return False
    if isinstance(training, int):
        return bool(training)
    if isinstance(training, (Tensor, Variable)):
        tensor = ops.convert_to_tensor(training)
        known = known_value(tensor)
        return None if known is None else bool(known)
    return as_bool(training)


def chosen(training: Any, then: Tensor, other: Tensor) -> Tensor:
    """`then` in a step of training, else `other`; both are computed where only the run knows it."""
    flag = known_flag(training)
    if flag is not None:
        return then if flag else other
    condition = ops.convert_to_tensor(training)
    return ops.select(condition if condition.dtype.is_bool else ops.cast(condition, "bool"), then, other)
