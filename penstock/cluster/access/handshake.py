"""The comparison of a cluster's workers with this process, before anything else is sent to them.

Raw bytes and graphs travel between the processes, so these must agree: the version of Penstock, Python's and NumPy's
first two numbers, and the order of bytes. The kind of machine may differ; results may then differ in the last bits.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import FailedPreconditionError
from .cluster_worker import ClusterWorker


@dataclass(frozen=True, slots=True)
class Software:
    """What a process runs.

    Attributes:
        penstock: the version of Penstock; None where it cannot be imported.
        folder: the folder of the package.
        python: Python's version.
        numpy: NumPy's version; None where there is none.
        byteorder: "little" or "big".
    """

    penstock: str | None
    folder: str
    python: str
    numpy: str | None
    byteorder: str


def own_software() -> Software:
    """What this process runs."""
    version = sys.modules["penstock"].__version__
    folder = os.sep.join(os.path.abspath(__file__).split(os.sep)[:-3])
    python = ".".join(map(str, sys.version_info[:3]))
    return Software(version, folder, python, np.__version__, sys.byteorder)


def software_from_dask(versions: dict[str, Any], penstock: str | None, file: str | None) -> Software:
    """What a worker runs, from what Dask tells of it and what an import on it gave."""
    python = ".".join(str(versions["host"]["python"]).split(".")[:3])
    folder = os.path.dirname(file or "")
    return Software(penstock, folder, python, versions["packages"].get("numpy"), versions["host"]["byteorder"])


def check_software(worker: ClusterWorker, there: Software, here: Software, own: bool) -> None:
    """Refuse a worker that does not fit this process.

    Args:
        own: the session started the worker, so it runs the very same files.

    Raises:
        FailedPreconditionError: one line with the worker, what it has, what is here, and the cure.
    """
    if there.penstock is None:
        raise _refused(
            worker,
            f"has no package penstock; here is {here.penstock}. Run `pip install penstock=={here.penstock}` there",
        )
    if there.penstock != here.penstock:
        raise _refused(
            worker,
            f"has penstock {there.penstock}, here is {here.penstock}; the versions must be equal. Run `pip install "
            f"penstock=={here.penstock}` there, or the worker's version here",
        )
    if own and there.folder != here.folder:
        raise _refused(worker, f"imports penstock from {there.folder!r}, this program from {here.folder!r}")
    for package, found, wanted in (("Python", there.python, here.python), ("numpy", there.numpy, here.numpy)):
        if _first_two(found) != _first_two(wanted):
            raise _refused(
                worker,
                f"has {package} {found or '(none)'}, here is {wanted}; the first two numbers must be equal. Use one "
                "environment for both",
            )
    if there.byteorder != here.byteorder:
        raise _refused(worker, f"is a {there.byteorder}-endian machine, this one is {here.byteorder}-endian")


def _first_two(version: str | None) -> list[str]:
    return (version or "").split(".")[:2]


def _refused(worker: ClusterWorker, what: str) -> FailedPreconditionError:
    return FailedPreconditionError(message=f"Session: {worker.label} {what}")
