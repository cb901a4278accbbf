"""Sources and streams: a dataset in a run, and one pass over it.

The value of a dataset's node is a `Source` in a scalar of dtype `variant`: a recipe, which never changes. An iterator
asks it for a `DatasetStream` and that for one element after the other. An element is a tuple of arrays, one for each
component of the dataset's structure.

Where elements are rows of arrays that lie in memory, the stream is a `RowStream` (`row_streams`): it gives the numbers
of rows, so that shuffling moves numbers and a batch is gathered at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.object_place import ObjectTable
from ...graph.shapes.dtypes import variant
from ..tensor_array.array_elements import boxed, content_of

Element: TypeAlias = tuple[Any, ...]
ALL_ROWS: Final = "all rows at once"
"""The setting of a `map` that was before `batch` and is one pass over the batch."""
Function: TypeAlias = Callable[..., list[Any]]
"""A graph of a dataset, such as that of `map`: from arrays to a list of arrays."""


@dataclass(slots=True)
class StreamRun:
    """What the streams of one iterator have in common.

    Attributes:
        objects: the objects of the session, which start threads and end waiting.
        seeds: the seeds that shuffles without given ones took from the system, in the order in which they began.
        replayed: seeds to use again, of an iterator whose position is restored.
        kept: what sources keep from one pass to the next.
        watch: hears of every stream that begins; None without a watch.
    """

    objects: ObjectTable
    seeds: list[tuple[int, int]] = field(default_factory=list)
    replayed: list[tuple[int, int]] = field(default_factory=list)
    kept: dict[Source, Any] = field(default_factory=dict)
    watch: Callable[[DatasetStream], None] | None = None

    def for_inputs(self, source: Source, count: int) -> list[StreamRun]:
        """For each input of a source a run of its own, the same ones in each pass.

        Where two inputs come from one shuffled dataset, each has its orders from the first on, as in TensorFlow.
        """
        found: list[StreamRun] | None = self.kept.get(source)
        if found is None:
            found = [StreamRun(self.objects, self.seeds, self.replayed, watch=self.watch) for _ in range(count)]
            self.kept[source] = found
        return found

    def and_those_within(self) -> Iterator[StreamRun]:
        """This run and those of inputs."""
        yield self
        for kept in list(self.kept.values()):
            for each in kept if isinstance(kept, list) else ():
                if isinstance(each, StreamRun):
                    yield from each.and_those_within()

    def drawn_seeds(self) -> tuple[int, int]:
        """Seeds from the system, or those that the iterator had before its position was saved."""
        place = len(self.seeds)
        fresh = secrets.randbits(63), secrets.randbits(63)
        self.seeds.append(self.replayed[place] if place < len(self.replayed) else fresh)
        return self.seeds[-1]


class DatasetStream:
    """One pass over a dataset.

    Attributes:
        source: the dataset.
        is_mapped: whether its elements are what a function made of others, one by one.
    """

    source: Source | None = None
    is_mapped: ClassVar[bool] = False

    def next(self) -> Element | None:
        """The next element; None at the end."""
        raise NotImplementedError

    def skip(self, count: int) -> int:
        """Pass over elements; how many there were, fewer than `count` at the end."""
        for passed in range(count):
            if self.next() is None:
                return passed
        return count

    def ahead(self) -> Element | None:
        """The next element, which stays the next, if it lies ready or is soon made; None if the stream works for no
        later element than that asked for.
        """
        return None

    def at_hand(self) -> Sequence[Element]:
        """The next elements, taken as by `next`, if they cost nothing and have the shapes of the one before."""
        return ()

    def close(self) -> None:
        """End what works for the stream: the streams that it reads, where it holds each by a name."""
        for held in list(vars(self).values()):
            if isinstance(held, DatasetStream):
                held.close()

    def level(self) -> tuple[int, int] | None:
        """How many elements it holds now, and how many it may; None if it holds none."""
        return None

    def __iter__(self) -> Iterator[Element]:
        while (element := self.next()) is not None:
            yield element


class Source:
    """A dataset: what gives streams. It never changes.

    Attributes:
        label: the name of the function that makes such a dataset.
        works_ahead: whether threads of its streams ask the datasets before it.
        only_waits: whether it does nothing with the elements but hold them.
        is_repeated_as_one: whether TensorFlow makes one dataset of it and a `repeat` behind it.
        node: the name of the node that made it; "" for one that a stream makes.
    """

    label: ClassVar[str]
    works_ahead: ClassVar[bool] = False
    only_waits: ClassVar[bool] = False
    is_repeated_as_one: ClassVar[bool] = False
    node: str = ""

    def stream(self, run: StreamRun) -> DatasetStream:
        """A new pass over the dataset."""
        made = self.open(run)
        if made.source is None:  # it may be the stream of the dataset before
            made.source = self
        if run.watch is not None:
            run.watch(made)
        return made

    def open(self, run: StreamRun) -> DatasetStream:
        """What `stream` gives, for a kind of dataset."""
        raise NotImplementedError

    def setting(self) -> str:
        """What the function was given, in a few words."""
        return ""

    def inputs(self) -> list[Source]:
        """The datasets before it."""
        held = [value if isinstance(value, (list, tuple)) else (value,) for value in vars(self).values()]
        return [each for values in held for each in values if isinstance(each, Source)]

    def __repr__(self) -> str:
        return f"<dataset {type(self).__name__}>"


def boxed_source(source: Source) -> Any:
    """The scalar of dtype `variant` that holds a source."""
    return boxed(source)


def source_of(value: Any) -> Source:
    """The source that a scalar of dtype `variant` holds.

    Raises:
        InvalidArgumentError: it holds something else.
    """
    array = np.asarray(value, variant.np) if not isinstance(value, np.ndarray) else value
    content = content_of(array) if array.ndim == 0 else None
    if not isinstance(content, Source):
        held = "nothing" if content is None else f"a {type(content).__name__}"
        raise InvalidArgumentError(message=f"a dataset is expected, and the variant holds {held}")
    return content


def read_only(array: Any) -> Any:
    """A view that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def called(function: Function, element: Sequence[Any]) -> Element:
    """The results of a dataset's function for the components of an element."""
    return tuple(function(*element))


@contextmanager
def closing(*streams: DatasetStream | None) -> Iterator[None]:
    """A `with` block at whose end streams are closed."""
    try:
        yield
    finally:
        for stream in streams:
            if stream is not None:
                stream.close()
