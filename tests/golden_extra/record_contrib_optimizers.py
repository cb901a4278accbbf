"""Records `contrib_optimizers.json`: what TensorFlow's kernels do with the calls of `contrib_optimizer_cases.py`.

    python -m tests.golden_extra.record_contrib_optimizers

Run by an interpreter that has TensorFlow 2.21; it needs nothing of Penstock.
"""

from __future__ import annotations

import importlib
import json
import math
from pathlib import Path
from typing import Any

from .contrib_optimizer_cases import CASES, START, STEPS, gradient


def main() -> None:
    """Record the variable after each step."""
    tf: Any = importlib.import_module("tensorflow")
    lines = []
    for name, numbers in CASES.items():
        for dtype in ("float32", "float64"):
            w, m, v = (tf.Variable(START.astype(dtype) * scale) for scale in (1, 0, 0))
            beta_powers = [tf.constant(numbers.get(label, 0.0), dtype) for label in ("beta1", "beta2")]
            shown = []
            for step in range(STEPS):
                as_tensors = {label: tf.constant(value, dtype) for label, value in numbers.items()}
                if "learning_rate" in as_tensors:
                    as_tensors["lr"] = as_tensors.pop("learning_rate")
                given = {"var": w.handle, "m": m.handle, "grad": tf.constant(gradient(step).astype(dtype))}
                powers = beta_powers
                if name == "Nadam":
                    tf.raw_ops.ResourceApplyAdam(v=v.handle, beta1_power=powers[0], beta2_power=powers[1],
                                                 use_nesterov=True, **given, **as_tensors)  # fmt: skip
                elif name == "AdaMax":
                    tf.raw_ops.ResourceApplyAdaMax(v=v.handle, beta1_power=powers[0], **given, **as_tensors)
                elif name == "AddSign":
                    tf.raw_ops.ResourceApplyAddSign(sign_decay=tf.constant(1.0, dtype), **given, **as_tensors)
                else:
                    del as_tensors["base"]
                    base, one = tf.constant(math.log(numbers["base"]), dtype), tf.constant(1.0, dtype)
                    tf.raw_ops.ResourceApplyPowerSign(logbase=base, sign_decay=one, **given, **as_tensors)
                shown.append([float(each) for each in w.numpy().ravel()])
                beta_powers = [p * tf.constant(numbers.get(label, 0.0), dtype)
                               for p, label in zip(beta_powers, ("beta1", "beta2"), strict=True)]  # fmt: skip
            lines.append(json.dumps({"name": name, "dtype": dtype, "expect": shown}))
    head = json.dumps({"format": 1, "kind": "contrib_optimizers", "system": f"tensorflow {tf.version.VERSION}"})
    text = head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    (Path(__file__).parent / "contrib_optimizers.json").write_text(text)
    print(len(lines), "cases")


if __name__ == "__main__":
    main()
