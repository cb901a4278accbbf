"""The exceptions of Penstock.

There are two families. A *build error* is raised by the call that would add a node. It is also the built-in exception
that a Python programmer expects: `ShapeError` is a `ValueError`, `DTypeError` a `TypeError`. A *run error* is raised by
`Session.run` and belongs to TensorFlow's family: `OpError`, with the operation, a message and a code.
"""

from __future__ import annotations

from typing import Any, Self

from .printable_text import printable_message

__all__ = [
    "ABORTED", "ALREADY_EXISTS", "AbortedError", "AlreadyExistsError", "BuildError", "CANCELLED", "CancelledError",
    "DATA_LOSS", "DEADLINE_EXCEEDED", "DTypeError", "DataLossError", "DeadlineExceededError", "DecodeError",
    "FAILED_PRECONDITION", "FailedPreconditionError", "FeedError", "FeedTypeError", "FetchError", "GraphError",
    "GraphFormatError", "INTERNAL", "INVALID_ARGUMENT", "InternalError", "InvalidArgumentError", "NOT_FOUND",
    "NonFiniteError", "NotFoundError", "OK", "OUT_OF_RANGE", "OpError", "OutOfRangeError", "PERMISSION_DENIED",
    "PenstockError", "PermissionDeniedError", "RESOURCE_EXHAUSTED", "ResourceExhaustedError", "SessionClosedError",
    "ShapeError", "StaticAssertionError", "UNAUTHENTICATED", "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN",
    "UnavailableError", "UnimplementedError", "UnknownError", "UseError", "ValueRuleError",
]  # fmt: skip


(
    OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED,
    RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS,
    UNAUTHENTICATED,
) = range(17)  # fmt: skip
"""TensorFlow's numbers of the classes of errors; each class has its own as `error_code`."""

CODES = {
    "shape/dimensions-differ": "two sizes that must be equal differ",
    "shape/ranks-differ": "two shapes that must be equal have different numbers of dimensions",
    "dtype/unknown": "there is no dtype of that name, or none that holds such values",
    "dtype/differ": "operands that must share a dtype have different ones",
    "dtype/not-allowed": "the op takes other dtypes",
    "value/kind": "a value does not fit the dtype: a text for a number, 1.5 for an int",
    "value/none": "None is given where a value is needed",
    "graph/two-graphs": "a call has tensors of two graphs, or is inside the `with` block of another graph",
    "graph/name": "a name has a character that names cannot have",
    "variable/exists": "a variable of that name was made before, and the scope does not reuse it",
    "variable/missing": "the scope reuses variables, and there is none of that name",
    "variable/differs": "the variable of that name has another shape or dtype",
    "variable/no-shape": "a new variable has neither a shape nor a value",
    "file/name": "a node in a file has a name that no node can have",
    "file/limit": "a file holds more than `Limits` allows",
}
"""The codes of errors that programs and Penstock itself tell apart; docs/errors.md has a section on each."""


class PenstockError(Exception):
    """The base class of every error that Penstock raises on purpose.

    Attributes:
        code: one of `CODES`, or "" where none applies.
    """

    code: str = ""

    def __str__(self) -> str:
        return printable_message(super().__str__())


class PenstockWarning(UserWarning):
    """The base class of the warnings of Penstock."""

    def __str__(self) -> str:
        return printable_message(super().__str__())


# ---- while the graph is built ---------------------------------------------------------------


class BuildError(PenstockError):
    """A call that would add a node was refused; the graph is as it was before the call.

    Attributes:
        brief: the first part of the message.
        got: what was found instead, "" where `brief` says it.
        detail: the last part of the message, often "".
        operand: the position of the operand at fault among the call's tensors, or None.
        dim: the dimension of that operand which the message is about, or None.
        cure: one sentence that says what to do, or None.
        code: one of `CODES`, or "".
        attempt: what was attempted; it is printed before the message.
        step: the call of the op that refused, such as "maximum(y=0.5)", where it is a step of the user's call.
        culprit: (parameter, tensor) of the operand at fault, or None.
    """

    def __init__(
        self,
        brief: str,
        *,
        operand: int | None = None,
        dim: int | None = None,
        cure: str | None = None,
        code: str = "",
        attempt: str = "",
        got: str = "",
        detail: str = "",
    ) -> None:
        self.brief = brief
        self.operand = operand
        self.dim = dim
        self.cure = cure
        self.code = code
        self.attempt = attempt
        self.got = got
        self.detail = detail
        self.is_reported = False
        self.step = ""
        self.culprit: tuple[str, Any] | None = None
        PenstockError.__init__(self, f"{attempt}: {self.message}" if attempt else self.message)

    @property
    def message(self) -> str:
        """What was found, and the rule, in one sentence."""
        return f"{self.brief}{', but got ' if self.got else ''}{self.got}{self.detail}"

    def reword(self, brief: str) -> None:
        """Replaces the first part of the message and the printed text."""
        self.brief = brief
        self.replace_text(self.message)

    def with_operand(self, operand: int | None = None, dim: int | None = None, cure: str | None = None) -> Self:
        """The same error about another operand, with another dimension and cure where these are given."""
        return type(self)(
            self.brief,
            operand=operand,
            dim=self.dim if dim is None else dim,
            cure=self.cure if cure is None else cure,
            code=self.code,
            got=self.got,
            detail=self.detail,
        )

    def replace_text(self, text: str) -> None:
        """Replaces the printed text; the attributes stay."""
        self.args = (text,)

    def __reduce__(self) -> tuple[Any, ...]:
        # Tensors are not picklable, so `culprit` is not kept.
        return type(self), self.args, {**self.__dict__, "culprit": None}


class ShapeError(BuildError, ValueError):
    """Shapes, or values that stand for shapes, do not fit the call."""


class ValueRuleError(BuildError, ValueError):
    """An argument has the right type and a value that is not allowed."""


class DTypeError(BuildError, TypeError):
    """A dtype is not allowed, operands differ in dtype, or a value cannot be converted to a dtype."""


class GraphError(BuildError, ValueError):
    """Tensors belong to different graphs, a name is not known or not valid, or a finalized graph would change."""


class GraphFormatError(PenstockError, ValueError):
    """A file or document does not hold a graph that can be read, or a graph cannot be written in a form."""

    def __init__(self, *args: object, code: str = "") -> None:
        super().__init__(*args)
        self.code = code


class DecodeError(PenstockError, ValueError):
    """Bytes do not hold a message of the class that was to be read from them."""


class UseError(PenstockError, TypeError):
    """A symbolic tensor was used as if it held a value; the message says what to write instead."""


# ---- before and during a run ----------------------------------------------------------------


class FeedError(PenstockError, ValueError):
    """A fed value does not fit the tensor it is fed to."""


class FeedTypeError(FeedError, TypeError):
    """A fed value has a type that the tensor's dtype cannot hold."""


class FetchError(PenstockError, ValueError):
    """A fetch does not name a tensor or operation that can be run."""


class SessionClosedError(PenstockError, RuntimeError):
    """A closed session was asked to run."""


class OpError(PenstockError):
    """An operation failed while it ran.

    Attributes:
        op: the Operation.
        message: the message alone, without the lines about the operation.
        error_code: TensorFlow's number for the class.
        trace: in a run by `Session.trace`, the `Trace` of the values computed before; otherwise None.
        where: the element at fault, such as "x[1, 3]", where the message does not name it.
        found: the value of that element, where the kernel gives it.
    """

    error_code = UNKNOWN
    where = ""
    found: Any = None
    trace: Any = None
    is_inside = False
    """It was raised in a graph inside an op; the run around it adds where."""
    stage = ""
    """The node of the dataset that failed; the run that asked for an element adds where."""
    iteration: tuple[int, Any] | None = None
    """In a loop: the number of the iteration that failed and the values of the loop variables when it began."""

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "") -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message

    def replace_text(self, text: str) -> None:
        """Replaces the printed text; `message` stays."""
        self.args = (text,)

    def __reduce__(self) -> tuple[Any, ...]:
        # Operations are not picklable; only the message is kept.
        return _restored, (type(self), self.message, str(self))


def _restored(kind: type[OpError], message: str, text: str) -> OpError:
    error = kind(message=message)
    error.replace_text(text)
    return error


class CancelledError(OpError):
    """The run was cancelled."""

    error_code = CANCELLED


class UnknownError(OpError):
    """The operation failed for a reason that has no class of its own."""

    error_code = UNKNOWN


class InvalidArgumentError(OpError):
    """An operation received values for which it is not defined."""

    error_code = INVALID_ARGUMENT


class StaticAssertionError(ValueRuleError, InvalidArgumentError):  # type: ignore[override]  # its message is made
    """Constants show, while the graph is built, that an assertion does not hold.

    It is a ValueError as other errors of a call are, and the InvalidArgumentError that TensorFlow raises there.
    """

    node_def = None
    op = None


class NonFiniteError(InvalidArgumentError):
    """A watched run met a NaN or an infinity; see `penstock.Watch`.

    Attributes:
        tensor: the name of the tensor.
        index: the index of the first bad element.
        value: that element.
        inputs: by parameter, the values of the operation's inputs at that index; None where there is no single one.
    """

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "") -> None:
        super().__init__(node_def, op, message)
        self.tensor = ""
        self.index: tuple[int, ...] = ()
        self.value: Any = None
        self.inputs: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        found = {"tensor": self.tensor, "index": self.index, "value": self.value, "inputs": self.inputs}
        return (*super().__reduce__(), found)


class DeadlineExceededError(OpError):
    """The run took longer than it was allowed to."""

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A file or another resource does not exist."""

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """A file or another resource that was to be made exists already."""

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = PERMISSION_DENIED


class CannotCompile(RuntimeError):
    """A kernel could not be compiled on this machine; the caller runs another one instead."""


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """A state that the operation needs is missing, such as the value of a variable.

    Attributes:
        resource: the variable that has no value; "" where something else is missing.
    """

    error_code = FAILED_PRECONDITION
    resource: str = ""


class AbortedError(OpError):
    """The operation was given up before it ended."""

    error_code = ABORTED


class OutOfRangeError(OpError):
    """An iteration went past its end."""

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """There is no kernel for this operation with these dtypes on this device."""

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """A kernel failed in a way that its inputs do not explain."""

    error_code = INTERNAL


class UnavailableError(OpError):
    """The device cannot be reached."""

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Data is damaged or was lost."""

    error_code = DATA_LOSS
