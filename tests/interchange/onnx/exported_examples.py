"""The runs of the programs in `examples/` as ONNX models, run in onnxruntime.

    python -m tests.interchange.onnx.exported_examples

The first runs of each program that fetch tensors are written before they run: what they compute must be the same there.
Fetches that have no form (writes of variables, random numbers ...) are left out, and told.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.graph.model.nodes import Operation, Tensor
from penstock.runtime.arguments.fetches import Fetches
from penstock.runtime.session.run_hooks import runs_given_to

from .exported_samples import agree, run_elsewhere

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
LEFT_OUT = ("cluster", "play_pages", "train_from_queues")
"""Programs that need a cluster, a browser, or wait for each other."""
RUNS = 4
RANDOM = ("Random", "Truncated", "Multinomial")


def random_before(tensor: Tensor) -> bool:
    """Whether random numbers go into a tensor."""
    seen: set[Operation] = set()
    waiting = [tensor.op]
    while waiting:
        op = waiting.pop()
        if op not in seen:
            seen.add(op)
            if op.type.startswith(RANDOM):
                return True
            waiting += [each.op for each in op.inputs]
    return False


class Comparison:
    """Writes what each of the first runs fetches as models, and compares."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.left = RUNS

    def __call__(self, requested: Any) -> Any:
        """A run that the program asks for."""
        graph = requested.session.graph
        fetched = [t for t in Fetches(graph, requested.fetches).tensors if not random_before(t)]
        if self.left > 0 and fetched:
            self.left -= 1
            with runs_given_to(lambda inner: inner.go()):
                for tensor in dict.fromkeys(fetched):
                    self._compare(tensor, requested)
        return requested.go()

    def _compare(self, tensor: Tensor, requested: Any) -> None:
        try:
            content = tf.save_onnx(None, {"out": tensor}, list(requested.feeds), session=requested.session)
            want = requested.session.run(tensor, dict(requested.feeds))
        except GraphFormatError as error:
            self.counts[f"refused: {str(error).splitlines()[-1].strip()[:60]}"] += 1
            return
        except tf.errors.OpError:
            return
        feeds = {t.op.name: np.asarray(value, t.dtype.np) for t, value in requested.feeds.items()}
        where, (got,) = run_elsewhere(content, feeds)
        is_equal = agree(got, want)
        self.counts[f"equal in {where}" if is_equal else "differs"] += 1
        if not is_equal:
            self.wrong.append(f"{tensor.name}: {got!r} instead of {want!r}"[:400])


def main() -> int:
    """Run each example."""
    total: Counter[str] = Counter()
    failed = 0
    for path in sorted(EXAMPLES.glob("*.py")):
        if path.stem in LEFT_OUT or (sys.argv[1:] and path.stem not in sys.argv[1:]):
            continue
        beside = Comparison()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, sys.argv = sys.argv, [str(path)]
            try:
                tf.reset_default_graph()
                with contextlib.redirect_stdout(io.StringIO()), runs_given_to(beside):
                    runpy.run_path(str(path), run_name="__main__")
            except BaseException as error:
                beside.wrong.append(f"{type(error).__name__}: {str(error)[:300]}")
            finally:
                sys.argv = before
        total.update(beside.counts)
        failed += bool(beside.wrong)
        print(path.stem, dict(beside.counts), *beside.wrong[:3], sep="\n    ", flush=True)
    print(os.linesep.join(f"{count:5} {what}" for what, count in total.most_common()))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
