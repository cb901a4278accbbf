"""Building: what a call of an op does until its node stands in the graph.

bind arguments -> convert Python values to constants -> unify dtypes -> convert attributes -> shape rule -> append.
Everything is checked before the node exists, and the conversions stand in a transaction, so a call that fails adds
nothing. Errors of rules leave here with a full report: the call, its line, each operand and the line that made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...errors import BuildError, DTypeError, GraphError, UseError, ValueRuleError
from ..common.source_location import user_origins
from ..declare.parameters import bare
from ..diagnostics.broadcast_trap import BROADCAST_WARNINGS, warn_of_trap
from ..diagnostics.error_report import report_on_op, warn_of_claims, warn_of_mistake
from ..model.append import append_operation
from ..model.context import defaults
from ..model.default_graph import get_default_graph, target_graph
from ..model.nodes import Graph, Operation, Tensor
from ..shapes.dimension import SizeClaim
from ..shapes.dtypes import DType, dtypes_in
from ..shapes.shape import TensorShape
from ..shapes.size_claims import claiming, collector
from .capturing import with_captures
from .convert import check_one_graph, convert, first_tensor, two_graphs
from .registered_conversions import conversions

if TYPE_CHECKING:
    from ..declare.op_declaration import OpDef
    from ..declare.parameters import Operand


def build(opdef: OpDef[Any, Any], values: tuple[Any, ...]) -> Any:
    """Add the node that `opdef` called with `values` (in the order of its signature) makes; return its outputs."""
    graph: Graph | None = None
    only_tensors = opdef.prepare_rule is None
    for position, _, operand in opdef.operands:
        value = values[position]
        if value.__class__ is Tensor and not operand.many:
            if graph is None:
                graph = value.op.graph
        else:
            only_tensors = False
    # A device function is the one thing that may fail after the name is taken: then the call is a transaction too.
    if only_tensors and graph is not None and graph.surroundings.device.__class__ is str:
        stack = defaults.stack
        if (not stack or stack[-1] is graph) and graph.outer is None:  # the graph of a body captures what is outside
            return finished(opdef, graph, list(values[:-1]), values[-1], None)
    controls: list[Operation] = []
    if opdef.bodies:
        values = (*with_captures(opdef, values[:-1]), values[-1])
        controls = [c for place in opdef.bodies for c in getattr(values[place], "controls", ())]
    try:
        graph = target_graph(_decider(opdef, values))
    except GraphError as error:
        report_on_op(error, opdef, list(values[:-1]), values[-1])
        raise
    if controls:
        with graph.control_dependencies(controls):
            return graph.journal.all_or_nothing(_convert_and_finish, opdef, graph, values)
    return graph.journal.all_or_nothing(_convert_and_finish, opdef, graph, values)


def _decider(opdef: OpDef[Any, Any], values: tuple[Any, ...]) -> Tensor | None:
    """The first tensor among the operands; a registered object, of which one would be made, where there is none."""
    kinds = conversions.kinds
    for of_kinds in (False, True) if kinds else (False,):
        for position, _, _ in opdef.operands:
            value = values[position]
            if value.__class__ is Tensor:
                return value
            if not kinds or isinstance(value, kinds) is of_kinds:
                found = first_tensor(value)
                if found is not None:
                    return found
    return None


def _convert_and_finish(opdef: OpDef[Any, Any], graph: Graph, values: tuple[Any, ...]) -> Any:
    args = list(values[:-1])
    name = values[-1]
    if name is not None and not isinstance(name, str):
        raise _no_name(opdef, name)
    if graph is not get_default_graph():
        with graph.as_default():
            return _convert_and_finish(opdef, graph, values)
    try:
        if opdef.prepare_rule is not None:
            if conversions.kinds:
                _convert_registered(opdef, graph, args)
            check_one_graph(graph, args)  # what prepare builds in another graph would not be undone
            prepared = opdef.prepare_rule(*args, name)
            if not isinstance(prepared, tuple):
                return prepared
            args = list(prepared)
        full_name = _claim(graph, opdef, name) if opdef.operands else None
        dtypes: dict[str, DType] = {}
        for position, parameter, operand in opdef.operands:
            args[position] = _operand(graph, args[position], parameter, operand, dtypes, full_name)
    except BuildError as error:
        error.is_reported = error.is_reported and bool(error.step)  # a conversion is not a step
        report_on_op(error, opdef, args, name)
        raise
    return finished(opdef, graph, args, name, full_name)


def _convert_registered(opdef: OpDef[Any, Any], graph: Graph, args: list[Any]) -> None:
    """Registered objects among `args` become tensors, of the dtype of a tensor that must have the same."""
    kinds = {operand.var: args[place].dtype for place, _, operand in opdef.operands if isinstance(args[place], Tensor)}
    for place, parameter, operand in opdef.operands:
        if isinstance(args[place], conversions.kinds):
            wanted = kinds.get(operand.var) if operand.var else None
            args[place] = convert(graph, args[place], wanted, None, parameter, parameter)


def _operand(
    graph: Graph, value: Any, parameter: str, operand: Operand, dtypes: dict[str, DType], full_name: str | None
) -> Any:
    """One argument as a tensor, or as a tuple of tensors; the first of a dtype variable decides for the others."""
    if value is None and operand.optional:
        return None
    wanted = dtypes.get(operand.var) if operand.var else None
    if wanted is None and operand.allowed & (operand.allowed - 1) == 0:
        wanted = dtypes_in(operand.allowed)[0]  # only one dtype is allowed: Python values become that
    prefix = full_name or ""
    if not operand.many:
        try:
            tensor = convert(graph, value, wanted, operand.prefer, f"{prefix}/{parameter}/", parameter)
        except ValueRuleError as error:
            if operand.host and error.code == "value/none":  # a shape, as a placeholder would take it
                error.cure = "Give ints, or scalar tensors such as tf.shape(x)[0]; reshape works out a -1."
            raise
        if operand.var:
            dtypes.setdefault(operand.var, tensor.dtype)
        return tensor
    if isinstance(value, Tensor) or not isinstance(value, (list, tuple)):
        raise DTypeError(f"{parameter} must be a list or tuple of tensors, not {_kind(value)}")
    # In a list of one dtype any tensor decides that of the Python values beside it.
    if wanted is None and operand.var is not None:
        decider = next((t for t in map(first_tensor, value) if t is not None), None)
        wanted = None if decider is None else decider.dtype
    tensors = tuple(
        convert(graph, v, wanted, operand.prefer, f"{prefix}/{parameter}_{i}/", f"{parameter}[{i}]")
        for i, v in enumerate(value)
    )
    if operand.var and tensors:
        dtypes.setdefault(operand.var, tensors[0].dtype)
    return tensors


def finished(opdef: OpDef[Any, Any], graph: Graph, args: list[Any], name: Any, full_name: str | None) -> Any:
    """Check tensors and attributes, infer, and append."""
    origins = graph.surroundings.origins or user_origins()
    try:
        inputs = tuple(args) if opdef.is_plain else flatten(opdef, args)
        dtypes = unify(opdef, graph, args)
        for position, attr in opdef.attrs:
            args[position] = _attribute(attr.name, attr.convert, args[position])
        outer = collector.found  # `claiming`, inlined: 0.1 us of 5
        claims = collector.found = []
        try:
            shapes = opdef.shape_rule(*args)
        finally:
            collector.found = outer
        outputs = _outputs(opdef, args, dtypes, shapes)
        graph.check_open()
        if opdef.mistake_rule is not None and (mistake := opdef.mistake_rule(*args)) is not None:
            warn_of_mistake(opdef, args, mistake)
        if opdef.suspicion_rule is not None and BROADCAST_WARNINGS.are_on and opdef.suspicion_rule(*args):
            warn_of_trap(opdef, args, outputs[0][1])
        if claims:
            warn_of_claims(opdef, args, graph, claims)
        if full_name is None:
            full_name = _claim(graph, opdef, name)
    except BuildError as error:
        report_on_op(error, opdef, args, name)
        raise
    bound = inputs if opdef.is_plain else tuple(args)
    op = append_operation(graph, opdef, bound, inputs, outputs, full_name, origins)
    if claims:
        graph.claims(op, claims)
    return result_of(op)


Outputs: TypeAlias = Sequence[tuple[DType, TensorShape]]


def infer(opdef: OpDef[Any, Any], args: list[Any]) -> tuple[tuple[Tensor, ...], Outputs]:
    """The inputs of a node of `opdef` with bound arguments, and its outputs' dtypes and shapes: for passes.

    Claims are dropped: a pass keeps those of the nodes that the user made.
    """
    inputs, outputs, _ = infer_with_claims(opdef, args)
    return inputs, outputs


def infer_with_claims(
    opdef: OpDef[Any, Any], args: list[Any]
) -> tuple[tuple[Tensor, ...], Outputs, list[SizeClaim]]:
    """As `infer`, and the claims about sizes that the outputs' shapes rest on."""
    dtypes = {
        operand.var: (args[position][0] if operand.many else args[position]).dtype
        for position, _, operand in reversed(opdef.operands)
        if operand.var and args[position] is not None and args[position] != ()
    }
    inputs = tuple(args) if opdef.is_plain else flatten(opdef, args)
    shapes, claims = claiming(opdef.shape_rule, args)
    return inputs, _outputs(opdef, args, dtypes, shapes), claims


def result_of(op: Operation) -> Any:
    """What the call that made `op` returns: a tensor, a list or tuple of them, or the operation itself."""
    returns = op.opdef.returns
    if returns == "tensor":
        return op.outputs[0]
    if returns == "list":
        return list(op.outputs)
    return op.outputs if returns == "tuple" else op


def _claim(graph: Graph, opdef: OpDef[Any, Any], name: Any) -> str:
    if name is None:
        return graph.claim(opdef.default_name)
    if not isinstance(name, str):
        raise _no_name(opdef, name)
    if name != opdef.default_name:
        graph.check_name(name)
    return graph.claim(name)


def _no_name(opdef: OpDef[Any, Any], name: object) -> UseError:
    return UseError(
        f"{opdef.__name__}{bare(opdef.signature)}: name={name!r}: a name is a str, not {type(name).__name__}; "
        "perhaps the call has an argument too many, or one that belongs into a list"
    )


def flatten(opdef: OpDef[Any, Any], args: Sequence[Any]) -> tuple[Tensor, ...]:
    """The tensors among bound arguments, in order: a node's inputs."""
    inputs: list[Tensor] = []
    for position, _, operand in opdef.operands:
        value = args[position]
        if operand.many:
            inputs.extend(value)
        elif value is not None:
            inputs.append(value)
    return tuple(inputs)


def unify(opdef: OpDef[Any, Any], graph: Graph, args: list[Any]) -> dict[str, DType]:
    """Check that tensors belong to this graph, that dtypes are allowed, and that variables have one dtype each."""
    dtypes: dict[str, DType] = {}
    first: dict[str, str] = {}
    index = 0
    for position, parameter, operand in opdef.operands:
        value = args[position]
        if value is None:
            continue
        for i, tensor in enumerate(value if operand.many else (value,)):
            if tensor.op.graph is not graph:
                raise two_graphs(tensor, graph, index)
            dtype = tensor.dtype
            if operand.var is not None:
                other = dtypes.get(operand.var)
                if other is None:
                    dtypes[operand.var] = dtype
                    first[operand.var] = f"{parameter}[{i}]" if operand.many else parameter
                elif other is not dtype:
                    label = f"{parameter}[{i}]" if operand.many else parameter
                    if not operand.allowed & (operand.allowed - 1):
                        raise _not_allowed(opdef, label, tensor, dtypes_in(operand.allowed), index)
                    raise _mismatch(opdef, label, dtype, first[operand.var], other, index)
            if not dtype.bit & operand.allowed:
                label = f"{parameter}[{i}]" if operand.many else parameter
                raise _not_allowed(opdef, label, tensor, dtypes_in(operand.allowed), index)
            index += 1
    return dtypes


def _mismatch(opdef: OpDef[Any, Any], label: str, dtype: DType, first: str, wanted: DType, index: int) -> DTypeError:
    """Two operands that must share a dtype do not."""
    parameter, _, rest = label.partition("[")
    if rest and first.startswith(f"{parameter}["):
        found = f"Tensors in list passed to '{parameter}' of '{opdef.type}' Op have types that don't all match: "
        found += f"{first} is {wanted}, {label} is {dtype}"
    else:
        found = f"Input '{label}' of '{opdef.type}' Op has type {dtype} that does not match type {wanted} of "
        found += f"argument '{first}'; operands must share one dtype"
    # An int becomes a float, and not the other way round.
    keeps = (dtype.is_floating and wanted.is_integer) or (dtype.is_complex and not wanted.is_complex)
    cure = f"Write tf.cast({first}, tf.{dtype})" if keeps else f"Write tf.cast({label}, tf.{wanted})"
    cure += " if that is meant."
    return DTypeError(found, operand=index, cure=cure, code="dtype/differ")


def _not_allowed(
    opdef: OpDef[Any, Any], label: str, tensor: Tensor, allowed: tuple[DType, ...], index: int
) -> DTypeError:
    """An operand's dtype is none of those that the op takes."""
    dtype = tensor.dtype
    if len(allowed) > 1:
        names = ", ".join(d.name for d in allowed)
        found = f"Value passed to parameter '{label}' has DataType {dtype} not in list of allowed values: {names}"
    elif label.endswith("]"):
        parameter = label.partition("[")[0]
        found = f"Tensors in list passed to '{parameter}' of '{opdef.type}' Op have types that do not match "
        found += f"expected type {allowed[0]}: {label} is {dtype}"
    else:
        found = f"Input '{label}' of '{opdef.type}' Op has type {dtype} that does not match expected type of "
        found += f"{allowed[0]}"
    return DTypeError(found, operand=index, cure=_cast_cure(label, tensor, allowed), code="dtype/not-allowed")


def _cast_cure(label: str, tensor: Tensor, allowed: tuple[DType, ...]) -> str | None:
    """The cast that would be allowed, where numbers are wanted; the number to write for a constant."""
    dtype = tensor.dtype
    if dtype.is_string or dtype.is_complex or any(d.is_string for d in allowed):
        return None
    takes_ints = any(d.is_integer for d in allowed)
    if tensor.op.opdef.facts.is_constant and tensor.shape.ndims == 0 and dtype.is_floating and takes_ints:
        value = tensor.op.args[0].item()
        return f"Write {int(value)}: {label} is an int." if value == value // 1 else f"{label} is an int."
    usual = "int32" if takes_ints else "float32"
    wanted = next((d for d in allowed if d.name == usual), allowed[0])
    shares = ", or tf.float32 for shares," if dtype.is_bool and takes_ints and len(allowed) > 3 else ""
    return f"Write tf.cast({label}, tf.{wanted}){shares} if that is meant."


def _attribute(parameter: str, check: Any, value: Any) -> Any:
    try:
        return check(value)
    except DTypeError as error:
        about = error.message if error.code == "dtype/unknown" else _about(parameter, error.message)
        raise DTypeError(about, cure=error.cure, code=error.code) from None
    except ValueRuleError as error:
        raise ValueRuleError(_about(parameter, error.message), cure=error.cure, code=error.code) from None


def _about(parameter: str, message: str) -> str:
    return f"{parameter}{':' if message[:1].isupper() else ''} {message}"


def _outputs(
    opdef: OpDef[Any, Any], args: list[Any], dtypes: dict[str, DType], shapes: Any
) -> Sequence[tuple[DType, TensorShape]]:
    out = opdef.out
    if shapes.__class__ is TensorShape:
        if opdef.out_is_variable and isinstance(out, str) and out in dtypes:  # the common case: saves 0.4 us of 6
            return ((dtypes[out], shapes),)
        shapes = (shapes,)
    elif opdef.is_from_outside and not _are_shapes(shapes):
        raise TypeError(
            f"the shape rule of the op {opdef.type!r} gives {shapes!r}; it must give a TensorShape, such as "
            "shape_of([2, 3]), or a list of them for several results"
        )
    if callable(out) and not isinstance(out, DType):
        out = out(*args)
    if not isinstance(out, tuple):
        dtype = _output_dtype(opdef, out, args, dtypes)
        return [(dtype, shape) for shape in shapes]
    return [(_output_dtype(opdef, o, args, dtypes), shape) for o, shape in zip(out, shapes, strict=True)]


def _are_shapes(found: Any) -> bool:
    return isinstance(found, (list, tuple)) and all(isinstance(each, TensorShape) for each in found)


def _output_dtype(opdef: OpDef[Any, Any], out: Any, args: list[Any], dtypes: dict[str, DType]) -> DType:
    if isinstance(out, DType):
        return out
    found = dtypes.get(out)
    return args[opdef.parameters.index(out)] if found is None else found


def _kind(value: Any) -> str:
    return f"the tensor {value.name!r}" if isinstance(value, Tensor) else f"{type(value).__name__}"
