"""Devices and clusters are named as TensorFlow names them: what it answered is in `golden_extra/devices.json`."""

from __future__ import annotations

import json
from typing import Any

import pytest

import penstock as tf
from penstock.compat import v1

from ..golden_cases import EXTRA
from ..golden_extra.device_programs import ANSWERS, CASES

RECORDED: dict[str, list[list[Any]]] = json.loads((EXTRA / "devices.json").read_text())


@pytest.mark.parametrize("kind", RECORDED)
def test_the_recorded_cases_are_those_of_the_programs(kind: str) -> None:
    assert [case for case, _ in RECORDED[kind]] == json.loads(json.dumps(CASES[kind]))


@pytest.mark.parametrize("kind", RECORDED)
def test_devices_and_clusters_are_as_in_tensorflow(kind: str) -> None:
    for case, answer in RECORDED[kind]:
        for names in (tf, v1) if kind != "trained" else (v1,):
            assert json.loads(json.dumps(ANSWERS[kind](names, case))) == answer, case


def test_workers_may_be_numbers_as_in_the_jobs_of_a_session() -> None:
    jobs = {"ps": [2, 0], "worker": [1]}
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=jobs)):
        assert [tf.Variable(0.0).device for _ in range(3)] == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
