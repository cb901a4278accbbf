"""Runs whose results stay on the workers of a cluster: `Session.run(..., as_dask=True)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import UseError
from ...graph.model.nodes import Tensor
from .plan_cache import AS_DEVICE, PlanCache
from .remote_session import RunsElsewhere


def left_results(
    cluster: RunsElsewhere | None, plans: PlanCache, fetches: Any, tensors: tuple[Tensor, ...], values: Sequence[Any]
) -> Any:
    """The results in the structure of the fetches: Dask arrays for what is in shards, else arrays.

    Raises:
        UseError: the session has no cluster.
    """
    if cluster is None:
        raise UseError(
            "Session.run(as_dask=True): this session runs here, and Dask arrays lie on the workers of a cluster. Open "
            "it with Session(client), or leave as_dask out"
        )
    call, structure, values = plans.find(fetches, tensors, values, AS_DEVICE)
    results = call.run_program(call.arrays(call.in_order(values)))
    return results[0] if structure is None else structure.repack(results)
