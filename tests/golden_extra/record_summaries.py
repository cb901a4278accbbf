"""Records what TensorFlow's summaries hold: python -m tests.golden_extra.record_summaries, with TensorFlow 2.21."""

import base64
import importlib
import json
from pathlib import Path
from typing import Any

from .summary_calls import CASES, IMAGES

HERE = Path(__file__).resolve().parent


def main() -> None:
    tf = importlib.import_module("tensorflow").compat.v1
    tf.disable_eager_execution()
    found: dict[str, Any] = {"kind": "summaries", "summaries": {}, "images": {}}
    for name, call in CASES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            tensor = call(tf)
            serialised = base64.b64encode(session.run(tensor)).decode()
            found["summaries"][name] = {"name": tensor.name, "bytes": serialised}
    for name, batch in IMAGES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            most = 1 if name == "grey" else 3
            summary = tf.Summary.FromString(session.run(tf.summary.image(name, tf.constant(batch), most)))
            found["images"][name] = [
                {
                    "tag": value.tag,
                    "size": [value.image.height, value.image.width, value.image.colorspace],
                    "pixels": session.run(tf.image.decode_png(value.image.encoded_image_string)).reshape(-1).tolist(),
                }
                for value in summary.value
            ]
    (HERE / "summaries.json").write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
