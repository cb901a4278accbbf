"""What `tf.test` offers beside `TestCase`: `main`, `get_temp_dir`, and questions about GPUs."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import unittest
from collections.abc import Sequence
from typing import Any

from ..runtime.backends.devices import list_devices

_folders: list[str] = []


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the unit tests of the program's main module, and ends the program.

    Args:
        argv: the command line; None for that of the program.

    Raises:
        SystemExit: always, with the code 1 if a test has failed.

    >>> import penstock as tf
    >>> if __name__ == "__main__":
    ...     tf.test.main()

    Source: TensorFlow 1.x, `tf.test.main`.
    """
    unittest.main(module="__main__", argv=None if argv is None else list(argv))


def get_temp_dir() -> str:
    """A folder for files of tests: one for the whole process, deleted at its end.

    Returns:
        The path; that in the environment variable TEST_TMPDIR if it is set.

    >>> import os, penstock as tf
    >>> os.path.isdir(tf.test.get_temp_dir())
    True

    Source: TensorFlow 1.x, `tf.test.get_temp_dir`.
    """
    given = os.environ.get("TEST_TMPDIR")
    if given:
        os.makedirs(given, exist_ok=True)
        return given
    if not _folders:
        _folders.append(tempfile.mkdtemp(prefix="penstock_test_"))
        atexit.register(shutil.rmtree, _folders[0], ignore_errors=True)
    return _folders[0]


def test_src_dir_path(relative_path: str) -> str:
    """A path beside the program.

    Args:
        relative_path: the path, relative to the folder of the program's main module.

    Returns:
        An absolute path.

    >>> import os, penstock as tf
    >>> os.path.isabs(tf.test.test_src_dir_path("data/x.csv"))
    True

    Source: TensorFlow 1.x, `tf.test.test_src_dir_path`.
    """
    main_file = getattr(sys.modules["__main__"], "__file__", None)
    return os.path.abspath(os.path.join(os.path.dirname(main_file or "."), relative_path))


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test by its name


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether operations can run on a GPU.

    Args:
        cuda_only: has no effect: a GPU is one with CUDA.
        min_cuda_compute_capability: has no effect: every GPU that CuPy can use will do.

    Returns:
        A bool; `tf.list_devices()` says why there is none.

    >>> import penstock as tf
    >>> tf.test.is_gpu_available() == (tf.test.gpu_device_name() != "")
    True

    Source: TensorFlow 1.x, `tf.test.is_gpu_available`.
    """
    return bool(gpu_device_name())


def gpu_device_name() -> str:
    """The name of the first GPU, for `tf.device`.

    Returns:
        A name such as "/gpu:0"; "" if there is no GPU.

    >>> import penstock as tf
    >>> tf.test.gpu_device_name() in ("", "/gpu:0")
    True

    Source: TensorFlow 1.x, `tf.test.gpu_device_name`.
    """
    return next((device.name for device in list_devices() if device.kind == "gpu"), "")


def is_built_with_cuda() -> bool:
    """Whether this Penstock could use a GPU: it does so through CuPy, which is asked for when it is needed.

    Returns:
        True.

    >>> import penstock as tf
    >>> tf.test.is_built_with_cuda()
    True

    Source: TensorFlow 1.x, `tf.test.is_built_with_cuda`.
    """
    return True
