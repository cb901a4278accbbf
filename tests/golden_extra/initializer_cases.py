"""Calls of initializers whose values `record_initializers.py` records from TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One initializer, called with a shape and a dtype."""

    name: str
    shape: tuple[int, ...]
    arguments: dict[str, Any] = field(default_factory=dict)
    dtype: str | None = None
    graph_seed: int | None = None


SHAPES = ((), (5,), (4, 3), (3, 4), (2, 2, 3, 5))
SCALED = ("glorot_uniform", "glorot_normal", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform",
          "uniform_unit_scaling")  # fmt: skip


def cases() -> list[Case]:
    """All calls; names are those of `tf.initializers`."""
    found = [
        Case("zeros", (2, 3)),
        Case("zeros", (2,), {"dtype": "int64"}),
        Case("ones", (2, 3), dtype="float64"),
        Case("ones", (), {"dtype": "bool"}),
        Case("constant", (2, 3), {"value": [1, 2, 3, 4, 5, 6]}),
        Case("constant", (2, 3), {"value": [1, 2]}, "int32"),
        Case("constant", (3,), {"value": 2.5}),
        Case("constant", (2, 2), {"value": [[1.0, 2.0], [3.0, 4.0]]}, "float64"),
        Case("identity", (3, 3)),
        Case("identity", (2, 4), {"gain": 0.5}),
        Case("identity", (3, 2), {"gain": 2.0}, "float64"),
    ]
    for seed, graph_seed in ((1, None), (42, 7), (0, 0)):
        for shape in SHAPES:
            found += [
                Case("random_uniform", shape, {"seed": seed}, None, graph_seed),
                Case("random_uniform", shape, {"minval": -2.0, "maxval": 3.0, "seed": seed}, "float64", graph_seed),
                Case("random_normal", shape, {"mean": 1.0, "stddev": 0.5, "seed": seed}, None, graph_seed),
                Case("random_normal", shape, {"seed": seed}, "float64", graph_seed),
                Case("truncated_normal", shape, {"stddev": 0.1, "seed": seed}, None, graph_seed),
                Case("truncated_normal", shape, {"mean": -1.0, "seed": seed, "dtype": "float64"}, None, graph_seed),
            ]
            found += [Case(name, shape, {"seed": seed}, None, graph_seed) for name in SCALED]
        found += [
            Case("random_uniform", (6,), {"minval": 0, "maxval": 10, "seed": seed}, "int32", graph_seed),
            Case("random_uniform", (6,), {"minval": -5, "maxval": 10, "seed": seed}, "int64", graph_seed),
            Case("uniform_unit_scaling", (4, 3), {"factor": 1.43, "seed": seed}, None, graph_seed),
        ]
        for mode in ("fan_in", "fan_out", "fan_avg"):
            for distribution in ("truncated_normal", "untruncated_normal", "uniform"):
                arguments = {"scale": 2.0, "mode": mode, "distribution": distribution, "seed": seed}
                found.append(Case("variance_scaling", (4, 3), arguments, None, graph_seed))
        for shape in ((3, 3), (5, 2), (2, 5), (2, 2, 3, 4), (2, 2, 1, 9)):
            found.append(Case("orthogonal", shape, {"seed": seed}, None, graph_seed))
            found.append(Case("orthogonal", shape, {"gain": 1.5, "seed": seed}, "float64", graph_seed))
    return found
