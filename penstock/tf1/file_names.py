"""Functions of TensorFlow's files for programs that handle files and graphs: `file_io`, `freeze_graph`, scopes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import Graph, GraphDef, Session, Tensor, Variable, graph_util, import_graph_def, saved_model, train
from ..gfile import GFile
from ..interchange.protos.message_texts import Merge


def read_file_to_string(filename: str, binary_mode: bool = False) -> str | bytes:
    """What a file holds: a text, or bytes in binary mode.

    Raises:
        NotFoundError: there is no such file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/note"
    >>> write_string_to_file(path, "two words")
    >>> read_file_to_string(path)
    'two words'

    Source: TensorFlow 1.x, `tensorflow.python.lib.io.file_io.read_file_to_string`.
    """
    with GFile(filename, "rb" if binary_mode else "r") as file:
        content: str | bytes = file.read()
    return content


def write_string_to_file(filename: str, file_content: str | bytes) -> None:
    """Writes a text or bytes into a file; what it held is gone.

    Source: TensorFlow 1.x, `tensorflow.python.lib.io.file_io.write_string_to_file`.
    """
    with GFile(filename, "wb" if isinstance(file_content, bytes) else "w") as file:
        file.write(file_content)


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A name without the scope that it begins with; the mark of a control edge, or `loc:@`, stays in front.

    >>> strip_name_scope("^tower/loss", "tower"), strip_name_scope("loss", None)
    ('^loss', 'loss')

    Source: TensorFlow 1.x, `tensorflow.python.framework.ops.strip_name_scope`.
    """
    if not export_scope:
        return name
    return re.sub(rf"([\^]|loc:@|^){re.escape(export_scope.rstrip('/'))}[/]+(.*)", r"\1\2", name, count=1)


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """A name inside a scope; the mark of a control edge, or `loc:@`, stays in front.

    >>> prepend_name_scope("^loss", "tower")
    '^tower/loss'

    Source: TensorFlow 1.x, `tensorflow.python.framework.ops.prepend_name_scope`.
    """
    if not import_scope:
        return name
    return re.sub(r"([\^]|loc:@|^)(.*)", rf"\1{import_scope.rstrip('/')}/\2", name, count=1)


def is_dense_tensor_like(t: Any) -> bool:
    """Whether a value is a tensor or a variable.

    Source: TensorFlow 1.x, `tensorflow.python.framework.ops.is_dense_tensor_like`.
    """
    return isinstance(t, (Tensor, Variable))


def freeze_graph(
    input_graph: str,
    input_saver: str,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = 2,
) -> GraphDef:
    """Writes a graph whose variables are constants: those of a checkpoint.

    Args:
        input_graph: the path of a GraphDef.
        input_saver: the path of a SaverDef; no effect, as the variables are restored by their names.
        input_binary: whether the GraphDef is binary; otherwise it is a text.
        input_checkpoint: the prefix of the checkpoint.
        output_node_names: the nodes to keep, with commas between them.
        restore_op_name: no effect.
        filename_tensor_name: no effect.
        output_graph: the path to write; empty for no file.
        clear_devices: whether the nodes lose their devices.
        initializer_nodes: nodes to run after the variables are restored, with commas between them.
        variable_names_whitelist: the variables that become constants, with commas between them; empty for all.
        variable_names_blacklist: the variables that stay.
        input_meta_graph: the path of a MetaGraph, in the place of `input_graph`.
        input_saved_model_dir: the folder of a SavedModel, in the place of both.
        saved_model_tags: the tags of its graph, with commas between them.
        checkpoint_version: no effect.

    Returns:
        The GraphDef.

    Raises:
        ValueError: no node is named, or one that the graph does not have.
        NotFoundError: a file is missing.

    Source: TensorFlow 1.x, `tensorflow.python.tools.freeze_graph.freeze_graph`.
    """
    if not output_node_names:
        raise ValueError("freeze_graph: output_node_names is empty; name the nodes to keep, such as \"softmax\"")
    with Graph().as_default() as graph, Session(graph=graph) as session:
        if input_saved_model_dir:
            saved_model.loader.load(session, saved_model_tags.split(","), input_saved_model_dir)
        elif input_meta_graph:
            saver = train.import_meta_graph(input_meta_graph, clear_devices=clear_devices)
            if saver is not None:  # None: the graph has no variables
                saver.restore(session, input_checkpoint)
        else:
            _restored(session, _read_graph(input_graph, input_binary, clear_devices), input_checkpoint)
        if initializer_nodes:
            session.run(initializer_nodes.replace(" ", "").split(","))
        frozen: GraphDef = graph_util.convert_variables_to_constants(
            session, session.graph_def, output_node_names.replace(" ", "").split(","),
            variable_names_whitelist.replace(" ", "").split(",") if variable_names_whitelist else None,
            variable_names_blacklist.replace(" ", "").split(",") if variable_names_blacklist else None,
        )  # fmt: skip
    if output_graph:
        with GFile(output_graph, "wb") as file:
            file.write(frozen.SerializeToString())
    return frozen


def _read_graph(path: str, is_binary: bool, clears_devices: bool) -> GraphDef:
    definition = GraphDef()
    if is_binary:
        with GFile(path, "rb") as file:
            definition.ParseFromString(file.read())
    else:
        Merge(read_file_to_string(path), definition)
    if clears_devices:
        for node in definition.node:
            node.device = ""
    return definition


def _restored(session: Session, definition: GraphDef, prefix: str) -> None:
    """Adds the graph, and gives its variables the values that the checkpoint has under their names."""
    import_graph_def(definition, name="")
    shapes: Mapping[str, Sequence[int]] = train.load_checkpoint(prefix).get_variable_to_shape_map()
    nodes = [op for op in session.graph.get_operations() if op.opdef.facts.state == "holds" and op.name in shapes]
    # A GraphDef has no collections, so that its variables are found by their nodes.
    train.Saver({op.name: Variable._standing_for(op, None, False) for op in nodes}).restore(session, prefix)
