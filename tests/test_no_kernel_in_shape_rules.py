"""Is a graph built without computing anything?

Every kernel is replaced by one that refuses; then every sample, every recorded case and every recorded graph is built.
What is known at build comes from value rules, which are laws on small NumPy arrays, never from kernels.
"""

from collections.abc import Iterator
from typing import Any

import pytest

import penstock as tf
from penstock.graph.op_declaration import OPS

from .golden_cases import EXTRA, GOLDEN, build, build_graph, cases, files
from .op_samples import USERS_OPS, all_known, calls


class KernelsAtBuild:
    """The kernels that were called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def refusing(self, type: str) -> Any:
        def kernel(*args: Any) -> Any:
            self.called.append(type)
            raise RuntimeError(f"the kernel of {type} was called while a graph was built")

        return kernel


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[KernelsAtBuild]:
    """Every kernel refuses."""
    found = KernelsAtBuild()
    for op in OPS.values():
        refusing = found.refusing(op.type)
        for backend in ("*", *op.kernels):
            monkeypatch.setitem(op.kernels, backend, refusing)
    yield found
    assert found.called == []


def test_a_kernel_that_is_called_is_noticed(kernels: KernelsAtBuild) -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [3])
        rows = tf.gather(x, [0])
        with pytest.raises(tf.errors.OpError):
            session.run(rows, {x: [1, 2, 3]})
    assert kernels.called
    kernels.called.clear()


@pytest.mark.parametrize("type", USERS_OPS)
def test_the_samples_of_an_op_are_built_without_kernels(type: str, kernels: KernelsAtBuild) -> None:
    for call in calls(OPS[type]):
        with tf.Graph().as_default():
            call.build()
            call.with_placeholders(all_known(call))


@pytest.mark.parametrize("name", files(GOLDEN))
def test_the_recorded_cases_are_built_without_kernels(name: str, kernels: KernelsAtBuild) -> None:
    for case in cases(GOLDEN, name):
        with tf.Graph().as_default():
            build(case)


@pytest.mark.parametrize("name", files(EXTRA))
def test_the_second_set_of_recorded_cases_is_built_without_kernels(name: str, kernels: KernelsAtBuild) -> None:
    for case in cases(EXTRA, name):
        with tf.Graph().as_default():
            build(case)


def test_the_recorded_graphs_are_built_without_kernels(kernels: KernelsAtBuild) -> None:
    for case in cases(GOLDEN, "graphs"):
        with tf.Graph().as_default():
            build_graph(case)
