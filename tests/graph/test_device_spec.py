"""`tf.DeviceSpec`, and what blocks of devices do with it."""

from __future__ import annotations

from typing import Any

import pytest

import penstock as tf


def test_a_spec_is_read_when_the_block_is_made() -> None:
    spec = tf.DeviceSpec(job="ps")
    with tf.Graph().as_default():
        block = tf.device(spec)
        spec.task = 3
        with block:
            assert tf.constant(1).device == "/job:ps"
        with tf.device(spec):
            assert tf.constant(1).device == "/job:ps/task:3"


def test_specs_are_compared_by_their_parts() -> None:
    one, two = tf.DeviceSpec.from_string("/gpu:1/job:a"), tf.DeviceSpec(job="a", device_type="gpu", device_index=1)
    assert one == two and hash(one) == hash(two) and one != "/job:a/device:GPU:1"
    two.device_index = None
    assert one != two and two.to_string() == "/job:a/device:GPU:*"


def test_every_part_can_be_read_and_changed() -> None:
    spec = tf.DeviceSpec.from_string("/job:a/replica:0/task:2/cpu:1")
    assert (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index) == ("a", 0, 2, "CPU", 1)
    spec.job, spec.replica, spec.task, spec.device_type, spec.device_index = "b", None, 3, "gpu", 0
    assert spec.to_string() == "/job:b/task:3/device:GPU:0"


@pytest.mark.parametrize(
    ("parts", "error", "words"),
    [
        ({"task": "x"}, ValueError, "DeviceSpec\\(task='x'\\): give an int"),
        ({"task": -1}, ValueError, "DeviceSpec\\(task=-1\\): a number counts from 0"),
        ({"replica": 1.5}, TypeError, "DeviceSpec\\(replica=1.5\\): give an int"),
        ({"job": b"a"}, TypeError, "DeviceSpec\\(job=b'a'\\): give a text"),
        ({"device_type": ["GPU"]}, TypeError, "DeviceSpec\\(device_type=\\['GPU'\\]\\): give a text"),
    ],
)
def test_a_part_of_another_type_is_refused(parts: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tf.DeviceSpec(**parts)
    with pytest.raises(error, match=words):
        tf.DeviceSpec(job="a").replace(**parts)


def test_what_is_no_spec_is_refused() -> None:
    other: Any = "/cpu:0"
    number: Any = 3
    with pytest.raises(TypeError, match="merge_from\\('/cpu:0'\\): give a DeviceSpec"):
        tf.DeviceSpec().merge_from(other)
    with pytest.raises(TypeError, match="a name is a text such as '/job:ps/cpu:0', not 3"):
        tf.DeviceSpec.from_string(number)
    with pytest.raises(ValueError, match="Unknown attribute 'gpuu'"):
        tf.DeviceSpec.from_string("/gpuu:0")


def test_a_function_sees_what_inner_blocks_named_and_its_answer_takes_the_place_of_that() -> None:
    seen: list[str] = []

    def choose(op: tf.Operation) -> Any:
        seen.append(op.device)
        return tf.DeviceSpec(job="f")

    with tf.Graph().as_default(), tf.device("/task:2"), tf.device(choose), tf.device("/gpu:1"):
        assert tf.constant(1).device == "/job:f/task:2"
    assert seen == ["/device:GPU:1"]


def test_a_function_that_gives_none_leaves_the_other_blocks() -> None:
    def leave(op: tf.Operation) -> None:
        return None

    with tf.Graph().as_default(), tf.device("/job:ps"), tf.device(leave), tf.device("/gpu:1"):
        assert tf.constant(1).device == "/job:ps/device:GPU:1"


def test_writes_of_a_variable_stand_beside_it_and_their_operands_where_they_are_made() -> None:
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:1"):
            v = tf.Variable([1.0, 2.0, 3.0], name="v")
        with tf.device("/job:worker/task:0"):
            writes = [v.assign([1.0, 2.0, 3.0]), v.assign_add([1.0, 2.0, 3.0]), tf.scatter_add(v, [0], [1.0])]
            writes.append(v[1:2].assign([5.0]))
            after = v.read_value()
    assert {write.device for write in writes} == {"/job:ps/task:1"} == {v.initializer.device}
    assert {t.device for write in writes for t in write.op.inputs} == {"/job:worker/task:0"}
    assert after.device == "/job:worker/task:0"
    with tf.Session(graph=graph) as session:  # a local session runs nodes of any job here
        session.run(v.initializer)
        session.run(writes[1])
        assert session.run(v).tolist() == [2.0, 4.0, 6.0]


def test_a_local_session_runs_nodes_of_every_job_and_task_here() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        with tf.device("/job:worker/task:3/cpu:0"):
            x = tf.constant([1.0, 2.0])
        with tf.device("/job:ps/replica:0/task:7"):
            y = tf.reduce_sum(x * x)
        assert session.run(y) == 5.0


def test_a_block_of_colocate_with_decides_alone() -> None:
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            a = tf.constant(1)
        b = tf.constant(1)
        with tf.device("/job:worker"):
            with tf.colocate_with(a), tf.device("/job:other/gpu:0"), tf.device(None):
                assert tf.constant(1).device == "/job:ps/task:0"
            with tf.colocate_with(b):
                assert tf.constant(1).device == ""
                with tf.device("/gpu:0"):
                    assert tf.constant(1).device == "/device:GPU:0"
            with tf.colocate_with(None, ignore_existing=True):
                assert tf.constant(1).device == ""
            assert tf.constant(1).device == "/job:worker"


@pytest.mark.parametrize(("op", "error"), [(None, ValueError), ("a:0", TypeError), (3, TypeError)])
def test_what_has_no_device_is_refused_by_colocate_with(op: Any, error: type[Exception]) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match="colocate_with"):
        tf.colocate_with(op)


def test_the_body_of_a_loop_has_the_device_of_the_blocks_around_the_loop() -> None:
    asked: list[str] = []

    def choose(op: tf.Operation) -> str:
        asked.append(op.type)
        return "/job:worker/task:1"

    with tf.Graph().as_default(), tf.device(choose):
        found = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
    assert found.device == "/job:worker/task:1"
    assert "While" in asked
