"""Makes everything in docs/ that programs make: printed output, pictures, the notebook, the gallery, the tables,
the pages of the lessons.

    python docs/make_all.py            says what is out of date
    python docs/make_all.py --write    writes it; the screenshots too, if there are Chromium and chromedriver
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = (
    "make_names", "make_stubs", "make_ops_table", "make_onnx_table", "make_tensorflow_names", "draw_moves",
    "make_gallery", "run_blocks", "make_notebook", "make_lessons",
)  # fmt: skip
OVERVIEW = ROOT / "docs" / "demo-overview.svg"


def main() -> int:
    """Make the parts one after another; the exit code is 1 if any was out of date."""
    write = sys.argv[1:] == ["--write"]
    codes = [run(ROOT / "docs" / f"{name}.py", *sys.argv[1:]) for name in SCRIPTS]
    codes.append(overview(write))
    if write and shutil.which("chromedriver"):
        codes.append(run(ROOT / "docs" / "make_screenshots.py"))
    return max(codes)


def run(*arguments: str | Path) -> int:
    """The exit code of Python with these arguments."""
    return subprocess.run([sys.executable, "-W", "ignore", *map(str, arguments)], cwd=ROOT).returncode


def overview(write: bool) -> int:
    """Compare or write the picture in the README that `penstock demo` exports."""
    with tempfile.TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "penstock", "demo", "--out", folder]
        subprocess.run(demo, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        made = Path(folder, OVERVIEW.name).read_bytes()
    if OVERVIEW.read_bytes() == made:
        return 0
    print(f"{OVERVIEW.relative_to(ROOT)} is not what the demo makes now")
    if write:
        OVERVIEW.write_bytes(made)
    return 1


if __name__ == "__main__":
    sys.exit(main())
