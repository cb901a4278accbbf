"""`tf.import_graph_def`: the nodes of a GraphDef are added to the default graph, in a scope of their own.

Inputs that `input_map` names become tensors of the graph: each is a node of type `_Given` in front of the others, which
stands for its tensor while the rest is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...errors import GraphFormatError, UseError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.tensor_source import TensorSource
from ...graph.serial.limits import DEFAULT_LIMITS
from ..tensorflow.graphdef_reader import GIVEN, LoadedGraphDef, add_graphdef
from ..tensorflow.wire.messages import AttrEntry, AttrValue, GraphProto, ListValue, NodeProto
from ..wire.wire_format import decode

OWN_NAMES = ("_penstock_name", "_penstock_initial", "_penstock_variable", "_penstock_limit")
"""Attributes that hold the name of a node, or of a tensor."""


@hides_frames
def import_graph_def(
    graph_def: Any,
    input_map: Mapping[Any, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
    *,
    allow_missing: bool = False,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
        graph_def: a `GraphDef`, of Penstock or of protobuf's own classes.
        input_map: tensors of the default graph that take the place of tensors of `graph_def`, by their names there,
            such as "x:0" or "x".
        return_elements: names of operations ("y") and tensors ("y:0") to return.
        name: the scope of the new nodes; without it "import". "" gives them the names that they have, and another one
            where it is taken.
        op_dict: accepted for TensorFlow's sake.
        producer_op_list: accepted for TensorFlow's sake.
        allow_missing: True leaves out nodes that have no counterpart here, and those that need them.

    Returns:
        What `return_elements` names, in a list; None without it.

    Raises:
        TypeError: `graph_def` is no GraphDef, or an argument is of another type.
        ValueError: it is damaged, nodes have no counterpart here (the message lists their ops), or a name of
            `input_map` or `return_elements` is not in it. Nothing is added then.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, [], name="x")
    ...     y = tf.multiply(x, 3.0, name="y")
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     (tripled,) = tf.import_graph_def(g.as_graph_def(), {"x:0": tf.constant(2.0)}, ["y:0"], name="model")
    ...     print(tripled.name, session.run(tripled))
    model/y:0 6.0

    Source: TensorFlow 1.x, `tf.import_graph_def`.
    """
    proto = wire_graph(graph_def, "import_graph_def")
    if input_map is not None and not isinstance(input_map, Mapping):
        raise TypeError(f"import_graph_def(input_map={input_map!r:.60}): it is a dict from names to tensors")
    wanted = _names(return_elements)
    graph = get_default_graph()
    graph.check_open()

    def build() -> list[Any] | None:
        return _GraphDefImport(graph, proto, dict(input_map or {}), allow_missing).run(name, wanted)

    found: list[Any] | None = graph.journal.all_or_nothing(build)
    return found


def wire_graph(graph_def: Any, call: str) -> GraphProto:
    """A GraphDef of any kind as the reader takes it; a copy.

    Raises:
        TypeError: it is none. GraphFormatError (a ValueError): it is damaged.
    """
    if isinstance(graph_def, GraphProto):
        content: Any = None
    elif isinstance(graph_def, (bytes, bytearray)):
        content = bytes(graph_def)
    elif hasattr(graph_def, "SerializeToString") and hasattr(graph_def, "node"):
        content = graph_def.SerializeToString()
    else:
        cure = "; read the file with tf.GraphDef.FromString(content)" if isinstance(graph_def, str) else ""
        cure = "; write graph.as_graph_def()" if isinstance(graph_def, Graph) else cure
        raise UseError(f"{call}: graph_def is {graph_def!r:.60}; it must be a GraphDef proto{cure}")
    try:
        found: GraphProto = graph_def if content is None else decode(GraphProto, content, DEFAULT_LIMITS)
    except GraphFormatError as error:
        raise GraphFormatError(f"{call}: {error}", code=error.code) from None
    return found


def _names(return_elements: Any) -> list[str] | None:
    if return_elements is None:
        return None
    if isinstance(return_elements, (str, bytes)) or not all(isinstance(each, str) for each in return_elements):
        raise UseError(f"import_graph_def(return_elements={return_elements!r:.60}): it is a list of names, such as "
                       "['y:0']")  # fmt: skip
    return list(return_elements)


def with_names(proto: GraphProto, renamed: Callable[[str], str]) -> None:
    """Give the nodes of a graph other names, where they are and where others refer to them."""
    for node in proto.nodes:
        node.name = renamed(node.name)
        node.inputs = [_reference(each, renamed) for each in node.inputs]
        node.attrs = [_attribute(entry, renamed) for entry in node.attrs]


def _reference(text: str, renamed: Callable[[str], str]) -> str:
    """A reference to a node, or to an output of one, under the name that the node has then."""
    mark = "^" if text[:1] == "^" else ""
    node, colon, index = text[len(mark) :].rpartition(":")
    if not colon or not index.isdigit():
        return mark + renamed(text[len(mark) :])
    return f"{mark}{renamed(node)}:{index}"


def _attribute(entry: AttrEntry, renamed: Callable[[str], str]) -> AttrEntry:
    value = entry.value
    if value is None:
        return entry
    if entry.key in OWN_NAMES and value.s is not None:
        own = value.s.decode("utf-8", "surrogatepass")
        return AttrEntry(entry.key, AttrValue(s=_reference(own, renamed).encode("utf-8", "surrogatepass")))
    if entry.key == "_class" and value.list is not None:
        places = [each.decode("utf-8", "surrogateescape").removeprefix("loc:@") for each in value.list.s]
        texts = [f"loc:@{renamed(each)}".encode("utf-8", "surrogateescape") for each in places]
        return AttrEntry(entry.key, AttrValue(list=ListValue(s=texts)))
    return entry


class _GraphDefImport:
    """The import of one GraphDef into a graph."""

    def __init__(self, graph: Graph, proto: GraphProto, mapped: dict[Any, Any], allow_missing: bool) -> None:
        self._graph = graph
        self._proto = proto
        self._mapped = mapped
        self._allow_missing = allow_missing
        self._new_names: dict[str, str] = {}

    def run(self, name: str | None, wanted: list[str] | None) -> list[Any] | None:
        """Add the nodes; what `wanted` names."""
        nodes = {node.name for node in self._proto.nodes}
        given = self._put_given(nodes)
        self._choose_names(name, nodes)
        with_names(self._proto, lambda each: self._new_names.get(each, each))
        loaded = add_graphdef(self._proto, "GraphDef", self._graph, given)
        if loaded.missing and not self._allow_missing:
            raise GraphFormatError(f"import_graph_def: {loaded.report}.{loaded.why} Nothing was added; "
                                   "allow_missing=True adds the part that is supported")  # fmt: skip
        return None if wanted is None else [self._element(each, given, loaded) for each in wanted]

    # ---- what is given ------------------------------------------------------------------------

    def _put_given(self, nodes: set[str]) -> dict[str, Tensor]:
        """Replace the inputs of `input_map` by nodes that stand for its tensors."""
        by_reference: dict[tuple[str, int], str] = {}
        replacements: dict[str, Tensor] = {}
        for key, value in self._mapped.items():
            text = key if isinstance(key, str) else getattr(key, "name", None)
            if not isinstance(text, str):
                raise UseError(f"import_graph_def: a key of input_map is {key!r:.60}; keys are names, such as 'x:0'")
            name = f"{GIVEN}{len(replacements)}"
            while name in nodes:
                name += "_"
            place = _output(text)
            if place[0].removeprefix("^") not in nodes:
                raise ValueRuleError(f"import_graph_def: Attempted to map inputs that were not found in graph_def: "
                                     f"[{text}]")  # fmt: skip
            by_reference[place] = name
            replacements[name] = self._tensor(value)
        used = set()
        for node in self._proto.nodes:
            for number, text in enumerate(node.inputs):
                found = by_reference.get(_output(text))
                if found is not None:
                    node.inputs[number] = f"^{found}" if text[:1] == "^" else found
                    used.add(found)
        self._proto.nodes[:0] = [NodeProto(name, GIVEN) for name in replacements if name in used]
        return replacements

    def _tensor(self, value: Any) -> Tensor:
        if isinstance(value, TensorSource):
            value = value.element
        if isinstance(value, Operation):
            value = value.outputs[0]
        if not isinstance(value, Tensor):
            with self._graph.as_default():
                value = hooks.operators["constant"](value)
        found: Tensor = self._graph.as_graph_element(value, allow_operation=False)  # type: ignore[assignment]
        return found

    # ---- names --------------------------------------------------------------------------------

    def _choose_names(self, name: str | None, nodes: set[str]) -> None:
        """What each node is called in the graph."""
        names = self._graph.names
        if name is None or (name and not name.endswith("/")):
            prefix = self._graph.claim_scope(name or "import") + "/"
            self._new_names = {each: prefix + each for each in nodes}
            return
        prefix = name
        for each in sorted(nodes):
            wanted = prefix + each
            free, count = wanted, 0
            while names.is_taken(free) or (free != wanted and free.removeprefix(prefix) in nodes):
                count += 1
                free = f"{wanted}_{count}"
            self._new_names[each] = free

    def _element(self, text: str, given: dict[str, Tensor], loaded: LoadedGraphDef) -> Any:
        """The operation or tensor that a name of the GraphDef means."""
        node, output = _output(text)
        is_tensor = text != node
        for key, tensor in zip(self._mapped, given.values(), strict=True):
            own = key if isinstance(key, str) else key.name
            if is_tensor and _output(own) == (node, output):
                return tensor
        new = self._new_names.get(node) or self._known_as(node)
        if new is None:
            raise ValueRuleError(f"import_graph_def: Requested return_element {text!r} not found in graph_def.")
        try:
            return self._graph.as_graph_element(f"{new}:{output}" if is_tensor else new)
        except (KeyError, ValueError) as error:
            words = loaded.reasons.get(new) or (error.args[0] if error.args else str(error))
            raise ValueRuleError(f"import_graph_def: return_element {text!r}: {words}") from None

    def _known_as(self, node: str) -> str | None:
        """The name in the graph of what TensorFlow has as a node of its own: "import/cond/Merge" of the node "cond"."""
        for at in [i for i, letter in enumerate(node) if letter == "/"]:
            new = self._new_names.get(node[:at])
            if new is not None:
                found = f"{new}{node[at:]}"
                with suppress(KeyError, ValueError):
                    self._graph.as_graph_element(f"{found}:0")
                    return found
        return None


def _output(text: str) -> tuple[str, int]:
    """A reference as a node and the number of an output."""
    node, colon, index = text.rpartition(":")
    return (node, int(index)) if colon and index.isdigit() and len(index) < 9 else (text, 0)
