"""The coordinator's connection to the processes of the engines, with timeouts for silent ones."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OURS = ("penstock", "limit")  # run by this Python; the others by the venv of the peers, if one is given
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "CPU_COUNT": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    "CPU": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
}
CHOICES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Variables that make NumPy's BLAS use kernels for another processor: each engine is measured with its own choice."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where workers run: family, small sizes or not, core (-1 for any), venv of the peers, seconds to wait."""

    family: str
    quick: bool
    core: int
    peers: Path | None
    patience: float


def python_of(venv: Path) -> Path:
    """The interpreter of a venv."""
    return venv / "bin" / "python"


class Silent(Exception):
    """A worker gave no answer in time, or ended."""


class Client:
    """One worker process. `version` is None, and `missing` says why, if its engine is not installed."""

    def __init__(self, name: str, place: Place) -> None:
        self.name = name
        self.place = place
        python = sys.executable if name in OURS or place.peers is None else str(python_of(place.peers))
        flags = ["--quick"] if place.quick else []
        command = [python, "-m", "benchmarks.worker", name, place.family, str(place.core), str(perf_counter()), *flags]
        inherited = {name: value for name, value in os.environ.items() if name not in CHOICES}
        environment = {**inherited, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
        self._rest = b""
        self.last_words = ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        try:
            answer = self.ask(do="hello")
        except Silent as reason:
            answer = {"missing": str(reason)}
        self.version: str | None = answer.get("version")
        self.missing: str = answer.get("missing", "")

    def ask(self, **request: Any) -> dict[str, Any]:
        """One request and its answer; Silent if there is none, and then the process is ended."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            answer: dict[str, Any] = json.loads(self._line(monotonic() + self.place.patience))
        except TimeoutError:
            self.end()
            raise Silent(f"no answer in {self.place.patience:.0f} s") from None
        except (EOFError, BrokenPipeError, ValueError):  # ValueError: its pipes were closed before
            self.end()
            raise Silent(f"its process ended: {self.last_words}") from None
        return answer

    def _line(self, deadline: float) -> bytes:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self._rest:
            ready, _, _ = select.select([descriptor], [], [], max(deadline - monotonic(), 0))
            if not ready:
                raise TimeoutError
            got = os.read(descriptor, 65536)
            if not got:
                raise EOFError
            self._rest += got
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self.process.poll() is None

    def end(self) -> None:
        """End the process."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self.process.wait(0.2)  # it ends by itself when its input ends, unless it is busy
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if not self._errors.closed:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            self.last_words = lines[-1][:200] if lines else f"exit status {self.process.returncode}"
            self._errors.close()
