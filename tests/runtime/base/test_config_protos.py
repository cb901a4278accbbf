"""ConfigProto: which options act, and that the others are accepted with one message."""

import numpy as np
import pytest

import penstock as tf

from ...warm_python import run_fresh


def test_the_numbers_of_threads_act() -> None:
    for intra, inter, threads in ((0, 0, None), (1, 0, 1), (0, 2, 2), (1, 3, 3)):
        config = tf.ConfigProto(intra_op_parallelism_threads=intra, inter_op_parallelism_threads=inter)
        assert tf.Session(graph=tf.Graph(), config=config).config.threads == threads


def test_an_operation_that_asks_for_a_missing_device_fails_without_soft_placement() -> None:
    with tf.Graph().as_default():
        with tf.device("/gpu:3"):
            y = tf.add(tf.placeholder_with_default(1.0, []), 1.0, name="y")
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            assert session.run(y) == 2
        strict = tf.Session(config=tf.ConfigProto())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            strict.run(y)


def test_devices_are_logged_when_a_run_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.add(x, x, name="y")
        for _ in range(2):
            session.run(y, {x: np.ones(2)})
    assert capsys.readouterr().err.splitlines() == ["y: (Add): /device:CPU:0"]


def test_the_level_of_the_optimizer_chooses_passes() -> None:
    config = tf.ConfigProto()
    assert config.as_session_config().passes is None
    options = config.graph_options.optimizer_options
    options.opt_level = tf.OptimizerOptions.L0
    assert config.as_session_config().passes == ()
    options.do_constant_folding = True
    assert config.as_session_config().passes == ("fold",)


def test_an_option_without_effect_is_told_once() -> None:
    program = (
        "import penstock as tf\n"
        "config = tf.ConfigProto(device_count={'CPU': 1})\n"
        "config.gpu_options.allow_growth = True\n"
        "config.allow_soft_placement = True\n"
        "for _ in range(3):\n"
        "    tf.Session(config=config)\n"
        "tf.RunOptions(inter_op_thread_pool=5); tf.RunOptions(inter_op_thread_pool=5)\n"
    )
    done = run_fresh(program)
    done.check_returncode()
    assert [line.partition(" has no effect: ")[0] for line in done.stderr.splitlines()] == [
        "ConfigProto: device_count", "ConfigProto: gpu_options.allow_growth", "RunOptions: inter_op_thread_pool",
    ]  # fmt: skip


def test_an_option_that_does_not_exist_names_the_nearest() -> None:
    config = tf.ConfigProto()
    with pytest.raises(AttributeError, match=r"no option 'allow_soft_placment'.*allow_soft_placement"):
        config.allow_soft_placment = True
    with pytest.raises(TypeError, match="CopyFrom takes a GPUOptions"):
        config.gpu_options.CopyFrom(config.graph_options)  # type: ignore[arg-type]  # what a wrong program does
    other = tf.ConfigProto(device_count={"CPU": 1})
    config.CopyFrom(other)
    other.device_count["CPU"] = 2
    assert config.device_count == {"CPU": 1}


def test_trace_levels_say_whether_a_run_is_recorded() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.constant(1.0) + 1.0
        for level, is_recorded in ((tf.RunOptions.FULL_TRACE, True), (tf.RunOptions.NO_TRACE, False)):
            metadata = tf.RunMetadata()
            session.run(y, options=tf.RunOptions(trace_level=level), run_metadata=metadata)
            assert (metadata.record is not None) is is_recorded


def test_a_device_count_of_zero_excludes_the_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert tf.ConfigProto(device_count={"GPU": 0}).as_session_config().excluded_devices == ("gpu",)
    assert capsys.readouterr().err == ""
    with tf.Graph().as_default():
        with tf.device("/gpu:0"):
            y = tf.add(tf.placeholder_with_default(1.0, []), 1.0, name="y")
        soft = tf.Session(config=tf.ConfigProto(device_count={"GPU": 0}, allow_soft_placement=True))
        assert soft.run(y) == 2
        assert "the session's config excludes gpu" in str(soft.placement(y))
        with pytest.raises(tf.errors.InvalidArgumentError, match="the session's config excludes gpu"):
            tf.Session(config=tf.ConfigProto(device_count={"GPU": 0})).run(y)
