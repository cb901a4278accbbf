"""Who may use the processes of `dask://local`: certificates of their own, which only this user can read.

A scheduler and its workers run whatever code they are sent, and a port of this machine is open to all its users. So
the connections are encrypted with one certificate that is made for this cluster, and both sides ask for it:

    this process   the certificate and its key, in memory
    children       two files of mode 0600 in the cluster's folder of mode 0700; their command names them

The folder goes with the cluster, and where this process is killed the children remove it (`local_child`).
"""

from __future__ import annotations

import os
from typing import Any

from .dask_import import distributed


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
