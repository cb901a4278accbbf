"""The demo: a table of measurements, read as text, standardised species by species.

    cells ---> string_to_number ---> split into columns -------------------------> smallest, largest of each
                     |
    species ---> dynamic_partition ---> (x - mean) / deviation ---> dynamic_stitch ---> rows in their old order
                                             |
                                        mean, deviation of each species -> stack, concat -> summary

`read_table` reads a CSV file, `build` makes the graph, `run` runs it; nothing is computed before `run`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

from .. import (
    Graph,
    RunMetadata,
    RunOptions,
    Session,
    Tensor,
    add,
    concat,
    dynamic_partition,
    dynamic_stitch,
    greater,
    int32,
    name_scope,
    ones_like,
    placeholder,
    reduce_max,
    reduce_mean,
    reduce_min,
    reshape,
    shape,
    size,
    split,
    sqrt,
    square,
    stack,
    string,
    string_to_number,
    truediv,
    where,
)
from .. import range as range_
from ..errors import InvalidArgumentError
from ..printable_text import print_safely
from ..runtime.observe.run_record import RunRecord
from ..runtime.planning.plan import Plan

SHOWN_ROWS = 5
IRIS = "iris.csv"


class TableError(Exception):
    """A file that cannot be used; the message is one line."""


@dataclass(frozen=True, slots=True)
class Table:
    """A file as text: `cells[row][column]`, the number of each row's species, and the line each row stands on.

    Species are numbered in the order in which their names first appear.
    """

    source: str
    columns: tuple[str, ...]
    names: tuple[str, ...]
    cells: list[list[str]]
    species: list[int]
    lines: list[int]


@dataclass(frozen=True, slots=True)
class Job:
    """The graph with its feeds and its fetches."""

    graph: Graph
    cells: Tensor
    species: Tensor
    standardised: Tensor
    counts: Tensor
    summary: Tensor

    @property
    def fetches(self) -> dict[str, Tensor]:
        """The fetches by name."""
        return {"standardised": self.standardised, "counts": self.counts, "summary": self.summary}


# ---- the table ----------------------------------------------------------------------------------


def read_table(path: str | Path | None = None) -> Table:
    """The table in a CSV file, iris unless a path is given: a header, then measurements and last the species' name.

    Raises:
        TableError: the file cannot be read, is empty, or a row does not have the header's columns.
    """
    source = IRIS if path is None else str(path)
    try:
        text = (files("penstock") / "data" / IRIS if path is None else Path(path)).read_text("utf-8-sig")
        reader = csv.reader(StringIO(text, newline=""), strict=True)
        rows = [([cell.strip() for cell in row], reader.line_num) for row in reader if any(map(str.strip, row))]
    except OSError as error:
        raise TableError(f"{source}: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{source}: not a CSV file in UTF-8: {error}") from None
    if not rows:
        raise TableError(f"{source}: the file is empty; write a header line, then one row per flower")
    return _checked(source, rows[0][0], rows[1:])


def _checked(source: str, header: Sequence[str], rows: Sequence[tuple[list[str], int]]) -> Table:
    wide = len(header)
    if wide < 2:
        raise TableError(f"{source}: line 1 has 1 column; it needs measurements, a comma, and last the species")
    if all(_is_number(cell) for cell in header[:-1]):
        raise TableError(f"{source}: line 1 holds numbers; it must name the columns, as in sepal_length,...,species")
    for row, line in rows:
        if len(row) != wide:
            raise TableError(f"{source}: line {line} has {len(row)} columns; the header has {wide}")
        if not row[-1]:
            raise TableError(f"{source}: line {line} has no species in its last column")
    if not rows:
        raise TableError(f"{source}: there is a header but no row below it")
    numbers: dict[str, int] = {}
    species = [numbers.setdefault(row[-1], len(numbers)) for row, _ in rows]
    return Table(source, tuple(header[:-1]), tuple(numbers), [row[:-1] for row, _ in rows], species,
                 [line for _, line in rows])  # fmt: skip


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# ---- the graph ----------------------------------------------------------------------------------


def build(columns: Sequence[str], names: Sequence[str]) -> Job:
    """The graph for any number of rows of these columns and these species.

    The rows are the named dimension `flowers`: both feeds must have the same number of them.

    >>> job = build(["length", "width"], ["setosa", "virginica"])
    >>> print(job.cells.shape, job.standardised.shape, job.summary.shape)
    (flowers, 2) (flowers, 2) (6, 2)
    """
    graph = Graph()
    with graph.as_default():
        with name_scope("read"):
            cells = placeholder(string, ["flowers", len(columns)], name="cells")
            species = placeholder(int32, ["flowers"], name="species")
            numbers = string_to_number(cells, name="numbers")
        with name_scope("columns"):
            each = [
                reshape(column, [-1], name=_node_name(name, i))
                for i, (name, column) in enumerate(zip(columns, split(1, len(columns), numbers), strict=True))
            ]
            smallest = stack([reduce_min(column) for column in each], name="smallest")
            largest = stack([reduce_max(column) for column in each], name="largest")
        with name_scope("partition"):
            parts = dynamic_partition(numbers, species, len(names), name="rows")
            order = range_(shape(numbers)[0], name="order")
            places = dynamic_partition(order, species, len(names), name="places")
        scaled, means, deviations = [], [], []
        for i, (name, part) in enumerate(zip(names, parts, strict=True)):
            with name_scope(_node_name(name, i)):
                scaled_part, mean, deviation = _standardise(part)
            scaled.append(scaled_part)
            means.append(mean)
            deviations.append(deviation)
        standardised = dynamic_stitch(places, scaled, name="standardised")
        # The places together are 0 ... flowers - 1. No shape rule can infer that, so it is stated; each run checks it.
        standardised.set_shape(numbers.shape)
        with name_scope("summary"):
            counts = stack([size(place) for place in places], name="counts")
            extent = stack([smallest, largest], name="extent")
            rows = [stack(means, name="means"), stack(deviations, name="deviations"), extent]
            summary = concat(0, rows, name="rows")
    return Job(graph, cells, species, standardised, counts, summary)


def _standardise(part: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(x - mean) / deviation for each column, the means, and the deviations.

    The smallest value is subtracted first, so that a column of equal values has deviation exactly 0 without rounding
    error. Where the deviation is 0 the divisor is 1, so such a column becomes 0.
    """
    low = reduce_min(part, 0, name="low")
    lifted = part - low
    centre = reduce_mean(lifted, 0, name="centre")
    centred = lifted - centre
    deviation = sqrt(reduce_mean(square(centred), 0, name="variance"), name="deviation")
    divisor = where(greater(deviation, 0.0), deviation, ones_like(deviation), name="divisor")
    return truediv(centred, divisor, name="scaled"), add(low, centre, name="mean"), deviation


def _node_name(text: str, number: int) -> str:
    """`text` as a name that nodes and scopes can have."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("_.-")
    return name or f"number_{number}"


# ---- the run ------------------------------------------------------------------------------------


def run(job: Job, table: Table, metadata: RunMetadata | None = None) -> dict[str, Any]:
    """The results of `job` for `table`, by the names of `Job.fetches`; `metadata` receives the record of the run.

    Raises:
        TableError: a measurement is not a number.
    """
    feeds = {job.cells: table.cells, job.species: table.species}
    with Session(graph=job.graph) as session:
        try:
            results: dict[str, Any] = session.run(job.fetches, feeds, RunOptions(values=True), metadata)
        except InvalidArgumentError as error:
            raise TableError(not_a_number(table, error)) from None
    return results


def not_a_number(table: Table, error: InvalidArgumentError) -> str:
    """The error of `string_to_number`, with the place in the file."""
    text = error.found.decode("utf-8", "backslashreplace")
    for row, line in zip(table.cells, table.lines, strict=True):
        if text in row:
            column = table.columns[row.index(text)]
            return f"{table.source}: line {line}, column {column}: {text!r} is not a number"
    return f"{table.source}: {error.message}"


# ---- the output ------------------------------------------------------------------------------


def show(table: Table, out: str | Path) -> None:
    """Print the results for `table`, then the graph and the plan in short; write a page and pictures into `out`.

    Raises:
        TableError: a measurement is not a number. OSError: a file cannot be written.
    """
    job = build(table.columns, table.names)
    metadata = RunMetadata()
    results = run(job, table, metadata)  # first, so that an unusable table prints one line only
    record = metadata.record
    assert record is not None
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    rows, wide, kinds = len(table.cells), len(table.columns), len(table.names)
    print_safely(f"{table.source}: {rows} flowers, {wide} measurements each, {kinds} species")
    print_title("The results")
    print_safely(report(table, results))
    operations, scope = len(job.graph.get_operations()), _node_name(table.names[0], 0)
    print_title(f"The graph: {operations} operations; dtypes and shapes are known before there is any data")
    print_safely(_shapes(job, record, results))
    print_title(
        f"The plan: {len(record.plan.steps)} steps; those of {table.names[0]}, and which values each step frees"
    )
    print_safely("\n".join(_steps_of(record.plan, scope)))
    title = f"penstock demo: {table.source}"
    page = record.export(folder / "demo.html", title=title)
    overview = job.graph.export(folder / "demo-overview.svg", fetches=job.fetches, title=title, depth=0)
    picture = job.graph.export(folder / "demo.svg", fetches=job.fetches, title=title)
    print_title("More")
    command = "penstock demo" if table.source == IRIS else f"penstock demo --csv {table.source}"
    print_safely(aligned([
        [str(page), "a page for the browser: the graph, its stages, and this run step by step"],
        [str(overview), "a picture: one box for each scope"],
        [str(picture), "a picture: every operation"],
        [f"{command} --graph", "every operation, with its inputs, dtype, shape and line"],
        [f"{command} --plan", "every step"],
    ]))  # fmt: skip


def show_graph(table: Table) -> None:
    """Print every operation of the graph for `table`."""
    print_safely(build(table.columns, table.names).graph.summary())


def show_plan(table: Table) -> None:
    """Print every step of the plan for `table`."""
    job = build(table.columns, table.names)
    with Session(graph=job.graph) as session:
        print_safely(session.plan(job.fetches))


def _shapes(job: Job, record: RunRecord, results: Mapping[str, Any]) -> str:
    """Static types of tensors on the way from the cells to the summary, beside their shapes in the run."""
    made = [*record.feeds, *(result for step in record.steps for result in step.results)]
    shapes = {result.name: result.type.partition(" ")[2] for result in made}
    shapes |= {tensor.name: str(results[name].shape) for name, tensor in job.fetches.items()}
    parts = job.graph.get_operation_by_name("partition/rows").outputs
    scaled = [tensor for tensor in job.standardised.op.inputs if tensor.name.endswith("/scaled:0")]
    shown = (job.cells, job.species, *parts[:1], *scaled[:1], *job.fetches.values())
    # A tensor inside a fused group has no recorded value.
    rows = [[t.name, f"{t.dtype.name} {t.shape}", shapes[t.name]] for t in shown if t.name in shapes]
    return aligned([["tensor", "before the run", "in the run"], *rows])


def _steps_of(plan: Plan, scope: str) -> Iterator[str]:
    """The lines of `plan` about the steps of one scope."""
    inside = False
    for line in str(plan).splitlines():
        if not line.startswith(" "):  # the formula of a fused group is indented below its step
            inside = f'# "{scope}/' in line
        if inside:
            yield line


def report(table: Table, results: dict[str, Any]) -> str:
    """The results as text: per species the mean and deviation of each column, then the first standardised rows."""
    kinds = len(table.names)
    means, deviations = results["summary"][:kinds], results["summary"][kinds : 2 * kinds]
    lines = [["species", "rows", *table.columns]]
    for name, count, mean, deviation in zip(table.names, results["counts"], means, deviations, strict=True):
        lines.append([name, str(count), *(f"{m:.3f} ({d:.3f})" for m, d in zip(mean, deviation, strict=True))])
    smallest, largest = results["summary"][2 * kinds :]
    extents = (f"{low:g} to {high:g}" for low, high in zip(smallest, largest, strict=True))
    lines.append(["all", str(len(table.cells)), *extents])
    shown = [["line", "species", *table.columns]]
    for row in range(min(SHOWN_ROWS, len(table.cells))):
        values = (f"{value:+.3f}" for value in results["standardised"][row])
        shown.append([str(table.lines[row]), table.names[table.species[row]], *values])
    some = f"the first {len(shown) - 1} of {len(table.cells)} rows"
    return (
        f"Mean (deviation) of each measurement by species, and the extent of all:\n{aligned(lines)}\n\n"
        f"Standardised by species, in the order of the file, {some}:\n{aligned(shown)}"
    )


def print_title(text: str) -> None:
    """Print the title of a part of the output."""
    print_safely(f"\n{text}\n{'-' * len(text)}")


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of words as text in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
