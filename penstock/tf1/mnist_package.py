"""`tensorflow.examples.tutorials.mnist`: a package of one module, `input_data`."""

from . import mnist_files as input_data
from .mnist_files import load_mnist as load_mnist

mnist = input_data
__all__ = ["input_data", "load_mnist", "mnist"]
