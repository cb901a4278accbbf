"""The choices of a session that concern shards and clusters: checks of what a program gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def check_choices_for_clusters(shard: Any, sums: Any, jobs: Any, distribute: Any, worker_timeout: Any) -> None:
    """Check the fields of a `SessionConfig` that concern shards and clusters.

    Raises:
        TypeError: a choice is of another type.
        ValueError: a number is too small, or a word is another one.
    """
    _check_shard(shard)
    _check_jobs(jobs)
    for name, value, words in (("sums", sums, ("ordered", "tree")), ("distribute", distribute, ("always", "auto"))):
        if value not in words:
            raise ValueError(f"SessionConfig({name}={value!r}): {name} is {words[0]!r} or {words[1]!r}")
    if isinstance(worker_timeout, bool) or not isinstance(worker_timeout, int | float):
        raise TypeError(f"SessionConfig(worker_timeout={worker_timeout!r}): give a number of seconds, such as 30.0")
    if not worker_timeout > 0:
        raise ValueError(f"SessionConfig(worker_timeout={worker_timeout!r}): give more than 0 seconds")


def _check_shard(shard: Any) -> None:
    if shard is None:
        return
    if not isinstance(shard, Mapping) or not all(isinstance(name, str) and name for name in shard):
        raise TypeError(
            f"SessionConfig(shard={shard!r}): give a mapping from names of dimensions, as {{'batch': 4}}"
        )
    for name, parts in shard.items():
        count = len(parts) if _is_list(parts) else parts
        if isinstance(count, bool) or not isinstance(count, int) or (_is_list(parts) and not _are_numbers(parts)):
            raise TypeError(
                f"SessionConfig(shard={{{name!r}: {parts!r}}}): give a number of shards, or a list of workers (numbers)"
            )
        if count < 1:
            raise ValueError(f"SessionConfig(shard={{{name!r}: {parts!r}}}): there is at least 1 shard")
    if len(shard) > 1:
        raise ValueError(f"SessionConfig(shard={shard!r}): one dimension can be cut, not {len(shard)}")


def _check_jobs(jobs: Any) -> None:
    if jobs is None:
        return
    if not isinstance(jobs, Mapping) or not all(isinstance(name, str) for name in jobs):
        raise TypeError(
            f"SessionConfig(jobs={jobs!r}): give a mapping from names of jobs, such as {{'ps': [0], 'worker': [1, 2]}}"
        )
    for name, workers in jobs.items():
        if not name.isidentifier():
            raise ValueError(f"SessionConfig(jobs={{{name!r}: ...}}): give it letters, digits and underscores")
        if not _is_list(workers) or not all(
            isinstance(each, int | str) and not isinstance(each, bool) for each in workers
        ):
            raise TypeError(
                f"SessionConfig(jobs={{{name!r}: {workers!r}}}): give a list of workers: numbers, names or addresses"
            )
        if not workers:
            raise ValueError(f"SessionConfig(jobs={{{name!r}: {workers!r}}}): a job has at least one worker")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in values)
