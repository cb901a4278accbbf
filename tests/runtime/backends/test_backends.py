"""Between plans and array modules: one kernel serves every backend, and what crosses over is a visible step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import HOST, backend_name, find_backend, missing_reason, register_backend
from penstock.runtime.planning.placement import Placement, place
from penstock.runtime.planning.plan import Plan

from ...helpers import every_case, op_of, own_backends
from ...op_samples import USERS_OPS, Call, all_known, calls, run, runnable, same, shown
from ...standin import DeviceArray, StandIn

F32 = np.float32


@pytest.fixture(autouse=True)
def standin(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The stand-in, known by its name for one test."""
    own_backends(monkeypatch)
    made = StandIn()
    register_backend(made)
    return made


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def config(device: str = "standin", soft: bool = True) -> tf.SessionConfig:
    """Op by op: no pass changes which nodes there are."""
    return tf.SessionConfig(device=device, allow_soft_placement=soft, passes=())


# ---- the stand-in is strict -------------------------------------------------------------------------


def test_the_stand_in_refuses_numpy_arrays_wherever_they_come_in(standin: StandIn) -> None:
    xp, host = standin.xp, np.ones(3, F32)
    device = standin.from_host(host)
    refused: list[Callable[[], Any]] = [
        lambda: xp.add(device, host), lambda: device + host, lambda: host + device, lambda: device[host > 0],
        lambda: xp.concatenate([device, host]), lambda: np.asarray(device), lambda: np.add(device, 1),
        lambda: device.take(np.array([0])), lambda: xp.where(host > 0, device, device), lambda: np.stack([device]),
        lambda: xp.add.at(device, np.array([0]), 1), lambda: device.__setitem__(0, host),
        lambda: standin.from_host(np.array([b"a"], object)), lambda: xp.add(device, 1, out=host),
    ]  # fmt: skip
    for each in refused:
        with pytest.raises(TypeError):
            each()


def test_the_stand_in_computes_as_numpy_does(standin: StandIn) -> None:
    xp = standin.xp
    a = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    results = [a + 1, 1 - a, a @ a, a.T, a[0], a[a > 2], xp.add(a, a), a.sum(0), xp.concatenate([a, a]), a.sum(), -a]
    assert all(type(r) is DeviceArray for r in results)
    assert standin.to_host(xp.where(a > 2, a, 0.0)).tolist() == [[0, 0], [3, 4]]
    assert (a.shape, a.ndim, len(a), int(a[0, 1]), bool(a[0, 0])) == ((2, 2), 2, 2, 2, True)


# ---- every op on it ---------------------------------------------------------------------------------


def on_device(call: Call) -> bool:
    """Whether the op can run there: strings and ops of the host cannot."""
    arrays = [a for v in call.values for a in (v if isinstance(v, list) else [v]) if isinstance(a, np.ndarray)]
    return runnable(call) and not call.op.facts.host_only and not any(a.dtype == object for a in arrays)


def steps_of(plan: Plan, type_: str) -> list[str]:
    return [step.device for step in plan.steps if step.op == type_]


def assert_same_there(type_: str, device: str) -> None:
    """Every sample of an op gives on `device` what NumPy gives, computed there; with all passes too."""
    for call in filter(on_device, calls(USERS_OPS[type_])):
        with tf.Graph().as_default() as g:
            outputs, feeds = call.with_placeholders(all_known(call))
            expected = run(outputs, feeds)
            with tf.Session(graph=g, config=config(device)) as session:
                found = session.run(outputs, feeds)
                devices = steps_of(session.plan(outputs, list(feeds)), type_)
            with tf.Session(graph=g, config=replace(config(device), passes=None)) as session:
                found += session.run(outputs, feeds)
        for got, want in zip(found, [*expected, *expected], strict=True):
            assert same(got, want), f"{call}: {shown(got)} there, {shown(want)} with NumPy"
        strings = any(t.dtype.is_string for t in outputs)
        if not call.op.facts.reads_shape_only and not strings and call.op.type != "Const" and outputs:
            assert devices == [device], str(call)


ON_A_DEVICE = sorted(t for t, o in USERS_OPS.items() if not o.facts.must_feed and not o.facts.host_only)


@every_case("type_", ON_A_DEVICE, parts=6, by_day=1)
def test_every_op_gives_on_the_stand_in_what_numpy_gives(type_: str) -> None:
    assert_same_there(type_, "standin")


# ---- copies -----------------------------------------------------------------------------------------


def test_what_crosses_over_is_a_visible_step(graph: tf.Graph, standin: StandIn) -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.cumsum(tf.reverse(x, [True], name="back"), name="sums")
    with tf.Session(graph=graph, config=config()) as session:
        plan = session.plan(y, [x])
        moved = [(step.op, step.node) for step in plan.steps if step.op.startswith("Copy")]
        assert moved == [("CopyToDevice", "x"), ("CopyToHost", "sums")]
        assert {step.device for step in plan.steps} == {"standin"}
        assert "on standin" in str(plan)
        assert session.run(y, {x: [1, 2, 3]}).tolist() == [3, 5, 6]
    assert standin.copies == 2


def test_a_value_crosses_over_once_however_many_read_it(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    uses = [tf.cumsum(x), tf.reverse(x, [True]), x]
    with tf.Session(graph=graph, config=config()) as session:
        plan = session.plan(uses, [x])
        assert [step.node for step in plan.steps if step.op == "CopyToDevice"] == ["x"]
        assert [r.tolist() for r in session.run(uses, {x: [1, 2, 3]})] == [[1, 3, 6], [3, 2, 1], [1, 2, 3]]


def test_nodes_on_two_devices_hand_values_over(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    with tf.device("/standin:0"):
        there = tf.cumsum(x, name="there")
    with tf.device("/cpu:0"):
        here = tf.reverse(there, [True], name="here")
    with tf.device("/device:STANDIN:0"):
        back = tf.cumsum(here, name="back")
    with tf.Session(graph=graph) as session:
        plan = session.plan(back, [x])
        order = [(s.op, s.device) for s in plan.steps]
        assert [o for o in order if o[0] in ("Cumsum", "CopyToHost")] == [
            ("Cumsum", "standin"), ("CopyToHost", "standin"), ("Cumsum", "standin"), ("CopyToHost", "standin"),
        ]  # fmt: skip
        assert dict(order)["Reverse"] == "cpu"
        assert session.run(back, {x: [1, 2, 3]}).tolist() == [6, 9, 10]


def test_a_value_goes_from_one_device_to_another_by_way_of_the_host(graph: tf.Graph) -> None:
    other = StandIn()
    other.name = "other"
    register_backend(other)
    x = tf.placeholder(tf.float32, [3], name="x")
    with tf.device("/standin:0"):
        first = tf.cumsum(x, name="first")
    with tf.device("/other:0"):
        second, third = tf.reverse(first, [True], name="second"), tf.cumsum(first, name="third")
    with tf.Session(graph=graph) as session:
        plan = session.plan([second, third], [x])
        moved = [(step.op, step.node, step.device) for step in plan.steps if step.op.startswith("Copy")]
        assert moved == [
            ("CopyToDevice", "x", "standin"), ("CopyToHost", "first", "standin"), ("CopyToDevice", "first", "other"),
            ("CopyToHost", "second", "other"), ("CopyToHost", "third", "other"),
        ]  # fmt: skip
        assert [r.tolist() for r in session.run([second, third], {x: [1, 2, 3]})] == [[6, 3, 1], [1, 4, 10]]


def test_a_fetched_device_result_is_the_callers(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2, 2])
    with tf.Session(graph=graph, config=config()) as session:
        fed = np.ones((2, 2), F32)
        for found in session.run([tf.transpose(x), x, tf.identity(x), tf.constant(fed)], {x: fed}):
            assert type(found) is np.ndarray
            assert found.flags.c_contiguous and found.flags.writeable and found.flags.owndata
            found += 1
        assert (fed == 1).all()


def test_shapes_are_read_without_moving_the_array(graph: tf.Graph, standin: StandIn) -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.Session(graph=graph, config=config()) as session:
        rows = tf.shape(x)[0]
        assert session.run(rows, {x: np.ones((5, 2))}) == 5
        moved = [step.node for step in session.plan(rows, [x]).steps if step.op == "CopyToDevice"]
        assert "x" not in moved


def test_scalars_and_strings_survive_the_way(graph: tf.Graph) -> None:
    with tf.Session(graph=graph, config=config()) as session:
        found = session.run([tf.constant(2.0) * 3.0, tf.identity(["a"]), tf.reduce_sum([1, 2])])
    assert found[0] == 6
    assert type(found[0]) is np.float32
    assert found[1].tolist() == [b"a"]
    assert found[2] == 3


# ---- kernels ----------------------------------------------------------------------------------------


def test_operands_for_the_host_arrive_as_numpy_arrays_and_the_others_on_the_device(graph: tf.Graph) -> None:
    seen: dict[str, type] = {}
    opdef = USERS_OPS["Tile"]
    kernel = opdef.kernels["*"]

    def look(xp: Any, value: Any, multiples: Any) -> Any:
        seen.update(value=type(value), multiples=type(multiples), xp=type(xp))
        return kernel(xp, value, multiples)

    x, n = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int32, [1])
    y = tf.tile(x, n)
    with pytest.MonkeyPatch.context() as patch, tf.Session(graph=graph, config=config()) as session:
        patch.setitem(opdef.kernels, "*", look)
        assert session.run(y, {x: [1, 2], n: [2]}).tolist() == [1, 2, 1, 2]
    assert (seen["value"], seen["multiples"]) == (DeviceArray, np.ndarray)
    assert seen["xp"] is type(StandIn.xp)


def test_a_kernel_for_one_backend_serves_that_backend_only(graph: tf.Graph) -> None:
    with op_of(lambda x: x + 1, stateful=True) as which:
        which.kernel_for("standin")(lambda xp, x: x + 100)  # type: ignore[attr-defined]  # it is an OpDef
        y = which(tf.placeholder_with_default([1.0], [1]))
        with tf.Session(graph=graph) as here, tf.Session(graph=graph, config=config()) as there:
            assert (here.run(y).tolist(), there.run(y).tolist()) == ([2], [101])


def test_an_error_of_a_device_kernel_is_told_like_any_other(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.int32, [None], name="x")
    y = tf.gather([10, 20], x, name="picked")
    with tf.Session(graph=graph, config=config()) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 5 is not in \[0, 2\)") as e:
            session.run(y, {x: [5]})
        assert 'in node "picked" (Gather)' in str(e.value)
        assert '"x:0" int32 [1]' in str(e.value)
        assert session.run(y, {x: [1]}).tolist() == [20]


# ---- placement --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [("/gpu:0", "gpu"), ("/device:GPU:0", "gpu"), ("gpu", "gpu"), ("/job:worker/task:3/cpu:0", "cpu"),
     ("/cpu:*", "cpu"), ("/standin", "standin"), ("/job:worker", "cpu"), ("/job:worker/task:1", "cpu"), ("", "cpu")],
)  # fmt: skip
def test_devices_are_named_as_in_tensorflow(text: str, name: str) -> None:
    assert backend_name(text) == name


@pytest.mark.parametrize("text", ["/gpu:one", "two words", "/gpu:0:1", "3", "/gpu0", "cpu1"])
def test_what_names_no_device_in_a_graph_from_a_file_is_refused_when_it_runs(graph: tf.Graph, text: str) -> None:
    y = tf.constant(1.0) + 1.0
    y.op.device = text
    for soft in (False, True):
        choices = tf.SessionConfig(allow_soft_placement=soft)
        with (
            tf.Session(graph=graph, config=choices) as session,
            pytest.raises(tf.errors.InvalidArgumentError, match="names no device"),
        ):
            session.run(y)


def test_a_job_without_a_device_is_on_the_sessions_device(graph: tf.Graph) -> None:
    assert backend_name("/job:worker/task:1", "/gpu:0") == "gpu"
    with tf.device("/job:worker/task:1"):
        y = tf.cumsum(tf.placeholder_with_default([1.0, 2.0], [2]))
    strict = tf.SessionConfig(allow_soft_placement=False)
    with tf.Session(graph=graph, config=strict) as session:
        assert session.run(y).tolist() == [1, 3]
        assert not session.placement(y).moved


def test_soft_placement_runs_on_the_host_what_cannot_run_where_it_was_asked(graph: tf.Graph) -> None:
    with tf.device("/device:abacus:0"):
        y = tf.cumsum(tf.placeholder_with_default([1.0, 2.0], [2]))
    with tf.Session(graph=graph) as session:
        assert session.run(y).tolist() == [1, 3]
    assert place(y.op, config("cpu")) == Placement("abacus", "cpu", missing_reason("abacus"))


def test_without_soft_placement_a_missing_device_is_an_error_with_the_cure(graph: tf.Graph) -> None:
    with tf.device("/device:abacus:0"):
        y = tf.cumsum(tf.placeholder_with_default([1.0, 2.0], [2]), name="sums")
    with (
        tf.Session(graph=graph, config=config("cpu", soft=False)) as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="no backend is called 'abacus'; there are cpu, ") as e,
    ):
        session.run(y)
    assert "'/device:abacus:0'" in str(e.value)
    assert "allow_soft_placement=True" in str(e.value)
    assert e.value.op is not None


def test_without_soft_placement_the_sessions_own_device_must_be_there_too(graph: tf.Graph) -> None:
    y = tf.cumsum(tf.placeholder_with_default([1.0, 2.0], [2]))
    for soft in (False, True):
        with pytest.raises(ValueError, match="no device is called 'abacus'; there are cpu, "):
            tf.Session(graph=graph, config=config("device:abacus", soft=soft))
    excluded = replace(config("gpu", soft=False), excluded_devices=("gpu",))
    with (
        tf.Session(graph=graph, config=excluded) as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="config excludes gpu"),
    ):
        session.run(y)
    with tf.Session(graph=graph, config=replace(excluded, allow_soft_placement=True)) as session:
        assert session.run(y).tolist() == [1, 3]


def test_a_session_is_not_made_for_a_device_that_is_none(graph: tf.Graph) -> None:
    with pytest.raises(ValueError, match=r"device\('gpuu:0'\): Unknown attribute 'gpuu' .* Did you mean '/gpu:0'"):
        tf.Session(graph=graph, config=tf.SessionConfig(device="gpuu:0"))


@pytest.mark.parametrize("passes", [None, (), ("fold",), ("merge", "simplify")])
def test_a_missing_device_of_what_is_computed_while_planning_is_an_error_too(
    graph: tf.Graph, passes: tuple[str, ...] | None
) -> None:
    with tf.device("device:abacus"):
        y = tf.constant([1.0]) + tf.constant([2.0])
    for soft in (False, True):
        choices = tf.SessionConfig(allow_soft_placement=soft, passes=passes)
        with tf.Session(graph=graph, config=choices) as session:
            if soft:
                assert session.run(y).tolist() == [3.0]
                continue
            with pytest.raises(tf.errors.InvalidArgumentError, match="abacus"):
                session.run(y)


def test_ops_of_the_host_stay_there_even_without_soft_placement_if_only_the_session_asked(graph: tf.Graph) -> None:
    numbers = tf.string_to_number(tf.placeholder_with_default(["1", "2"], [2]))
    total = tf.cumsum(numbers)
    with tf.Session(graph=graph, config=config(soft=False)) as session:
        assert session.run(total).tolist() == [1, 3]
        plan = session.plan(total)
    assert steps_of(plan, "StringToNumber") == ["cpu"]
    assert steps_of(plan, "Cumsum") == ["standin"]


def test_an_op_of_the_host_that_asks_for_a_device_is_an_error_without_soft_placement(graph: tf.Graph) -> None:
    text = tf.placeholder_with_default(["1"], [1])
    with tf.device("/standin:0"):
        y = tf.string_to_number(text)
    with tf.Session(graph=graph) as session:
        assert session.run(y).tolist() == [1]
    with (
        tf.Session(graph=graph, config=config("cpu", soft=False)) as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="StringToNumber runs on the host"),
    ):
        session.run(y)


def test_a_placement_is_a_value_that_says_why(graph: tf.Graph) -> None:
    plain = tf.cumsum(tf.zeros([2]))
    text = tf.identity(["a"])
    sizes = tf.shape(tf.placeholder(tf.float32, [None]))
    assert place(plain.op, config("cpu")) == Placement("cpu", "cpu")
    assert place(plain.op, config()) == Placement("standin", "standin")
    assert place(text.op, config()) == Placement("standin", "cpu", "strings live on the host")
    assert place(sizes.op, config()) == Placement("standin", "cpu", "Shape runs on the host")


def test_the_host_is_always_there_and_gives_arrays_as_they_are() -> None:
    array = np.ones(2)
    assert find_backend("cpu") is HOST
    assert HOST.from_host(array) is array
    assert HOST.to_host(array) is array


def test_a_missing_gpu_says_what_to_install() -> None:
    if find_backend("gpu") is None:
        assert "CuPy" in missing_reason("gpu")
    else:
        assert find_backend("gpu") is not HOST


def test_an_op_of_ones_own_runs_on_both_backends(graph: tf.Graph) -> None:
    with op_of(lambda x: x * x + 1, stateful=True) as mine:
        y = mine(tf.placeholder_with_default([1.0, 2.0], [2]))
        for device in ("cpu", "standin"):
            with tf.Session(graph=graph, config=config(device)) as session:
                assert session.run(y).tolist() == [2, 5]


def test_a_placement_report_says_what_was_asked_given_and_copied(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    with tf.device("/standin:0"):
        sums = tf.cumsum(x, name="sums")
        size = tf.size(x, name="size")
    with tf.device("/device:fpga:0"):
        turned = tf.reverse(sums, [True], name="turned")
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=())) as session:
        report = session.placement([turned, size], {x: np.ones(5, F32)})
        assert {n.node: (n.asked, n.given) for n in report.nodes} == {
            "sums": ("standin", "standin"), "size": ("standin", "cpu"), "turned": ("fpga", "cpu"),
        }  # fmt: skip
        assert [(c.node, c.source, c.target, c.bytes) for c in report.copies] == [
            ("x", "cpu", "standin", 20), ("sums", "standin", "cpu", 20),
        ]  # fmt: skip
        text = str(report)
        assert '"size" (Size) asked for standin, runs on cpu: Size runs on the host' in text
        assert "no backend is called 'fpga'" in text
        assert '"x" is copied from cpu to standin: 20 bytes' in text


def test_devices_are_listed_with_the_reason_for_what_is_missing() -> None:
    devices = tf.list_devices()
    assert (devices[0].name, devices[0].kind) == ("/cpu:0", "cpu")
    assert devices[0].memory > 0
    assert str(devices).startswith("/cpu:0")
    if find_backend("gpu") is None:
        assert [d.kind for d in devices] == ["cpu"]
        assert str(devices).splitlines()[-1] == f"no GPU: {missing_reason('gpu')}"


# ---- values that stay there -------------------------------------------------------------------------


def test_results_stay_on_the_device_where_that_is_asked_for(graph: tf.Graph, standin: StandIn) -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    sums = tf.cumsum(x)
    with tf.device("/cpu:0"):
        here = tf.reverse(x, [True])
    with tf.Session(graph=graph, config=config()) as session:
        found, host, same_ = session.run([sums, here, x], {x: [1, 2, 3]}, as_device=True)
        assert type(found) is DeviceArray
        assert type(host) is np.ndarray
        assert standin.to_host(found).tolist() == [1, 3, 6]
        assert (host.tolist(), same_.tolist()) == ([3, 2, 1], [1, 2, 3])
        one = session.run(sums, {x: [1, 2, 3]}, as_device=True)
        assert type(one) is DeviceArray
        assert session.run(sums, {x: [1, 2, 3]}).tolist() == [1, 3, 6]


def column_major(x: Any) -> Any:
    return np.asfortranarray(x + 1)


def part_of_a_larger_one(x: Any) -> Any:
    return np.repeat(x + 1, 2, axis=0)[: len(x)]


@pytest.mark.parametrize(("kernel", "rows"), [(column_major, [[2, 3], [4, 5]]), (part_of_a_larger_one, [[2, 3]] * 2)])
@pytest.mark.parametrize("as_device", [False, True])
def test_a_result_of_the_host_is_row_major_and_whole_wherever_it_may_stay(
    graph: tf.Graph, kernel: Callable[[Any], Any], rows: list[list[int]], as_device: bool
) -> None:
    with op_of(kernel, fresh=True) as made:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        with tf.Session(graph=graph) as session:
            found = session.run(made(x), {x: [[1, 2], [3, 4]]}, as_device=as_device)
    assert found.tolist() == rows and found.flags.carray and found.flags.owndata


def test_what_lies_on_the_device_is_fed_without_a_copy(graph: tf.Graph, standin: StandIn) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = tf.cumsum(x)
    with tf.Session(graph=graph, config=config()) as session:
        there = standin.from_host(np.array([1, 2, 3], F32))
        before = standin.copies
        again = session.run(y, {x: session.run(y, {x: there}, as_device=True)}, as_device=True)
        assert standin.copies == before
        assert standin.to_host(again).tolist() == [1, 4, 10]
        assert standin.to_host(there).tolist() == [1, 2, 3]
        with pytest.raises(ValueError, match=r"arrays on a device are not converted"):
            session.run(y, {x: standin.from_host(np.array([1, 2]))})
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(y, {x: standin.from_host(np.ones((2, 2), F32))})


def test_a_fed_array_of_the_device_comes_to_the_host_where_a_step_reads_it_there(
    graph: tf.Graph, standin: StandIn
) -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    there = tf.cumsum(x)
    with tf.device("/cpu:0"):
        here = tf.reverse(x, [True])
    with tf.Session(graph=graph, config=config()) as session:
        fed = standin.from_host(np.array([1, 2, 3], F32))
        assert [r.tolist() for r in session.run([there, here, x], {x: fed})] == [[1, 3, 6], [3, 2, 1], [1, 2, 3]]


def test_arrays_of_the_host_and_of_the_device_are_fed_side_by_side(graph: tf.Graph, standin: StandIn) -> None:
    x, y = tf.placeholder(tf.float32, [3], name="x"), tf.placeholder(tf.float32, [3], name="y")
    with tf.device("/cpu:0"):
        here = tf.cumsum(x) + tf.cumsum(y)
    values = np.array([1, 2, 3], F32)
    with tf.Session(graph=graph, config=config()) as session:
        for fed in ({x: standin.from_host(values), y: values}, {x: values, y: standin.from_host(values)}):
            assert session.run(here, fed).tolist() == [2, 6, 12]


def test_a_placement_counts_the_nodes_of_each_device(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [3])
    with tf.device("/device:abacus:0"):
        y = tf.cumsum(x, name="asked")
    z = tf.reverse(tf.cumsum(y) - 1.0, [True])
    with tf.Session(graph=graph) as session:
        report = session.placement(z)
    assert [node.node for node in report.moved] == ["asked"]
    assert str(report).splitlines()[0] == f"{len(report.nodes)} on cpu" == "4 on cpu"
