"""Errors of the file system as TensorFlow's classes, which programs catch: NotFoundError, ResourceExhaustedError ..."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ...errors import (
    AlreadyExistsError,
    DataLossError,
    FailedPreconditionError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnknownError,
)

UNCHANGED: Final = "the files that were there are unchanged"

_CLASSES: Final[dict[int | None, type[OpError]]] = {
    errno.ENOENT: NotFoundError,
    errno.ENOTDIR: FailedPreconditionError,
    errno.EISDIR: FailedPreconditionError,
    errno.EACCES: PermissionDeniedError,
    errno.EPERM: PermissionDeniedError,
    errno.EROFS: PermissionDeniedError,
    errno.EEXIST: AlreadyExistsError,
    errno.ENOSPC: ResourceExhaustedError,
    errno.EDQUOT: ResourceExhaustedError,
    errno.EFBIG: ResourceExhaustedError,
    errno.EMFILE: ResourceExhaustedError,
    errno.EIO: DataLossError,
}


@contextmanager
def file_errors(what: str, fate: str = "") -> Iterator[None]:
    """Turns an OSError inside the block into TensorFlow's class for it: `what: reason; fate`."""
    try:
        yield
    except OSError as error:
        kind = _CLASSES.get(error.errno, UnknownError)
        where = "" if error.filename is None else f" ({str(error.filename)!r})"
        fate = f"; {fate}" if fate else ""
        raise kind(message=f"{what}: {error.strerror or error}{where}{fate}") from None
