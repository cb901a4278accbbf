"""Reading SavedModels: `tf.saved_model.loader.load`.

    FOLDER/saved_model.pb          graphs with tags, signatures, names of assets
    FOLDER/variables/variables.*   a checkpoint of their variables
    FOLDER/assets/                 files that they need, such as vocabularies

Nothing in the folder is run but nodes of the graph: those that restore the variables, and the operation that the model
names as its start. A name of an asset that leads out of the folder is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...errors import DecodeError, GraphFormatError, NotFoundError, UseError, ValueRuleError
from ...graph.common.file_errors import file_errors
from ...graph.common.tracebacks import hides_frames
from ...graph.common.weak_table import WeakTable
from ...graph.model.nodes import Graph
from ...graph.serial.error_text import short
from ...graph.serial.limits import DEFAULT_LIMITS, read_limited
from ...interchange.checkpoints.open_checkpoint import exists
from ...interchange.protos import message_texts
from ...interchange.protos.model_protos import AssetFileDef, MetaGraphDef, SavedModel
from ..checkpoints.meta_graph_import import import_meta_graph
from . import model_constants as names

PathLike = str | bytes | os.PathLike[str]


def maybe_saved_model_directory(export_dir: PathLike) -> bool:
    """Whether a folder may be a SavedModel: whether the file with its graphs is there.

    Args:
        export_dir: the folder.

    Returns:
        A bool.

    >>> import penstock as tf
    >>> tf.saved_model.loader.maybe_saved_model_directory("/no/such/folder")
    False

    Source: TensorFlow 1.x, `tf.saved_model.loader.maybe_saved_model_directory`.
    """
    folder = Path(os.fsdecode(export_dir))
    return any((folder / each).is_file() for each in (names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT))


PATHS_OF_ASSETS: WeakTable[Graph, dict[str, str]] = WeakTable()
"""Where the files of loaded models lie, by the names of their tensors, whose constants say where they once lay."""

contains_saved_model = maybe_saved_model_directory


@hides_frames
def parse_saved_model(export_dir: PathLike) -> SavedModel:
    """The graphs of a SavedModel as messages.

    Args:
        export_dir: the folder.

    Returns:
        A `SavedModel`.

    Raises:
        OpError: the file cannot be read.
        GraphFormatError (a ValueError): it is damaged.
    """
    folder = Path(os.fsdecode(export_dir))
    for name in (names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT):
        path = folder / name
        if not path.is_file():
            continue
        with file_errors(f"the SavedModel {str(path)!r} cannot be read"):
            content = read_limited(path, DEFAULT_LIMITS.file_bytes)
        try:
            if name == names.SAVED_MODEL_FILENAME_PB:
                return SavedModel.FromString(content)
            return message_texts.Parse(content, SavedModel())
        except DecodeError as error:
            raise GraphFormatError(f"{str(path)!r} is damaged or no SavedModel: {error}") from None
    raise NotFoundError(message=f"SavedModel file does not exist at: {os.fsdecode(export_dir)}/"
                        f"{{{names.SAVED_MODEL_FILENAME_PBTXT}|{names.SAVED_MODEL_FILENAME_PB}}}")  # fmt: skip


def meta_graph_with_tags(model: SavedModel, tags: Iterable[str], export_dir: PathLike) -> MetaGraphDef:
    """The graph of a SavedModel that has these tags, and no others.

    Raises:
        RuntimeError: there is none.
    """
    wanted = set(tags)
    for each in model.meta_graphs:
        if set(each.meta_info_def.tags) == wanted:
            return each
    there = "; ".join(", ".join(sorted(each.meta_info_def.tags)) or "none" for each in model.meta_graphs) or "no graph"
    raise RuntimeError(
        f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in SavedModel "
        f"{os.fsdecode(export_dir)!r}; it has graphs with the tags: {there}. Give these tags"
    )


@hides_frames
def load(
    sess: Any,
    tags: Iterable[str] | None = None,
    export_dir: PathLike = "",
    import_scope: str | None = None,
    *,
    allow_missing: bool = False,
    **saver_kwargs: Any,
) -> MetaGraphDef:
    """Loads a model from a SavedModel: its graph into the session's graph, its variables into the session.

    Args:
        sess: the session.
        tags: the tags of the graph, such as [tf.saved_model.tag_constants.SERVING].
        export_dir: the folder.
        import_scope: a scope that is put before every name.
        allow_missing: True leaves out nodes that have no counterpart here, and those that need them.
        saver_kwargs: accepted for TensorFlow's sake.

    Returns:
        The `MetaGraphDef`: its `signature_def` says which tensors to feed and to fetch.

    Raises:
        TypeError: `sess` is no session, `tags` is one text, or the folder is missing.
        RuntimeError: no graph has these tags.
        OpError: a file cannot be read.
        GraphFormatError (a ValueError): a file is damaged, or nodes have no counterpart here.

    >>> import penstock as tf, tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [], name="x")
    ...     w = tf.Variable(3.0, name="w")
    ...     session.run(w.initializer)
    ...     tf.saved_model.simple_save(session, folder, {"x": x}, {"y": x * w})
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     model = tf.saved_model.loader.load(session, [tf.saved_model.tag_constants.SERVING], folder)
    ...     signature = model.signature_def["serving_default"]
    ...     print(session.run(signature.outputs["y"].name, {signature.inputs["x"].name: 2.0}))
    6.0

    Source: TensorFlow 1.x, `tf.saved_model.loader.load`.
    """
    if isinstance(sess, (str, bytes, os.PathLike)) and not export_dir:
        wanted = [tags] if isinstance(tags, str) else list(tags or [names.SERVING])
        folder = os.fsdecode(sess)
        raise UseError(f"saved_model.load: got only the folder {folder!r}, as TensorFlow 2 loads; here a session loads "
                       f"the model: write tf.saved_model.load(session, {wanted!r}, {folder!r}), then run what the "
                       "signature_def of the result names")  # fmt: skip
    if not export_dir:
        raise UseError("saved_model.load: export_dir is missing; write load(session, tags, export_dir), where "
                       "export_dir is the folder of the model")  # fmt: skip
    if not isinstance(getattr(sess, "graph", None), Graph):
        raise UseError(f"saved_model.load: sess is {sess!r:.60}; the first argument is a session")
    if isinstance(tags, str):
        turned = isinstance(export_dir, list | tuple)
        cure = f"write load(session, {export_dir!r}, {tags!r})" if turned else f"write [{tags!r}]"
        raise UseError(f"saved_model.load: tags is {tags!r}; it is a list of tags, and before the folder: {cure}")
    model = parse_saved_model(export_dir)
    meta_graph = meta_graph_with_tags(model, tags or (), export_dir)
    with sess.graph.as_default():
        saver = import_meta_graph(meta_graph, import_scope=import_scope, allow_missing=allow_missing)
    before = f"{import_scope.rstrip('/')}/" if import_scope else ""
    prefix = os.path.join(os.fsdecode(export_dir), names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
    if saver is not None and exists(prefix):
        saver.restore(sess, prefix)
    elif saver is not None and meta_graph.HasField("saver_def") and _has_variables(sess.graph):
        raise NotFoundError(message=f"saved_model.load: the model has variables, but there is no checkpoint {prefix!r}")
    _start(sess, meta_graph, export_dir, before)
    return meta_graph


def _has_variables(graph: Graph) -> bool:
    return any(op.opdef.facts.state == "holds" for op in graph.get_operations())


def _start(sess: Any, found: MetaGraphDef, export_dir: PathLike, before: str) -> None:
    """Run the operation with which the model starts; it is fed the paths of the assets."""
    feeds = {before + name: path for name, path in asset_paths(found, export_dir).items()}
    PATHS_OF_ASSETS[sess.graph] = (PATHS_OF_ASSETS.get(sess.graph) or {}) | feeds
    for name in start_operations(found):
        try:
            start = sess.graph.as_graph_element(before + name)
        except (KeyError, ValueError):
            raise GraphFormatError(f"saved_model.load: the model starts with {short(name)}, which its graph does not "
                                   "have") from None  # fmt: skip
        sess.run(start, feeds)


def start_operations(found: MetaGraphDef) -> list[str]:
    """The names of the operations with which a model starts; there is one at most in files of TensorFlow's."""
    signature = found.signature_def.get(names.INIT_OP_SIGNATURE_KEY)
    if signature is not None:
        info = signature.outputs.get(names.INIT_OP_SIGNATURE_KEY)
        if info is not None and info.name:
            return [info.name]
    for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
        listed = found.collection_def.get(key)
        if listed is not None and listed.node_list.value:
            if len(listed.node_list.value) != 1:
                raise ValueRuleError(f"saved_model.load: the model names {len(listed.node_list.value)} operations in "
                                     f"{key}; it starts with one")  # fmt: skip
            return list(listed.node_list.value)
    return []


def _assets(found: MetaGraphDef) -> list[AssetFileDef]:
    """The files that a graph needs; TensorFlow 1 lists them in a collection.

    Raises:
        GraphFormatError: the collection is damaged.
    """
    listed = found.collection_def.get(names.ASSETS_KEY)
    if found.asset_file_def or listed is None:
        return list(found.asset_file_def)
    try:
        return [AssetFileDef.FromString(each.value) for each in listed.any_list.value]
    except DecodeError as error:
        raise GraphFormatError(f"saved_model.load: the collection of assets is damaged: {error}") from None


def asset_paths(found: MetaGraphDef, export_dir: PathLike) -> dict[str, str]:
    """The paths of the assets, by the names of the tensors that are fed them.

    Raises:
        GraphFormatError: a name leads out of the folder.
    """
    folder = os.path.join(os.fsdecode(export_dir), names.ASSETS_DIRECTORY)
    paths = {}
    for asset in _assets(found):
        name = asset.filename
        if not name or os.path.isabs(name) or ".." in Path(name).parts or "\0" in name:
            raise GraphFormatError(f"saved_model.load: the asset {name!r} is not a file in the folder of assets")
        tensor = asset.tensor_info.name
        paths[tensor if ":" in tensor else f"{tensor}:0"] = os.path.join(folder, name)
    return paths
