"""The backend for an NVIDIA GPU, through CuPy.

CuPy copies arrays to the GPU through pinned memory. It fills that memory at once, copies while the host continues,
and releases the memory when the copy is done. An array that is on the GPU already (a CuPy array, or any object with
`__cuda_array_interface__` or DLPack) is used without a copy.
"""

from __future__ import annotations

import os
from typing import Any

from ...errors import FailedPreconditionError, InvalidArgumentError, ResourceExhaustedError
from ...graph.shapes.dtypes import DType, bfloat16
from ...graph.shapes.literal import Array
from .protocol import DLPACK_CUDA


class CupyBackend:
    """An NVIDIA GPU, through CuPy."""

    name = "gpu"

    def __init__(self, cupy: Any) -> None:
        self.xp = cupy
        self.array_type: type = cupy.ndarray
        self._process = os.getpid()
        self._holds_bfloat16: bool | None = None

    def from_host(self, array: Array) -> Any:
        """Copy to the device.

        Raises:
            FailedPreconditionError: this process was forked from the one that started CUDA.
            ResourceExhaustedError: the GPU has not enough free memory.
        """
        self._check_process()
        if isinstance(array, self.array_type):
            check_device_of(array, self.device())
            return array
        with OutOfMemory(self.xp, f"copying {array.nbytes:,} bytes to the GPU"):
            if array.ndim == 0:  # CuPy fills the memory of a scalar, and writes 0.0 for -0.0
                return self.xp.asarray(array.reshape(1)).reshape(())
            return self.xp.asarray(array)

    def to_host(self, array: Any) -> Array:
        """Copy from the device, after all work that was started there."""
        self._check_process()
        found: Array = self.xp.asnumpy(array)
        return found

    def device(self) -> int:
        """The number of the current GPU."""
        self._check_process()
        return int(self.xp.cuda.runtime.getDevice())

    def holds(self, dtype: DType) -> bool:
        """Whether CuPy has arrays of a dtype: releases before 14 have none of bfloat16."""
        if dtype is not bfloat16:
            return True
        if self._holds_bfloat16 is None:
            try:
                self.xp.empty((1,), dtype.np)
                self._holds_bfloat16 = True
            except (TypeError, ValueError):
                self._holds_bfloat16 = False
        return self._holds_bfloat16

    def adopt(self, value: Any) -> Any:
        """An array of any library on a GPU as a CuPy array, without a copy; None if it is not on a GPU."""
        if isinstance(value, self.array_type):
            return value
        if hasattr(value, "__cuda_array_interface__"):
            return self.xp.asarray(value)
        if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] == DLPACK_CUDA:
            return self.xp.from_dlpack(value)
        return None

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise FailedPreconditionError(
                message="A GPU was used in a process that was forked after CUDA had started: CUDA does not work in "
                "such a child. Start processes with multiprocessing.get_context('spawn'), or fork before the first run"
            )


class OutOfMemory:
    """`with OutOfMemory(cupy, attempt):` turns CuPy's error into one that names the attempt and the free memory."""

    def __init__(self, cupy: Any, attempt: str) -> None:
        self._cupy = cupy
        self._attempt = attempt

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        memory = getattr(self._cupy.cuda, "memory", None)
        if kind is not None and memory is not None and issubclass(kind, memory.OutOfMemoryError):
            self._cupy.get_default_memory_pool().free_all_blocks()
            free, total = self._cupy.cuda.runtime.memGetInfo()
            raise ResourceExhaustedError(
                message=f"Out of memory on the GPU while {self._attempt}: {free:,} of {total:,} bytes are free. Run "
                "with smaller feeds, fetch fewer results at once, or use SessionConfig(device='cpu')"
            ) from error


def check_device_of(array: Any, wanted: int) -> None:
    """Raise InvalidArgumentError if an array is on another GPU than `wanted`."""
    found = int(array.device.id)
    if found != wanted:
        raise InvalidArgumentError(
            message=f"The fed array lies on /gpu:{found}, but the run is on /gpu:{wanted}: copy it there first, inside "
            f"`with cupy.cuda.Device({wanted}):`"
        )
