"""`Watch`: the setting that a run ends at the first NaN or infinity, for a session or for one run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.common.tracebacks import hides_frames_of_init


@hides_frames_of_init
@dataclass(frozen=True, slots=True)
class Watch:
    """What a watched run looks for: it ends at the first NaN or infinity.

    Args:
        nan: whether NaN ends the run.
        inf: whether an infinity ends the run.
        exclude: a pattern, or several, of the names of nodes that may hold both, such as "mask/*".

    Raises:
        TypeError: a pattern is not a string.

    >>> import penstock as tf
    >>> config = tf.SessionConfig(watch=tf.Watch(exclude=["mask*"]))
    >>> with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     y = tf.add(tf.log(x, name="log"), 1.0, name="y")
    ...     try:
    ...         session.run(y, {x: [1.0, -2.0]})
    ...     except tf.errors.NonFiniteError as error:
    ...         print(error.tensor, error.index, error.value, error.inputs)
    log:0 (1,) nan {'x': -2.0}
    """

    nan: bool = True
    inf: bool = True
    exclude: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        given: Any = (self.exclude,) if isinstance(self.exclude, str) else self.exclude
        patterns = tuple(given) if isinstance(given, Iterable) else (given,)
        if not all(isinstance(pattern, str) for pattern in patterns):
            raise TypeError(f'Watch(exclude={self.exclude!r}): patterns of names are strings, such as "mask/*"')
        if not self.nan and not self.inf:
            raise ValueError("Watch(nan=False, inf=False): nothing is left to look for. Leave the watch out.")
        object.__setattr__(self, "exclude", patterns)

    def passes_over(self, node: str) -> bool:
        """True if a node of that name is excluded from the watch."""
        return any(fnmatchcase(node, pattern) or fnmatchcase(f"{node}:0", pattern) for pattern in self.exclude)

    def bad(self, array: Any) -> Any:
        """A mask of the bad elements, None if there are none."""
        found = ~np.isfinite(array) if self.nan and self.inf else np.isnan(array) if self.nan else np.isinf(array)
        return found if found.any() else None


def as_watch(value: Any, where: str) -> Watch | None:
    """The `watch` of a config or of options: a Watch, or True for a Watch with its defaults.

    Raises:
        TypeError: `value` is neither.
    """
    if value is None or value is False:
        return None
    if value is True:
        return Watch()
    if not isinstance(value, Watch):
        raise TypeError(f"{where}(watch={value!r}): a Watch or True is expected, not {type(value).__name__}")
    return value
