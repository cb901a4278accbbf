"""Reading a MetaGraphDef into a graph: its nodes, its collections and its Saver."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any, Final

from ...errors import GraphError, GraphFormatError, NotFoundError, UseError
from ...graph.common.file_errors import file_errors
from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.serial.error_text import brief
from ...graph.serial.limits import DEFAULT_LIMITS, read_limited
from ...interchange.checkpoints.meta_graph_messages import CollectionEntry, MetaGraphProto, SaverDef, VariableProto
from ...interchange.tensorflow.graphdef_reader import LoadedGraphDef, add_graphdef
from ...interchange.tensorflow.wire.messages import GraphProto
from ...interchange.tensorflow.wire.text_format import from_text
from ...interchange.wire.wire_format import decode
from ...variables.variable import GLOBAL, TRAINABLE, Variable
from .saver import Saver

_OF_VARIABLES = (GLOBAL, TRAINABLE, "local_variables", "model_variables", "moving_average_variables", "global_step",
                 "metric_variables", "trainable_resource_variables")  # fmt: skip
_OF_CONTROL_FLOW: Final = ("while_context", "cond_context")
"""What TensorFlow keeps of the nodes of old loops and branches, which are one operation each here."""
_SAVERS = "savers"
_QUEUE_RUNNERS = "queue_runners"
_NAMES = ("_penstock_name", "_penstock_initial", "_penstock_variable")


@hides_frames
def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    *,
    allow_missing: bool = False,
    **unused: Any,
) -> Saver | None:
    """Adds a graph that `export_meta_graph` or `Saver.save` wrote, here or in TensorFlow, to the default graph.

    Args:
        meta_graph_or_file: the .meta file, or a `MetaGraphDef`.
        clear_devices: whether devices are left out.
        import_scope: a scope that is put before every name.
        allow_missing: True leaves out nodes that have no counterpart here, and those that need them.
        unused: further arguments of TensorFlow's function are refused.

    Returns:
        A Saver that runs the nodes of the imported one; without these, one for the imported variables, or None.

    Raises:
        GraphFormatError (a ValueError): the file is damaged, nodes have no counterpart here (the message lists their
            ops), or names are taken. Nothing is added then.
        OpError: the file cannot be read.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable([1.0, 2.0], name="v")
    ...     session.run(v.initializer)
    ...     path = tf.train.Saver().save(session, folder + "/model")
    ...     with tf.Graph().as_default(), tf.Session() as other:
    ...         tf.train.import_meta_graph(path + ".meta").restore(other, path)
    ...         print(other.run("v:0"))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.train.import_meta_graph`.
    """
    if unused:
        raise UseError(f"import_meta_graph: {', '.join(sorted(unused))} cannot be given")
    proto, file = _read(meta_graph_or_file)
    nodes = copy.deepcopy(proto.graph_def) or GraphProto()
    scope = import_scope.rstrip("/") if import_scope else ""
    for node in nodes.nodes if clear_devices else ():
        node.device = ""
    if scope:
        _put_into_scope(nodes, scope)
    graph = get_default_graph()
    if graph.finalized:
        raise GraphError("import_meta_graph: the default graph is finalized and cannot be changed")
    tried = add_graphdef(nodes, file, Graph())
    if tried.missing and not allow_missing:
        raise GraphFormatError(f"import_meta_graph({file!r}): {tried.report}.{tried.why} Nothing was added; "
                               "allow_missing=True adds the part that is supported")  # fmt: skip
    taken = {op.name for op in graph.get_operations()} & {op.name for op in tried.graph.get_operations()}
    if taken:
        raise GraphFormatError(f"import_meta_graph({file!r}): the default graph has {len(taken)} of its names already, "
                               f"such as {min(taken)!r}; import it into a new graph, or give import_scope")  # fmt: skip
    try:
        with tried.graph.as_default():
            _with_collections(proto, tried.graph, scope, tried)
    except GraphFormatError as error:
        raise GraphFormatError(f"import_meta_graph({file!r}): {brief(error)}", code=error.code) from None
    loaded = add_graphdef(nodes, file, graph)
    return _with_collections(proto, graph, scope, loaded)


def _read(given: Any) -> tuple[MetaGraphProto, str]:
    if hasattr(given, "SerializeToString"):  # of Penstock, or of protobuf's own classes
        return decode(MetaGraphProto, given.SerializeToString()), "MetaGraphDef"
    path = os.fsdecode(given)
    if not os.path.exists(path) and os.path.exists(f"{path}.meta"):
        raise NotFoundError(message=f"import_meta_graph: there is no file {path!r}; this is the path of a checkpoint, "
                            f"whose graph is in {path + '.meta'!r}")  # fmt: skip
    with file_errors(f"import_meta_graph: {path!r} cannot be read"):
        content = read_limited(Path(path), DEFAULT_LIMITS.file_bytes)
    try:
        return decode(MetaGraphProto, content), path
    except GraphFormatError as error:
        try:
            return from_text(MetaGraphProto, content.decode("utf-8")), path
        except (GraphFormatError, UnicodeDecodeError):
            raise GraphFormatError(f"import_meta_graph: {path!r} is damaged or no MetaGraphDef: {error}") from None


def _put_into_scope(graph: GraphProto, scope: str) -> None:
    for node in graph.nodes:
        node.name = f"{scope}/{node.name}"
        node.inputs = [f"^{scope}/{each[1:]}" if each[:1] == "^" else f"{scope}/{each}" for each in node.inputs]
        for entry in node.attrs:
            if entry.key in _NAMES and entry.value is not None and entry.value.s is not None:
                entry.value.s = scope.encode() + b"/" + entry.value.s


def _with_collections(proto: MetaGraphProto, graph: Graph, scope: str, loaded: LoadedGraphDef) -> Saver | None:
    """Fill the collections; the Saver of the file, or one for its variables."""
    before = f"{scope}/" if scope else ""
    by_name: dict[str, Variable] = {}
    trainable = {
        each.variable_name for entry in proto.collections if entry.key == TRAINABLE for each in _variables_in(entry)
    }
    for entry in proto.collections:
        if entry.key in _OF_CONTROL_FLOW:
            continue
        for value in _values(entry, graph, before, by_name, trainable):
            graph.add_to_collection(entry.key, value)
    definition = proto.saver_def
    if definition is not None and definition.restore_op_name:
        try:
            graph.get_operation_by_name(before + definition.restore_op_name)
        except (KeyError, ValueError):
            pass
        else:
            return _saver(definition, scope)
    variables = [v for v in graph.get_collection(GLOBAL) if v in by_name.values()]
    if not variables:
        return None
    try:
        with graph.as_default():
            return Saver(variables)
    except ValueError as error:
        raise GraphFormatError(f"no Saver can be made of its variables: {brief(error)}") from None


def _saver(definition: SaverDef, scope: str) -> Saver:
    try:
        return Saver(saver_def=definition, name=scope or None)
    except ValueError as error:
        raise GraphFormatError(f"its saver is incomplete: {brief(error)}") from None


def _variables_in(entry: CollectionEntry) -> list[VariableProto]:
    if entry.value is None or entry.value.bytes_list is None:
        return []
    return [decode(VariableProto, content) for content in entry.value.bytes_list.value]


def _values(
    entry: CollectionEntry, graph: Graph, before: str, by_name: dict[str, Variable], trainable: set[str]
) -> list[Any]:
    """The values of a collection whose nodes are in the graph."""
    value = entry.value
    if value is None:
        return []
    if value.node_list is not None:
        names = [before + name for name in value.node_list.value]
        return [element for name in names if (element := _element(graph, name)) is not None]
    if value.int64_list is not None:
        return list(value.int64_list.value)
    if value.float_list is not None:
        return list(value.float_list.value)
    if value.bytes_list is None:
        return []
    if entry.key == _SAVERS:
        definitions = [decode(SaverDef, content) for content in value.bytes_list.value]
        return [_saver(each, before[:-1]) for each in definitions]
    if entry.key == _QUEUE_RUNNERS:
        load("penstock.train.checkpoints.queue_runner_messages")
        from .queue_runner_messages import queue_runners_in  # loaded on demand

        return queue_runners_in(value.bytes_list.value, graph, before)
    if entry.key not in _OF_VARIABLES:
        return list(value.bytes_list.value)
    variables = [_variable(each, graph, before, by_name, trainable) for each in _variables_in(entry)]
    return [each for each in variables if each is not None]


def _element(graph: Graph, name: str) -> Tensor | Operation | None:
    try:
        return graph.as_graph_element(name)
    except (KeyError, ValueError):
        return None


def _variable(
    proto: VariableProto, graph: Graph, before: str, by_name: dict[str, Variable], trainable: set[str]
) -> Variable | None:
    """The variable that a message describes, one object for each; None if its node was left out."""
    name = proto.variable_name
    if name not in by_name:
        node = _element(graph, before + name.partition(":")[0])
        initializer = _element(graph, before + proto.initializer_name) if proto.initializer_name else None
        if not isinstance(node, Operation) or node.opdef.facts.state != "holds":
            return None
        first = initializer if isinstance(initializer, Operation) else None
        variable = by_name[name] = Variable._standing_for(node, first, proto.trainable or name in trainable)
        part = proto.slice_info
        if part is not None and part.full_shape:
            variable._set_save_slice_info(
                Variable.SaveSliceInfo(before + part.full_name, part.full_shape, part.var_offset, part.var_shape)
            )
    return by_name[name]
