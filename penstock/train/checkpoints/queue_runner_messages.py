"""Queue runners in the collections of a MetaGraph: messages with the names of their operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import errors
from ...errors import GraphFormatError, OpError, OutOfRangeError
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.serial.error_text import short
from ...interchange.checkpoints.meta_graph_messages import QueueRunnerProto
from ...interchange.tensorflow.node_writer import NodeWriter
from ...interchange.wire.wire_format import decode, encode
from ...queues.queue_classes import QueueBase
from ...queues.queue_runner import QueueRunner

_ERRORS: dict[int, type[OpError]] = {
    each.error_code: each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, OpError) and each.__base__ is OpError
}


def queue_runner_message(runner: QueueRunner, writer: NodeWriter) -> bytes:
    """A queue runner as a message, encoded."""
    codes = [each.error_code for each in runner.queue_closed_exception_types if issubclass(each, OpError)]
    return encode(QueueRunnerProto(
        writer.name_of(runner.queue.queue_ref.op),
        [writer.name_of(each.op if isinstance(each, Tensor) else each) for each in runner.enqueue_ops],
        writer.name_of(runner.close_op), writer.name_of(runner.cancel_op), codes,
    ))  # fmt: skip


def queue_runners_in(messages: Sequence[bytes], graph: Graph, before: str) -> list[QueueRunner]:
    """The queue runners of messages; those whose queue was left out are not among them.

    Raises:
        GraphFormatError: a message names what is no operation of the graph.
    """
    return [found for each in messages if (found := _runner(decode(QueueRunnerProto, each), graph, before)) is not None]


def _runner(message: QueueRunnerProto, graph: Graph, before: str) -> QueueRunner | None:
    def operation(name: str) -> Operation | None:
        try:
            found: Any = graph.as_graph_element(before + name)
        except (KeyError, ValueError):
            return None
        return found.op if isinstance(found, Tensor) else found

    queue, close = operation(message.queue_name), operation(message.close_op_name)
    cancel = operation(message.cancel_op_name)
    fills = [operation(name) for name in message.enqueue_op_name]
    if queue is None or close is None or cancel is None or None in fills or not fills:
        return None
    if "component_types" not in queue.opdef.parameters:
        raise GraphFormatError(f"a queue runner names {short(message.queue_name)} as its queue, which is none")
    types, shapes = queue.args[0], queue.args[1]
    made = QueueBase(types, shapes or None, None, queue.outputs[0])
    ends = tuple([_ERRORS[code] for code in message.queue_closed_exception_types if code in _ERRORS])
    return QueueRunner(made, fills, close, cancel, ends or (OutOfRangeError,))
