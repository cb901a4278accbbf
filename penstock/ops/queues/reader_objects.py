"""Readers of a session: they take names of files from a queue and give what is in the files, record by record."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...graph.declare.object_place import ObjectTable
from ..datasets.file_sources import hopped_records_of, lines_of, pieces_of, records_of
from .queue_objects import QueueObject

Record = tuple[bytes, bytes]
"""A key and a value."""
ReadFile = Callable[[str], Iterator[Record]]


class Reader:
    """What reads files one after the other.

    Attributes:
        records: how many records it has given.
        units: how many files it has read to the end.
    """

    def __init__(self, objects: ObjectTable, name: str, read: ReadFile) -> None:
        self._monitor, self._name, self._read_file = objects.monitor(), name, read
        self._current: Iterator[Record] | None = None
        self._is_busy = False
        self.records = self.units = 0

    def read(self, queue: QueueObject) -> Record:
        """The next record.

        Raises:
            OutOfRangeError: the queue of names is closed and empty.
        """
        self._monitor.until(self._try, f"waited for reader {self._name!r}, which another run uses")
        try:
            found = self._next(queue)
        finally:
            self._release()
        return found

    def read_up_to(self, queue: QueueObject, number: int) -> list[Record]:
        """The next records, at least one, and no more than there are in the file."""
        self._monitor.until(self._try, f"waited for reader {self._name!r}, which another run uses")
        try:
            records = [self._next(queue)]
            while len(records) < number and self._current is not None:
                record = next(self._current, None)
                if record is None:
                    self._end_file()
                    break
                self.records += 1
                records.append(record)
        finally:
            self._release()
        return records

    def _next(self, queue: QueueObject) -> Record:
        while True:
            if self._current is None:
                name = bytes(queue.dequeue()[0][()]).decode()
                self._current = self._read_file(name)
            try:
                record = next(self._current, None)
            except BaseException:
                self._current = None
                raise
            if record is not None:
                self.records += 1
                return record
            self._end_file()

    def _end_file(self) -> None:
        self._current = None
        self.units += 1

    def reset(self) -> None:
        """Begin anew."""
        self._monitor.until(self._try, f"waited for reader {self._name!r}, which another run uses")
        self._current, self.records, self.units = None, 0, 0
        self._release()

    def _try(self) -> bool | None:
        if self._is_busy:
            return None
        self._is_busy = True
        return True

    def _release(self) -> None:
        self._is_busy = False
        self._monitor.change(_nothing)


def _nothing() -> None:
    pass


def text_lines(skipped: int) -> ReadFile:
    """The lines of files; a key is the name of the file and the number of the line."""

    def read(path: str) -> Iterator[Record]:
        for number, line in enumerate(lines_of(path, "", skipped), start=1 + skipped):
            yield f"{path}:{number}".encode(), line

    return read


def whole_file(path: str) -> Iterator[Record]:
    """The content of a file; the key is its name."""
    yield path.encode(), b"".join(pieces_of(path, ""))


def its_name(path: str) -> Iterator[Record]:
    """What was in the queue, as key and value."""
    yield path.encode(), path.encode()


def tf_records(compression: str) -> ReadFile:
    """The records of files; a key is the name of the file and the place of the record."""

    def read(path: str) -> Iterator[Record]:
        place = 0
        for record in records_of(path, compression):
            yield f"{path}:{place}".encode(), record
            place += len(record) + 16

    return read


def fixed_records(header: int, length: int, footer: int, hop: int, compression: str) -> ReadFile:
    """The records of one length of files; a key is the name of the file and the number of the record.

    hop: how many bytes after one record the next one begins.
    """

    def read(path: str) -> Iterator[Record]:
        for number, record in enumerate(hopped_records_of(path, length, header, footer, hop, compression)):
            yield f"{path}:{number}".encode(), record

    return read
