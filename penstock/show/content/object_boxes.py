"""What the box of a queue, a table or a reader says: what it holds and what fills it, and no type of its handle."""

from __future__ import annotations

from typing import Any

from ...graph.declare.effects import MAKING_OBJECTS
from ...graph.shapes.dtypes import string

_MOST_PARTS = 3


def is_handle(op: Any) -> bool:
    """Whether the result of an operation is the handle of an object of the session."""
    opdef = getattr(op, "opdef", None)
    if opdef is None or not opdef.facts.of_session or opdef.facts.effects is not MAKING_OBJECTS:
        return False
    return len(op.outputs) == 1 and op.outputs[0].dtype is string


def object_lines(op: Any) -> list[str]:
    """The lines of the box of a handle; none for any other operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     queue = tf.FIFOQueue(5, [tf.float32, tf.int32], [[3], []], name="pairs")
    ...     _ = queue.enqueue(([1.0, 2.0, 3.0], 0), name="put")
    >>> object_lines(queue.queue_ref.op)
    ['holds float32 (3,), int32 ()', 'capacity = 5', 'filled by put']
    """
    if not is_handle(op):
        return []
    attributes = {attribute.name: op.args[position] for position, attribute in op.opdef.attrs}
    lines = []
    if "component_types" in attributes:
        types, shapes = attributes["component_types"], attributes.get("shapes") or ()
        parts = [f"{dtype.name} {shapes[number]}" if number < len(shapes) else dtype.name
                 for number, dtype in enumerate(types[:_MOST_PARTS])]  # fmt: skip
        lines.append(f"holds {', '.join(parts)}{_more(len(types) - _MOST_PARTS)}")
        lines.append(f"capacity = {attributes['capacity']}" if attributes["capacity"] >= 0 else "without bound")
        # What puts elements has them as operands beside the handle, and gives nothing.
        fillers = [each.name for each in op.outputs[0].consumers() if len(each.inputs) > 1 and not each.outputs]
        lines += [f"filled by {fillers[0]}{_more(len(fillers) - 1)}"] if fillers else []
    if "key_dtype" in attributes:
        lines.append(f"{attributes['value_dtype'].name} by {attributes['key_dtype'].name}")
    return lines


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
