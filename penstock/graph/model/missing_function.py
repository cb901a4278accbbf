"""`MissingFunction`: what stands in a written graph for a Python function, which cannot be written.

It is a record (`hooks`), so that files hold it as data. When it is called it raises: the error of the function
where that is the one with which the run failed, otherwise one that says that the function did not travel.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ... import errors
from ...errors import OpError, UnimplementedError
from ..common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class MissingFunction:
    """In place of a Python function.

    Attributes:
        function: its name.
        kind: the class of the error that it raised; "" if it is not known what it did.
        message: the text of that error.
    """

    function: str
    kind: str = ""
    message: str = ""

    def __call__(self, *arguments: Any) -> NoReturn:
        found = getattr(errors, self.kind, None) if self.kind in errors.__all__ else None
        if isinstance(found, type) and issubclass(found, OpError):
            raise found(message=self.message)
        raise UnimplementedError(
            message=f"the Python function {self.function!r} did not travel with the run: build its node again with the "
            "function, or feed its results"
        )
