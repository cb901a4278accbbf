"""Writes examples.json: what the programs of examples/tf1 print under TensorFlow 2.21, by its compat.v1.

    python tests/tf1/record_examples.py        with an interpreter that has TensorFlow

Those of 0.x get the functions of that time, each one line over compat.v1. tf.contrib and the recurrent cells do not
exist there any more, so the two programs that need them are not recorded.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import runpy
import sys
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FIRST = ("autoencoder", "kmeans", "softmax_regression")
"""The programs for 0.x."""
LATER = ("convnet", "dqn", "gan", "saver_resume", "tensorboard_summaries", "text_classification", "word2vec")


def namespace_of_0(v1: Any) -> Any:
    """A module with the names of TensorFlow 0.x that the programs use."""
    found = types.ModuleType("tensorflow")
    found.__dict__.update({name: getattr(v1, name) for name in dir(v1) if not name.startswith("__")})
    found.__dict__.update(
        mul=v1.multiply, sub=v1.subtract, initialize_all_variables=v1.global_variables_initializer,
        concat=lambda axis, values: v1.concat(values, axis),
        split=lambda axis, count, value: v1.split(value, count, axis),
        placeholder=lambda dtype, shape=None, name=None: v1.placeholder(
            v1.float32 if dtype == "float" else dtype, shape, name),
        cast=lambda x, dtype: v1.cast(x, v1.float32 if dtype == "float" else dtype),
    )  # fmt: skip
    return found


def printed(name: str, module: Any) -> str:
    """What a program prints with a module in the place of `tensorflow`."""
    path = ROOT / "examples" / "tf1" / f"{name}.py"
    before, out = sys.modules["tensorflow"], io.StringIO()
    sys.modules["tensorflow"], sys.argv = module, [str(path)]
    try:
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.modules["tensorflow"] = before
    return out.getvalue()


if __name__ == "__main__":
    v1 = importlib.import_module("tensorflow").compat.v1
    v1.disable_v2_behavior()
    texts = {}
    for name in sorted((*FIRST, *LATER)):
        v1.reset_default_graph()
        texts[name] = printed(name, namespace_of_0(v1) if name in FIRST else v1).splitlines()
    Path(__file__).with_name("examples.json").write_text(json.dumps(texts, indent=1) + "\n", "utf-8")
