"""The fuzz of the GPU: random programs with operations on the CPU and on the played GPU, and on the CPU alone.

    python -m tests.fuzz.of_gpu --count 1000 --seed-start 0

`gpu_programs` has what must be equal.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
import warnings

from ..helpers import COMPILED
from .extension import extension_ops
from .gpu_programs import complaint
from .seeds import seeds_of


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something differs."""
    failures = tried = 0
    with tempfile.TemporaryDirectory(prefix="gpu-fuzz-") as folder, extension_ops() as extension:
        os.environ.setdefault(COMPILED, folder)  # where kernels are kept that a C compiler has made
        for seed in seeds_of("tests.fuzz.of_gpu", __doc__, arguments):
            tried += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    found = complaint(seed, extension)
                except Exception:
                    found = traceback.format_exc()
            if found is not None:
                failures += 1
                print(f"seed {seed}: {found}\n", flush=True)
    print(f"{tried} programs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
