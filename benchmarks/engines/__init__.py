"""The vocabulary of the benchmarks for each engine, one file each, imported only in the engine's own process."""

import importlib

from ..engine import Engine

ENGINES = {
    "penstock": ("penstock_engine", "Penstock"),
    "numpy": ("numpy_engine", "Numpy"),
    "tensorflow": ("tensorflow_engine", "TensorFlow"),
    "jax": ("jax_engine", "Jax"),
    "torch": ("torch_engine", "Torch"),
    "inductor": ("torch_engine", "Inductor"),
    "numexpr": ("numexpr_engine", "Numexpr"),
    "pytensor": ("pytensor_engine", "PyTensor"),
    "tinygrad": ("tinygrad_engine", "Tinygrad"),
    "onnxruntime": ("onnx_engine", "OnnxRuntime"),
}
"""Name -> module and class. "inductor" is torch.compile."""

ON_GPU = {"cupy": ("cupy_engine", "CuPy")}
"""What is measured on a GPU only."""

PEERS = [
    "numpy", "tensorflow-cpu", "jax", "torch==2.13.0", "numexpr", "pytensor", "tinygrad", "onnx", "onnxruntime"
]  # fmt: skip
"""What is installed for them; onnx writes the models that onnxruntime runs."""


def engine(name: str) -> Engine:
    """The engine `name`; ImportError if it is not installed."""
    module, kind = (ENGINES | ON_GPU)[name]
    made: Engine = getattr(importlib.import_module(f".{module}", __name__), kind)()
    return made
