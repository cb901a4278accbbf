"""`tf.train.Server`: for a cluster of one task, which is this process. Servers of several tasks are refused.

In TensorFlow 1.x a program runs once for each task, each with a server, and their sessions share the variables of the
parameter servers. Here one program drives all workers, so a server of several tasks has nothing that it could mean: its
message says what to write.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...errors import UnimplementedError, ValueRuleError
from ...graph.common.tracebacks import hides_frames, hides_frames_of_init
from ...runtime.base.session_config import SessionConfig
from .cluster_spec import ClusterDef, ClusterSpec

PAGE = "docs/cluster-programs.md"


@dataclass(slots=True)
class ServerDef:
    """What a `Server` is: its cluster, and which of its tasks.

    Attributes:
        cluster: a `ClusterDef`.
        job_name: the name of its job.
        task_index: the number of its task.
        default_session_config: the configuration that it was given.
        protocol: the protocol that it was given; there is none to choose.

    >>> import penstock as tf
    >>> tf.train.Server.create_local_server().server_def.job_name
    'localhost'
    """

    cluster: ClusterDef = field(default_factory=ClusterDef)
    job_name: str = ""
    task_index: int = 0
    default_session_config: Any = None
    protocol: str = ""


@hides_frames_of_init
class Server:
    """The server of a cluster of one task: its `target` opens a session in this process.

    A cluster of several tasks is refused, because in Penstock one program drives all workers: a session with the target
    "dask://host:port" runs its graph on the workers of a Dask cluster. `docs/cluster-programs.md` shows what becomes of
    a program with parameter servers.

    Args:
        server_or_cluster_def: a `ClusterSpec`, what one is made of, or a `ServerDef`.
        job_name: the name of the server's job; the one job's without it.
        task_index: the number of the server's task; the one task's without it.
        protocol: accepted for TensorFlow's sake.
        config: accepted for TensorFlow's sake; give it to the session.
        start: accepted for TensorFlow's sake: there is nothing to start.

    Raises:
        TypeError: `server_or_cluster_def` is none of these, or `config` is no config of a session.
        ValueError: the cluster has no such job or task.
        UnimplementedError: the cluster has several tasks.

    >>> import penstock as tf
    >>> server = tf.train.Server({"worker": ["localhost:2222"]}, job_name="worker", task_index=0)
    >>> with tf.Session(server.target, graph=tf.Graph()) as session, session.graph.as_default():
    ...     with tf.device("/job:worker/task:0"):
    ...         print(session.run(tf.constant(1) + 2))
    3

    Source: TensorFlow 1.x, `tf.train.Server`.
    """

    __slots__ = ("_definition",)

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        given = server_or_cluster_def
        if not (config is None or isinstance(config, SessionConfig) or hasattr(config, "as_session_config")):
            raise TypeError(f"Server(config={config!r}): a config is a tf.ConfigProto or a tf.SessionConfig")
        if isinstance(given, ServerDef):
            job_name = given.job_name if job_name is None else job_name
            task_index = given.task_index if task_index is None else task_index
            protocol, config, given = protocol or given.protocol, config or given.default_session_config, given.cluster
        cluster = given if isinstance(given, ClusterSpec) else ClusterSpec(given)
        job, task = _own_task(cluster, job_name, task_index)
        if sum(map(cluster.num_tasks, cluster.jobs)) > 1:
            raise UnimplementedError(message=_refusal(cluster, job, task))
        self._definition = ServerDef(cluster.as_cluster_def(), job, task, config, protocol or "grpc")

    @property
    def server_def(self) -> ServerDef:
        """What the server is."""
        return self._definition

    @property
    def target(self) -> str:
        """What `tf.Session` takes: "", this process. Each session has its own values of variables."""
        return ""

    def start(self) -> None:
        """Does nothing: sessions of this process need no server.

        >>> import penstock as tf
        >>> tf.train.Server.create_local_server().start()
        """

    @hides_frames
    def join(self) -> None:
        """Refused: in TensorFlow it waits forever for runs of other programs, which this server never gets.

        Raises:
            UnimplementedError: always.

        >>> import penstock as tf
        >>> try:
        ...     tf.train.Server.create_local_server().join()
        ... except tf.errors.UnimplementedError as error:
        ...     print(error.message.partition(":")[0])
        Server.join
        """
        raise UnimplementedError(
            message="Server.join: no other program can reach this server, so the wait would never end; leave the call "
            f"out. Workers for other programs are Dask's: `dask worker host:8786`. See {PAGE}"
        )

    @classmethod
    @hides_frames
    def create_local_server(cls, config: Any = None, start: bool = True) -> Server:
        """The server of a cluster of one task, this process.

        Args:
            config: accepted for TensorFlow's sake; give it to the session.
            start: accepted for TensorFlow's sake.

        Returns:
            A Server.

        Raises:
            TypeError: `config` is no config of a session.

        >>> import penstock as tf
        >>> server = tf.train.Server.create_local_server()
        >>> with tf.Session(server.target, graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.constant("Hello, distributed TensorFlow!")))
        b'Hello, distributed TensorFlow!'
        """
        return cls({"localhost": ["localhost:0"]}, config=config, start=start)


def _own_task(cluster: ClusterSpec, job_name: str | None, task_index: int | None) -> tuple[str, int]:
    """The job and the task of a server, as in TensorFlow: what is not given must be the only one."""
    if job_name is None:
        if len(cluster.jobs) != 1:
            raise ValueRuleError(
                f"Server: Must specify an explicit `job_name`; the jobs are {', '.join(cluster.jobs) or 'none'}"
            )
        job_name = cluster.jobs[0]
    tasks = cluster.task_indices(job_name)
    if task_index is None:
        if len(tasks) != 1:
            raise ValueRuleError(f"Server: Must specify an explicit `task_index`; the job {job_name!r} has {tasks}")
        task_index = tasks[0]
    cluster.task_address(job_name, task_index)
    return job_name, task_index


def _refusal(cluster: ClusterSpec, job: str, task: int) -> str:
    """What to write instead of a server of several tasks."""
    numbers, start = {}, 0
    for name in sorted(cluster.jobs):
        count = cluster.num_tasks(name)
        numbers[name] = list(range(start, start + count))
        start += count
    shown = str(numbers) if start <= 12 else "{'ps': [0], 'worker': [1, 2]}"
    return (
        f"Server(job_name={job!r}, task_index={task}): this cluster has {start} tasks, each with a program of its own, "
        "and Penstock runs one program that drives all workers. Start Dask's scheduler and workers instead of this "
        "program's tasks, leave the servers out, and open one session: "
        f"tf.Session('dask://host:8786', config=tf.SessionConfig(jobs={shown})). See {PAGE}"
    )
