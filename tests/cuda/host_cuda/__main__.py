"""Builds a CUDA that the CPU plays, for CuPy: `python -m tests.cuda.host_cuda FOLDER` makes an environment with it.

CuPy's wheel opens NVRTC, the driver and cuBLAS when it needs them, so our libraries stand in their places. But the
wheel contains the CUDA runtime in one of its modules, and kernels for sorting and scans in two more. These three are
built again from CuPy's unchanged sources and linked to our libraries. Everything else is the wheel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
CUPY = "14.2.0"
CUDA = (12, 9)
MODULES = ("cupy_backends.cuda.api.runtime", "cupy.cuda.thrust", "cupy.cuda.cub")
TOOLS = ("Cython>=3.2,<3.3", "setuptools", "pytest>=8.2", "hypothesis>=6.100")
SOURCES = ("runtime", "driver", "sorts", "reductions", "products")
HEADERS = ("nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12")

CYTHONIZE = """
import sys
from Cython.Build import cythonize
from setuptools import Extension
cythonize(
    [Extension(m, [m.replace(".", "/") + ".pyx"], language="c++") for m in sys.argv[2:]], language_level=3,
    compiler_directives={"embedsignature": True, "c_api_binop_methods": True, "binding": False,
                         "warn.deprecated.IF": False},
    compile_time_env=dict(CUPY_USE_CUDA_PYTHON=False, CUPY_CUFFT_STATIC=False, CUPY_CYTHON_VERSION="3.2",
                          CUPY_CUDA_VERSION=int(sys.argv[1]), CUPY_HIP_VERSION=0),
)
"""


def run(*command: object, cwd: Path | None = None, **more: str) -> str:
    """What a command prints; its complaints go through."""
    words = [str(word) for word in command]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | more
    return subprocess.run(words, cwd=cwd, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


def fetch(folder: Path) -> Path:
    """The environment with CuPy's wheel and the headers of its CUDA, and the folder of CuPy's sources."""
    if not (folder / "bin/python").exists():
        run(sys.executable, "-m", "venv", folder)
    needs = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    headers = [f"{name}=={CUDA[0]}.{CUDA[1]}.*" for name in HEADERS]
    run(folder / "bin/pip", "install", "-q", f"cupy-cuda12x=={CUPY}", *headers, *TOOLS, *needs)
    sources = folder / f"src/cupy-{CUPY}"
    if not sources.exists():
        run(folder / "bin/pip", "download", "-q", "--no-binary", "cupy", "--no-deps", "-d", folder / "src",
            f"cupy=={CUPY}", CUPY_INSTALL_USE_STUB="1")  # fmt: skip
        with tarfile.open(folder / f"src/cupy-{CUPY}.tar.gz") as archive:
            safely: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4 and later
            archive.extractall(folder / "src", **safely)
    return sources


class Compiler:
    """g++ with the folders that all parts need."""

    def __init__(self, folder: Path, sources: Path) -> None:
        self.site = Path(run(folder / "bin/python", "-c", "import cupy; print(cupy.__file__)").strip()).parents[1]
        self.work = folder / "host_cuda"
        self.python = folder / "bin/python"
        nvidia = self.site / "nvidia"
        self.crt = nvidia / "cuda_nvcc/include"
        include = self.site / "cupy/_core/include/cupy/_cccl"
        places = [
            self.work / "include", nvidia / "cuda_runtime/include", self.crt, sources, include / "thrust",
            include / "libcudacxx", self.site / "numpy/_core/include", sysconfig.get_paths()["include"],
        ]  # fmt: skip
        self.flags = ["-O1", "-fPIC", "-w", *[f"-I{place}" for place in places]]

    def compile(self, source: Path, *more: str) -> Path:
        """The object of a source."""
        made = source.with_suffix(".o")
        run("g++", "-c", *self.flags, *more, "-o", made, source)
        return made

    def absent(self, made: list[Path], needed: set[str], prefix: str) -> str:
        """A line for each function that CuPy links to and these objects do not have."""
        have = set(re.findall(rf" T ({prefix}\w+)", run("nm", *made)))
        return "".join(f"ABSENT({name})\n" for name in sorted(needed - have))

    def link(self, made: Path, *parts: object) -> None:
        """A shared library; what was in its place is left to who has it open."""
        made.parent.mkdir(parents=True, exist_ok=True)
        made.unlink(missing_ok=True)
        run("g++", "-shared", "-o", made, *parts)


def build(folder: Path) -> None:
    """Make the environment, or make it anew after a change here."""
    sources = fetch(folder)
    gpp = Compiler(folder, sources)
    shutil.copytree(HERE, gpp.work, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__*", "README.md"))
    modules = [sources / f"{module.replace('.', '/')}.o" for module in MODULES]
    if not all(m.exists() for m in modules):
        run(gpp.python, "-c", CYTHONIZE, str(CUDA[0] * 1000 + CUDA[1] * 10), *MODULES, cwd=sources)
        defines = ["-D_FORCE_INLINES=1", '-DCYTHON_EXTERN_C=extern "C"', "-DNPY_TARGET_VERSION=NPY_2_0_API_VERSION",
                   "-DCUPY_CUB_VERSION_CODE=0"]  # fmt: skip
        for made in modules:
            gpp.compile(made.with_suffix(".cpp"), "-std=c++17", *defines)

    library = gpp.work / "libcuda.so.1"
    told = [f'-DHOST_CUDA_{name}="{value}"' for name, value in
            (("PYTHON", gpp.python), ("HERE", gpp.work), ("LIBRARY", library), ("CRT", gpp.crt))]  # fmt: skip
    for name in ("absent.inc", "absent_blas.inc"):
        (gpp.work / name).write_text("")
    parts = {name: gpp.compile(gpp.work / f"{name}.cpp", "-std=c++20", *told) for name in SOURCES}
    parts["gpu_threads"] = gpp.compile(gpp.work / "gpu_threads.c", "-xc", "-std=gnu11")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    wanted = set(re.findall(r" U (cuda\w+)", run("nm", modules[0])))
    (gpp.work / "absent.inc").write_text(gpp.absent([parts["runtime"]], wanted, "cuda"))
    blas = gpp.site / f"cupy_backends/cuda/libs/cublas{suffix}"
    wanted = set(re.findall(r" U (cublas\w+)", run("nm", "-D", blas)))
    (gpp.work / "absent_blas.inc").write_text(gpp.absent([parts["products"]], wanted, "cublas"))
    for name in ("runtime", "products"):
        gpp.compile(gpp.work / f"{name}.cpp", "-std=c++20", *told)

    gpp.link(library, "-Wl,-soname,libcuda.so.1", *[parts[n] for n in ("runtime", "driver", "gpu_threads")], "-ldl")
    ours = ["-Wl,--no-as-needed", library, f"-Wl,-rpath,{gpp.work}"]
    extra: list[list[Path]] = [[], [parts["sorts"]], [parts["reductions"]]]
    for module, made, more in zip(MODULES, modules, extra, strict=True):
        gpp.link(gpp.site / f"{module.replace('.', '/')}{suffix}", made, *more, *ours)
    (gpp.work / "blas.map").write_text("libcublas.so.12 { global: *; };")  # its users ask for names of this version
    places = gpp.site / "nvidia"
    for name in ("libcublas.so.12", "libcublasLt.so.12"):
        gpp.link(places / "cublas/lib" / name, f"-Wl,-soname,{name}", f"-Wl,--version-script={gpp.work}/blas.map",
                 parts["products"], *ours)  # fmt: skip
    for name in ("cuda_nvrtc/lib/libnvrtc.so.12", "cuda_runtime/lib/libcudart.so.12"):
        place = places / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(library)
    asked = "import cupy; print(cupy.__version__, float((cupy.arange(5.0) + 1).sum()))"
    print(run(gpp.python, "-c", asked, CUPY_CACHE_DIR=str(folder / "cache")).strip())
    print(f"CUPY_CACHE_DIR={folder}/cache {gpp.python} -m pytest -m gpu tests/cuda")


if __name__ == "__main__":
    build(Path(sys.argv[1]).absolute())
