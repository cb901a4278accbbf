"""Which worker the name of a device means: "/job:ps/task:0" is the first worker of the group "ps".

A session's `SessionConfig(jobs=)` names groups of workers; without it there is one job, "worker", with all of them in
order. A *place* is the number of a worker in that order, or `CLIENT`, the process that holds the session.

    jobs {"ps": [0], "worker": [1, 2]}      /job:worker/task:1/gpu:0  ->  place 2, where it asks for /gpu:0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.common.near_names import did_you_mean
from ...graph.devices.device_names import DeviceParts, device_parts
from ..placing.places import CLIENT, place_name

CLIENT_JOBS = ("client", "localhost")
"""Names of jobs that mean the client unless a session has groups of these names: ours, and TensorFlow's for a process
without a cluster."""
ONLY_JOB = "worker"
"""The name of the one job of a session that names no jobs."""


@dataclass(frozen=True, slots=True)
class WorkerJobs:
    """The jobs of a session: by name, the places of their tasks in order."""

    places: Mapping[str, tuple[int, ...]]

    def choices(self, device: str) -> tuple[int, ...]:
        """The places where an operation that asks for `device` may run, () if the name leaves the worker open.

        A name with a job and no task gives all places of the job.

        Raises:
            InvalidArgumentError: there is no such job, task or replica, or the text is not the name of a device.
        """
        parts = _parts(device)
        if parts.replica:
            raise _refused(device, f"there is no replica {parts.replica}, as workers have no replicas",
                           "tasks are numbered: write '/task:N'")  # fmt: skip
        job = parts.job
        if job is None and parts.task is None:
            return ()
        if job is None:
            if len(self.places) > 1:
                raise _refused(device, f"it names the task {parts.task} of no job", f"name the job: {self._told()}")
            job = next(iter(self.places))
        places = self.places.get(job)
        if places is None and job in CLIENT_JOBS:
            places = (CLIENT,)
        if places is None:
            known = [*self.places, CLIENT_JOBS[0]]
            near = did_you_mean(job, known)
            raise _refused(device, f"there is no job {job!r}{near}", f"there are {self._told()}, and 'client' for "
                           "this process. SessionConfig(jobs={...}) names groups of workers")  # fmt: skip
        if parts.task is None:
            return places
        if parts.task >= len(places):
            has = f"its tasks are 0 to {len(places) - 1}" if len(places) > 1 else "its only task is 0"
            cure = "" if places == (CLIENT,) else ". Connect more workers, or name fewer tasks"
            raise _refused(device, f"there is no task {parts.task} of the job {job!r}", has + cure)
        return (places[parts.task],)

    def place_of(self, device: str) -> int | None:
        """The place that `device` means: of a job without a task its first, as in TensorFlow; None if it means none.

        Raises:
            InvalidArgumentError: as `choices` raises it.
        """
        choices = self.choices(device)
        return choices[0] if choices else None

    def name_of(self, place: int) -> str:
        """A name of a place: "/job:worker/task:1", or "/job:client"."""
        if place == CLIENT:
            return f"/job:{CLIENT_JOBS[0]}"
        for job, places in self.places.items():
            if place in places:
                return f"/job:{job}/task:{places.index(place)}"
        return place_name(place)

    def with_shards(self, shard: Mapping[str, int | Sequence[int]]) -> dict[str, Sequence[int]]:
        """The workers of shards: a number of shards goes round the tasks of the job "worker".

        >>> WorkerJobs({"worker": (0, 1)}).with_shards({"batch": 3})
        {'batch': (0, 1, 0)}
        """
        tasks = len(self.places.get(ONLY_JOB, ())) or 1  # without such a job, placing the shards says what there is
        return {
            name: tuple([i % tasks for i in range(taken)]) if isinstance(taken, int) else taken
            for name, taken in shard.items()
        }  # fmt: skip

    def _told(self) -> str:
        return " and ".join(
            f"{job!r} with {len(places)} task{'s' if len(places) != 1 else ''}" for job, places in self.places.items()
        )


def worker_jobs(jobs: Mapping[str, Sequence[int | str]] | None, workers: Sequence[tuple[object, str]]) -> WorkerJobs:
    """The jobs of a session over `workers`, pairs of a name and an address in the order of their numbers.

    Raises:
        ValueRuleError (a ValueError): the jobs name a worker that is not there, or one of several with the same name.
    """
    if jobs is None:
        return WorkerJobs({ONLY_JOB: tuple(range(len(workers)))})
    return WorkerJobs({job: tuple(_number(job, each, workers) for each in named) for job, named in jobs.items()})


def place_of(
    device: str, jobs: Mapping[str, Sequence[int | str]] | None, workers: Sequence[tuple[object, str]]
) -> int | None:
    """The place that `device` means in a session with these jobs and workers; None if it leaves the worker open.

    Raises:
        InvalidArgumentError: there is no such job or task. ValueRuleError: the jobs name a worker that is not there.

    >>> workers = [("a", "tcp://10.0.0.1:4000"), ("b", "tcp://10.0.0.2:4000")]
    >>> place_of("/job:worker/task:1/gpu:0", None, workers), place_of("/gpu:0", None, workers)
    (1, None)
    >>> place_of("/job:ps/task:0", {"ps": ["b"], "worker": ["a"]}, workers)
    1
    """
    return worker_jobs(jobs, workers).place_of(device)


def device_on_worker(device: str) -> str:
    """What `device` asks for on its worker: the name without job, replica and task.

    >>> device_on_worker("/job:worker/task:1/gpu:0"), device_on_worker("/job:worker/device:GPU:1")
    ('/gpu:0', '/device:GPU:1')
    >>> device_on_worker("/job:worker/task:1")
    ''
    """
    kept = [part for part in device.split("/") if part and part.split(":")[0].lower() not in ("job", "replica", "task")]
    return f"/{kept[0]}" if kept else ""


def _parts(device: str) -> DeviceParts:
    try:
        return device_parts(device)
    except ValueError:  # from a loaded file; tf.device checks its argument itself
        raise InvalidArgumentError(
            message=f"device {device!r} names no device; write '/job:worker/task:0', '/cpu:0' or '/gpu:0'"
        ) from None


def _refused(device: str, found: str, cure: str) -> InvalidArgumentError:
    return InvalidArgumentError(message=f"device {device!r}: {found}; {cure}")


def _number(job: str, worker: int | str, workers: Sequence[tuple[object, str]]) -> int:
    """The number of a worker that a job names by its number, name or address."""
    what = f"SessionConfig(jobs={{{job!r}: ...}}): "
    if isinstance(worker, int):
        if 0 <= worker < len(workers):
            return worker
        count = len(workers)
        raise ValueRuleError(
            f"{what}there is no worker number {worker}; {count} worker{' is' if count == 1 else 's are'} connected"
            + (f", numbered 0 to {count - 1}" if count else "")
        )
    matches = [i for i, (name, address) in enumerate(workers)
               if worker in (str(name), address, address.partition("://")[2])]  # fmt: skip
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise ValueRuleError(f"{what}{len(matches)} workers are called {worker!r}; give a number or an address")
    names = [str(name) for name, _ in workers]
    told = ", ".join(f"{i}: {name!r} at {address}" for i, (name, address) in enumerate(workers[:8]))
    rest = f" and {len(workers) - 8} more" if len(workers) > 8 else ""
    near = did_you_mean(worker, names)
    raise ValueRuleError(
        f"{what}no worker has the name or address {worker!r}{near}; "
        + (f"there are {told}{rest}" if workers else "no workers are connected")
    )
