"""Records `foreign_writes/`: graphs that write variables inside of branches, loops and functions, by TensorFlow.

    python -m tests.golden_extra.record_foreign_writes

Run by an interpreter that has TensorFlow 2.21. `cases.json` has, for each program of `foreign_write_programs.py` in
each era and for random ones, what two runs in one session give after `init`, for each value of `n`.
"""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from .foreign_write_programs import FIRST_ERA, PROGRAMS, SECOND_ERA, random_program
from .record_foreign_graphs import _config, _era
from .record_gradients import encode

FOLDER = Path(__file__).parent / "foreign_writes"
SEEDS = range(10)
RUNS = 2


def case(tf: Any, name: str, era: str, program: Any) -> dict[str, Any]:
    """Write the graph of a program, run it, and give its entry."""
    _era(tf, era)
    with tf.Graph().as_default() as graph:
        fetches = [tensor.name for tensor in program(tf)]
        if tf.global_variables():
            tf.global_variables_initializer()
    runs = []
    for n in (1, 3):
        with tf.Session(graph=graph, config=_config(tf)) as session:
            if "init" in [op.name for op in graph.get_operations()]:
                session.run("init")
            results = [session.run(fetches, {"n:0": n}) for _ in range(RUNS)]
        runs.append({"n": n, "results": [[encode(np.asarray(each)) for each in values] for values in results]})
    (FOLDER / f"{name}.{era}.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
    return {"name": f"{name}.{era}", "fetches": fetches, "runs": runs}


def main() -> None:
    """Record everything anew."""
    tf2 = importlib.import_module("tensorflow")
    tf = tf2.compat.v1
    tf.disable_eager_execution()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    programs = PROGRAMS | {f"random{seed}": random_program(seed) for seed in SEEDS}
    cases = [
        case(tf, name, era, program)
        for name, program in programs.items()
        for era in ("v1", "v2")
        if name not in (SECOND_ERA if era == "v1" else FIRST_ERA)
    ]
    head = json.dumps({"format": 1, "kind": "foreign writes", "system": f"tensorflow {tf2.__version__}"})
    text = head[:-1] + ', "cases": [\n' + ",\n".join(json.dumps(each) for each in cases) + "\n]}\n"
    (FOLDER / "cases.json").write_text(text)
    print(len(cases), "graphs")


if __name__ == "__main__":
    main()
