"""Records `foreign_graphs/`: graphs with control flow, written by TensorFlow, and what it computes with them.

    python -m tests.golden_extra.record_foreign_graphs

Run by an interpreter that has TensorFlow 2.21. For each program of `foreign_programs.py` and each of its eras there is
a GraphDef, NAME.v1.pb or NAME.v2.pb. NAME.frozen.pb is a `tf.function` of the program after
`convert_variables_to_constants_v2`: NAME.lowered.pb the same with TensorFlow's own lowering to Switch and Merge, and
NAME.prefix.pb the graph imported twice, under two prefixes. `cases.json` has the feeds and the results.
"""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from .foreign_programs import BOTH, ERAS, FEEDS, all_programs
from .record_gradients import encode

FOLDER = Path(__file__).parent / "foreign_graphs"
FROZEN = ("cond", "conds_inside", "count", "loops_inside", "cond_in_loop", "array_write", "map_fn", "scans", "rnn",
          "gradient_of_loop", "switch_case")  # fmt: skip
STEPS = 5
"""How often a node `train` runs before values are fetched."""
PREFIXED = ("conds_inside", "loops_inside", "gradient_of_loop")


def _config(tf: Any) -> Any:
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def _era(tf: Any, era: str) -> None:
    (tf.enable_control_flow_v2 if era == "v2" else tf.disable_control_flow_v2)()
    (tf.enable_resource_variables if era == "v2" else tf.disable_resource_variables)()


def results(tf: Any, graph: Any, fetches: list[str], feeds: dict[str, Any]) -> list[Any]:
    """The arrays of one run after variables were initialised."""
    with tf.Session(graph=graph, config=_config(tf)) as session:
        if "init" in [op.name for op in graph.get_operations()]:
            session.run("init")
        if "train" in [op.name for op in graph.get_operations()]:
            for _ in range(STEPS):
                session.run("train")
        return [_as_data(np.asarray(each)) for each in session.run(fetches, feeds)]


def _as_data(array: Any) -> dict[str, Any]:
    if array.dtype.kind not in "OS":
        return encode(array)
    texts = [each.decode() for each in array.astype(object).reshape(-1).tolist()]
    return {"dtype": "string", "shape": list(array.shape), "values": texts}


def case(
    tf: Any, name: str, proto: Any, fetches: list[str], prefix: str = "", feed_names: Any = None
) -> dict[str, Any]:
    """The entry of a graph, which is imported anew and run with every feed."""
    program = name.split(".")[0]
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name="")
    runs = []
    for feeds in FEEDS.get(program, [{}]):
        named = {f"{prefix}{(feed_names or {}).get(key, key)}:0": value for key, value in feeds.items()}
        runs.append({"feeds": named, "results": results(tf, graph, fetches, named)})
    (FOLDER / f"{name}.pb").write_bytes(proto.SerializeToString(deterministic=True))
    return {"name": name, "fetches": fetches, "runs": runs}


def main() -> None:
    """Record everything anew."""
    tf2 = importlib.import_module("tensorflow")
    tf = tf2.compat.v1
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    cases = []
    for name, program in all_programs().items():
        for era in ERAS.get(name, BOTH):
            _era(tf, era)
            with tf.Graph().as_default() as graph:
                fetches = [t.name for t in program(tf)]
                if tf.global_variables():
                    tf.global_variables_initializer()
            proto = graph.as_graph_def()
            cases.append(case(tf, f"{name}.{era}", proto, fetches))
            if name in PREFIXED:
                with tf.Graph().as_default() as graph:
                    for prefix in ("one", "two"):
                        tf.import_graph_def(proto, name=prefix)
                both = [f"{prefix}/{f}" for prefix in ("two",) for f in fetches]
                cases.append(case(tf, f"{name}.{era}prefix", graph.as_graph_def(), both, "two/"))
    cases += frozen(tf2)
    head = json.dumps({"format": 1, "kind": "foreign graphs", "system": f"tensorflow {tf2.__version__}"})
    text = head[:-1] + ', "cases": [\n' + ",\n".join(json.dumps(each) for each in cases) + "\n]}\n"
    (FOLDER / "cases.json").write_text(text)
    print(len(cases), "graphs")


class _AsFunction:
    """TensorFlow with `placeholder` giving the arguments of a function."""

    def __init__(self, tf: Any, made: dict[str, Any]) -> None:
        self._tf, self._made = tf, made

    def __getattr__(self, name: str) -> Any:
        if name == "placeholder":
            return lambda dtype, shape, name: self._made[name]
        return getattr(self._tf, name)


class _Recorder:
    """TensorFlow while it is only asked which placeholders a program makes."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self.specs: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        if name != "placeholder":
            return getattr(self._tf, name)

        def placeholder(dtype: Any, shape: Any, name: str) -> Any:
            self.specs.append(self._tf.TensorSpec(shape, dtype, name))
            return self._tf.placeholder(dtype, shape, name=name)

        return placeholder


def _call(tf: Any, program: Any, specs: list[Any]) -> Any:
    """A function of the placeholders of a program."""

    def call(*args: Any) -> Any:
        return program(_AsFunction(tf, {s.name: a for s, a in zip(specs, args, strict=True)}))

    return call


def frozen(tf2: Any) -> list[dict[str, Any]]:
    """Graphs of `tf.function`, frozen, with and without TensorFlow's lowering."""
    convert = importlib.import_module("tensorflow.python.framework.convert_to_constants")
    tf = tf2.compat.v1
    _era(tf, "v2")
    cases = []
    for name in FROZEN:
        program = all_programs()[name]
        with tf.Graph().as_default():
            recorder = _Recorder(tf)
            program(recorder)
        specs = recorder.specs
        concrete = tf2.function(_call(tf, program, specs), autograph=False).get_concrete_function(*specs)
        for kind, lower in (("frozen", False), ("lowered", True)):
            made = convert.convert_variables_to_constants_v2(concrete, lower_control_flow=lower)
            proto = made.graph.as_graph_def()
            names = {s.name: t.op.name for s, t in zip(specs, made.inputs, strict=True)}
            cases.append(case(tf, f"{name}.{kind}", proto, [t.name for t in made.outputs], "", names))
    return cases


if __name__ == "__main__":
    main()
