"""The demo of training: a classifier of flowers, its checkpoint, and a second session that goes on from there.

    cells ---> string_to_number ---> dynamic_partition ---> rows to learn from ---> network ---> loss ---> Adam
                                            |
    species --------------------------------+-------------> rows of the test -----> network ---> accuracy

`build` makes the graph, `learn` takes the steps. `show` trains, saves half-way, trains on in the same session and in a
second one, and compares the weights: they have the same bits. `examples/train_iris.py` is the same as one program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import (
    AUTO_REUSE,
    Graph,
    Operation,
    RunMetadata,
    RunOptions,
    Session,
    Tensor,
    Variable,
    argmax,
    cast,
    dynamic_partition,
    equal,
    float32,
    get_variable,
    global_variables_initializer,
    int32,
    matmul,
    name_scope,
    nn,
    placeholder,
    random_uniform_initializer,
    reduce_mean,
    relu,
    size,
    string,
    string_to_number,
    summary,
    train,
    trainable_variables,
    variable_scope,
    zeros_initializer,
)
from .. import range as range_
from ..errors import InvalidArgumentError
from ..printable_text import print_safely
from .demo import IRIS, Table, TableError, aligned, not_a_number, print_title

STEPS = 120
SHOWN = (1, 10, 30, STEPS // 2, STEPS)
EVERY = 5
"""One row in so many is for the test."""
HIDDEN = 16


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """The graph with what a training feeds, runs and fetches."""

    graph: Graph
    cells: Tensor
    species: Tensor
    start: Operation
    update: Operation
    step: Variable
    loss: Tensor
    accuracy: Tensor
    told: Tensor
    weights: list[Variable]
    saver: train.Saver


def build(columns: Sequence[str], names: Sequence[str]) -> TrainingJob:
    """The graph of a classifier for tables of these columns and species.

    >>> job = build(["length", "width"], ["setosa", "virginica"])
    >>> [weight.name for weight in job.weights]
    ['network/w1:0', 'network/b1:0', 'network/w2:0', 'network/b2:0']
    """
    graph = Graph()
    with graph.as_default():
        with name_scope("read"):
            cells = placeholder(string, ["flowers", len(columns)], name="cells")
            species = placeholder(int32, ["flowers"], name="species")
            is_test = cast(equal(range_(size(species)) % EVERY, 0), int32, name="is_test")
            to_learn, to_test = dynamic_partition(string_to_number(cells), is_test, 2, name="rows")
            kinds_to_learn, kinds_to_test = dynamic_partition(species, is_test, 2, name="kinds")
            centre = reduce_mean(to_learn, 0, name="centre")
        with name_scope("learning"):
            scores = _network(to_learn - centre, len(columns), len(names))
            errors = nn.sparse_softmax_cross_entropy_with_logits(logits=scores, labels=kinds_to_learn)
            loss = reduce_mean(errors, name="loss")
        step = train.create_global_step()
        rate = train.exponential_decay(0.05, step, decay_steps=STEPS // 3, decay_rate=0.5)
        update = train.AdamOptimizer(rate).minimize(loss, global_step=step)
        with name_scope("test"):
            found = argmax(_network(to_test - centre, len(columns), len(names)), 1, output_type=int32)
            accuracy = reduce_mean(cast(equal(found, kinds_to_test), float32), name="accuracy")
        told = summary.merge([summary.scalar("loss", loss), summary.scalar("accuracy", accuracy)])
        return TrainingJob(graph, cells, species, global_variables_initializer(), update, step, loss, accuracy, told,
                           trainable_variables(), train.Saver())  # fmt: skip


def _network(flowers: Tensor, wide: int, kinds: int) -> Tensor:
    """The score of each species for each flower. All calls share the weights, which the first one makes.

    With a seed the first weights are the same in each training.
    """
    with variable_scope("network", reuse=AUTO_REUSE):
        w1 = get_variable("w1", [wide, HIDDEN], initializer=random_uniform_initializer(-0.5, 0.5, seed=1))
        b1 = get_variable("b1", [HIDDEN], initializer=zeros_initializer())
        w2 = get_variable("w2", [HIDDEN, kinds], initializer=random_uniform_initializer(-0.5, 0.5, seed=2))
        b2 = get_variable("b2", [kinds], initializer=zeros_initializer())
        scores: Tensor = matmul(relu(matmul(flowers, w1) + b1), w2) + b2
        return scores


@dataclass(frozen=True, slots=True)
class Progress:
    """The loss and the accuracy of the test after a number of steps."""

    step: int
    loss: float
    accuracy: float


def learn(job: TrainingJob, session: Session, feeds: dict[Any, Any], last: int, writer: Any = None) -> list[Progress]:
    """Take steps until the step counter is `last`; the progress after each."""
    progress = []
    for number in range(train.global_step(session, job.step) + 1, last + 1):
        session.run(job.update, feeds)
        told, loss, accuracy = session.run([job.told, job.loss, job.accuracy], feeds)
        if writer is not None:
            writer.add_summary(told, number)
        progress.append(Progress(number, float(loss), float(accuracy)))
    return progress


def show(table: Table, out: str | Path) -> None:
    """Train on `table` and print how that goes; write summaries, checkpoints and a page into `out`.

    Raises:
        TableError: a measurement is not a number, or there are too few rows. OSError: a file cannot be written.
    """
    if len(table.cells) < EVERY:
        raise TableError(f"{table.source}: there are {len(table.cells)} rows; a training needs {EVERY}")
    job = build(table.columns, table.names)
    feeds = {job.cells: table.cells, job.species: table.species}
    folder = Path(out) / "training"
    metadata = RunMetadata()
    with Session(graph=job.graph) as session:
        session.run(job.start)
        try:
            session.run(job.loss, feeds)  # first, so that an unusable table prints one line only
        except InvalidArgumentError as error:
            raise TableError(not_a_number(table, error)) from None
        writer = summary.FileWriter(str(folder), job.graph)
        progress = learn(job, session, feeds, STEPS // 2, writer)
        saved = job.saver.save(session, str(folder / "model"), global_step=job.step)
        assert saved is not None
        progress += learn(job, session, feeds, STEPS, writer)
        straight = session.run(job.weights)
    with Session(graph=job.graph) as session:
        job.saver.restore(session, saved)
        resumed_at = train.global_step(session, job.step)
        learn(job, session, feeds, STEPS)
        resumed = session.run(job.weights)
        session.run(job.update, feeds, RunOptions(), metadata)
    writer.close()
    tested = -(-len(table.cells) // EVERY)
    print_safely(f"{table.source}: {len(table.cells) - tested} flowers to learn from, {tested} for the test")
    print_title("The training: text to numbers, two layers, gradients, Adam")
    shown = [[str(each.step), f"{each.loss:.4f}", f"{each.accuracy:.1%}"] for each in progress if each.step in SHOWN]
    print_safely(aligned([["step", "loss", "right in the test"], *shown]))
    variables = train.list_variables(saved)
    print_title(f"The checkpoint after step {resumed_at}: {len(variables)} variables")
    print_safely(aligned([[name, str(tuple(shape))] for name, shape in variables]))
    same = all(np.array_equal(a, b) for a, b in zip(straight, resumed, strict=True))
    print_title("A second session goes on from there")
    print_safely(f"steps {resumed_at + 1} to {STEPS}; its weights have the same bits: {'yes' if same else 'no'}")
    record = metadata.record
    assert record is not None
    page = record.export(Path(out) / "demo-train.html", title=f"penstock demo train: {table.source}")
    print_title("More")
    print_safely(aligned([
        [str(page), "a page for the browser: one step of the training"],
        [str(folder), "summaries and checkpoints: tensorboard --logdir " + str(folder)],
        [f"penstock demo{'' if table.source == IRIS else f' --csv {table.source}'}", "the demo of graph and plan"],
    ]))  # fmt: skip
