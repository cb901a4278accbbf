"""HParams: the numbers that a program's model is made with, as attributes, with a text that changes some of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...errors import UseError, ValueRuleError

_TRUE, _FALSE = ("true", "True", "TRUE", "1"), ("false", "False", "FALSE", "0")


class HParams:
    """Hyperparameters by name: attributes whose type stays as it was given.

    Args:
        kwargs: the names and their values: numbers, texts, bools, or lists of these.

    Raises:
        ValueError: a list is empty, or a name is one of the methods.

    >>> import penstock as tf
    >>> sizes = tf.contrib.training.HParams(learning_rate=0.1, units=[64, 32], train=True)
    >>> sizes.parse("learning_rate=0.5,units=[16]").values()
    {'learning_rate': 0.5, 'units': [16], 'train': True}
    >>> sizes.learning_rate
    0.5

    Source: TensorFlow 1.x, `tf.contrib.training.HParams`.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            raise UseError("HParams: a message of HParamDef is not read here; give the names and values as arguments")
        self._model_structure = model_structure
        self._types: dict[str, tuple[type, bool]] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def __getattr__(self, name: str) -> Any:
        names = ", ".join(sorted(self.__dict__.get("_types", ()))) or "nothing"
        raise AttributeError(f"HParams has no {name!r}; it has {names}")

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a name, whose type is that of the value.

        Args:
            name: the name.
            value: its value.

        Raises:
            ValueError: the name is there, or a list is empty.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> sizes.add_hparam("units", [4])
        >>> sizes
        HParams(rate=0.5, units=[4])
        """
        if hasattr(type(self), name) or name in self._types:
            raise ValueRuleError(f"Hyperparameter name is reserved: {name}")
        is_list = isinstance(value, list | tuple)
        if is_list and not value:
            raise ValueRuleError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._types[name] = (type(value[0]) if is_list else type(value), is_list)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes the value of a name that is there; a number is cast to the type that it had.

        Args:
            name: the name.
            value: its new value.

        Raises:
            KeyError: the name is not there.
            ValueError: the value has another type.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> sizes.set_hparam("rate", 1)
        >>> sizes
        HParams(rate=1.0)
        """
        if name not in self._types:
            raise KeyError(f"HParams has no {name!r}; it has {', '.join(sorted(self._types))}")
        kind, is_list = self._types[name]
        if is_list != isinstance(value, list | tuple):
            found = "a list" if isinstance(value, list | tuple) else "no list"
            raise ValueRuleError(f"{name} was given as {'a list' if is_list else 'no list'}, and {value!r} is {found}")
        setattr(self, name, [_cast(name, kind, each) for each in value] if is_list else _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Takes a name away.

        Args:
            name: the name; one that is not there changes nothing.

        Raises:
            TypeError: `name` cannot be a key.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> sizes.del_hparam("rate")
        >>> sizes
        HParams()
        """
        if self._types.pop(name, None) is not None:
            delattr(self, name)

    def parse(self, values: str) -> HParams:
        """Changes values from a text such as "learning_rate=0.1,units=[64,32],sizes[1]=3".

        Args:
            values: the text.

        Returns:
            This object.

        Raises:
            ValueError: a name is not there, or a value cannot be read.
        """
        for name, index, text in _settings(values):
            if name not in self._types:
                raise ValueRuleError(f"Unknown hyperparameter: {name}; there are {', '.join(sorted(self._types))}")
            kind, is_list = self._types[name]
            if index is not None:
                changed = list(getattr(self, name))
                changed[index] = _read(name, kind, text)
                self.set_hparam(name, changed)
            elif text.startswith("["):
                parts = [part.strip() for part in text[1:-1].split(",") if part.strip()]
                self.set_hparam(name, [_read(name, kind, part) for part in parts])
            else:
                self.set_hparam(name, [_read(name, kind, text)] if is_list else _read(name, kind, text))
        return self

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Changes the values of names that are there.

        Args:
            values_dict: values by name.

        Returns:
            This object.

        Raises:
            KeyError: a name is not there.
            ValueError: a value has another type.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> sizes.override_from_dict({"rate": 2.0})
        HParams(rate=2.0)
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Changes values from an object of JSON.

        Args:
            values_json: the text of the object.

        Returns:
            This object.

        Raises:
            KeyError: a name is not there.
            ValueError: the text is no JSON, or a value has another type.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> sizes.parse_json('{"rate": 2.0}')
        HParams(rate=2.0)
        """
        return self.override_from_dict(json.loads(values_json))

    def to_json(
        self, indent: int | None = None, separators: tuple[str, str] | None = None, sort_keys: bool = False
    ) -> str:
        """The values as an object of JSON.

        Args:
            indent, separators, sort_keys: as in `json.dumps`.

        Returns:
            The text.

        Raises:
            TypeError: a value cannot be written.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> print(sizes.to_json())
        {"rate": 0.5}
        """
        told = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(told, indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """The values by name.

        Returns:
            A dictionary.
        """
        return {name: getattr(self, name) for name in self._types}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or `default`.

        Args:
            key: the name.
            default: what is given if it is not there.

        Returns:
            The value.

        Raises:
            TypeError: `key` cannot be a key.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> sizes.get("rate"), sizes.get("units", 4)
        (0.5, 4)
        """
        return getattr(self, key) if key in self._types else default

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps an object for `get_model_structure`.

        Args:
            model_structure: any object.

        Raises:
            TypeError: there is another argument.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> sizes.set_model_structure("two layers")
        >>> sizes.get_model_structure()
        'two layers'
        """
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """The object that `set_model_structure` was given.

        Returns:
            The object, or None.

        >>> import penstock as tf
        >>> sizes = tf.contrib.training.HParams(rate=0.5)
        >>> print(sizes.get_model_structure())
        None
        """
        return self._model_structure

    def __contains__(self, key: object) -> bool:
        return key in self._types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"HParams({', '.join(f'{name}={value!r}' for name, value in self.values().items())})"


def _settings(values: str) -> Iterator[tuple[str, int | None, str]]:
    """The names, indices and texts of "a=1,b[2]=3,c=[4,5]"."""
    rest = values.strip()
    while rest:
        name, sign, rest = rest.partition("=")
        name, rest = name.strip(), rest.strip()
        if not sign or not name:
            raise ValueRuleError(f"Malformed hyperparameter value: {values!r}; write name=value, with commas between")
        end = rest.find("]") + 1 if rest.startswith("[") else rest.find(",")
        if rest.startswith("[") and not end:
            raise ValueRuleError(f"Malformed hyperparameter value: {values!r}; a list ends with ]")
        text, rest = (rest, "") if end < 0 else (rest[:end], rest[end:])
        rest = rest.strip().removeprefix(",").strip()
        name, _, index = name.partition("[")
        yield name, int(index.rstrip("]")) if index else None, text.strip()


def _read(name: str, kind: type, text: str) -> Any:
    """A value from its text."""
    if kind is bool:
        if text not in (*_TRUE, *_FALSE):
            raise ValueRuleError(f"Could not parse {name}={text!r} as a bool; write true or false")
        return text in _TRUE
    reader: Callable[[str], Any] = str if kind is type(None) else kind
    try:
        return reader(text)
    except (TypeError, ValueError):
        raise ValueRuleError(f"Could not parse hyperparameter {name}={text!r} as {kind.__name__}") from None


def _cast(name: str, kind: type, value: Any) -> Any:
    """A value of the type that a name was given with; what would lose something is refused."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    if kind is type(None) or value is None or (kind is float and is_number):
        return float(value) if kind is float and value is not None else value
    if kind is int and is_number and int(value) == value:
        return int(value)
    if kind is bool and value in (0, 1):
        return bool(value)
    raise ValueRuleError(f"Could not cast hyperparameter {name!r} of type {kind.__name__} from value {value!r}")
