"""Attributes that programs of TensorFlow 1 set on tensors and variables: `layer.W = weights`, `x._shape_of_input = 3`.

Libraries on top of TensorFlow (tflearn, sugartensor) hand facts on in that way. Here a tensor has slots, so that a name
written wrong is an error. While the stand-in is there, both classes take any name. A graph keeps the values, and lets
go of them with itself: values mostly refer to tensors of it.
"""

from __future__ import annotations

from typing import Any, Final

from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Tensor
from ..variables.variable import Variable

_CLASSES: Final = Tensor, Variable


def _set_attribute(self: Any, name: str, value: Any) -> None:
    try:
        object.__setattr__(self, name, value)
    except AttributeError:
        if hasattr(type(self), name):  # a property that may not be written
            raise
        self.graph.attributes_of_programs.setdefault(self, {})[name] = value


@hides_frames
def _attribute(self: Any, name: str) -> Any:
    """The value of an attribute that the class has not."""
    if name not in ("graph", "op", "_element") and not name.startswith("__"):  # the first three lead to the graph
        values = self.graph.attributes_of_programs.get(self, {})
        if name in values:
            return values[name]
    raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)


@hides_frames
def _delete_attribute(self: Any, name: str) -> None:
    values = self.graph.attributes_of_programs.get(self, {})
    if name in values:
        del values[name]
    else:
        object.__delattr__(self, name)


_METHODS: Final = {"__setattr__": _set_attribute, "__getattr__": _attribute, "__delattr__": _delete_attribute}


def take_attributes() -> None:
    """Let tensors and variables take any attribute, from here on."""
    for each in _CLASSES:
        for name, method in _METHODS.items():
            setattr(each, name, method)


def refuse_attributes() -> None:
    """Let a new attribute be an error again."""
    for each in _CLASSES:
        for name in _METHODS.keys() & vars(each).keys():
            delattr(each, name)
