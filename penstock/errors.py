"""The exceptions of Penstock.

There are two families. A *build error* is raised by the call that would add a node. It is also the built-in exception
that a Python programmer expects: `ShapeError` is a `ValueError`, `DTypeError` a `TypeError`. A *run error* is raised by
`Session.run` and belongs to TensorFlow's family: `OpError`, with the operation, a message and a code.
"""

from __future__ import annotations

from typing import Any, Self

__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "BuildError",
    "CancelledError",
    "DTypeError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "FeedError",
    "FeedTypeError",
    "FetchError",
    "GraphError",
    "GraphFormatError",
    "InternalError",
    "InvalidArgumentError",
    "NonFiniteError",
    "NotFoundError",
    "OpError",
    "OutOfRangeError",
    "PenstockError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "SessionClosedError",
    "ShapeError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
    "UseError",
    "ValueRuleError",
]


CODES = {
    "shape/dimensions-differ": "two sizes that must be equal are not",
    "shape/ranks-differ": "two shapes that must be equal have different numbers of dimensions",
    "dtype/unknown": "no dtype is called so, or none holds such values",
    "dtype/differ": "operands that must share a dtype have different ones",
    "dtype/not-allowed": "the op takes other dtypes",
    "value/kind": "a value is of another kind than the dtype: a text for a number, 1.5 for an int",
    "value/none": "None stands where a value must",
    "graph/two-graphs": "a call meets tensors of two graphs, or stands in the block of another graph",
    "graph/name": "a name has a character that names cannot have",
    "file/name": "a node in a file has a name that no node can have",
    "file/limit": "a file holds more than `Limits` allows",
}
"""The codes of errors that programs and Penstock itself tell apart; docs/errors.md has a section on each."""


class PenstockError(Exception):
    """The root of every error Penstock raises on purpose; `code` is one of `CODES`, or "" where none is needed."""

    code: str = ""


# ---- while the graph is built ---------------------------------------------------------------


class BuildError(PenstockError):
    """A call that would add a node was refused; the graph is as it was before the call.

    `operand` is the position of the operand at fault among the call's tensors (or None), `dim` the dimension of that
    operand the message speaks of (or None), `cure` one sentence that says what to do, `code` one of `CODES` or "". The
    message is `brief`, with what was `got` instead and more `detail` where there are such parts; `attempt` is printed
    before it. Once the error is told, `step` is the op's call that refused, such as "maximum(y=0.5)", and
    `culprit` its operand at fault: (parameter, tensor).
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
        self.told = False
        self.step = ""
        self.culprit: tuple[str, Any] | None = None
        super().__init__(f"{attempt}: {self.message}" if attempt else self.message)

    @property
    def message(self) -> str:
        """What was found and the rule, in one sentence."""
        return f"{self.brief}{', but got ' if self.got else ''}{self.got}{self.detail}"

    def reword(self, brief: str) -> None:
        """Replace the first part of the message and the printed text."""
        self.brief = brief
        self.retell(self.message)

    def again(self, operand: int | None = None, dim: int | None = None, cure: str | None = None) -> Self:
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

    def retell(self, text: str) -> None:
        """Replace the printed text; the fields stay."""
        self.args = (text,)

    def __reduce__(self) -> tuple[Any, ...]:
        # Tensors are not picklable: `culprit` stays behind.
        return type(self), self.args, {**self.__dict__, "culprit": None}


class ShapeError(BuildError, ValueError):
    """Shapes (or values that stand for shapes) cannot be combined in the way the call asks for."""


class ValueRuleError(BuildError, ValueError):
    """An argument has the right type but a value the rule forbids."""


class DTypeError(BuildError, TypeError):
    """A dtype is not allowed, operands disagree about it, or a value cannot be converted to it."""


class GraphError(BuildError, ValueError):
    """Tensors of different graphs, an unknown name, or a change to a finalized graph."""


class GraphFormatError(PenstockError, ValueError):
    """A file or document is no graph that can be read, or a graph cannot be written in the form asked for."""

    def __init__(self, *args: object, code: str = "") -> None:
        super().__init__(*args)
        self.code = code


class UseError(PenstockError, TypeError):
    """A symbolic tensor was used as if it held a value; the message says what to write instead."""


# ---- before and during a run ----------------------------------------------------------------


class FeedError(PenstockError, ValueError):
    """A fed value does not fit the tensor it is fed to."""


class FeedTypeError(FeedError, TypeError):
    """A fed value is of a kind that the tensor's dtype cannot hold."""


class FetchError(PenstockError, ValueError):
    """A fetch does not name anything that can be run."""


class SessionClosedError(PenstockError, RuntimeError):
    """A closed session was asked to run something."""


class OpError(PenstockError):
    """An operation failed while it ran.

    `op` is the Operation, `message` the bare message, `error_code` TensorFlow's number for the class. `trace`, of a run
    by `Session.trace`, is the `Trace` of the values that were there before. `where` is the element at fault, such as
    "x[1, 3]", if the message does not name it; `found` its value, where the kernel gives it.
    """

    error_code = 2
    where = ""
    found: Any = None
    trace: Any = None
    is_inside = False
    """It comes out of a body: the run around that adds where it stands."""

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "") -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message

    def retell(self, text: str) -> None:
        """Replace the printed text; `message` keeps the first words."""
        self.args = (text,)

    def __reduce__(self) -> tuple[Any, ...]:
        # Operations do not leave their process; the words do.
        return _restored, (type(self), self.message, str(self))


def _restored(kind: type[OpError], message: str, text: str) -> OpError:
    error = kind(message=message)
    error.retell(text)
    return error


class CancelledError(OpError):
    """The run was cancelled."""

    error_code = 1


class UnknownError(OpError):
    """A failure without a better name."""

    error_code = 2


class InvalidArgumentError(OpError):
    """An operation received values it is not defined for."""

    error_code = 3


class NonFiniteError(InvalidArgumentError):
    """A watched run met a NaN or an infinity: see `penstock.Watch`.

    `tensor` is the name of the value, `index` the first bad element's place, `value` that element, `inputs` what the
    operation's inputs hold there, by parameter (None where no single element is).
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

    error_code = 4


class NotFoundError(OpError):
    """Something that was asked for does not exist."""

    error_code = 5


class AlreadyExistsError(OpError):
    """Something that was to be made exists."""

    error_code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = 7


class CannotCompile(RuntimeError):
    """A kernel could not be compiled on this machine; what asked for it has another way."""


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    error_code = 8


class FailedPreconditionError(OpError):
    """The state needed by the operation is not there, such as an uninitialised variable."""

    error_code = 9


class AbortedError(OpError):
    """The operation was given up."""

    error_code = 10


class OutOfRangeError(OpError):
    """An iteration went past its end."""

    error_code = 11


class UnimplementedError(OpError):
    """No kernel exists for this operation with these dtypes on this device."""

    error_code = 12


class InternalError(OpError):
    """A kernel failed in a way that its inputs do not explain."""

    error_code = 13


class UnavailableError(OpError):
    """The device cannot be reached."""

    error_code = 14


class DataLossError(OpError):
    """Data could not be recovered."""

    error_code = 15
