"""Invalid choices of a session are refused."""


import pytest

import penstock as tf

from ...warm_python import run_warm


@pytest.mark.parametrize("choice", [{"threads": 0}, {"threads": -2}, {"plan_cache_size": -1}])
def test_a_number_that_makes_no_sense_is_refused(choice: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"at least [01]"):
        tf.SessionConfig(**choice)  # type: ignore[arg-type]  # the names are right, the values are the test


def test_an_unknown_pass_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="no pass is called 'fuze'; there are fold, loops, merge, simplify"):
        tf.Session(graph=tf.Graph(), config=tf.SessionConfig(passes=("fold", "fuze")))


def test_a_device_that_is_missing_is_told_once() -> None:
    program = (
        "import penstock as tf\n"
        "for device in ('gpu', 'gpu', 'cpu', '/cpu:0'):\n"
        "    config = tf.SessionConfig(device=device, excluded_devices=('gpu',))\n"
        "    print(tf.Session(config=config).run(tf.constant(1)))\n"
    )
    done = run_warm(["-c", program])
    assert done.stdout.split() == ["1"] * 4
    (line,) = done.stderr.splitlines()
    assert "SessionConfig: device='gpu' has no effect: the session's config excludes gpu" in line
    assert line.endswith("operations run on the CPU")


def test_devices_are_excluded_by_kind() -> None:
    with pytest.raises(TypeError, match=r"give a tuple of kinds, such as \('gpu',\)"):
        tf.SessionConfig(excluded_devices="gpu")  # type: ignore[arg-type]  # the test
    with pytest.raises(ValueError, match="the CPU cannot be excluded"):
        tf.SessionConfig(excluded_devices=("cpu",))
