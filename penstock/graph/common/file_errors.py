"""Errors of the file system as TensorFlow's classes, which programs catch: NotFoundError, ResourceExhaustedError ..."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ... import errors

UNCHANGED: Final = "the files that were there are unchanged"

_CLASSES: Final[dict[int | None, type[errors.OpError]]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EFBIG: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.EIO: errors.DataLossError,
}


@contextmanager
def file_errors(what: str, fate: str = "") -> Iterator[None]:
    """Turns an OSError inside the block into TensorFlow's class for it: `what: reason; fate`."""
    try:
        yield
    except OSError as error:
        kind = _CLASSES.get(error.errno, errors.UnknownError)
        where = "" if error.filename is None else f" ({str(error.filename)!r})"
        fate = f"; {fate}" if fate else ""
        raise kind(message=f"{what}: {error.strerror or error}{where}{fate}") from None
