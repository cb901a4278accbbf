"""Names that stood only in TensorFlow's own files, not in public namespaces, and that programs import from there."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from .. import (
    TensorShape,
    Variable,
    assign,
    assign_add,
    assign_sub,
    cast,
    convert_to_tensor,
    custom_gradient,
    get_static_value,
    get_variable,
    get_variable_scope,
    gfile,
    name_scope,
    rank,
    tensor_scatter_nd_add,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    transpose,
    variable_scope,
    zeros_initializer,
)  # fmt: skip
from .. import range as tensor_range
from ..compat.v1 import concat
from ..contrib.layer_functions.layer_utilities import constant_value, smart_cond
from ..derivatives import rule_namespace
from ..graph.shapes.named_dtypes import DataType
from ..runtime.base.config_protos import RewriterConfig
from ..summary import FileWriterCache
from ..test import compute_gradient, compute_gradient_error
from . import file_names, older_cells


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Move a variable towards a value: `variable * decay + value * (1 - decay)`.

    Args:
        variable: of floats.
        value: a tensor of its shape.
        decay: a float or a scalar tensor, near 1.
        zero_debias: whether the variable was begun with zeros that are to have no weight: two more variables,
            `biased` and `local_step`, keep the sum and the count.
        name: the name of the update.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     mean = tf.get_variable("mean", initializer=0.0)
    ...     update = assign_moving_average(mean, 8.0, 0.75, zero_debias=False)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(update), session.run(update))
    2.0 3.5

    Source: TensorFlow 1.x, `tensorflow.python.training.moving_averages.assign_moving_average`.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        dtype = variable.dtype.base_dtype
        rest = cast(1.0 - convert_to_tensor(decay), dtype)
        if not zero_debias:
            return assign_sub(variable, (variable - value) * rest, name=scope)
        with variable_scope(variable.op.name):
            start = zeros_initializer()
            biased = get_variable(_unused("biased"), variable.shape, dtype, start, trainable=False)
            count = get_variable(_unused("local_step"), [], dtype, start, trainable=False)
        total = assign_sub(biased, (biased - value) * rest)
        return assign(variable, total / (1 - (1 - rest) ** assign_add(count, 1)), name=scope)


def _unused(name: str) -> str:
    """A name that the current scope of variables does not have; the name itself where the scope shares variables."""
    scope = get_variable_scope()
    taken = set() if scope.reuse else {each.op.name for each in scope.global_variables()}
    place = 0
    while f"{scope.name}/{name}{f'_{place}' if place else ''}" in taken:
        place += 1
    return f"{name}_{place}" if place else name


class Defun:
    """A decorator that gives a function of tensors its dtypes and a gradient; each call adds the function's nodes.

    Args:
        input_types: the dtypes of its arguments.
        kwargs: `grad_func`, a function of the arguments and the gradients of the results, or `python_grad_func`, one
            of an op with `inputs` and `outputs` and these gradients; what else TensorFlow had there changes no value.

    >>> import penstock as tf
    >>> double = Defun(tf.float32, python_grad_func=lambda op, g: g * 10.0)(lambda x: x + x)
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant(3.0)
    ...     print(session.run([double(x), *tf.gradients(double(x), x)]))
    [np.float32(6.0), np.float32(10.0)]

    Source: TensorFlow 1.x, `tensorflow.python.framework.function.Defun`.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        self._types = input_types
        self._gradient: Any = kwargs.get("grad_func")
        self._of_op: Any = kwargs.get("python_grad_func")

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function that programs call in the place of `func`."""

        def call(*args: Any, **_: Any) -> Any:
            types = self._types or (None,) * len(args)
            tensors = [convert_to_tensor(arg, dtype) for arg, dtype in zip(args, types, strict=True)]
            if self._gradient is None and self._of_op is None:
                return func(*tensors)
            return custom_gradient(self._with_gradient(func))(*tensors)

        call.__name__ = getattr(func, "__name__", "Defun")
        return call

    def _with_gradient(self, func: Callable[..., Any]) -> Callable[..., Any]:
        def both(*tensors: Any) -> Any:
            results = func(*tensors)
            outputs = list(results) if isinstance(results, (list, tuple)) else [results]
            op = SimpleNamespace(inputs=list(tensors), outputs=outputs, name=getattr(func, "__name__", "Defun"))
            if self._gradient is not None:
                return results, lambda *grads: self._gradient(*tensors, *grads)
            return results, lambda *grads: self._of_op(op, *grads)

        return both


def getargspec(obj: Callable[..., Any]) -> Any:
    """The names and defaults of a function's arguments, as Python 2 told them."""
    spec = inspect.getfullargspec(obj)
    return SimpleNamespace(args=spec.args, varargs=spec.varargs, keywords=spec.varkw, defaults=spec.defaults)


class _Raw:
    """Ops by their names, such as `relu_grad`; the files of the first years wrote `_relu_grad`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(rule_namespace, name.lstrip("_"))


def _rows(change: Callable[..., Any]) -> Callable[..., Any]:
    """A function that changes one row of the first axis."""
    return lambda x, i, v: change(x, convert_to_tensor([i])[:, None], convert_to_tensor(v)[None])


def _is_eager() -> bool:
    return False  # programs of TensorFlow 1 asked whether they ran without a graph


def _with_time_first(x: Any) -> Any:
    """Batches of sequences with their first two axes exchanged; what has fewer axes stays."""
    tensor = convert_to_tensor(x)
    axes = tensor.shape.ndims
    if axes is None:
        return transpose(tensor, concat([[1, 0], tensor_range(2, rank(tensor))], 0))
    return tensor if axes < 2 else transpose(tensor, [1, 0, *range(2, axes)])


_CELLS: Final = (older_cells,)
_TRANSPOSED: Final = (SimpleNamespace(_transpose_batch_time=_with_time_first),)
_REWRITES: Final = (SimpleNamespace(RewriterConfig=RewriterConfig),)

INNER: Final[dict[str, tuple[Any, ...]]] = {
    "estimator": (SimpleNamespace(ModeKeys=SimpleNamespace(TRAIN="train", EVAL="eval", PREDICT="infer")),),
    **dict.fromkeys(["contrib.seq2seq.python.ops.decoder", "python.ops.rnn"], _TRANSPOSED),
    "core.framework.types_pb2": (DataType,),
    "python.framework.ops": (SimpleNamespace(
        strip_name_scope=file_names.strip_name_scope, prepend_name_scope=file_names.prepend_name_scope,
        is_dense_tensor_like=file_names.is_dense_tensor_like, internal_convert_to_tensor=convert_to_tensor,
    ),),
    "python.framework.tensor_shape": (SimpleNamespace(as_shape=TensorShape),),
    "python.lib.io.file_io": (SimpleNamespace(
        FileIO=gfile.GFile, copy=gfile.Copy, create_dir=gfile.MkDir, delete_file=gfile.Remove,
        delete_recursively=gfile.DeleteRecursively, file_exists=gfile.Exists, get_matching_files=gfile.Glob,
        is_directory=gfile.IsDirectory, list_directory=gfile.ListDirectory,
        read_file_to_string=file_names.read_file_to_string, recursive_create_dir=gfile.MakeDirs,
        rename=gfile.Rename, stat=gfile.Stat, walk=gfile.Walk,
        write_string_to_file=file_names.write_string_to_file,
    ),),
    "python.ops.gradient_checker": (SimpleNamespace(
        compute_gradient=compute_gradient, compute_gradient_error=compute_gradient_error,
    ),),
    "python.ops.resource_variable_ops": (SimpleNamespace(is_resource_variable=lambda _: False),),
    "python.ops.variable_scope": (SimpleNamespace(variable=Variable),),
    "python.tools.freeze_graph": (SimpleNamespace(freeze_graph=file_names.freeze_graph),),
    "python.training.summary_io": (SimpleNamespace(SummaryWriterCache=FileWriterCache),),
    "python.util.all_util": (SimpleNamespace(remove_undocumented=lambda *_, **__: None),),
    "python.training.moving_averages": (SimpleNamespace(assign_moving_average=assign_moving_average),),
    "core.protobuf.rewriter_config_pb2": _REWRITES,
    **dict.fromkeys([
        "python.ops.rnn_cell", "python.ops.rnn_cell_impl", "contrib.rnn.python.ops.core_rnn_cell",
        "contrib.rnn.python.ops.core_rnn_cell_impl", "contrib.rnn.python.ops.rnn_cell", "models.rnn.rnn_cell",
    ], _CELLS),
    "python.framework.function": (SimpleNamespace(Defun=Defun),),
    "python.framework.smart_cond": (SimpleNamespace(smart_cond=smart_cond, smart_constant_value=constant_value),),
    **dict.fromkeys(["contrib.util", "python.framework.tensor_util"], (SimpleNamespace(
        constant_value=get_static_value,
    ),)),
    "python.eager.context": (SimpleNamespace(
        executing_eagerly=_is_eager, in_eager_mode=_is_eager, in_graph_mode=lambda: True,
    ),),
    "python.util.tf_inspect": (SimpleNamespace(getargspec=getargspec), inspect),
    "python.ops.inplace_ops": (SimpleNamespace(
        alias_inplace_update=_rows(tensor_scatter_nd_update), alias_inplace_add=_rows(tensor_scatter_nd_add),
        alias_inplace_sub=_rows(tensor_scatter_nd_sub),
    ),),
    **dict.fromkeys([f"python.ops.gen_{each}_ops" for each in ("array", "math", "nn", "image")], (_Raw(),)),
}  # fmt: skip
"""Paths of files -> what has their names, before the namespaces of `module_paths`."""
