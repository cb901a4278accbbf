"""Namespaces for programs written for other versions: `import penstock.compat.v1 as tf`."""

from . import v1 as v1

__all__ = ["v1"]
