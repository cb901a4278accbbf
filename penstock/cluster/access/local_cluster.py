"""Workers of a session's own: Dask's `SpecCluster` of processes that Dask's command line starts.

The processes are not copies of this one, so a script without a main guard is not run again. They listen on this machine
only, to those who have the cluster's certificate (`local_security`). They serve no pages, and end with this process.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from typing import Any, Final

from .cluster_target import ClusterTarget
from .dask_import import distributed

_END: Final = 10.0
"""Seconds that processes have to end."""
_THREAD_LIMITS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

_QUIET: Final = {"DASK_LOGGING__DISTRIBUTED": "critical"}


def start_local_cluster(target: ClusterTarget) -> Any:
    """A `SpecCluster` whose processes are started; the workers may not have registered yet.

    Raises:
        ImportError: certificates cannot be made, as the package cryptography is missing.
        OSError, RuntimeError: a process does not start.
    """
    package = distributed()
    scratch = tempfile.mkdtemp(prefix="penstock-cluster-")
    try:
        cluster = _started(package, target, scratch)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    cluster.scratch = scratch
    return cluster


def _started(package: Any, target: ClusterTarget, scratch: str) -> Any:
    """The cluster, whose processes write nothing outside of a folder."""
    security = make_security() if target.is_secure else None
    listen: dict[str, Any] = {
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "local_directory": scratch,
        "preload": [_preload(scratch)],
        "preload_argv": [[]],
    }
    if security is not None:
        listen |= {"protocol": "tls://", "security": in_files(security, scratch)}
    options: dict[str, Any] = {"nthreads": target.threads, "death_timeout": 60, **listen}
    options["memory_limit"] = "auto" if target.memory is None else target.memory
    worker = {
        "cls": _worker_class(package, {name: str(target.threads) for name in _THREAD_LIMITS} | _QUIET),
        "options": {"worker_class": "distributed.Worker", "worker_kwargs": options},
    }
    own = {"port": 0, "dashboard": False, "scheduler_file": os.path.join(scratch, "scheduler.json"), **listen}
    scheduler = {
        "cls": package.deploy.subprocess.SubprocessScheduler,
        "options": {"scheduler_kwargs": own, "timeout": 60},
    }
    return package.SpecCluster(
        workers=dict.fromkeys(range(target.workers), worker),
        worker=worker,
        scheduler=scheduler,
        name="penstock",
        security=security,
        silence_logs=logging.ERROR,
    )


def ended_workers(cluster: Any) -> dict[int, int]:
    """The exit codes of the workers of a local cluster that have ended, by number."""
    codes = {number: getattr(worker.process, "returncode", None) for number, worker in cluster.workers.items()}
    return {number: code for number, code in codes.items() if code is not None}


def end_local_cluster(cluster: Any) -> None:
    """End the processes and close the cluster; the scheduler need not answer."""
    with suppress(TimeoutError, RuntimeError, OSError):
        cluster.sync(_end_processes, cluster, callback_timeout=_END)
    cluster.shutdown_scheduler = False  # its process has ended
    with suppress(TimeoutError, RuntimeError, OSError):
        cluster.close(timeout=_END)
    shutil.rmtree(cluster.scratch, ignore_errors=True)


async def _end_processes(cluster: Any) -> None:
    """Have Dask end each process."""
    await asyncio.gather(*(worker.close() for worker in cluster.workers.values()))
    await cluster.scheduler.close()


def process_ids(cluster: Any) -> dict[int, int]:
    """The process ids of a local cluster's workers, by number."""
    return {number: worker.process.pid for number, worker in cluster.workers.items() if worker.process is not None}


def _preload(scratch: str) -> str:
    """The text of a module that Dask runs in each process before the scheduler or the worker starts."""
    folder = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(folder, "local_child.py")
    names = {
        "PARENT": os.getpid(),
        "SCRATCH": scratch,
        "PATHS": [os.path.abspath(entry) for entry in sys.path],
        "PACKAGE": os.sep.join(folder.split(os.sep)[:-3]),
    }
    lines = [f"{name} = {value!r}" for name, value in names.items()]
    return "\n".join([*lines, f"exec(compile(open({path!r}, encoding='utf-8').read(), {path!r}, 'exec'))"])


def _worker_class(package: Any, environment: dict[str, str]) -> Any:
    """Dask's class for a worker in a process, with environment variables of its own and no terminal."""

    class LocalWorker(package.deploy.subprocess.SubprocessWorker):  # type: ignore[misc]  # the package is not typed here
        async def _start(self) -> None:
            # As in the base class, which has no parameter for the environment: libraries of linear algebra read the
            # number of their threads from it when they are loaded.
            spec = json.dumps({"cls": self.worker_class, "opts": {**self.worker_kwargs, "name": self.name}})
            command = [sys.executable, "-m", "dask", "spec", self.scheduler, "--spec", spec]
            variables = {**environment, **os.environ}  # what the user has set counts
            self.process = await asyncio.create_subprocess_exec(
                *command, env=variables, stdin=asyncio.subprocess.DEVNULL
            )

    return LocalWorker


# ---- who may use the processes of `dask://local`: certificates of their own, which only this user can read
# A scheduler and its workers run whatever code they are sent, and a port of this machine is open to all its users. So
# the connections are encrypted with one certificate that is made for this cluster, and both sides ask for it:
#
#     this process   the certificate and its key, in memory
#     children       two files of mode 0600 in the cluster's folder of mode 0700; their command names them
#
# The folder goes with the cluster, and where this process is killed the children remove it (`local_child`).


def make_security() -> Any:
    """A `distributed.Security` with a certificate of its own.

    Raises:
        ImportError: the package cryptography is missing.
    """
    try:
        return distributed().Security.temporary()
    except ImportError:
        raise ImportError(
            "Session: the package cryptography is not installed; dask://local makes certificates with it. Run "
            "`pip install penstock[dask]`, or write dask://local?security=none where no other user of this machine "
            "has to be kept out",
            name="cryptography",
        ) from None


def in_files(security: Any, folder: str) -> dict[str, Any]:
    """The arguments of a `distributed.Security` with the same certificate in files, which are written into a folder."""
    certificate = _write(folder, "certificate.pem", security.tls_ca_file)
    key = _write(folder, "key.pem", security.tls_client_key)
    found: dict[str, Any] = {"require_encryption": True, "tls_ca_file": certificate}
    for role in ("client", "scheduler", "worker"):
        found |= {f"tls_{role}_cert": certificate, f"tls_{role}_key": key}
    return found


def _write(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
    return path
