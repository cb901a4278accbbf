"""Invalid choices of a session are refused."""

import pytest

import penstock as tf


@pytest.mark.parametrize("choice", [{"threads": 0}, {"threads": -2}, {"plan_cache_size": -1}])
def test_a_number_that_makes_no_sense_is_refused(choice: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"at least [01]"):
        tf.SessionConfig(**choice)  # type: ignore[arg-type]  # the names are right, the values are the test


def test_an_unknown_pass_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="no pass is called 'fuze'; there are fold, merge, simplify, fuse, order"):
        tf.Session(graph=tf.Graph(), config=tf.SessionConfig(passes=("fold", "fuze")))
