"""Which worker the name of a device means."""

from __future__ import annotations

import re

import pytest

from penstock.cluster.access.worker_jobs import device_on_worker, place_of, worker_jobs
from penstock.cluster.placing.places import CLIENT
from penstock.errors import InvalidArgumentError, ValueRuleError

WORKERS = [("a", "tcp://10.0.0.1:4000"), (1, "tcp://10.0.0.2:4000"), ("c-0", "tls://[fe80::1]:4000")]
JOBS: dict[str, list[int | str]] = {"ps": ["c-0"], "worker": [0, "10.0.0.2:4000"]}


@pytest.mark.parametrize(
    ("device", "place"),
    [
        ("", None),
        ("/", None),
        ("/cpu:0", None),
        ("/device:GPU:1", None),
        ("/replica:0", None),
        ("/job:worker/task:0", 0),
        ("/job:worker/task:2/gpu:0", 2),
        ("/job:worker/replica:0/task:1/device:CPU:0", 1),
        ("/task:2", 2),
        ("job:worker/task:1", 1),
        ("/job:worker", 0),
        ("/job:client", CLIENT),
        ("/job:client/task:0/cpu:0", CLIENT),
        ("/job:localhost/replica:0/task:0/device:CPU:0", CLIENT),
    ],
)
def test_without_named_jobs_the_one_job_has_all_workers_in_order(device: str, place: int | None) -> None:
    assert place_of(device, None, WORKERS) == place


@pytest.mark.parametrize(
    ("device", "place"),
    [("/job:ps", 2), ("/job:ps/task:0", 2), ("/job:worker/task:0", 0), ("/job:worker/task:1", 1), ("/gpu:0", None)],
)
def test_jobs_name_workers_by_number_name_and_address(device: str, place: int | None) -> None:
    assert place_of(device, JOBS, WORKERS) == place


def test_a_whole_address_and_a_number_as_text_name_a_worker() -> None:
    assert place_of("/job:a", {"a": ["tls://[fe80::1]:4000"]}, WORKERS) == 2
    assert place_of("/job:a", {"a": ["1"]}, WORKERS) == 1  # Dask names the workers of a local cluster with ints


def test_a_job_without_a_task_leaves_the_choice_among_its_workers() -> None:
    jobs = worker_jobs(JOBS, WORKERS)
    assert jobs.choices("/job:worker") == (0, 1)
    assert jobs.choices("/job:worker/task:1") == (1,)
    assert jobs.choices("/gpu:0") == ()


def test_a_job_of_the_users_may_be_called_client() -> None:
    assert place_of("/job:client/task:1", {"client": [1, 2]}, WORKERS) == 2


def test_a_place_has_a_name() -> None:
    jobs = worker_jobs(JOBS, WORKERS)
    assert [jobs.name_of(place) for place in (CLIENT, 0, 1, 2)] == [
        "/job:client", "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0",
    ]  # fmt: skip
    assert worker_jobs({"ps": [0]}, WORKERS).name_of(1) == "worker 1"


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("/job:wroker/task:0", "there is no job 'wroker'; did you mean 'worker'?; there are 'ps' with 1 task and"),
        ("/job:worker/task:2", "there is no task 2 of the job 'worker'; its tasks are 0 to 1."),
        ("/job:ps/task:1", "there is no task 1 of the job 'ps'; its only task is 0."),
        ("/job:client/task:1", "there is no task 1 of the job 'client'; its only task is 0"),
        ("/task:0", "it names the task 0 of no job; name the job: 'ps' with 1 task and 'worker' with 2 tasks"),
        ("/job:worker/replica:1", "there is no replica 1"),
        ("/job:worker/gpu0", "names no device"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(device: str, words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=re.escape(words)):
        place_of(device, JOBS, WORKERS)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (3, "there is no worker number 3; 3 workers are connected, numbered 0 to 2"),
        ("b", "no worker has the name or address 'b'; there are 0: 'a' at tcp://10.0.0.1:4000, 1: 1 at"),
        ("c0", "did you mean 'c-0'?"),
    ],
)
def test_a_job_with_a_worker_that_is_not_connected_is_refused(named: int | str, words: str) -> None:
    with pytest.raises(ValueRuleError, match=re.escape(words)):
        worker_jobs({"ps": [named]}, WORKERS)


def test_a_name_that_two_workers_have_is_refused() -> None:
    with pytest.raises(ValueRuleError, match="2 workers are called 'a'; give a number or an address"):
        worker_jobs({"ps": ["a"]}, [("a", "tcp://10.0.0.1:1"), ("a", "tcp://10.0.0.2:1")])


@pytest.mark.parametrize(
    ("device", "rest"),
    [
        ("/job:worker/task:1/gpu:0", "/gpu:0"),
        ("/job:worker/replica:0/task:1/device:GPU:1", "/device:GPU:1"),
        ("/job:worker", ""),
        ("gpu", "/gpu"),
        ("", ""),
    ],
)
def test_a_worker_is_asked_for_the_rest_of_the_name(device: str, rest: str) -> None:
    assert device_on_worker(device) == rest
