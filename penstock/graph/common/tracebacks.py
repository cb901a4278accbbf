"""Tracebacks that end in the user's line: the package's frames are cut out where an error leaves a public function.

An error that the package did not raise on purpose (an AttributeError in its own code) is a bug, and keeps all frames.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from opcode import opmap
from types import CodeType, FunctionType, TracebackType
from typing import Any, Final, Literal, ParamSpec, TypeVar

import numpy as np

from ...errors import PenstockError
from ..declare.parameter_names import keyword_hint
from .source_location import is_inside

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

_STANDARD = (os.path.dirname(os.__file__) + os.sep, "<frozen ")
_QUICK = os.path.join(os.path.dirname(__file__), "quick_dataclass.py")
_NUMPY = os.path.dirname(np.__file__) + os.sep
_RAISE: Final = opmap["RAISE_VARARGS"]
_FROM_OUTSIDE = (PenstockError, OSError, MemoryError, KeyboardInterrupt, RecursionError)


class TracebackSetting:
    """How tracebacks of errors look: "short" without the package's frames, "full" with them."""

    __slots__ = ("mode",)

    def __init__(self) -> None:
        self.mode: Literal["short", "full"] = "full" if os.environ.get("PENSTOCK_TRACEBACK") == "full" else "short"


TRACEBACKS: Final = TracebackSetting()


def cut(error: BaseException) -> None:
    """Takes the package's frames out of the traceback of `error`, and of the errors it is shown with.

    It is called in an `except` block of a public function, which then says `raise`: that adds no frame. Where the
    package itself called that function, or everything is to be seen, nothing happens.
    """
    caller = sys._getframe(1).f_back
    if TRACEBACKS.mode == "full" or (caller is not None and is_inside(caller.f_code)):
        return
    if _is_bug(error):
        return
    seen: set[int] = set()
    shown: BaseException | None = error
    while shown is not None and id(shown) not in seen:
        seen.add(id(shown))
        shown.__traceback__ = _without_package(shown.__traceback__)
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)


def hides_frames(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator for public functions: tracebacks of their errors end in the caller's line."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                _name_the_call(function, args, kwargs, error)
            cut(error)
            raise

    return call


def _name_the_call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: BaseException
) -> None:
    """Rewords Python's error about arguments that do not fit: with the class of the object, and all parameters."""
    if not isinstance(error, TypeError):
        return
    known = [name for name in inspect.signature(function).parameters if name != "self"]
    strangers = [name for name in kwargs if name not in known]
    name = function.__qualname__
    if "." in name and args:
        name = f"{type(args[0]).__name__}.{function.__name__}".removesuffix(".__init__")  # it may be inherited
    words = str(error)
    if words.startswith((f"{function.__qualname__}() takes", f"{function.__qualname__}() missing")):
        by_name = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        rest = f"; by name: {', '.join(by_name)}" if by_name and "() takes" in words else ""
        error.args = (f"{name}{words[len(function.__qualname__):]}{rest}",)
    elif strangers:
        hint = keyword_hint(function.__name__, known, kwargs)
        error.args = (f"{name}: no parameter is called {strangers[0]!r}{hint}; the parameters are "
                      f"{', '.join(known)}",)  # fmt: skip


def hides_frames_of_init(made: type[C]) -> type[C]:
    """A decorator for public dataclasses: tracebacks of errors of their arguments end in the caller's line."""
    getattr(made, "__signature__", None)  # a quick dataclass has a stub until its signature is asked for
    type.__setattr__(made, "__init__", hides_frames(vars(made)["__init__"]))
    return made


def hides_frames_of_methods(kind: type[C]) -> type[C]:
    """A decorator for public classes: as `hides_frames`, for all methods that programs call, by a name or an operator.
    """
    methods = {name: member for name, member in vars(kind).items() if isinstance(member, FunctionType)}
    called = {name: method for name, method in methods.items() if name in _CALLED or not name.startswith("_")}
    hidden = {method: hides_frames(method) for method in called.values()}  # one for all names of a method
    for name, method in called.items():
        setattr(kind, name, hidden[method])
    return kind


_CALLED: Final = frozenset({"__init__", "__call__", "__getitem__", "__mul__", "__truediv__"})


@hides_frames
def _nothing() -> None:
    pass


_wrapper: Final = _nothing.__code__


def _without_package(traceback: TracebackType | None) -> TracebackType | None:
    """The entries of the user's frames, and of libraries that these have called."""
    kept: list[TracebackType] = []
    is_ours = False
    entry = traceback
    while entry is not None:
        code = entry.tb_frame.f_code
        is_ours = is_inside(code) or (is_ours and (_is_library(code.co_filename) or _is_of_a_dataclass(code)))
        if not is_ours:
            kept.append(entry)
        entry = entry.tb_next
    result: TracebackType | None = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def _is_of_a_dataclass(code: CodeType) -> bool:
    """Whether `dataclass` made a function, such as the `__init__` around a `__post_init__`."""
    if code.co_filename == "<string>":
        return "__create_fn__" in code.co_qualname
    return code.co_filename == _QUICK and code.co_name == "stub"


def _is_library(file: str) -> bool:
    """Whether a file belongs to NumPy or Python: what the package calls there is no concern of the user's."""
    return file.startswith(_NUMPY) or (file.startswith(_STANDARD) and "site-packages" not in file)


def _is_bug(error: BaseException) -> bool:
    """Whether an error arose in the package without a `raise` of its own."""
    if isinstance(error, _FROM_OUTSIDE):
        return False
    last = error.__traceback__
    ours: TracebackType | None = None
    while last is not None:
        code = last.tb_frame.f_code
        if is_inside(code) and not _is_of_a_dataclass(code):
            ours = last
        elif not _is_library(code.co_filename):
            ours = None  # the user's function, called by the package
        last = last.tb_next
    if ours is None or ours.tb_frame.f_code is _wrapper:  # the arguments did not fit the signature of the function
        return False
    return isinstance(error, AssertionError) or ours.tb_frame.f_code.co_code[ours.tb_lasti] != _RAISE
