"""`tf.train.ClusterSpec`: the jobs of a cluster of TensorFlow 1.x and the addresses of their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ...graph.common.near_names import did_you_mean
from ...graph.common.tracebacks import hides_frames_of_init, hides_frames_of_methods


@dataclass(slots=True)
class JobDef:
    """One job of a `ClusterDef`.

    Attributes:
        name: the name of the job.
        tasks: the address of each task, by its number.

    >>> import penstock as tf
    >>> tf.train.JobDef(name="ps", tasks={0: "ps0.example.com:2222"}).tasks[0]
    'ps0.example.com:2222'
    """

    name: str = ""
    tasks: dict[int, str] = field(default_factory=dict)


class JobDefs(list[JobDef]):
    """The jobs of a `ClusterDef`: a list with the method that TensorFlow's messages have."""

    def add(self, **fields: Any) -> JobDef:
        """Adds a job.

        Args:
            fields: what a `JobDef` is made of.

        Returns:
            The new `JobDef`.

        >>> import penstock as tf
        >>> cluster = tf.train.ClusterDef()
        >>> cluster.job.add(name="worker").tasks[0] = "worker0.example.com:2222"
        >>> tf.train.ClusterSpec(cluster).jobs
        ['worker']
        """
        made = JobDef(**fields)
        self.append(made)
        return made


@dataclass(slots=True)
class ClusterDef:
    """The jobs of a cluster as a message: what `ClusterSpec.as_cluster_def` gives.

    Attributes:
        job: the jobs.

    >>> import penstock as tf
    >>> [job.name for job in tf.train.ClusterSpec({"worker": ["a:1"], "ps": ["b:1"]}).as_cluster_def().job]
    ['ps', 'worker']
    """

    job: list[JobDef] = field(default_factory=JobDefs)


@hides_frames_of_init
@hides_frames_of_methods
class ClusterSpec:
    """The jobs of a cluster: for each a list of the addresses of its tasks.

    It is what programs for TensorFlow's servers begin with. Here it names jobs and tasks for
    `tf.train.replica_device_setter`; it connects to nothing. `docs/cluster-programs.md` says how such programs run.

    Args:
        cluster: a dict from the name of a job to a list of addresses, or to a dict from numbers of tasks to addresses;
            a `ClusterDef`; or another ClusterSpec.

    Raises:
        TypeError: it is none of these.
        ValueError: the number of a task is no int.

    >>> import penstock as tf
    >>> cluster = tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": {1: "worker1:2222"}})
    >>> cluster.jobs, cluster.num_tasks("worker"), cluster.task_address("worker", 1)
    (['ps', 'worker'], 1, 'worker1:2222')
    >>> cluster
    ClusterSpec({'ps': ['ps0:2222'], 'worker': {1: 'worker1:2222'}})

    Source: TensorFlow 1.x, `tf.train.ClusterSpec`.
    """

    __slots__ = ("_jobs",)

    def __init__(self, cluster: Mapping[str, Any] | ClusterDef | ClusterSpec) -> None:
        self._jobs: dict[str, dict[int, str]]
        if isinstance(cluster, ClusterSpec):
            self._jobs = deepcopy(cluster._jobs)
        elif isinstance(cluster, ClusterDef):
            self._jobs = {job.name: _tasks(job.name, job.tasks) for job in cluster.job}
        elif isinstance(cluster, Mapping):
            self._jobs = {_text("a job", job): _tasks(job, tasks) for job, tasks in cluster.items()}
        else:
            raise TypeError(
                f"ClusterSpec({cluster!r}): `cluster` must be a dictionary mapping one or more job names to lists of "
                "network addresses, or a `ClusterDef` protocol buffer; write {'worker': ['host:2222']}"
            )

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, list[str] | dict[int, str]]:
        """The jobs with their tasks.

        Returns:
            A dict: name of a job -> list of addresses, or a dict from numbers to addresses where numbers are missing.

        >>> import penstock as tf
        >>> tf.train.ClusterSpec({"worker": {0: "a:1", 1: "b:1"}, "ps": {2: "c:1"}}).as_dict()
        {'worker': ['a:1', 'b:1'], 'ps': {2: 'c:1'}}
        """
        found: dict[str, list[str] | dict[int, str]] = {}
        for job, tasks in self._jobs.items():
            numbers = sorted(tasks)
            is_dense = bool(tasks) and numbers[-1] + 1 == len(tasks)
            found[job] = [tasks[i] for i in numbers] if is_dense else {i: tasks[i] for i in numbers}
        return found

    def as_cluster_def(self) -> ClusterDef:
        """The same as a message.

        Returns:
            A `ClusterDef`, whose jobs are sorted by name.

        >>> import penstock as tf
        >>> tf.train.ClusterSpec({"ps": ["a:1"]}).as_cluster_def().job[0].tasks
        {0: 'a:1'}
        """
        jobs = sorted(self._jobs.items())
        return ClusterDef(JobDefs(JobDef(job, dict(sorted(tasks.items()))) for job, tasks in jobs))

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        Args:
            job_name: the name of the job.

        Returns:
            An int.

        Raises:
            ValueError: there is no such job.

        >>> import penstock as tf
        >>> tf.train.ClusterSpec({"ps": ["a:1", "b:1"]}).num_tasks("ps")
        2
        """
        return len(self._tasks_of(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of a job.

        Args:
            job_name: the name of the job.

        Returns:
            A sorted list.

        Raises:
            ValueError: there is no such job.

        >>> import penstock as tf
        >>> tf.train.ClusterSpec({"worker": {3: "a:1", 1: "b:1"}}).task_indices("worker")
        [1, 3]
        """
        return sorted(self._tasks_of(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Args:
            job_name: the name of the job.
            task_index: the number of the task.

        Returns:
            A text, such as "host:2222".

        Raises:
            ValueError: there is no such job or task.

        >>> import penstock as tf
        >>> tf.train.ClusterSpec({"ps": ["a:1", "b:1"]}).task_address("ps", 1)
        'b:1'
        """
        tasks = self._tasks_of(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}; there are {sorted(tasks)}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of the tasks of a job.

        Args:
            job_name: the name of the job.

        Returns:
            A list by the number of the task, with None for numbers that no task has.

        Raises:
            ValueError: there is no such job.

        >>> import penstock as tf
        >>> tf.train.ClusterSpec({"worker": {1: "b:1"}}).job_tasks("worker")
        [None, 'b:1']
        """
        tasks = self._tasks_of(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ClusterSpec):
            return self._jobs == other._jobs
        # TensorFlow compares with dicts of dicts only; lists are what programs write.
        return isinstance(other, Mapping) and (self._jobs == other or self.as_dict() == other)

    __hash__ = None  # type: ignore[assignment]  # as of a dict, which it may be equal to

    def __repr__(self) -> str:
        return f"ClusterSpec({{{', '.join(f'{job!r}: {tasks!r}' for job, tasks in sorted(self.as_dict().items()))}}})"

    def _tasks_of(self, job_name: str) -> dict[int, str]:
        tasks = self._jobs.get(job_name)
        if tasks is None:
            near = did_you_mean(job_name, self._jobs) if isinstance(job_name, str) else ""
            raise ValueError(f"No such job in cluster: {job_name!r}{near}; there are {', '.join(self._jobs) or 'none'}")
        return tasks


def _tasks(job: str, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        return {i: _text(f"the address of task {i} of {job!r}", each) for i, each in enumerate(tasks)}
    if not isinstance(tasks, Mapping):
        raise TypeError(
            f"ClusterSpec: The tasks for job {job!r} must be a list or a dictionary from integers to strings, not "
            f"{tasks!r}; write {{{job!r}: ['host:2222']}}"
        )
    return {_task_number(job, i): _text(f"the address of task {i} of {job!r}", each) for i, each in tasks.items()}


def _task_number(job: str, number: Any) -> int:
    try:
        return int(number)
    except (TypeError, ValueError):
        raise ValueError(f"ClusterSpec: {number!r} numbers a task of {job!r}; a task is numbered by an int") from None


def _text(what: str, value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"ClusterSpec: {what} is {value!r}; it must be bytes or unicode")
    return value
