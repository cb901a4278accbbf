"""Is a stage well formed, and does it keep the promises of the one before?

Run after every pass in the tests, and in a session with `SessionConfig(verify=True)`. A complaint names the node.
"""

from __future__ import annotations

from collections import Counter

from ..errors import InternalError
from ..graph.operation import Operation, Tensor
from .stage import Stage


def verify(stage: Stage, before: Stage | None = None) -> None:
    """Raise InternalError unless the stage can run and, compared with `before`, asks the same of the user.

    Checked: inputs and control inputs come earlier or are fed; names are unique; every node has an origin; fetches,
    targets and pinned tensors are there; feeds, the number, dtypes and shapes of fetches, and the order of stateful
    operations are those of `before`.
    """
    available: set[Tensor] = set(stage.feeds)
    done: set[Operation] = set()
    for op in stage.operations:
        for tensor in op.inputs:
            _require(tensor in available, f"{op.name!r} reads {tensor.name!r}, which nothing before it makes")
        for control in op.control_inputs:
            fed = any(t in available for t in control.outputs)
            _require(control in done or fed, f"{op.name!r} waits for {control.name!r}, which does not run before it")
        _require(bool(op.origins), f"{op.name!r} has no origin")
        available.update(op.outputs)
        done.add(op)
    for name, count in Counter(op.name for op in stage.operations).items():
        _require(count == 1, f"{count} nodes are called {name!r}")
    for tensor in (*stage.fetches, *stage.pinned):
        _require(tensor in available, f"the fetch {tensor.name!r} is not made by any node")
    for op in stage.targets:
        _require(op in done, f"the target {op.name!r} does not run")
    if before is not None:
        _compare(stage, before)


def _compare(stage: Stage, before: Stage) -> None:
    _require(stage.feeds == before.feeds, "a pass changed what is fed")
    _require(len(stage.fetches) == len(before.fetches), "a pass changed the number of fetches")
    for new, old in zip(stage.fetches, before.fetches, strict=True):
        _require(new.dtype is old.dtype, f"the fetch {old.name!r} changed from {old.dtype} to {new.dtype}")
        compatible = new.shape.is_compatible_with(old.shape)
        _require(compatible, f"the fetch {old.name!r} changed its shape from {old.shape} to {new.shape}")
    stateful = [[op.name for op in s.operations if op.opdef.stateful] for s in (stage, before)]
    _require(stateful[0] == stateful[1], f"stateful operations {stateful[1]} became {stateful[0]}")


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise InternalError(message=f"verify: {complaint}")
