"""What the text of `Session("dask://...")` asks for.

dask://host:port        the scheduler at that address
dask://host             the same, at Dask's usual port, 8786
dask+tls://host:port    the same over TLS, with the certificates of Dask's own configuration
dask://local            workers of its own on this machine, which end with the session
dask://local?workers=2&threads=1&memory=1GiB
dask://local?security=none    without certificates: all who reach the ports may run code in the workers
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from ...errors import ValueRuleError
from ...graph.common.near_names import did_you_mean, nearest
from ...runtime.base.cores import cores

USUAL_PORT: Final = 8786
FORMS: Final = "dask://host:port for a scheduler, or dask://local?workers=2 for workers that the session starts"
_PROTOCOLS: Final = {"dask": "tcp", "dask+tls": "tls"}
_HOST: Final = re.compile(r"[\w.-]+|[0-9a-f:.]+(%\w+)?")
_OPTIONS: Final = ("workers", "threads", "memory", "security")
_OTHERS: Final = {
    "tcp": "for this address write dask://{rest}",
    "tls": "for this address write dask+tls://{rest}",
    "http": "this is the address of a page; `dask scheduler` prints that of the scheduler, as tcp://host:port",
    "https": "this is the address of a page; `dask scheduler` prints that of the scheduler, as tls://host:port",
    "grpc": "a server of TensorFlow cannot be reached; docs/cluster-programs.md shows programs for servers",
}
"""What is said of targets of other protocols."""
_UNITS: Final = {
    "": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClusterTarget:
    """A cluster that a session asks for.

    Attributes:
        text: as the program wrote it.
        address: the address of the scheduler, such as "tcp://10.0.0.1:8786"; "" for workers of the session's own.
        workers: how many workers to start.
        threads: how many threads each has.
        memory: how many bytes each may use; None for an equal share of the machine's.
        is_secure: whether the session's own workers have certificates.
    """

    text: str
    address: str = ""
    workers: int = 0
    threads: int = 0
    memory: int | None = None
    is_secure: bool = True

    @property
    def is_local(self) -> bool:
        """Whether the session starts workers of its own."""
        return not self.address


def is_cluster_target(text: str) -> bool:
    """Whether a session's target means a cluster."""
    return text.partition("://")[0] in _PROTOCOLS and "://" in text


def parse_target(text: str) -> ClusterTarget:
    """The cluster that a text asks for.

    Raises:
        ValueRuleError: the text has another form; the message says which part is wrong.
    """
    if not is_cluster_target(text):
        cure = _cure(text) or f"leave it empty for this machine, or write {FORMS}"
        raise _wrong(text, f"there is no such target; {cure}")
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError:  # brackets that do not close, or around what is no address
        raise _wrong(text, f"the host in brackets is no IPv6 address; write {FORMS}") from None
    try:
        port = parts.port
        if port == 0:
            raise ValueError
    except ValueError:
        written = parts.netloc.rpartition(":")[2]
        raise _wrong(text, f"the port is a number from 1 to 65535, not {written!r}; write {FORMS}") from None
    if not host:
        raise _wrong(text, f"there is no host; write {FORMS}")
    if parts.path.strip("/"):
        raise _wrong(text, f"nothing may follow the host and port, but {parts.path!r} does; write {FORMS}")
    if parts.username is not None or parts.fragment:
        raise _wrong(text, f"a scheduler has a host and a port only; write {FORMS}")
    if not _HOST.fullmatch(host):
        raise _wrong(text, f"{host!r} is no name of a machine; write {FORMS}")
    if host == "local":
        return _local(text, parts.scheme, port, parts.query)
    if parts.query:
        raise _wrong(
            text,
            f"{parts.query!r} is for workers that the session starts; write dask://local?{parts.query} or leave it out",
        )
    name = f"[{host}]" if ":" in host else host
    return ClusterTarget(text, f"{_PROTOCOLS[parts.scheme]}://{name}:{USUAL_PORT if port is None else port}")


def _local(text: str, scheme: str, port: int | None, query: str) -> ClusterTarget:
    if scheme != "dask":
        raise _wrong(text, "workers that the session starts use TLS anyway; write dask://local")
    if port is not None:
        raise _wrong(
            text,
            "dask://local starts workers and has no port; write dask://local?workers=2 for their number, or "
            f"dask://localhost:{port} for a scheduler on this machine",
        )
    pairs = parse_qsl(query, keep_blank_values=True)
    options = dict(pairs)
    if len(options) < len(pairs):
        raise _wrong(text, "an option is given twice")
    other = [name for name in options if name not in _OPTIONS]
    if other:
        near = did_you_mean(other[0], _OPTIONS)
        raise _wrong(text, f"there is no option {other[0]!r}; there are workers, threads, memory and security{near}")
    workers = _number(text, "workers", options["workers"]) if "workers" in options else cores()
    threads = _number(text, "threads", options["threads"]) if "threads" in options else max(1, cores() // workers)
    memory = _bytes(text, options["memory"]) if "memory" in options else None
    security = options.get("security", "temporary")
    if security not in ("temporary", "none"):
        raise _wrong(text, f"security={security}: it is temporary (certificates of this cluster's own) or none")
    return ClusterTarget(text, "", workers, threads, memory, security != "none")


def _number(text: str, name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()) or int(value) < 1:
        between = "; between two options comes &" if re.search("[,; ]", value) else ""
        raise _wrong(text, f"{name}={value}: give a whole number, at least 1{between}")
    return int(value)


def _bytes(text: str, value: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", value, re.ASCII)
    unit = found and _UNITS.get(found[2].lower())
    size = int(float(found[1]) * unit) if found and unit else 0
    if size < 1:
        raise _wrong(text, f"memory={value}: give a size, such as 512MiB or 2GB")
    return size


def _cure(text: str) -> str:
    """What the program may have meant, in words; "" if that cannot be told."""
    protocol, colon, rest = text.strip().partition("://")
    small = protocol.lower()
    if small in _PROTOCOLS and colon:
        return f"write {small}://{rest}"
    if small == "local" and not colon:
        return "write dask://local for workers that the session starts"
    if small in _OTHERS and colon:
        return _OTHERS[small].format(rest=rest)
    if not colon and re.fullmatch(r"[\w.-]+:\d+", protocol):
        return f"for a scheduler at this address write dask://{protocol}"
    near = nearest(small, _PROTOCOLS) if colon else None
    return f"did you mean {near}://{rest}?" if near else ""


def _wrong(text: str, why: str) -> ValueRuleError:
    return ValueRuleError(f"Session({text!r}): {why}")
