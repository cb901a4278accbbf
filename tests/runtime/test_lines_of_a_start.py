"""How many lines of each file a start of the package and of its compiled loops goes through.

What a module computes while it is imported, every program's first run pays for: the table of a checksum took 9 ms.
"""

import os
import subprocess
import sys
from pathlib import Path

import penstock as tf

ROOT = Path(__file__).resolve().parents[2]
MOST = 60_000
"""Lines of one file; dataclasses and declarations of all operations go through 47,000 and 31,000 lines."""
PROGRAM = """
import sys, threading
from collections import Counter

lines = Counter()

def count(frame, event, _):
    if event == "line":
        lines[frame.f_code.co_filename] += 1
    return count

threading.settrace(count)
sys.settrace(count)
import penstock.compat.v1 as tf
with tf.Session() as session:
    session.run(tf.constant(1.0) + 1)
import penstock.runtime.kernels.loops.loop_cache
sys.settrace(None)
for name, number in lines.items():
    print(number, name)
"""


def test_no_module_computes_for_long_while_it_is_imported() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PENSTOCK_CACHE_DIR": "off"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    package = os.path.dirname(tf.__file__)
    counted = [line.split(" ", 1) for line in done.stdout.splitlines()]
    ours = {name: int(number) for number, name in counted if name.startswith(package)}
    assert len(ours) > 300
    assert {name: number for name, number in ours.items() if number > MOST} == {}
