"""`Saver`: writes the variables of a session to checkpoints, and reads them back.

A Saver adds nodes to the graph, as TensorFlow's does, so that an exported graph can save and restore itself:

    save/Const                 the path, which a run feeds
    save/SaveV2                writes all variables;  save/control_dependency is the path after that
    save/RestoreV2             reads all values;  save/Assign ... write them;  save/restore_all does all of it

A run reads variables as they are at its start, so a checkpoint is of one moment. A restore reads and checks all values
before the first variable gets its own, so nothing is half restored.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from ...errors import FailedPreconditionError, UseError
from ...graph.common.file_errors import file_errors
from ...graph.common.hooks import hooks
from ...graph.common.not_copyable import PART_OF_A_GRAPH, NotCopyable
from ...graph.common.source_location import user_origins
from ...graph.common.tracebacks import hides_frames_of_methods
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Operation, Tensor
from ...interchange.checkpoints.meta_graph_messages import SaverDef
from ...interchange.checkpoints.open_checkpoint import OpenCheckpoint, exists, open_checkpoint
from ...interchange.checkpoints.tensor_slices import parse_slice
from ...interchange.checkpoints.whole_files import kept_on_error
from ...interchange.protos.model_protos import MetaGraphDef
from ...interchange.wire.wire_format import decode
from ...ops.control.control import group, identity
from ...ops.create.constant_and_placeholder import placeholder_with_default
from ...ops.move.reshaping import reshape
from ...ops.state.checkpoint_ops import restore_v2, save_slices, save_v2
from ...ops.state.variable_ops import assign_value
from ...runtime.base.fp_context import collector_paused
from ...runtime.session.variable_store import VariableStore
from ...variables.graph_keys import GraphKeys
from ...variables.variable import GLOBAL
from .checkpoint_files import get_checkpoint_mtimes, meta_graph_filename, remove_saved, why_no_checkpoint, write_state
from .checkpoint_matching import check_matches
from .meta_graph import export_meta_graph, write_meta_graph
from .saved_objects import Saveable, SavedObjects, saved_objects
from .saved_tensors import SavedTensor, saved_tensors

_HOURS = 3600.0


@hides_frames_of_methods
class Saver(NotCopyable):
    """Saves variables to checkpoints and restores them. The files are TensorFlow's.

    Args:
        var_list: the variables, a list, or a dict from names in the checkpoint; without it all global variables, and
            what the collection SAVEABLE_OBJECTS holds: tables that change, positions of iterators. A partitioned
            variable has one name there, and can be restored in other parts or as a whole.
        reshape: whether a value of another shape with as many elements is restored.
        sharded: accepted for TensorFlow's sake: a checkpoint has one data file.
        max_to_keep: how many of the latest checkpoints are kept; None or 0 keeps all.
        keep_checkpoint_every_n_hours: after so many hours one more checkpoint is kept.
        name: the name of the scope of the nodes.
        restore_sequentially: accepted for TensorFlow's sake: tensors are read one after the other.
        saver_def: a `SaverDef` of a Saver whose nodes are in the graph already.
        builder: accepted for TensorFlow's sake.
        defer_build: True adds the nodes when `build` is called.
        allow_empty: whether there may be no variables; saving and restoring then does nothing.
        write_version: `tf.train.SaverDef.V2`, or `V1` for the older format.
        pad_step_number: whether the step in the names of files has eight digits.
        save_relative_paths: whether the file "checkpoint" has paths relative to its folder.
        filename: the path that the nodes use where none is fed.

    Raises:
        TypeError: `var_list` holds something else than variables.
        ValueError: there are no variables, or two have one name.

    >>> import penstock as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable(1.0, name="v")
    ...     saver = tf.train.Saver()
    ...     session.run(v.initializer)
    ...     path = saver.save(session, folder + "/model", global_step=7)
    ...     v.load(5.0)
    ...     saver.restore(session, path)
    ...     print(path[len(folder):], session.run(v))
    /model-7 1.0

    Source: TensorFlow 1.x, `tf.train.Saver`.
    """

    _uncopied = (PART_OF_A_GRAPH, "Make a second one: tf.train.Saver(...).")

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError("Saver: with a var_list there is nothing to wait for; leave out defer_build or var_list")
        if write_version not in (SaverDef.V1, SaverDef.V2):
            raise ValueError(f"Saver: write_version is {write_version!r}; it is tf.train.SaverDef.V1 or V2")
        if hasattr(saver_def, "SerializeToString"):
            saver_def = decode(SaverDef, saver_def.SerializeToString())  # type: ignore[union-attr]  # asked just now
        if saver_def is not None and not isinstance(saver_def, SaverDef):
            raise UseError(f"Saver: saver_def must be a tf.train.SaverDef, not {type(saver_def).__name__}")
        self._var_list = var_list
        self._reshape = reshape
        self._name = name
        self._allow_empty = allow_empty
        self._pad_step_number = pad_step_number
        self._relative = save_relative_paths
        self._filename = filename
        self._settings = SaverDef("", "", "", max_to_keep or 0, bool(sharded), keep_checkpoint_every_n_hours,
                                  write_version)  # fmt: skip
        self._tensors: list[SavedTensor] = []
        self._objects = SavedObjects()
        self._last: list[tuple[str, float]] = []
        self._is_built = False
        self._is_empty = False
        self._next_kept = 0.0
        self.saver_def: SaverDef | None = copy.copy(saver_def)
        """The `SaverDef` that describes it; None before `build`."""
        if not defer_build:
            self.build()

    # ---- nodes ------------------------------------------------------------------------------

    def build(self) -> None:
        """Adds the nodes to the graph, where `defer_build` left that for later.

        Raises:
            TypeError: `var_list` holds something else than variables.
            ValueError: there are no variables, or two have one name.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver(defer_build=True)
        ...     saver.build()
        ...     print(saver.as_saver_def().restore_op_name)
        save/restore_all
        """
        if self._is_built:
            return
        if self.saver_def is not None:
            self._use_nodes(self.saver_def)
        else:
            graph = get_default_graph()
            given = self._var_list
            if given is None:
                given = [*graph.get_collection(GLOBAL), *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)]
            objects, variables = saved_objects(given)
            self._tensors = saved_tensors(variables)
            if not self._tensors and not objects:
                if not self._allow_empty:
                    raise ValueError("Saver: No variables to save: the graph has none, or var_list is empty")
                self._is_empty = self._is_built = True
                return
            graph = self._tensors[0].variable.graph if self._tensors else objects[0].op.graph
            with collector_paused():  # a node for each variable, and no garbage
                self.saver_def = graph.journal.all_or_nothing(self._build, graph, objects)
        self._is_built = True
        self._next_kept = time.time() + self._definition.keep_checkpoint_every_n_hours * _HOURS

    def _use_nodes(self, given: SaverDef) -> None:
        """The nodes of a Saver that are in the graph, below the scope `name` if there is one."""
        if self._name:
            for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
                setattr(given, field, f"{self._name}/{getattr(given, field)}")
        for field in ("save_tensor_name", "restore_op_name"):
            if not getattr(given, field):
                raise ValueError(f"Saver: the saver_def must specify the {field}")

    def _build(self, graph: Graph, objects: Sequence[Saveable]) -> SaverDef:
        around = graph.surroundings
        origins, around.origins = around.origins, around.origins or user_origins()  # all nodes come from one line
        try:
            return self._build_at(graph, objects)
        finally:
            around.origins = origins

    def _build_at(self, graph: Graph, objects: Sequence[Saveable]) -> SaverDef:
        names, parts = [each.name for each in self._tensors], [each.part for each in self._tensors]
        variables = [each.variable for each in self._tensors]
        with graph.as_default(), graph.control_dependencies(None), graph.name_scope(self._name or "save"):
            filename = placeholder_with_default(self._filename or "model", [], name="filename")
            # Named as in TensorFlow, where programs feed "save/Const:0".
            path = placeholder_with_default(filename, [], name="Const")
            save = save_v2 if self._settings.version == SaverDef.V2 else save_slices
            of_objects = [each.parts() for each in objects]
            whole = [pair for each in of_objects for pair in each]
            names, parts = [*names, *[name for name, _ in whole]], [*parts, *[""] * len(whole)]
            tensors = [*[v.element for v in variables], *[tensor for _, tensor in whole]]
            written = save(path, names, parts, tensors)
            with graph.control_dependencies([written]):
                saved = identity(path, name="control_dependency")
            values = restore_v2(path, names, parts, [t.dtype for t in tensors])
            count = len(variables)
            self._objects = SavedObjects.built(objects, of_objects, values[count:])
            restored = group(*map(self._restored, self._tensors, values[:count]), *self._objects.restored,
                             name="restore_all")  # fmt: skip
        settings = copy.copy(self._settings)
        settings.filename_tensor_name, settings.save_tensor_name = path.name, saved.name
        settings.restore_op_name = restored.name
        return settings

    def _restored(self, tensor: SavedTensor, value: Tensor) -> Operation:
        """A node that writes a value that was read to its variable."""
        variable = tensor.variable
        if self._reshape and not tensor.part and variable.shape.is_fully_defined():
            value = reshape(value, variable.shape.as_list())
        with variable.graph.colocate_with(variable):
            written: Operation = assign_value(value, variable.resource, variable.shape, "Assign").op
        return written

    @property
    def _definition(self) -> SaverDef:
        if self.saver_def is None or not self._is_built:
            raise RuntimeError("Saver: call build() before it is used, because it was made with defer_build=True")
        return self.saver_def

    def as_saver_def(self) -> SaverDef:
        """What describes this Saver in a file.

        Returns:
            A `SaverDef`.

        Raises:
            RuntimeError: its nodes are not built yet.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver()
        ...     print(saver.as_saver_def().filename_tensor_name)
        save/Const:0
        """
        return self._definition

    def to_proto(self, export_scope: str | None = None) -> SaverDef | None:
        """What describes this Saver in a file, with names relative to a scope.

        Args:
            export_scope: the scope; without it the names are whole.

        Returns:
            A `SaverDef`; None if its nodes are not in that scope.

        Raises:
            RuntimeError: its nodes are not built yet.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver(name="a/save")
        ...     print(saver.to_proto("a").restore_op_name)
        save/restore_all
        """
        made = copy.copy(self._definition)
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name") if export_scope else ():
            whole = getattr(made, field)
            if not whole.startswith(f"{export_scope}/"):
                return None
            setattr(made, field, whole[len(export_scope or "") + 1 :])
        return made

    @classmethod
    def from_proto(cls, saver_def: SaverDef, import_scope: str | None = None) -> Saver:
        """A Saver whose nodes are in the graph.

        Args:
            saver_def: what describes it.
            import_scope: the scope in which its nodes are.

        Returns:
            A Saver.

        Raises:
            ValueError: it names no nodes.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver()
        ...     print(tf.train.Saver.from_proto(saver.to_proto()).as_saver_def() == saver.as_saver_def())
        True
        """
        return cls(saver_def=saver_def, name=import_scope)

    # ---- which checkpoints are there ----------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints that it keeps, the oldest first."""
        return [path for path, _ in self._last]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Sets the checkpoints that it keeps; these are never removed because of their age.

        Args:
            last_checkpoints: a list of prefixes.

        Raises:
            TypeError: it is no list.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver()
        ...     saver.set_last_checkpoints(["m-1"])
        ...     print(saver.last_checkpoints)
        ['m-1']
        """
        self._last = [(path, float("inf")) for path in _checked_list(last_checkpoints)]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Sequence[tuple[str, float]]) -> None:
        """Sets the checkpoints that it keeps, and when they were written.

        Args:
            last_checkpoints_with_time: a list of pairs (prefix, seconds since 1970).

        Raises:
            TypeError: it is no list.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver()
        ...     saver.set_last_checkpoints_with_time([("m-1", 1.5e9)])
        ...     print(saver.last_checkpoints)
        ['m-1']
        """
        self._last = [(path, when) for path, when in _checked_list(last_checkpoints_with_time)]

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Sets the checkpoints that it keeps to those of the given ones that are there, as after a restart.

        Args:
            checkpoint_paths: prefixes, such as `get_checkpoint_state(folder).all_model_checkpoint_paths`.

        Raises:
            TypeError: a prefix is no path.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver()
        ...     saver.recover_last_checkpoints(["no/such/m-1"])
        ...     print(saver.last_checkpoints)
        []
        """
        found = [(path, get_checkpoint_mtimes([path])) for path in checkpoint_paths]
        self.set_last_checkpoints_with_time([(path, times[0]) for path, times in found if times])

    # ---- saving -----------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: str | bytes | os.PathLike[str],
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes the values that the variables have now to a checkpoint, which appears whole.

        Args:
            sess: the session.
            save_path: the prefix of the files.
            global_step: a number that is added to the prefix, as "-7": an int, a variable, a tensor or its name.
            latest_filename: the name of the file with the state, if it is another than "checkpoint".
            meta_graph_suffix: the ending of the file with the graph.
            write_meta_graph: whether to write the graph, where TensorFlow has counterparts of its ops.
            write_state: whether to write the file "checkpoint", and to remove checkpoints above `max_to_keep`.
            strip_default_attrs: accepted for TensorFlow's sake.
            save_debug_info: accepted for TensorFlow's sake.

        Returns:
            The prefix, for `restore`; None if there are no variables.

        Raises:
            TypeError: `sess` is no session.
            ValueError: the folder does not exist, or `latest_filename` is a path or the name of the checkpoint.
            FailedPreconditionError: a variable has no value.
            OpError: a file cannot be written; what was there before still is.
        """
        checked_session(sess, "save")
        prefix, state_name = os.fsdecode(save_path), latest_filename or "checkpoint"
        if os.path.split(state_name)[0]:
            raise ValueError(f"save: latest_filename is {state_name!r}; it must not contain path components")
        if global_step is not None:
            step = _step_number(sess, global_step)
            prefix = f"{prefix}-{step:08d}" if self._pad_step_number else f"{prefix}-{step}"
        elif os.path.basename(prefix) == state_name:
            raise ValueError(f"save: the checkpoint would have the name of the file with the state, {state_name!r}")
        if self._is_empty:
            return None
        definition = self._definition
        folder = os.path.dirname(prefix)
        if folder and not os.path.isdir(folder):
            raise ValueError(f"save: Parent directory of {prefix} doesn't exist, can't save. Make it first: "
                             f"os.makedirs({folder!r})")  # fmt: skip
        # The graph first: as soon as there is a new checkpoint, there is its graph.
        if write_meta_graph:
            meta = meta_graph_filename(prefix, meta_graph_suffix)
            with kept_on_error(meta):
                self._write_meta_graph(sess.graph, meta)
                self._save_values(sess, prefix, definition)
        else:
            self._save_values(sess, prefix, definition)
        if write_state:
            self._record(prefix, folder, state_name, meta_graph_suffix)
        _note_checkpoint(sess, prefix)
        return prefix

    def _save_values(self, sess: Any, prefix: str, definition: SaverDef) -> None:
        """The same as the nodes do. A run would plan a node for each variable: 4 s for 100,000."""
        names = [each.name for each in self._tensors]
        try:
            if names and not self._objects.names:
                with collector_paused(), hooks.read_values(
                    [each.variable.resource for each in self._tensors], sess.graph, sess
                ) as arrays:  # fmt: skip
                    parts = [each.part for each in self._tensors]
                    hooks.save_tensors(definition.version, prefix, names, parts, arrays)
                return
        except FailedPreconditionError:  # a variable without a value: the run says where it was made
            pass
        sess.run(definition.save_tensor_name, {definition.filename_tensor_name: prefix})

    def _write_meta_graph(self, graph: Graph, path: str) -> None:
        write_meta_graph(path, graph, self._definition)

    def _record(self, path: str, folder: str, state_name: str, meta_graph_suffix: str) -> None:
        """Write the state, then remove the checkpoint that is one too many."""
        definition, too_many = self._definition, None
        if definition.max_to_keep:
            self._last = [each for each in self._last if each[0] != path]
            self._last.append((path, time.time()))
            if len(self._last) > definition.max_to_keep:
                too_many = self._last.pop(0)
        write_state(folder, path, self.last_checkpoints, state_name, self._relative)
        if too_many is None:
            return
        if too_many[1] > self._next_kept:
            self._next_kept += definition.keep_checkpoint_every_n_hours * _HOURS
        else:
            remove_saved(too_many[0], definition.version, meta_graph_suffix)

    def export_meta_graph(
        self,
        filename: str | bytes | os.PathLike[str] | None = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """Writes the graph, its collections and this Saver: `tf.train.export_meta_graph`.

        Args:
            filename: the file; without it nothing is written.
            collection_list: the keys of the collections; without it all.
            as_text: whether the file is protobuf's text form.
            export_scope: not supported.
            clear_devices: whether devices are left out.
            clear_extraneous_savers: accepted for TensorFlow's sake.
            strip_default_attrs: accepted for TensorFlow's sake.
            save_debug_info: accepted for TensorFlow's sake.

        Returns:
            A `MetaGraphDef`.

        Raises:
            GraphFormatError (a ValueError): an op has no counterpart in TensorFlow.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     saver = tf.train.Saver()
        ...     print(saver.export_meta_graph().collections())
        ['trainable_variables', 'variables']
        """
        return export_meta_graph(filename, saver_def=self._definition, collection_list=collection_list,
                                 as_text=as_text, export_scope=export_scope, clear_devices=clear_devices)  # fmt: skip

    # ---- restoring --------------------------------------------------------------------------

    def restore(self, sess: Any, save_path: str | bytes | os.PathLike[str] | None) -> None:
        """Gives the variables the values of a checkpoint: all of them, or none if there is an error.

        Args:
            sess: the session.
            save_path: the prefix, as `save` or `tf.train.latest_checkpoint` returns it.

        Raises:
            TypeError: `sess` is no session.
            ValueError: `save_path` is None, or there is no such checkpoint.
            NotFoundError: variables are not in the checkpoint; the message lists what matches and what does not.
            InvalidArgumentError: a variable has another dtype or shape there.
            DataLossError: the checkpoint is damaged.
        """
        checked_session(sess, "restore")
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("restore: Can't load save_path when it is None; tf.train.latest_checkpoint returns None "
                             "where there is no checkpoint")  # fmt: skip
        prefix = os.fsdecode(save_path)
        if not exists(prefix) or prefix.endswith(".meta"):
            why = why_no_checkpoint(prefix)
            raise ValueError(f"restore: The passed save_path is not a valid checkpoint: {prefix}{why}")
        definition = self._definition
        if not self._tensors and not self._objects.names:  # the nodes of a file say what to do
            sess.run(definition.restore_op_name, {definition.filename_tensor_name: prefix})
            return
        # The same as these nodes do. A run would plan a node for each variable: 8 s the first time for 100,000.
        what = f"restore: the checkpoint {prefix!r} cannot be read"
        with file_errors(what), closing(open_checkpoint(prefix)) as found:
            check_matches(found, self._tensors, self._reshape)
            self._objects.check(found)
            values = {each.variable.resource: self._fitted(each, found) for each in self._tensors}
            arrays = self._objects.read(found)
        hooks.load_values(values, sess.graph, sess)
        self._objects.restore(sess, arrays)
        _note_checkpoint(sess, prefix)

    def _fitted(self, tensor: SavedTensor, checkpoint: OpenCheckpoint) -> Any:
        if tensor.part:
            return checkpoint.read(tensor.name, parse_slice(tensor.part)[1])
        value = checkpoint.read(tensor.name)
        return value.reshape(tensor.variable.shape.raw).copy() if self._reshape else value


def _checked_list(given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise UseError(f"the last checkpoints are a list, not {type(given).__name__}")
    return given


def checked_session(sess: Any, call: str) -> Any:
    """`sess`, which must be a Session."""
    if not callable(getattr(sess, "run", None)) or not isinstance(getattr(sess, "graph", None), Graph):
        raise UseError(f"{call}: 'sess' must be a Session, not {sess!r:.80}; the order is {call}(sess, save_path)")
    return sess


def _note_checkpoint(sess: Any, prefix: str) -> None:
    """Have the session know its last checkpoint, for errors about values that are lost."""
    store = getattr(sess, "variables", None)
    if isinstance(store, VariableStore):
        store.last_checkpoint = prefix


def _step_number(sess: Any, step: Any) -> int:
    """The number of a step: an int, or the value of a variable or tensor in the session."""
    if isinstance(step, (int, np.integer)):
        return int(step)
    if isinstance(step, str):
        step = sess.graph.get_tensor_by_name(step)
    return int(sess.run(step))
