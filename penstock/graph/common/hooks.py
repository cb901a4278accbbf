"""Hooks: what this layer calls in the layers above it without importing them.

A few methods that users expect on a Tensor or a Graph belong to upper layers (`t.eval()` needs a Session, `g.export()`
needs pictures), and Python's operators need ops. Each is one entry of this table; `penstock/__init__.py` fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any


def _absent(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("this method belongs to an upper layer: import penstock, not one of its layers alone")


class Hooks:
    """The table: one attribute for each function of an upper layer."""

    declare_every_op: Callable[[], None] = staticmethod(_absent)
    """() -> None: imports the modules whose ops `import penstock` leaves out."""
    public_name: Callable[[str], Any] = staticmethod(_absent)
    """(name) -> what the top namespace calls so, or None: for gradient rules."""
    build: Callable[..., Any] = staticmethod(_absent)
    """(op declaration, arguments) -> outputs: what calling an `OpDef` does. The builder stands above the nodes."""
    evaluate: Callable[..., Any] = staticmethod(_absent)
    """(fetch, feed_dict, session) -> value: `Tensor.eval`, `Operation.run`."""
    open_session: Callable[..., Any] = staticmethod(_absent)
    """(graph) -> a session of it, for layers beside the runtime."""
    loops_over_rows: Callable[..., tuple[Any, Any, Any]] = staticmethod(_absent)
    """(fetches, feeds) -> (operations, fetches, feeds) that compute the same, with rows and stacks in the place of
    TensorArrays where loops read and write them at their position: for layers beside the runtime."""
    load_values: Callable[..., None] = staticmethod(_absent)
    """(arrays by variable, graph, session) -> None: `Variable.load`. The arrays are the session's from then on."""
    read_values: Callable[..., AbstractContextManager[Sequence[Any]]] = staticmethod(_absent)
    """(variables, graph, session) -> a `with` block with their arrays at one moment, which stay the session's."""
    export: Callable[..., Any] = staticmethod(_absent)
    """(name of the call, graph or plan or record, path, options) -> path: `Graph.export` and its like."""
    repro: Callable[..., Any] = staticmethod(_absent)
    """(session, folder, fetches, feed_dict, whole graph?) -> path: `Session.repro`."""
    open_cluster: Callable[..., Any] = staticmethod(_absent)
    """(target, graph, config, session, random counters) -> the cluster of a session: `Session("dask://...")`."""
    summary: Callable[..., Any] = staticmethod(_absent)
    """(graph, scope, width, columns) -> a table of the nodes: `Graph.summary`."""
    races: Callable[..., Any] = staticmethod(_absent)
    """(graph, fetches) -> the races of variables: `Graph.races`."""
    partitions: Callable[..., Any] = staticmethod(_absent)
    """(graph, fetches, feed_dict, jobs) -> what runs on which worker: `Graph.partitions`."""
    diff: Callable[..., Any] = staticmethod(_absent)
    """(before, after) -> a `GraphDiff`: `Graph.diff`."""
    to_networkx: Callable[..., Any] = staticmethod(_absent)
    """(graph) -> a networkx graph: `Graph.to_networkx`."""
    cost: Callable[..., Any] = staticmethod(_absent)
    """(graph, fetches, sizes) -> what a run would cost: `Graph.cost`."""
    explain_shape: Callable[..., Any] = staticmethod(_absent)
    """(tensor) -> where its dimensions come from: `Tensor.explain_shape`."""
    has_backend: Callable[[str], bool] = staticmethod(_absent)
    """(kind of device) -> can it be had here: the short form of its name is a name then."""
    compiled_loop: Callable[..., Callable[..., int] | None] = staticmethod(_absent)
    """(template, key ..., work=elements) -> compiled code for layers beside the runtime, or None: NumPy is to do it."""
    product: Callable[[Any, Any], Any] = staticmethod(_absent)
    """(NumPy array, NumPy array) -> their matrix product: what BLAS computes, by as many threads as the run has."""
    with_one_thread: Callable[..., Any] = staticmethod(_absent)
    """(function, arguments ...) -> its result; BLAS uses one thread in it."""
    empty: Callable[[tuple[int, ...], Any], Any] = staticmethod(_absent)
    """(shape, dtype) -> an uninitialised array; large ones come from the pool, which takes them back when the last
    reference to them or to a view is gone."""
    stop_check: Callable[[], Callable[[], None] | None] = staticmethod(_absent)
    """() -> what a loop calls between iterations: it raises if the run has to end; None if nothing can end it."""
    save_tensors: Callable[..., None] = staticmethod(_absent)
    """(version, prefix, names, parts, arrays): writes a checkpoint."""
    restore_tensors: Callable[..., tuple[Any, ...]] = staticmethod(_absent)
    """(prefix, names, parts, dtypes) -> arrays of a checkpoint."""
    merge_checkpoints: Callable[..., None] = staticmethod(_absent)
    """(prefixes, destination, whether to remove empty folders): makes one checkpoint of several."""
    summary_bytes: Callable[..., bytes] = staticmethod(_absent)
    """(kind, arrays and attributes) -> a serialised Summary: the kernels of `ops.state.summary_nodes`."""
    gradient_of_branches: Callable[..., list[Any]] = staticmethod(_absent)
    """(operation, gradients of its outputs, wanted inputs) -> gradients of its inputs: of `If`."""
    gradient_of_loop: Callable[..., list[Any]] = staticmethod(_absent)
    """The same, of `While`."""
    sparse_product: Callable[..., Any] = staticmethod(_absent)
    """(sparse tensor, dense values) -> a sparse tensor: `s * dense`."""
    sparse_quotient: Callable[..., Any] = staticmethod(_absent)
    """The same, `s / dense`."""
    markup: Callable[..., str | None] = staticmethod(_absent)
    """(thing, "html" or "svg") -> how a notebook shows it."""
    records_of: Callable[..., Iterator[bytes]] = staticmethod(_absent)
    """(path, "", "GZIP" or "ZLIB") -> the records of a record file."""
    serialized_tensor: Callable[..., bytes] = staticmethod(_absent)
    """array -> the bytes of its TensorProto."""
    parsed_tensor: Callable[..., Any] = staticmethod(_absent)
    """(bytes of a TensorProto, dtype) -> its array."""
    dtype_number: Callable[..., Any] = staticmethod(_absent)
    """(number) -> a DataType: `DType.as_datatype_enum`."""
    dtype_reference: Callable[..., Any] = staticmethod(_absent)
    """(dtype) -> the dtype of references to it."""
    plain_dtype: Callable[..., Any] = staticmethod(_absent)
    """(a number or name of a dtype, or a reference) -> the dtype it means, or None."""
    as_graph_def: Callable[..., Any] = staticmethod(_absent)
    """(graph, from_version, add_shapes) -> a GraphDef: `Graph.as_graph_def`."""
    create_op: Callable[..., Any] = staticmethod(_absent)
    """(graph, type, inputs ...) -> an Operation: `Graph.create_op`."""
    node_def: Callable[..., Any] = staticmethod(_absent)
    """(operation) -> a NodeDef: `Operation.node_def`."""
    op_def: Callable[..., Any] = staticmethod(_absent)
    """(operation) -> an OpDef: `Operation.op_def`."""
    foreign_attribute: Callable[..., Any] = staticmethod(_absent)
    """(operation, name) -> the value of an attribute that the node has in TensorFlow: `Operation.get_attr`."""
    shape_proto: Callable[..., Any] = staticmethod(_absent)
    """(shape) -> a TensorShapeProto: `TensorShape.as_proto`."""
    operators: dict[str, Callable[..., Any]]
    """Python operator -> op, such as "add" -> tf.add."""
    numpy_functions: dict[Any, Callable[..., Any]]
    """NumPy ufunc or function -> the call that builds the same thing: np.add -> tf.add."""
    records: dict[str, type]
    """Name -> frozen dataclass that ops have as the value of an attribute: what may be written and read as data."""

    def __init__(self) -> None:
        self.operators = {}
        self.numpy_functions = {}
        self.records = {}

    def fill(self, **doors: Callable[..., Any]) -> None:
        """Set entries of the table: called once, where the package is put together."""
        for name, door in doors.items():
            assert name in vars(Hooks), name
            setattr(self, name, door)


hooks = Hooks()
