"""What a process that Dask starts for `dask://local` does first; Dask runs this file as a preload.

It imports nothing of the package, as the scheduler needs none of it. `local_cluster` sets the names PARENT, SCRATCH,
PATHS and PACKAGE before.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import signal
import sys
import threading
import time
from typing import Any

PARENT: int = globals()["PARENT"]
"""The process that the session is in."""
SCRATCH: str = globals()["SCRATCH"]
"""The folder of the cluster's files."""
PATHS: list[str] = globals()["PATHS"]
"""Where that process looks for modules."""
PACKAGE: str = globals()["PACKAGE"]
"""The folder that holds its package `penstock`."""


def find_the_same_modules() -> None:
    """Look for modules where the session's process does, so that both import the same files."""
    sys.path.extend(path for path in PATHS if path not in sys.path)
    found = importlib.util.find_spec("penstock")
    if found is None or found.origin is None or os.path.dirname(os.path.dirname(found.origin)) != PACKAGE:
        sys.path.insert(0, PACKAGE)


def leave_the_terminal() -> None:
    """Have Ctrl-C and a closed terminal reach the session's process alone; that ends this one."""
    if os.getsid(0) != os.getpid():  # Dask runs this file twice
        os.setsid()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


def end_with_parent() -> None:
    """End this process when the session's process is gone, even if that was killed."""
    while os.getppid() == PARENT:
        time.sleep(1.0)
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)  # Dask's command then closes in order
    time.sleep(5.0)
    os._exit(1)


def dask_setup(server: Any) -> None:
    """Dask calls it when the scheduler or the worker starts."""
    server.http_server.stop()  # its pages tell everyone what runs here, also where there is no dashboard
    threading.Thread(target=end_with_parent, name="penstock-parent", daemon=True).start()


leave_the_terminal()
find_the_same_modules()
