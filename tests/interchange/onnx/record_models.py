"""Small models that PyTorch and scikit-learn export, with onnxruntime's values, recorded in models/.

    python -m tests.interchange.onnx.record_models

torch, scikit-learn, skl2onnx, onnx and onnxruntime are needed. Each model is an .onnx file; beside it an .npz file has
the inputs (in_...), onnxruntime's outputs (out_...), and for networks the gradient of the sum of squared outputs with
respect to the first input, as PyTorch computes it (gradient).
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_name("models")
OPSET = 18


def _record(name: str, content: bytes, feeds: dict[str, Any], gradient: Any = None) -> None:
    import onnxruntime

    content = _without_notes(content)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    feeds = dict(zip([each.name for each in session.get_inputs()], feeds.values(), strict=True))
    values = session.run(None, feeds)
    arrays = {f"in_{key}": value for key, value in feeds.items()}
    for info, value in zip(session.get_outputs(), values, strict=True):
        if isinstance(value, np.ndarray):
            arrays[f"out_{info.name}"] = value
    if gradient is not None:
        arrays["gradient"] = gradient
    (FOLDER / f"{name}.onnx").write_bytes(content)
    np.savez_compressed(FOLDER / f"{name}.npz", **arrays)
    print(name, len(content), {key: value.shape for key, value in arrays.items()})


def _without_notes(content: bytes) -> bytes:
    """The model without what its writer noted at nodes: lines of files of the machine that wrote it."""
    import onnx

    model = onnx.load_model_from_string(content)
    for graph in [model.graph, *model.functions]:
        del graph.metadata_props[:]
        for node in graph.node:
            del node.metadata_props[:]
            node.ClearField("doc_string")
    for value in [*model.graph.value_info, *model.graph.input, *model.graph.output, *model.graph.initializer]:
        del value.metadata_props[:]
    return bytes(model.SerializeToString())


def _of_torch(name: str, module: Any, *inputs: Any) -> None:
    """A module in the state of inference, with a batch of any size."""
    import torch

    module.eval()
    buffer = io.BytesIO()
    names = [f"x{i}" for i in range(len(inputs))]
    shapes = tuple({0: torch.export.Dim("batch", min=1, max=4096)} for _ in inputs)
    try:
        program = torch.onnx.export(module, inputs, None, input_names=names, output_names=["y"], opset_version=OPSET,
                                    dynamic_shapes=shapes, dynamo=True, verbose=False)  # fmt: skip
        program.save(buffer)
    except Exception as error:
        print(name, "with a fixed batch:", str(error).strip().splitlines()[0][:150])
        program = torch.onnx.export(module, inputs, None, input_names=names, output_names=["y"], opset_version=OPSET,
                                    dynamo=True, verbose=False)  # fmt: skip
        program.save(buffer)
    gradient = None
    if inputs[0].is_floating_point():
        x = inputs[0].clone().requires_grad_()
        (module(x, *inputs[1:]) ** 2).sum().backward()
        gradient = x.grad.numpy()
    _record(name, buffer.getvalue(), {k: v.numpy() for k, v in zip(names, inputs, strict=True)}, gradient)


def networks() -> None:
    """What torch.onnx exports."""
    import torch
    from torch import nn

    torch.manual_seed(5)
    draw = torch.randn

    class Residual(nn.Module):  # type: ignore[misc]  # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Conv2d(4, 8, 3, 2, 1, bias=False), nn.Conv2d(8, 8, 3, 1, 1, bias=False)
            self.norms = nn.ModuleList([nn.BatchNorm2d(8), nn.BatchNorm2d(8), nn.BatchNorm2d(8)])
            self.short = nn.Conv2d(4, 8, 1, 2, bias=False)
            for norm in self.norms:
                norm.running_mean.normal_()
                norm.running_var.uniform_(0.5, 2)

        def forward(self, x: Any) -> Any:
            y = torch.relu(self.norms[0](self.first(x)))
            return torch.relu(self.norms[1](self.second(y)) + self.norms[2](self.short(x)))

    class Last(nn.Module):  # type: ignore[misc]  # torch has no types here
        def __init__(self, cell: Any) -> None:
            super().__init__()
            self.cell, self.out = cell, nn.Linear(6, 3)

        def forward(self, x: Any) -> Any:
            return self.out(self.cell(x)[0][:, -1])

    class Block(nn.Module):  # type: ignore[misc]  # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
            self.norms = nn.ModuleList([nn.LayerNorm(16), nn.LayerNorm(16)])
            self.wide = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))

        def forward(self, x: Any) -> Any:
            q, k, v = self.qkv(self.norms[0](x)).reshape(x.shape[0], 5, 3, 2, 8).permute(2, 0, 3, 1, 4)
            seen = torch.nn.functional.scaled_dot_product_attention(q, k, v)
            x = x + self.out(seen.permute(0, 2, 1, 3).reshape(x.shape[0], 5, 16))
            return x + self.wide(self.norms[1](x))

    class Words(nn.Module):  # type: ignore[misc]  # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.table, self.out = nn.Embedding(50, 8, padding_idx=0), nn.Linear(8, 3)

        def forward(self, words: Any) -> Any:
            known = (words != 0).unsqueeze(-1).float()
            mean = (self.table(words) * known).sum(1) / known.sum(1).clamp(min=1)
            return torch.softmax(self.out(torch.tanh(mean)), -1)

    _of_torch("mlp", nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4)),
              draw(3, 8))  # fmt: skip
    _of_torch("cnn", nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3, padding=1),
              nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5)), draw(2, 1, 12, 12))  # fmt: skip
    _of_torch("resnet_block", Residual(), draw(2, 4, 8, 8))
    _of_torch("depthwise_block", nn.Sequential(nn.Conv2d(4, 12, 1), nn.BatchNorm2d(12), nn.Hardswish(),
              nn.Conv2d(12, 12, 3, 2, 1, groups=12), nn.SiLU(), nn.Conv2d(12, 6, 1)), draw(2, 4, 9, 9))  # fmt: skip
    _of_torch("lstm", Last(nn.LSTM(4, 6, batch_first=True)), draw(3, 7, 4))
    _of_torch("gru", Last(nn.GRU(4, 6, batch_first=True)), draw(3, 7, 4))
    _of_torch("transformer_block", Block(), draw(2, 5, 16))
    _of_torch("vae_decoder", nn.Sequential(nn.Linear(4, 32), nn.ELU(), nn.Unflatten(1, (8, 2, 2)),
              nn.ConvTranspose2d(8, 4, 4, 2, 1), nn.LeakyReLU(0.1), nn.Upsample(scale_factor=2, mode="bilinear"),
              nn.ConvTranspose2d(4, 1, 3, 2, 1, output_padding=1), nn.Sigmoid()), draw(2, 4))  # fmt: skip
    _of_torch("text_classifier", Words(), torch.tensor([[3, 7, 9, 0, 0], [1, 2, 49, 5, 6]]))


def of_scikit_learn() -> None:
    """What skl2onnx exports."""
    from skl2onnx import to_onnx
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    rng = np.random.default_rng(3)
    x = rng.standard_normal((200, 5)).astype(np.float32)
    classes = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(np.int64) + (x[:, 3] > 1)
    models: dict[str, Any] = {
        "tree_ensemble": RandomForestRegressor(8, max_depth=5, random_state=1).fit(x, x[:, 0] * 2 + np.sin(x[:, 1])),
        "boosted_classes": GradientBoostingClassifier(n_estimators=6, max_depth=3, random_state=1).fit(x, classes),
        "pipeline": make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression(max_iter=300)).fit(
            x, classes),
    }  # fmt: skip
    for name, model in models.items():
        options = {} if name == "tree_ensemble" else {id(model): {"zipmap": False}}
        _record(name, to_onnx(model, x[:1], options=options, target_opset=OPSET).SerializeToString(), {"X": x[:7]})


def main() -> None:
    """Record every model."""
    FOLDER.mkdir(exist_ok=True)
    steps: tuple[Callable[[], None], ...] = (networks, of_scikit_learn)
    for step in steps:
        step()


if __name__ == "__main__":
    main()
