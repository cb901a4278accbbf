"""The error of `Session.run` called with a name that it does not have."""

from __future__ import annotations

from ...graph.common.near_names import nearest

_ARGUMENTS_OF_RUN = ("fetches", "feed_dict", "options", "run_metadata", "as_device", "as_dask")


def unknown_argument(name: str) -> TypeError:
    """The error, which says which name was meant."""
    meant = "feed_dict={x: value}" if "feed" in name else nearest(name, _ARGUMENTS_OF_RUN) or ""
    cure = f"write {meant}" if meant else f"there are {', '.join(_ARGUMENTS_OF_RUN)}"
    return TypeError(f"Session.run() got an unexpected keyword argument {name!r}; {cure}")
