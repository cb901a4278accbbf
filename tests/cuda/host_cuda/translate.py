"""Compiles a CUDA source to a library that the stand-in runs. Its NVRTC calls translate.py SOURCE LIBRARY OPTION...

The C++ compiler preprocesses the source with `kernel.h` in front, the few words of CUDA that no macro can turn into C++
are replaced in that text, each kernel gets an entry that takes pointers to its arguments, and the compiler builds it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
KERNEL = re.compile(r'extern\s+"C"\s*__global__\s+void\s+(?:__attribute__\s*\(\(.*?\)\)\s*)*(\w+)\s*\(')
DYNAMIC = re.compile(r"extern\s+__shared__\s+([^;]*?)\s*\b(\w+)\s*\[\s*\]\s*;")
CONVERT = re.compile(r'\basm\s*\(\s*"cvt\.([\w.]+) %0, %1;"\s*:\s*"=\w"\((\w+)\)\s*:\s*"\w"\((\w+)\)\)')


def run(command: list[str], text: str) -> str:
    """What a command prints for a text; it ends the program with the command's complaints if it fails."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        sys.exit(1)
    return done.stdout


def main(source: str, library: str, options: list[str]) -> None:
    """Build `library` from the file `source`."""
    expressions = [o.removeprefix("--hc-name=") for o in options if o.startswith("--hc-name=")]
    passed = [o for o in options if o.startswith(("-I", "-D", "-U"))]
    machine = next(o for o in options if o.startswith("--hc-machine=")).removeprefix("--hc-machine=")
    text = Path(source).read_text().replace("#ifdef __CUDACC__", "#if 1")
    front = ["-include", str(HERE / "kernel.h"), f"-I{HERE / 'include'}"]
    plain = run(["g++", "-std=c++17", "-E", "-w", *front, *passed, "-x", "c++", "-"], text)
    plain = DYNAMIC.sub(r"\1 *\2 = (\1 *)hc_dynamic;", plain)
    plain = CONVERT.sub(lambda m: f"{m[2]} = hc_cvt_{m[1].replace('.', '_')}({m[3]})", plain)
    names = KERNEL.findall(plain)
    plain = re.sub(r"\b__shared__\b", "static __attribute__((aligned(16)))", plain)
    plain = re.sub(r"\b__global__\b", "", plain)
    entries = [f"HC_ENTRY({n}, {n})" for n in dict.fromkeys(names)]
    entries += [f"HC_ENTRY(hc_name_{i}, ({e}))" for i, e in enumerate(expressions)]
    macro = (HERE / "kernel.h").read_text()
    macro = macro[macro.index("#define HC_ENTRY") :]
    flags = ["-O1", "-shared", "-fPIC", "-ffp-contract=off", "-fno-strict-aliasing", "-w"]
    run(["g++", "-std=c++17", *flags, "-o", library, "-x", "c++", "-", "-x", "none", "-Wl,--no-as-needed", machine],
        f"{plain}\n{macro}\n" + "\n".join(entries) + "\n")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
