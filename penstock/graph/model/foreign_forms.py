"""Graphs and operations as TensorFlow's messages: what `Graph` and `Operation` inherit for that.

What these methods call stands above the nodes and is reached through `graph.common.hooks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from operator import index
from typing import Any

from ...errors import GraphError, UseError
from ..common.hooks import hooks
from ..common.tracebacks import hides_frames_of_methods
from .journal import Journal


class OperationForms:
    """The part of an `Operation` that says what it is in TensorFlow's words."""

    __slots__ = ()

    @property
    def node_def(self) -> Any:
        """The operation as a `NodeDef`, as TensorFlow would have it: a copy."""
        return hooks.node_def(self)

    @property
    def op_def(self) -> Any:
        """What the op takes and gives, as an `OpDef`: a copy."""
        return hooks.op_def(self)

    @property
    def traceback(self) -> list[tuple[str, int, str, str]]:
        """The lines of the program that made the operation, as (file, line, function, text).

        It is one line, the innermost outside of Penstock; several for an operation that stands for several.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.no_op().traceback[-1][1:3])
        (2, '<module>')
        """
        origins: Any = self.origins  # type: ignore[attr-defined]  # of Operation
        return [(each.file, each.line, each.function, each.whole_code) for each in origins]

    def colocation_groups(self) -> list[bytes]:
        """The groups of operations that must be on one device: each operation is alone in its own.

        Returns:
            A list of bytes.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.no_op(name="a").colocation_groups())
        [b'loc:@a']
        """
        name: str = self.name  # type: ignore[attr-defined]  # of Operation
        return [b"loc:@" + name.encode("utf-8", "surrogatepass")]


@hides_frames_of_methods
class GraphForms:
    """The part of a `Graph` that reads and writes TensorFlow's messages."""

    journal: Journal
    unfeedable: frozenset[Any] = frozenset()
    """The tensors that `prevent_feeding` named."""
    unfetchable: frozenset[Any] = frozenset()
    """The operations that `prevent_fetching` named."""

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a `GraphDef`.

        Args:
            from_version: a former `graph.version`: nodes that were there already are left out.
            add_shapes: whether each node has an attribute with the static shapes of its outputs.

        Returns:
            A `GraphDef`. A node whose op TensorFlow lacks has no attributes in it.

        Raises:
            TypeError: `from_version` is no int.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     x = tf.placeholder(tf.float32, [2], name="x")
        >>> print(g.as_graph_def().node[0])
        name: "x"
        op: "Placeholder"
        attr {
          key: "dtype"
          value {
            type: DT_FLOAT
          }
        }
        attr {
          key: "shape"
          value {
            shape {
              dim {
                size: 2
              }
            }
          }
        }
        <BLANKLINE>

        Source: TensorFlow 1.x, `tf.Graph.as_graph_def`.
        """
        return hooks.as_graph_def(self, None if from_version is None else index(from_version), add_shapes)

    @property
    def graph_def_versions(self) -> Any:
        """The `VersionDef` of `as_graph_def`."""
        return hooks.as_graph_def(self, len(self), False).versions  # type: ignore[arg-type]  # of Graph

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Any] | None = None,
        dtypes: Sequence[Any] | None = None,
        input_types: Sequence[Any] | None = None,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Any:
        """Adds an operation of a type that a GraphDef may name, or of an op that is declared here.

        Args:
            op_type: the type, such as "Add".
            inputs: the tensors that it reads.
            dtypes: the dtypes of its results, which are checked.
            input_types: those of its inputs.
            name: its name; without it the type.
            attrs: its attributes in TensorFlow's words: `AttrValue`s, numbers, texts, dtypes, shapes.
            op_def: accepted for TensorFlow's sake.
            compute_shapes: the same.
            compute_device: the same.

        Returns:
            The Operation.

        Raises:
            TypeError: an input is no tensor, or dtypes differ.
            ValueError: there is no such op, or it does not take these inputs and attributes.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g, tf.Session() as session:
        ...     total = g.create_op("AddV2", [tf.constant(1.0), tf.constant(2.0)], name="total")
        ...     print(total, session.run(total.outputs[0]))
        <Operation 'total' Add> 3.0

        Source: TensorFlow 1.x, `tf.Graph.create_op`.
        """
        return hooks.create_op(
            self, op_type, inputs, dtypes, input_types, name, attrs, op_def, compute_shapes, compute_device
        )

    building_function = False
    """TensorFlow's word for the graph of a function; `tf.get_default_graph()` is none where programs ask."""

    def container(self, container_name: str) -> Any:
        """A `with` block that changes nothing; see `penstock.container`.

        Args:
            container_name: the name, which the block gives.

        Returns:
            A context manager, which gives the name.

        Raises:
            TypeError: `container_name` is not a string.

        >>> import penstock as tf
        >>> with tf.Graph().container("train") as name:
        ...     print(name)
        train
        """
        if not isinstance(container_name, str):
            raise UseError(f"container({container_name!r}): the name must be a string")
        return nullcontext(container_name)

    # ---- what may be fed and fetched ----------------------------------------------------------

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a run may feed a tensor.

        Args:
            tensor: a Tensor of this graph.

        Returns:
            True, unless `prevent_feeding` named it.

        Raises:
            GraphError: it is not of this graph.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     x = tf.constant(1.0)
        >>> g.prevent_feeding(x)
        >>> g.is_feedable(x)
        False
        """
        self._require_own(tensor)
        return tensor not in self.unfeedable

    def prevent_feeding(self, tensor: Any) -> None:
        """Makes runs refuse a value for a tensor.

        Args:
            tensor: a Tensor of this graph.

        Raises:
            GraphError: it is not of this graph.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     x = tf.constant(1.0)
        >>> g.prevent_feeding(x)
        >>> g.is_feedable(x)
        False
        """
        self._require_own(tensor)
        self._let("unfeedable", self.unfeedable | {tensor})

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a run may fetch a tensor or an operation.

        Args:
            tensor_or_op: a Tensor or an Operation of this graph.

        Returns:
            True, unless `prevent_fetching` named it or the operation that makes it.

        Raises:
            GraphError: it is not of this graph.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     x = tf.constant(1.0)
        >>> g.is_fetchable(x)
        True
        """
        self._require_own(tensor_or_op)
        return tensor_or_op not in self.unfetchable and getattr(tensor_or_op, "op", None) not in self.unfetchable

    def prevent_fetching(self, op: Any) -> None:
        """Makes runs refuse to fetch an operation and its results.

        Args:
            op: an Operation of this graph.

        Raises:
            GraphError: it is not of this graph.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as g:
        ...     x = tf.constant(1.0)
        >>> g.prevent_fetching(x.op)
        >>> g.is_fetchable(x)
        False
        """
        self._require_own(op)
        self._let("unfetchable", self.unfetchable | {op})

    def _let(self, name: str, value: frozenset[Any]) -> None:
        self.journal.note(setattr, self, name, getattr(self, name))
        setattr(self, name, value)

    def _require_own(self, each: Any) -> None:
        if getattr(each, "graph", None) is not self:
            cure = f"; write graph.as_graph_element({each!r})" if isinstance(each, str) else ""
            raise GraphError(f"{each!r:.80} is no tensor or operation of this graph{cure}")
