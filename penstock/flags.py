"""Options of a program on the command line: the names of `tf.flags` and `tf.app.flags`, on argparse.

    tf.flags.DEFINE_integer("steps", 100, "how long to train")
    ...
    for step in range(tf.flags.FLAGS.steps):

`python train.py --steps=20`, `--steps 20` and `-steps=20` set it. `FLAGS` reads the command line when the value of an
option is asked for the first time, or when `tf.app.run` starts.
"""

from __future__ import annotations

import argparse as _argparse
import sys as _sys
from collections.abc import Callable, Sequence
from typing import Any

from .graph.near_names import did_you_mean as _did_you_mean
from .graph.tracebacks import hides_frames as _hides_frames

__all__ = [
    "DEFINE_bool", "DEFINE_boolean", "DEFINE_enum", "DEFINE_float", "DEFINE_integer", "DEFINE_list",
    "DEFINE_multi_float", "DEFINE_multi_integer", "DEFINE_multi_string", "DEFINE_string", "FLAGS", "FlagValues",
    "mark_flag_as_required", "mark_flags_as_required",
]  # fmt: skip


class FlagValues:
    """The options of a program: each is an attribute.

    Calling it reads a command line.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_float("rate", 0.1, "learning rate", options)
    >>> options(["train.py", "--rate=0.5", "data.csv"]), options.rate
    (['train.py', 'data.csv'], 0.5)
    """

    def __init__(self) -> None:
        # Names of options are attributes, so those of the object itself are kept out of the way.
        self.__dict__["_parser"] = _argparse.ArgumentParser(allow_abbrev=False)
        self.__dict__["_values"] = {}
        self.__dict__["_required"] = set()
        self.__dict__["_is_parsed"] = False

    @_hides_frames
    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Reads a command line.

        Args:
            argv: the program's name, and what follows it.
            known_only: accepted; what is no option is left in any case.

        Returns:
            The name and what is left.

        Raises:
            SystemExit: an option has a wrong value, a required one is missing, or help is asked for.
        """
        found, rest = self._parser.parse_known_args(list(argv[1:]))
        for name, value in vars(found).items():
            if value is not None:
                self._values[name] = value
        self.__dict__["_is_parsed"] = True
        missing = sorted(name for name in self._required if self._values[name] is None)
        if missing:
            self._parser.error(f"the option --{missing[0]} must be given")
        return [*argv[:1], *rest]

    def _parse_flags(self, args: Sequence[str] | None = None) -> list[str]:
        """Reads the command line, as programs for TensorFlow 1.0 ask for it; what is left of it."""
        return self([_sys.argv[0], *(_sys.argv[1:] if args is None else args)])[1:]

    def flag_values_dict(self) -> dict[str, Any]:
        """The options and their values.

        Returns:
            A dict.

        >>> import penstock as tf
        >>> options = tf.flags.FlagValues()
        >>> tf.flags.DEFINE_string("mode", "train", "what to do", options)
        >>> options.flag_values_dict()
        {'mode': 'train'}
        """
        self._ensure_parsed()
        return dict(self._values)

    def _ensure_parsed(self) -> None:
        if not self._is_parsed:
            self(_sys.argv)

    def _define(self, name: str, default: Any, add: Callable[[Any], None]) -> None:
        if name in self._values:
            raise ValueError(f"flags: the option {name!r} is defined twice")
        self._values[name] = default
        add(self._parser)

    @_hides_frames
    def __getattr__(self, name: str) -> Any:
        if name == "__flags":  # of TensorFlow 1.0
            return self.flag_values_dict()
        if name not in self._values:
            raise AttributeError(f"there is no option {name!r}{_did_you_mean(name, self._values)}; "
                                 f"tf.flags.DEFINE_string({name!r}, default, help) makes one")  # fmt: skip
        self._ensure_parsed()
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._values[name] = value

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Any:
        return iter(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]


FLAGS = FlagValues()
"""The options of this program."""


def _define(
    kind: Callable[[str], Any], name: str, default: Any, help: str, values: FlagValues | None, **options: Any
) -> None:
    values = FLAGS if values is None else values

    def add(parser: Any) -> None:
        parser.add_argument(f"--{name}", f"-{name}", dest=name, type=kind, help=str(help).replace("%", "%%"), **options)

    values._define(name, default, add)


@_hides_frames
def DEFINE_string(name: str, default: str | None, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that is text.

    Args:
        name: its name.
        default: its value if it is not given.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_string("data", "a.csv", "the file", options)
    >>> options(["train.py", "--data", "b.csv"]), options.data
    (['train.py'], 'b.csv')
    """
    _define(str, name, default, help, flag_values)


@_hides_frames
def DEFINE_integer(name: str, default: int | None, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that is an int.

    Args:
        name: its name.
        default: its value if it is not given.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_integer("steps", 100, "how many", options)
    >>> options(["train.py", "-steps=20"]), options.steps
    (['train.py'], 20)
    """
    _define(int, name, default, help, flag_values)


@_hides_frames
def DEFINE_float(name: str, default: float | None, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that is a float.

    Args:
        name: its name.
        default: its value if it is not given.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_float("rate", 0.1, "the learning rate", options)
    >>> options(["train.py"]), options.rate
    (['train.py'], 0.1)
    """
    _define(float, name, default, help, flag_values)


@_hides_frames
def DEFINE_boolean(name: str, default: bool | None, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that is True or False: `--name`, `--noname`, `--name=false`.

    Args:
        name: its name.
        default: its value if it is not given.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_boolean("quiet", True, "says less", options)
    >>> options(["train.py", "--noquiet"]), options.quiet
    (['train.py'], False)
    """
    values = FLAGS if flag_values is None else flag_values

    def add(parser: Any) -> None:
        text = str(help).replace("%", "%%")
        parser.add_argument(f"--{name}", f"-{name}", dest=name, type=_bool, nargs="?", const=True, help=text)
        parser.add_argument(f"--no{name}", dest=name, action="store_const", const=False, help=_argparse.SUPPRESS)

    values._define(name, default, add)


DEFINE_bool = DEFINE_boolean


def _bool(text: str) -> bool:
    if text.lower() in ("true", "t", "1", "yes"):
        return True
    if text.lower() in ("false", "f", "0", "no"):
        return False
    raise ValueError(text)


@_hides_frames
def DEFINE_enum(
    name: str, default: str | None, enum_values: Sequence[str], help: str, flag_values: FlagValues | None = None
) -> None:
    """Defines an option that is one of some texts.

    Args:
        name: its name.
        default: its value if it is not given.
        enum_values: the texts.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_enum("mode", "train", ["train", "test"], "what to do", options)
    >>> options(["train.py", "--mode=test"]), options.mode
    (['train.py'], 'test')
    """
    _define(str, name, default, help, flag_values, choices=list(enum_values))


@_hides_frames
def DEFINE_list(name: str, default: Any, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that is a list of texts, separated by commas.

    Args:
        name: its name.
        default: its value if it is not given: a list, or text with commas.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_list("layers", "8,8", "the sizes", options)
    >>> options(["train.py", "--layers=16,4"]), options.layers
    (['train.py'], ['16', '4'])
    """
    _define(_texts, name, _texts(default) if isinstance(default, str) else default, help, flag_values)


def _texts(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")] if text else []


def _define_multi(kind: Any, name: str, default: Any, help: str, values: FlagValues | None) -> None:
    given = default if default is None or isinstance(default, (list, tuple)) else [default]
    _define(kind, name, None if given is None else list(given), help, values, action="append")


@_hides_frames
def DEFINE_multi_string(name: str, default: Any, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that may be given several times; its value is the list of texts.

    Args:
        name: its name.
        default: its value if it is not given: a list, or one text.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_multi_string("tag", "a", "tags", options)
    >>> options(["train.py", "--tag=b", "--tag=c"]), options.tag
    (['train.py'], ['b', 'c'])
    """
    _define_multi(str, name, default, help, flag_values)


@_hides_frames
def DEFINE_multi_integer(name: str, default: Any, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that may be given several times; its value is the list of ints.

    Args:
        name: its name.
        default: its value if it is not given: a list, or one int.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_multi_integer("size", [8], "sizes of layers", options)
    >>> options(["train.py", "--size=4", "--size=2"]), options.size
    (['train.py'], [4, 2])
    """
    _define_multi(int, name, default, help, flag_values)


@_hides_frames
def DEFINE_multi_float(name: str, default: Any, help: str, flag_values: FlagValues | None = None) -> None:
    """Defines an option that may be given several times; its value is the list of floats.

    Args:
        name: its name.
        default: its value if it is not given: a list, or one float.
        help: what `--help` says of it.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        ValueError: there is an option of that name.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_multi_float("rate", 0.1, "learning rates", options)
    >>> options(["train.py", "--rate=0.5"]), options.rate
    (['train.py'], [0.5])
    """
    _define_multi(float, name, default, help, flag_values)


@_hides_frames
def mark_flag_as_required(flag_name: str, flag_values: FlagValues | None = None) -> None:
    """Says that an option must be given.

    Args:
        flag_name: its name.
        flag_values: where it is defined; None (the default) means `FLAGS`.

    Raises:
        AttributeError: there is no such option.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_string("data", None, "the file", options)
    >>> tf.flags.mark_flag_as_required("data", options)
    """
    values = FLAGS if flag_values is None else flag_values
    if flag_name not in values:
        raise AttributeError(f"mark_flag_as_required: there is no option {flag_name!r}")
    values._required.add(flag_name)


@_hides_frames
def mark_flags_as_required(flag_names: Sequence[str], flag_values: FlagValues | None = None) -> None:
    """Says that several options must be given.

    Args:
        flag_names: their names.
        flag_values: where they are defined; None (the default) means `FLAGS`.

    Raises:
        AttributeError: there is no such option.

    >>> import penstock as tf
    >>> options = tf.flags.FlagValues()
    >>> tf.flags.DEFINE_string("data", None, "the file", options)
    >>> tf.flags.mark_flags_as_required(["data"], options)
    """
    for name in flag_names:
        mark_flag_as_required(name, flag_values)
