"""Calls of `tf.contrib.opt` beside the kernels of TensorFlow: the recorder calls these with arrays, the tests train.

TensorFlow 2.21 has the kernels of three of its optimizers (ApplyAdaMax, ApplyAddSign, ApplyPowerSign) and Nesterov's
form of ApplyAdam, but not the classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 12
START = np.array([[0.5, -1.0, 0.25], [2.0, 0.0, -0.75]])
CASES: dict[str, dict[str, float]] = {
    "Nadam": {"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-4},
    "AdaMax": {"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-4},
    "AddSign": {"learning_rate": 0.05, "alpha": 1.5, "beta": 0.8},
    "PowerSign": {"learning_rate": 0.05, "base": 3.0, "beta": 0.8},
}


def gradient(step: int) -> Any:
    """The gradient of a step, whatever the variable is."""
    return ((np.arange(6) * (step + 2) + 3 * step) % 7 - 3).reshape(2, 3) / 4
