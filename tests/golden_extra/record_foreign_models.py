"""Records `foreign_models/`: models that TensorFlow saved, and what it computes with them.

    python -m tests.golden_extra.record_foreign_models

Run by an interpreter that has TensorFlow 2.21. Each program of `foreign_model_programs.py` is built with the control
flow of TensorFlow 1 and with that of TensorFlow 2. It is saved as a MetaGraph with a checkpoint (`NAME.v1/model.meta`),
as a SavedModel (`NAME.v1/saved`) and frozen (`NAME.v1/frozen.pb`). `module` and `words` are saved by
`tf.saved_model.save`. `cases.json` has the feeds and the results, before and after two steps of training.
"""

from __future__ import annotations

import importlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .foreign_model_programs import MODELS, Model, modules
from .record_foreign_graphs import _as_data, _config, _era

FOLDER = Path(__file__).parent / "foreign_models"
STEPS = 2


def _feeds(model: Model) -> dict[str, Any]:
    return {tensor.name: model.feeds[key] for key, tensor in model.inputs.items()}


def _data(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype == object:
        texts = [each if isinstance(each, bytes) else str(each).encode() for each in array.reshape(-1).tolist()]
        array = np.array([*texts, b""], object)[:-1].reshape(array.shape)
    return _as_data(array)


def record(tf: Any, name: str, era: str) -> dict[str, Any]:
    """Save one model in every form; its case."""
    _era(tf, era)
    into = FOLDER / f"{name}.{era}"
    into.mkdir()
    with tf.Graph().as_default() as graph, tempfile.TemporaryDirectory() as folder:
        tf.set_random_seed(3)
        model = MODELS[name](tf, folder)
        init = tf.global_variables_initializer()
        saver = tf.train.Saver()
        outputs = {key: tensor.name for key, tensor in model.outputs.items()}
        feeds = _feeds(model)
        training = {**feeds, **{tensor.name: value for tensor, value in model.feeds_of_training}}
        case: dict[str, Any] = {"name": f"{name}.{era}", "outputs": outputs,
                                "start": model.start.name if model.start is not None else None,
                                "train": model.train.name, "init": init.name,
                                "inputs": {key: tensor.name for key, tensor in model.inputs.items()},
                                "feeds": {key: _data(value) for key, value in feeds.items()},
                                "feeds_of_training": {key: _data(value) for key, value in training.items()},
                                }  # fmt: skip
        with tf.Session(graph=graph, config=_config(tf)) as session:
            session.run(init)
            saver.save(session, str(into / "model"), write_state=False)
            if name not in ("pipeline", "queue"):
                frozen = tf.graph_util.convert_variables_to_constants(
                    session, graph.as_graph_def(), [t.op.name for t in model.outputs.values()])
                (into / "frozen.pb").write_bytes(frozen.SerializeToString(deterministic=True))
            builder = tf.saved_model.builder.SavedModelBuilder(str(into / "saved"))
            signature = tf.saved_model.predict_signature_def(model.inputs, model.outputs)
            builder.add_meta_graph_and_variables(
                session, [tf.saved_model.tag_constants.SERVING], {"serving_default": signature},
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS) or None,
                main_op=model.start if era == "v2" else None,
                **({"legacy_init_op": model.start} if era == "v1" else {}), strip_default_attrs=True)
            builder.save()
            if model.start is not None:
                session.run(model.start)
            case["before"] = {key: _data(session.run(tensor, feeds)) for key, tensor in model.outputs.items()}
            for _ in range(STEPS):
                session.run(model.train, training)
            case["after"] = {key: _data(session.run(tensor, feeds)) for key, tensor in model.outputs.items()}
    return case


def record_modules(tf2: Any) -> list[dict[str, Any]]:
    """Save the modules of TensorFlow 2; their cases."""
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (module, signatures, feeds) in modules(tf2, folder).items():
            tf2.saved_model.save(module, str(FOLDER / name), signatures=signatures)
            (FOLDER / name / "fingerprint.pb").unlink(missing_ok=True)
            loaded = tf2.saved_model.load(str(FOLDER / name))
            calls = []
            for key in signatures:
                found = loaded.signatures[key](**{k: tf2.constant(v) for k, v in feeds[key].items()})
                calls.append({"signature": key, "feeds": {k: _data(v) for k, v in feeds[key].items()},
                              "results": {k: _data(v.numpy()) for k, v in found.items()}})  # fmt: skip
            cases.append({"name": name, "calls": calls})
    return cases


def main() -> None:
    """Record everything anew."""
    tf2 = importlib.import_module("tensorflow")
    tf = tf2.compat.v1
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    of_modules = record_modules(tf2)
    tf.disable_eager_execution()
    cases = [record(tf, name, era) for name in MODELS for era in ("v1", "v2")]
    head = json.dumps({"format": 1, "kind": "foreign models", "system": f"tensorflow {tf2.__version__}"})
    lines = [",\n".join(json.dumps(each) for each in part) for part in (cases, of_modules)]
    (FOLDER / "cases.json").write_text(
        head[:-1] + ', "cases": [\n' + lines[0] + '\n], "modules": [\n' + lines[1] + "\n]}\n")
    print(len(cases), "models,", len(of_modules), "modules")


if __name__ == "__main__":
    main()
