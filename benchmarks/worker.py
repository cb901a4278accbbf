"""The process of one engine: it answers requests, one line of JSON each, until its input ends.

    python -m benchmarks.worker ENGINE FAMILY CORE SPAWNED [--quick]

ENGINE may be "limit". CORE is the one to stay on, -1 for any. SPAWNED is the clock when the process was started.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .case import Timed
    from .engine import Engine, Run


class Worker:
    """One engine and the case it is ready to run."""

    def __init__(self, name: str, family: str, quick: bool, spawned: float) -> None:
        from .families import cases

        self.name = name
        self.quick = quick
        self.cases = cases(family, quick)
        self.spawned = spawned
        self.engine: Engine | None = None
        self.call: Run | None = None
        self.once = 0.0

    def hello(self) -> dict[str, Any]:
        """Import the engine and say which version it is."""
        if self.name == "limit":
            return {"version": "gcc -O3 -march=native"}
        from .engines import engine

        try:
            self.engine = engine(self.name)
        except ImportError as error:
            return {"missing": str(error)}
        return {"version": self.engine.version}

    def prepare(self, name: str) -> dict[str, Any]:
        """Build a case, run it, compare the result with NumPy's; then it can be timed."""
        from .case import Timed, inputs_of

        case = self.cases[name]
        assert isinstance(case, Timed)
        self.call = None
        gc.collect()
        inputs = inputs_of(case)
        wanted = _reference(case, inputs)
        if self.engine is None:
            return self._prepare_limit(case, inputs, sum(array.nbytes for array in wanted))
        from .engine import Unsupported
        from .verify import difference

        try:
            if case.training is not None:
                return self._prepare_training(case, inputs, wanted)
            call = self.engine.build(case.program, inputs, case.through)
            for _ in range(3):  # lazy compilers are ready after the third run
                found = difference(self.engine.arrays(call()), wanted, case.tolerance)
                if found:
                    return {"wrong": found}
        except Unsupported as reason:
            return {"unsupported": str(reason)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"[:300]}
        return self._ready(call)

    def _prepare_training(self, case: Timed, inputs: list[Any], wanted: list[Any]) -> dict[str, Any]:
        from .verify import difference

        assert self.engine is not None and case.training is not None
        call, state = self.engine.train(case.training, case.program, inputs, case.through)
        call()
        found = difference(self.engine.arrays(state()), wanted, case.tolerance)
        if found:
            return {"wrong": found}
        for _ in range(2):  # lazy compilers are ready after the third run
            call()
        return self._ready(call)

    def _prepare_limit(self, case: Timed, inputs: list[Any], written: int) -> dict[str, Any]:
        from .limit import NoCompiler, compiled, mover, size_of

        if not case.limited:
            return {"unsupported": "no bytes to speak of"}
        reads = [size_of(x) for x in inputs] if case.reads is None else [case.reads(inputs)]
        try:
            return self._ready(mover(compiled(), reads, written))
        except NoCompiler as reason:
            return {"unsupported": str(reason)}

    def _ready(self, call: Run) -> dict[str, Any]:
        if self.engine is not None and not self.quick:
            self.engine.settle(call)
        start = perf_counter()
        call()
        self.once = perf_counter() - start
        self.call = call
        return {"ready": self.once}

    def time(self, seconds: float) -> dict[str, Any]:
        """Seconds per call, from as many calls as fill about `seconds`."""
        call = self.call
        assert call is not None
        times = max(1, min(10_000, int(seconds / max(self.once, 1e-7))))
        gc.disable()
        start = perf_counter()
        for _ in range(times):
            call()
        took = perf_counter() - start
        gc.enable()
        self.once = took / times
        return {"seconds": self.once}

    def probe(self, name: str) -> dict[str, Any]:
        """The figures of a probe; this process is good for nothing else afterwards."""
        from .case import Probe
        from .engine import Unsupported
        from .probes import Wrong

        case = self.cases[name]
        assert isinstance(case, Probe) and self.engine is not None
        try:
            return {"figures": case.measure(self.engine, self.spawned)}
        except Unsupported as reason:
            return {"unsupported": str(reason)}
        except Wrong as reason:
            return {"wrong": str(reason)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"[:300]}


def _reference(case: Timed, inputs: list[Any]) -> list[Any]:
    from .engines.numpy_engine import Numpy

    oracle = Numpy()
    return oracle.arrays(case.program(oracle, *inputs) if case.reference is None else case.reference(*inputs))


def main(argv: list[str]) -> int:
    """Answer until the input ends."""
    name, family, core, spawned, *flags = argv
    if int(core) >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})  # before anything counts the cores to make threads for
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not be taken for an answer
    worker = Worker(name, family, "--quick" in flags, float(spawned))
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(worker, request.pop("do"))(**request)
        print(json.dumps(answer), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
