"""An llvmlite that is installed but does not load is as good as none: runs are interpreted, and the reason is told."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from ...helpers import nightly
from ...warm_python import run_warm

PROGRAM = """
import json, sys, time, warnings
import numpy as np
import penstock as tf
from penstock.config import jit
from penstock.runtime.llvm import tier

assert not any(name.partition(".")[0] == "llvmlite" for name in sys.modules)
sys.path[:0] = sys.argv[2:]
jit.mode = sys.argv[1] or None
warnings.simplefilter("error")
x = tf.placeholder(tf.float32, [40_000])
a, w = tf.Variable(np.ones(40_000, "f4")), tf.Variable(np.ones((64, 64), "f4"))
loop = tf.while_loop(lambda i, v: i < 50, lambda i, v: [i + 1, v * 0.5 + 1.0], [0, tf.constant(3.0)])[1]
rows = tf.gather(x, tf.cast(tf.range(20_000) * 2, tf.int32))
fetches = [tf.reduce_sum(tf.exp(x * 0.1) + tf.tanh(x) * 2.0), a.assign_sub(x * 0.5), tf.matmul(w, w), loop, rows,
           tf.nn.softmax(tf.reshape(x, [400, 100])), tf.cast(x, tf.float16) * 2.0]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(8):
        session.run(fetches, {x: np.linspace(0, 1, 40_000)})
    end = time.monotonic() + (0 if sys.argv[1] == "off" else 60)
    while not tier.why_off() and time.monotonic() < end:  # until code is wanted, which is later where runs are short
        session.run(fetches, {x: np.linspace(0, 1, 40_000)})
    tier.wait(60)
    session.run(tf.global_variables_initializer())
    found = session.run(fetches, {x: np.linspace(0, 1, 40_000)})
print(json.dumps({"sums": [float(np.sum(np.asarray(each, "f8"))) for each in found], "why": tier.why_off(),
                  "stats": jit.stats().why_off, "compiled": jit.stats().compiled}))
"""

BROKEN = {
    "the package, OSError": {"__init__.py": "raise OSError('libLLVM: cannot open shared object file')"},
    "the package, ImportError": {"__init__.py": "raise ImportError('libLLVM: no version')"},
    "the binding, OSError": {"binding.py": "raise OSError('libLLVM: cannot open shared object file')"},
    "the binding, ImportError": {"binding.py": "raise ImportError('cannot import name ffi')"},
    "the binding is missing": {},
    "the binding, any error": {"binding.py": "raise RuntimeError('wrong LLVM version')"},
    "the start": {"binding.py": "def initialize_native_target(): raise RuntimeError('no target')"},
    "a function is missing": {
        "binding.py": "def initialize_native_target(): pass\ndef initialize_native_asmprinter(): pass"
    },
}


@cache
def interpreted_sums() -> object:
    """What the program gives where nothing is to be compiled."""
    return run("off", None)["sums"]


def run(mode: str, path: Path | None) -> dict[str, object]:
    done = run_warm(["-c", PROGRAM, mode, *([] if path is None else [str(path)])], timeout=300)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("mode", ["now", *nightly([""])])
@pytest.mark.parametrize("what", [
    pytest.param(each, marks=[] if each == "the binding, ImportError" else
                 pytest.mark.nightly if each in ("the package, OSError", "a function is missing") else pytest.mark.slow)
    for each in BROKEN
])  # fmt: skip
def test_runs_are_interpreted_and_the_reason_is_told(what: str, mode: str, tmp_path: Path) -> None:
    package = tmp_path / "llvmlite"
    package.mkdir()
    for name, text in {"__init__.py": "__version__ = '0'", **BROKEN[what]}.items():
        (package / name).write_text(text + "\n")
    found = run(mode, tmp_path)
    assert found["sums"] == interpreted_sums() and found["compiled"] == 0
    words = "the self-check failed" if what == "a function is missing" else "installed but cannot be loaded"
    assert words in str(found["why"]) and found["why"] == found["stats"]
