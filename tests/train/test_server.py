"""`tf.train.Server`: one task is this process, several are refused with what to write."""

from __future__ import annotations

from typing import Any

import pytest

import penstock as tf

CLUSTER = {"ps": ["ps0:2222"], "worker": ["worker0:2222", "worker1:2222"]}


def test_a_local_server_gives_a_target_for_a_session_of_this_process() -> None:
    server = tf.train.Server.create_local_server()
    server.start()
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        assert session.run(tf.constant(b"Hello")) == b"Hello"
    assert server.server_def.job_name == "localhost"


def test_a_server_of_one_task_is_this_process_whatever_its_job_is_called() -> None:
    server = tf.train.Server(tf.train.ClusterSpec({"trainer": {3: "a:1"}}))
    assert (server.target, server.server_def.job_name, server.server_def.task_index) == ("", "trainer", 3)
    again = tf.train.Server(server.server_def)
    assert again.server_def == server.server_def


@pytest.mark.parametrize(("job", "task"), [("ps", 0), ("worker", 0), ("worker", 1)])
def test_a_server_of_several_tasks_is_refused_with_the_session_to_write(job: str, task: int) -> None:
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        tf.train.Server(CLUSTER, job_name=job, task_index=task)
    message = str(caught.value)
    assert message.startswith(f"Server(job_name={job!r}, task_index={task}): this cluster has 3 tasks")
    assert (
        "tf.Session('dask://host:8786', config=tf.SessionConfig(jobs={'ps': [0], 'worker': [1, 2]}))" in message
    )


@pytest.mark.parametrize(
    ("given", "job", "task", "words"),
    [
        (CLUSTER, None, None, "Must specify an explicit `job_name`; the jobs are ps, worker"),
        (CLUSTER, "worker", None, "Must specify an explicit `task_index`"),
        (CLUSTER, "wroker", 0, "No such job in cluster: 'wroker'; did you mean 'worker'?"),
        (CLUSTER, "worker", 2, "No task with index 2 in job 'worker'; there are"),
        ({}, None, None, "the jobs are none"),
    ],
)
def test_a_task_that_the_cluster_does_not_have_is_refused(given: Any, job: Any, task: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        tf.train.Server(given, job, task)


def test_what_is_no_cluster_is_a_type_error() -> None:
    other: Any = "localhost:2222"
    with pytest.raises(TypeError, match=r"ClusterSpec\('localhost:2222'\): `cluster` must be a dictionary"):
        tf.train.Server(other)
    with pytest.raises(TypeError, match=r"Server\(config='gpu'\): a config is a tf.ConfigProto"):
        tf.train.Server.create_local_server(config="gpu")


def test_to_wait_for_other_programs_is_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"Server.join: no other program .* leave the call out"):
        tf.train.Server.create_local_server().join()


def test_a_cluster_def_can_be_made_job_by_job() -> None:
    made = tf.train.ClusterDef()
    job = made.job.add()  # type: ignore[attr-defined]  # of the list that messages have
    job.name = "worker"
    job.tasks[0] = "a:1"
    assert tf.train.ClusterSpec(made) == {"worker": ["a:1"]}
