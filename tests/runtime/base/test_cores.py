"""How many cores a process may use, by the files of cgroups: made-up ones of both versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.runtime.base import cores as module
from penstock.runtime.base.cores import cores, cores_of_quota


def quota(tmp_path: Path, groups: str, files: dict[str, str]) -> float | None:
    (tmp_path / "cgroup").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "fs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return cores_of_quota(str(tmp_path / "cgroup"), str(tmp_path / "fs"))


V1 = "12:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n"


@pytest.mark.parametrize(
    ("groups", "files", "want"),
    [
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2.0),
        ("0::/\n", {"cpu.max": "max 100000\n"}, None),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "300000 100000\n"}, 3.0),
        ("0::/a/b\n", {"a/b/cpu.max": "100000 100000\n", "a/cpu.max": "300000 100000\n"}, 1.0),
        ("0::/../..\n", {"cpu.max": "400000 100000\n"}, 4.0),
        (V1, {"cpu,cpuacct/docker/x/cpu.cfs_quota_us": "250000",
              "cpu,cpuacct/docker/x/cpu.cfs_period_us": "50000"}, 5.0),
        (V1, {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "50000"}, 2.0),
        (V1, {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ("0::/\n" + V1, {"cpu.max": "600000 100000", "cpu/cpu.cfs_quota_us": "300000",
                         "cpu/cpu.cfs_period_us": "100000"}, 3.0),
        ("0::/\n", {"cpu.max": "nonsense"}, None),
        ("0::/\n", {"cpu.max": "0 100000"}, None),
        ("0::/\n", {}, None),
        ("5:memory:/x\n", {"cpu.max": "200000 100000"}, None),
    ],
)  # fmt: skip
def test_the_smallest_quota_of_a_group_and_those_it_lies_in_counts(
    groups: str, files: dict[str, str], want: float | None, tmp_path: Path
) -> None:
    assert quota(tmp_path, groups, files) == want


def test_without_cgroups_there_is_no_quota(tmp_path: Path) -> None:
    assert cores_of_quota(str(tmp_path / "none"), str(tmp_path)) is None


@pytest.mark.parametrize(("share", "want"), [(None, 64), (1.5, 2), (0.2, 1), (2.0, 2), (100.0, 64)])
def test_a_part_of_a_core_counts_as_one_and_affinity_counts_too(
    share: float | None, want: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_by_affinity", lambda: 64)
    monkeypatch.setattr(module, "cores_of_quota", lambda: share)
    cores.cache_clear()
    try:
        assert cores() == want
    finally:
        cores.cache_clear()
