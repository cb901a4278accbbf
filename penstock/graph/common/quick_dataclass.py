"""`dataclass` for the classes that every program loads: what the standard one makes, in a tenth of the time.

The standard decorator compiles six methods for each class while it is imported, which was a third of a first run. Here
each method is compiled at its first call. `dataclasses.fields`, `replace`, `asdict`, `inspect.signature` and pattern
matching take such classes for dataclasses, which they are.

That needs two facts that the standard module keeps to itself, so a Python with which this was not tried gets the
standard decorator.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, field
from dataclasses import dataclass as standard_dataclass
from reprlib import recursive_repr
from types import MemberDescriptorType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

_FIELDS: Final = "__dataclass_fields__"
_NEWEST_TRIED: Final = (3, 13)

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

if not TYPE_CHECKING:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        repr: bool = True,
        kw_only: bool = False,
    ) -> Any:
        """`dataclasses.dataclass`, quicker, for modules whose annotations are texts.

        Raises:
            TypeError: a field is an `InitVar` or stands behind a `KW_ONLY`, which these classes do not have, or one
                without a default follows one with a default.
            ValueError: a default can be changed, as a list can.
        """

        def decorate(cls: type) -> type:
            return _dataclass_of(cls, frozen, slots, eq, repr, kw_only)

        return decorate if cls is None else decorate(cls)

    if sys.version_info[:2] > _NEWEST_TRIED:
        dataclass = standard_dataclass


@standard_dataclass
class _Specimen:
    only: list[int] = field(default_factory=list)


_KIND_OF_FIELDS: Final = getattr(_Specimen.__dataclass_fields__["only"], "_field_type", None)
_OF_FACTORY: Final = next(iter(_Specimen.__init__.__defaults__ or ()), None)
"""The default of a parameter that a factory makes a value for."""


def _dataclass_of(cls: type, frozen: bool, slots: bool, eq: bool, with_repr: bool, kw_only: bool) -> type:
    fields: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get(_FIELDS, {})
    own = _own_fields(cls, kw_only)
    fields |= own
    names: dict[str, Any] = {}
    for name, one in own.items():
        if one.default is not MISSING:
            names[name] = one.default
    names[_FIELDS] = fields
    names["__dataclass_params__"] = SimpleNamespace(
        init=True, repr=with_repr, eq=eq, order=False, unsafe_hash=False, frozen=frozen, slots=slots, kw_only=kw_only
    )
    names["__match_args__"] = tuple(one.name for one in fields.values() if one.init and not one.kw_only)
    every = fields.values()
    there = cls.__dict__
    if "__init__" not in there:
        init = _init(cls, fields, frozen)
        names |= {"__init__": init.stub, "__signature__": _InitSignature(init)}
    methods: dict[str, Any] = {}
    if with_repr:
        methods["__repr__"] = recursive_repr()(_Pending("__repr__", lambda: _repr_text(every)).stub)
    if eq:
        methods["__eq__"] = _Pending("__eq__", lambda: _eq_text(every)).stub
        if there.get("__hash__") is None:
            names["__hash__"] = _Pending("__hash__", lambda: _hash_text(every)).stub if frozen else None
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if slots:
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
    names |= {name: method for name, method in methods.items() if name not in there}
    without = [name for name, one in own.items() if name in there and name not in names]
    return _with_slots(cls, names, fields) if slots else _with_names(cls, names, without)


# ---- fields -------------------------------------------------------------------------------------


def _own_fields(cls: type, kw_only: bool) -> dict[str, Field[Any]]:
    own: dict[str, Field[Any]] = {}
    for name, annotation in inspect.get_annotations(cls).items():
        text = str(annotation).removeprefix("typing.")
        if text.startswith("ClassVar"):
            continue
        if text.startswith(("InitVar", "KW_ONLY")):
            raise TypeError(f"{cls.__name__}.{name}: {text} needs dataclasses.dataclass")
        default = cls.__dict__.get(name, MISSING)
        if isinstance(default, MemberDescriptorType):  # of __slots__
            default = MISSING
        one: Any = default if isinstance(default, Field) else field(default=default)
        if one.default.__class__.__hash__ is None:
            raise ValueError(
                f"{cls.__name__}.{name} has {one.default!r} as its default, which all instances would share: use"
                " field(default_factory=...)"
            )
        one.name, one.type, one._field_type = name, annotation, _KIND_OF_FIELDS
        if one.kw_only is MISSING:
            one.kw_only = kw_only
        own[name] = one
    return own


def _all(of: str, names: Sequence[str]) -> str:
    return "".join(f"{of}.{name}, " for name in names)


def _repr_text(fields: Collection[Field[Any]]) -> str:
    parts = ", ".join(f"{one.name}={{self.{one.name}!r}}" for one in fields if one.repr)
    return _function_text("__repr__", "self", [f'return f"{{self.__class__.__qualname__}}({parts})"'])


def _eq_text(fields: Collection[Field[Any]]) -> str:
    names = [one.name for one in fields if one.compare]
    return _function_text("__eq__", "self, other", [
        "if other.__class__ is not self.__class__:",
        "  return NotImplemented",
        f"return ({_all('self', names)}) == ({_all('other', names)})",
    ])  # fmt: skip


def _hash_text(fields: Collection[Field[Any]]) -> str:
    names = [one.name for one in fields if (one.compare if one.hash is None else one.hash)]
    return _function_text("__hash__", "self", [f"return hash(({_all('self', names)}))"])


# ---- methods ------------------------------------------------------------------------------------


class _Pending:
    """A method that is compiled when it is called for the first time, and takes the place of `stub`.

    Compiling it twice, in two threads, does no harm.
    """

    __slots__ = ("function", "name", "stub", "text", "types", "values")

    def __init__(
        self, name: str, text: Callable[[], str], values: Mapping[str, Any] = {}, types: Mapping[str, Any] = {}
    ) -> None:  # neither is ever changed
        self.name = name
        self.text = text
        self.values = values
        self.types = types
        self.function: Any = None

        def stub(self_: Any, *arguments: Any, **named: Any) -> Any:
            return (self.function or self.compiled(type(self_)))(self_, *arguments, **named)

        stub.__name__ = name
        self.stub = stub

    def compiled(self, kind: type) -> Any:
        """The function, which now stands where the stub stood, in `kind` or a base of it."""
        text = f"def __create_fn__({', '.join(self.values)}):\n def {self.text()}\n return {self.name}"
        makers: dict[str, Any] = {}
        # `graph/common/tracebacks.py` knows such functions by the outer one's name.
        exec(text, vars(sys.modules.get(kind.__module__, builtins)), makers)
        self.function = function = makers["__create_fn__"](**self.values)
        function.__annotations__ = dict(self.types)
        for cls in kind.__mro__:
            if cls.__dict__.get(self.name) is self.stub:
                function.__qualname__ = f"{cls.__qualname__}.{self.name}"
                function.__module__ = cls.__module__
                setattr(cls, self.name, function)
        return function


class _InitSignature:
    """`__signature__` of a class: `inspect.signature` asks for it first, and then looks at `__init__`."""

    __slots__ = ("pending",)

    def __init__(self, pending: _Pending) -> None:
        self.pending = pending

    def __get__(self, instance: object, owner: type) -> Any:
        if getattr(owner, "__init__", None) is self.pending.stub:
            self.pending.compiled(owner)
        raise AttributeError("__signature__")


def _init(cls: type, fields: Mapping[str, Field[Any]], frozen: bool) -> _Pending:
    values: dict[str, Any] = {"_missing": _OF_FACTORY, "_set": object.__setattr__}
    optional = ""
    for one in fields.values():
        if one.default is not MISSING:
            values[f"_default_{one.name}"] = one.default
        elif one.default_factory is not MISSING:
            values[f"_factory_{one.name}"] = one.default_factory
        elif optional and one.init and not one.kw_only:
            raise TypeError(f"non-default argument {one.name!r} follows default argument {optional!r}")
        if one.init and not one.kw_only and not _is_required(one):
            optional = one.name
    is_checked = hasattr(cls, "__post_init__")
    types = {one.name: one.type for one in fields.values() if one.init} | {"return": None}
    return _Pending("__init__", lambda: _init_text(fields.values(), frozen, is_checked), values, types)


def _is_required(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _init_text(fields: Collection[Field[Any]], frozen: bool, is_checked: bool) -> str:
    parameters = ["self"]
    lines: list[str] = []
    for one in [*(each for each in fields if not each.kw_only), *(each for each in fields if each.kw_only)]:
        name = value = one.name
        default = ""
        if one.default is not MISSING:
            default, preset = f"=_default_{name}", f"_default_{name}"
        elif one.default_factory is not MISSING:
            default, preset = "=_missing", f"_factory_{name}()"
            value = f"{preset} if {name} is _missing else {name}"
        elif not one.init:
            continue  # the class sets it
        if not one.init:
            value = preset
        else:
            if one.kw_only and "*" not in parameters:
                parameters.append("*")
            parameters.append(f"{name}{default}")
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if is_checked:
        lines.append("self.__post_init__()")
    return _function_text("__init__", ", ".join(parameters), lines or ["pass"])


def _function_text(name: str, parameters: str, lines: Sequence[str]) -> str:
    return f"{name}({parameters}):\n  " + "\n  ".join(lines)


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    if name in self.__dataclass_fields__ or _FIELDS in type(self).__dict__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if name in self.__dataclass_fields__ or _FIELDS in type(self).__dict__:
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)


# ---- classes ------------------------------------------------------------------------------------


def _with_names(cls: type, names: Mapping[str, Any], without: Sequence[str]) -> type:
    for name, value in names.items():
        setattr(cls, name, value)
    for name in without:
        delattr(cls, name)
    return cls


def _with_slots(cls: type, names: Mapping[str, Any], fields: Mapping[str, Field[Any]]) -> type:
    """The class again, since slots cannot be added to one."""
    inherited: set[str] = set()
    for base in cls.__mro__[1:-1]:
        slots = base.__dict__.get("__slots__", ())
        inherited |= {slots} if isinstance(slots, str) else set(slots)
    body = {name: value for name, value in cls.__dict__.items() if name not in fields}
    body |= {name: value for name, value in names.items() if name not in fields}
    body["__slots__"] = tuple(name for name in fields if name not in inherited)
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    again = type(cls)(cls.__name__, cls.__bases__, body)
    again.__qualname__ = cls.__qualname__
    return again
