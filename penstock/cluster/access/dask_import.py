"""The import of Dask's `distributed`, on first use. No other module imports it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ...graph.common.lazy_import import load


@cache
def distributed() -> Any:
    """The package `distributed`, with the modules that are used here.

    Raises:
        ImportError: it is not installed.
    """
    try:
        load("distributed")
        load("distributed.deploy.subprocess")
        load("distributed.protocol")
        import distributed as package
    except ModuleNotFoundError as error:
        missing = error.name if error.name and error.name.partition(".")[0] in ("dask", "distributed") else None
        if missing is None:
            raise
        raise ImportError(
            "Session: the package distributed is not installed; a cluster needs it. Run `pip install penstock[dask]`",
            name=missing,
        ) from None
    return package


def is_client(value: object) -> bool:
    """Whether a value is a `distributed.Client`; the package is imported only if the value's class may come from it."""
    if not any(base.__module__.partition(".")[0] == "distributed" for base in type(value).__mro__):
        return False
    return isinstance(value, distributed().Client)


def is_dask_array(value: object) -> bool:
    """Whether a value is a Dask array."""
    kind = type(value)
    return kind.__module__.partition(".")[0] == "dask" and kind.__name__ == "Array"


def dask_array(futures: Sequence[Any], shapes: Sequence[tuple[int, ...]], dtype: Any, axis: int) -> Any:
    """The Dask array whose chunks along an axis are arrays that workers have."""
    load("dask.delayed")
    load("dask.array")
    import dask.array
    from dask.delayed import delayed

    arrays: Any = dask.array
    later: Any = delayed
    pairs = zip(futures, shapes, strict=True)
    chunks = [arrays.from_delayed(later(future), shape, dtype) for future, shape in pairs]
    return arrays.concatenate(chunks, axis=axis)


def results_here(keys: Sequence[str]) -> list[Any]:
    """On a worker: results of Dask tasks that are here."""
    data = distributed().get_worker().data
    return [data[key] for key in keys]


def actor_here(key: str) -> Any:
    """On a worker: an actor that is here."""
    return distributed().get_worker().state.actors[key]


def toolz() -> Any:
    """The package `toolz`, which Dask brings."""
    distributed()
    load("toolz")
    import toolz as package

    return package


async def call_peer(address: str, actor: str, method: str, parts: Sequence[Any]) -> list[Any]:
    """On a worker's loop: call a method of an actor of another worker.

    Raises:
        OSError: that worker is gone.
    """
    package = distributed()
    wrap = package.protocol.to_serialize
    remote = package.get_worker().rpc(address)
    reply = await remote.actor_execute(
        function=method, actor=actor, args=[parts[0], *[wrap(memoryview(part)) for part in parts[1:]]], kwargs={}
    )
    if reply["status"] != "OK":
        raise reply["exception"]
    return list(reply["result"])
