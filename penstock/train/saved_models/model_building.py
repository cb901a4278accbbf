"""Writing SavedModels: `SavedModelBuilder` and `simple_save`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import GraphFormatError, UseError, ValueRuleError
from ...graph.common.file_errors import UNCHANGED, file_errors
from ...graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.tensor_source import TensorSource
from ...interchange.checkpoints.whole_files import write_whole
from ...interchange.protos.message_texts import MessageToString
from ...interchange.protos.model_protos import MetaGraphDef, SavedModel, SignatureDef
from ...interchange.wire.wire_format import encode
from ...runtime.base.fp_context import collector_paused
from ...variables.graph_keys import GraphKeys
from ...variables.variable import GLOBAL
from ..checkpoints.meta_graph import meta_graph_message
from ..checkpoints.saver import Saver
from . import model_constants as names
from .model_loading import PATHS_OF_ASSETS
from .signatures import predict_signature_def

_ASSETS = "asset_filepaths"


@hides_frames_of_methods
class SavedModelBuilder:
    """Writes a model into a new folder: graphs with tags and signatures, the values of variables, files.

    Args:
        export_dir: the folder, which must not exist or be empty.

    Raises:
        ValueError: there is something in the folder.

    >>> import penstock as tf, tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable(3.0, name="w")
    ...     session.run(w.initializer)
    ...     builder = tf.saved_model.builder.SavedModelBuilder(folder)
    ...     builder.add_meta_graph_and_variables(session, ["serve"])
    ...     builder.save().endswith("saved_model.pb")
    True

    Source: TensorFlow 1.x, `tf.saved_model.builder.SavedModelBuilder`.
    """

    def __init__(self, export_dir: str | bytes | os.PathLike[str]) -> None:
        self._folder = Path(os.fsdecode(export_dir))
        self._model = SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION)
        self._has_variables = False
        if self._folder.is_dir() and any(self._folder.iterdir()):
            raise ValueRuleError(f"SavedModelBuilder: Export directory already exists, and isn't empty: "
                                 f"{os.fsdecode(export_dir)!r}. Choose another one, or empty it")  # fmt: skip

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
        assets_list: Iterable[Any] | None = None,
        train_op: Any = None,
    ) -> None:
        """Adds the session's graph, and writes the values of its variables. It is the first graph of a model.

        Args:
            sess: the session.
            tags: the tags of the graph, such as ["serve"].
            signature_def_map: a dict from keys to `SignatureDef`.
            assets_collection: tensors whose constant values are paths of files that the model needs.
            legacy_init_op: the operation with which the model starts, under its older name.
            clear_devices: whether devices are left out.
            main_op: the operation with which the model starts, such as `tf.tables_initializer()`.
            strip_default_attrs: accepted for TensorFlow's sake.
            saver: writes the variables; without it a new one of all variables.
            assets_list: `assets_collection` under its other name.
            train_op: the operation that trains the model.

        Raises:
            TypeError: an argument is of another type.
            ValueError: there is a graph already, or an op has no counterpart in TensorFlow.
            OpError: a variable has no value, or a file cannot be written.
        """
        if self._has_variables or self._model.meta_graphs:
            raise ValueRuleError("SavedModelBuilder: Graph state including variables and assets has already been saved."
                                 " Please invoke `add_meta_graph()` instead.")  # fmt: skip
        graph: Graph = sess.graph
        with graph.as_default():
            saver = saver or self._saver(graph)
        folder = self._folder / names.VARIABLES_DIRECTORY
        made = self._meta_graph(graph, tags, signature_def_map, _given_assets(assets_collection, assets_list),
                                _start_of(graph, main_op, legacy_init_op), clear_devices, saver, train_op)  # fmt: skip
        with file_errors(f"SavedModelBuilder: the folder {str(folder)!r} cannot be made"):
            folder.mkdir(parents=True, exist_ok=True)
        if saver is not None:
            saver.save(sess, folder / names.VARIABLES_FILENAME, write_meta_graph=False, write_state=False)
        self._model.meta_graphs.append(made)
        self._has_variables = True

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
        assets_list: Iterable[Any] | None = None,
        train_op: Any = None,
        graph: Graph | None = None,
    ) -> None:
        """Adds one more graph, which shares the variables' values of the first.

        Args:
            tags: its tags.
            signature_def_map: as of `add_meta_graph_and_variables`, as the others.
            assets_collection: the same.
            legacy_init_op: the same.
            clear_devices: the same.
            main_op: the same.
            strip_default_attrs: the same.
            saver: the same.
            assets_list: the same.
            train_op: the same.
            graph: the graph; without it the default graph.

        Raises:
            TypeError: an argument is of another type.
            ValueError: there is no first graph yet, or an op has no counterpart in TensorFlow.
        """
        if not self._has_variables:
            raise ValueRuleError("SavedModelBuilder: Graph state including variables and assets has not been saved yet."
                                 " Please invoke `add_meta_graph_and_variables()` first.")  # fmt: skip
        graph = graph or get_default_graph()
        with graph.as_default():
            saver = saver or self._saver(graph)
        self._model.meta_graphs.append(
            self._meta_graph(graph, tags, signature_def_map, _given_assets(assets_collection, assets_list),
                             _start_of(graph, main_op, legacy_init_op), clear_devices, saver, train_op)
        )  # fmt: skip

    def save(self, as_text: bool = False) -> str:
        """Writes the file with the graphs.

        Args:
            as_text: whether it is protobuf's text form.

        Returns:
            The path of the file.

        Raises:
            OpError: it cannot be written.
        """
        name = names.SAVED_MODEL_FILENAME_PBTXT if as_text else names.SAVED_MODEL_FILENAME_PB
        path = self._folder / name
        text = MessageToString(self._model).encode("utf-8") if as_text else self._model.SerializeToString()
        with file_errors(f"the file {str(path)!r} could not be written", UNCHANGED):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(str(path), text)
        return str(path)

    # ---- the parts --------------------------------------------------------------------------

    def _saver(self, graph: Graph) -> Saver | None:
        if not graph.get_collection(GLOBAL) and not graph.get_collection(GraphKeys.SAVEABLE_OBJECTS):
            return None
        return Saver(sharded=False, allow_empty=True)

    def _meta_graph(
        self,
        graph: Graph,
        tags: Sequence[str],
        signatures: Mapping[str, SignatureDef] | None,
        assets: list[Any],
        start: tuple[str, Operation | None],
        clear_devices: bool,
        saver: Saver | None,
        train_op: Any,
    ) -> MetaGraphDef:
        if isinstance(tags, str):
            raise UseError(f"SavedModelBuilder: tags is {tags!r}; it is a list of tags: write [{tags!r}]")
        paths = _paths_of(assets)
        definition = saver.as_saver_def() if saver is not None else None
        try:
            with collector_paused():
                proto = meta_graph_message(graph, definition, None, clear_devices)
        except GraphFormatError as error:
            raise GraphFormatError(f"SavedModelBuilder: {error}", code=error.code) from None
        message = MetaGraphDef.FromString(encode(proto))
        message.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            if not isinstance(signature, SignatureDef):
                raise UseError(f"SavedModelBuilder: signature_def_map[{key!r}] is {signature!r:.60}; it must be a "
                               "SignatureDef")  # fmt: skip
            message.signature_def[key].CopyFrom(signature)
        self._add_nodes(message, start[0], start[1])
        self._add_nodes(message, names.TRAIN_OP_KEY, train_op)
        self._add_assets(message, paths)
        return message

    def _add_nodes(self, made: MetaGraphDef, key: str, op: Any) -> None:
        if op is None:
            return
        if not isinstance(op, (Operation, Tensor)):
            raise UseError(f"SavedModelBuilder: {key} is {op!r:.60}; it must be an operation")
        made.collection_def[key].node_list.value.append(op.name)

    def _add_assets(self, made: MetaGraphDef, paths: dict[str, tuple[str, Tensor]]) -> None:
        if not paths:
            return
        folder = self._folder / names.ASSETS_DIRECTORY
        with file_errors(f"SavedModelBuilder: the folder {str(folder)!r} cannot be made"):
            folder.mkdir(parents=True, exist_ok=True)
        for name, (path, tensor) in paths.items():
            with file_errors(f"SavedModelBuilder: the asset {path!r} cannot be copied"):
                shutil.copyfile(path, folder / name)
            asset = made.asset_file_def.add(filename=name)
            asset.tensor_info.name = tensor.name


def _given_assets(collection: Iterable[Any] | None, listed: Iterable[Any] | None) -> list[Any]:
    return list(collection or ()) + [each for each in listed or () if each not in list(collection or ())]


def _start_of(
    graph: Graph, main_op: Operation | None, legacy: Operation | None
) -> tuple[str, Operation | None]:
    for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
        if (main_op is not None or legacy is not None) and graph.get_collection(key):
            raise ValueRuleError(f"SavedModelBuilder: Graph already contains one or more main ops under the collection "
                                 f"{key}, such as that of a model that was loaded. Leave main_op and legacy_init_op "
                                 f"out to keep it, or write graph.clear_collection({key!r})")  # fmt: skip
    if main_op is not None:
        return names.MAIN_OP_KEY, main_op
    return names.LEGACY_INIT_OP_KEY, legacy


def _paths_of(assets: list[Any]) -> dict[str, tuple[str, Tensor]]:
    """The files of assets by the names that they get in the folder; two files of one name get numbers."""
    paths: dict[str, tuple[str, Tensor]] = {}
    for each in assets:
        tensor = each.element if isinstance(each, TensorSource) else each
        if not isinstance(tensor, Tensor) or not tensor.op.opdef.facts.is_constant or not tensor.dtype.is_string:
            raise UseError(f"SavedModelBuilder: the asset {each!r:.60} is no constant of a path")
        loaded = PATHS_OF_ASSETS.get(tensor.graph) or {}
        path = loaded.get(tensor.name, tensor.op.args[0].item())
        text = path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else str(path)
        name, count = os.path.basename(text), 0
        while name in paths and os.path.abspath(paths[name][0]) != os.path.abspath(text):
            count += 1
            name = f"{os.path.basename(text)}_{count}"
        paths[name] = text, tensor
    return paths


@hides_frames
def simple_save(
    session: Any,
    export_dir: str | bytes | os.PathLike[str],
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Operation | None = None,
) -> None:
    """Writes the session's graph and variables as a SavedModel with the tag "serve" and one signature.

    Args:
        session: the session.
        export_dir: the folder, which must not exist or be empty.
        inputs: a dict from names to the tensors that are fed.
        outputs: a dict from names to the tensors that are fetched.
        legacy_init_op: the operation with which the model starts.

    Raises:
        TypeError: an argument is of another type.
        ValueError: there is something in the folder, or an op has no counterpart in TensorFlow.
        OpError: a variable has no value, or a file cannot be written.

    >>> import os, penstock as tf, tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [], name="x")
    ...     tf.saved_model.simple_save(session, folder, {"x": x}, {"y": x * 2.0})
    >>> sorted(os.listdir(folder))
    ['saved_model.pb', 'variables']

    Source: TensorFlow 1.x, `tf.saved_model.simple_save`.
    """
    builder = SavedModelBuilder(export_dir)
    signatures = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(inputs, outputs)}
    assets = session.graph.get_collection(_ASSETS)
    builder.add_meta_graph_and_variables(
        session, [names.SERVING], signatures, assets, main_op=legacy_init_op, clear_devices=True
    )
    builder.save()
