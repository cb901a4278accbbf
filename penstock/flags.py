"""Options of a program on the command line: `tf.flags` and `tf.app.flags`, which are absl's, as in TensorFlow 1.15.

    tf.flags.DEFINE_integer("steps", 100, "how long to train")
    ...
    for step in range(tf.flags.FLAGS.steps):

`python train.py --steps=20`, `--steps 20` and `-steps=20` set it. What TensorFlow adds to absl is added here: `FLAGS`
reads the command line when a value is asked for before `tf.app.run` has read it, and the functions that define options
take the parameters' names of TensorFlow 1.0 too.

This is the only module that imports absl; it is imported when a program asks for `tf.flags` or `tf.app`.
"""

from __future__ import annotations

import sys as _sys
import warnings as _warnings
from collections.abc import Callable, Iterator, Sequence
from functools import wraps as _wraps
from typing import Any, NoReturn, TypeVar
from typing import cast as _cast

from absl import app as _absl_app
from absl import flags as _absl_flags
from absl.flags import *  # noqa: F403  # as TensorFlow 1.15: what absl has, under the same names

from .graph.common.near_names import did_you_mean as _did_you_mean
from .graph.common.tracebacks import hides_frames as _hides_frames

__all__ = list(_absl_flags.__all__)

_F = TypeVar("_F", bound=Callable[..., Any])

_absl_flags.disclaim_key_flags()  # options belong to the module that calls, not to this one
_absl_flags.FLAGS["log_dir"].allow_override = True  # absl's own option; half of all programs define one of this name

_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}
"""The parameters' names of TensorFlow 1.0, and absl's."""


class _OptionsOfProgram:
    """absl's `FLAGS`, which reads `sys.argv` when a value is asked for and nothing has read it before."""

    _values: _absl_flags.FlagValues

    def __init__(self, values: _absl_flags.FlagValues) -> None:
        self.__dict__["_values"] = values

    @_hides_frames
    def __getattr__(self, name: str) -> Any:
        values = self._values
        if name in values and not values.is_parsed():
            _read(values, _sys.argv, known_only=False)
        try:
            return getattr(values, name)
        except AttributeError:
            raise AttributeError(
                f"there is no option {name!r}{_did_you_mean(name, list(values))}; "
                f"tf.flags.DEFINE_string({name!r}, default, help) makes one"
            ) from None

    @_hides_frames
    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._values, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._values, name)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self._values[name] = flag

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> list[str]:
        return [*dir(self._values)]

    def __str__(self) -> str:
        return str(self._values)

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        return self._values(argv, known_only)

    def _parse_flags(self, args: Sequence[str] | None = None) -> list[str]:
        """Read the command line, as programs for TensorFlow 1.0 ask for it; what is left of it."""
        rest = _sys.argv[1:] if args is None else args
        return _read(self._values, [_sys.argv[0], *rest], known_only=True)[1:]


def _read(values: _absl_flags.FlagValues, argv: Sequence[str], known_only: bool) -> list[str]:
    """Read a command line; end the program, as absl's own start does, if an option is wrong."""
    try:
        return values(list(argv), known_only)
    except (_absl_flags.Error, ValueError) as error:  # --noname=1 is a ValueError
        _sys.stderr.write(f"FATAL Flags parsing error: {error}\nPass --helpshort or --helpfull to see help on flags.\n")
        _sys.exit(1)


def _run(main: Callable[..., Any], argv: Sequence[str] | None) -> NoReturn:
    """`absl.app.run`; options that are not defined are left in the list for `main`, as TensorFlow 1.15 does."""
    line = list(_sys.argv if argv is None else argv)
    _absl_app.run(main, line, flags_parser=lambda given: _read(_absl_flags.FLAGS, given, known_only=True))
    raise AssertionError("absl.app.run ends the program")


def _takes_old_names(define: _F) -> _F:
    @_wraps(define)
    def defined(*args: Any, **options: Any) -> Any:
        if _OLD_NAMES.keys() & options.keys():
            _warnings.warn("the parameters flag_name, default_value and docstring are called name, default and help",
                           DeprecationWarning, stacklevel=2)  # fmt: skip
            options = {_OLD_NAMES.get(name, name): value for name, value in options.items()}
        return define(*args, **options)

    return _cast(_F, defined)


DEFINE_string = _takes_old_names(_absl_flags.DEFINE_string)
DEFINE_boolean = _takes_old_names(_absl_flags.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_float = _takes_old_names(_absl_flags.DEFINE_float)
DEFINE_integer = _takes_old_names(_absl_flags.DEFINE_integer)

FLAGS = _cast(_absl_flags.FlagValues, _OptionsOfProgram(_absl_flags.FLAGS))
"""The options of this program."""
