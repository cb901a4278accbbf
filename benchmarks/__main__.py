"""The benchmark runner: every installed engine and the limit, in turns, each in a process pinned to one core.

python -m benchmarks                                     Penstock, NumPy and the limit: all families
python -m benchmarks --install-peers peers               a venv with the peers
python -m benchmarks --peers peers                       all side by side
python -m benchmarks W2 --peers peers --only f32 1e6     a part
python -m benchmarks --peers peers --write docs/benchmarks.md
python -m benchmarks --device gpu                        on a GPU, beside its copy bandwidth and CuPy (JAX, PyTorch if
                                                         they are there); within 8 minutes, unattended
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from . import device
from .client import Client, Place, python_of
from .engines import ENGINES, PEERS
from .families import FAMILIES
from .rounds import Row, chosen_cases, measure
from .table import Notes, probe_table, timed_table

MARKS = ("<!-- figures -->", "<!-- end of figures -->")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    made.add_argument("families", nargs="*", help=f"any of {', '.join(FAMILIES)}; all by default")
    made.add_argument("--peers", type=Path, metavar="VENV", help="a venv that holds the peers")
    made.add_argument("--install-peers", type=Path, metavar="DIR", help="make that venv, and stop")
    made.add_argument("--engines", nargs="+", choices=list(ENGINES), metavar="ENGINE", help=", ".join(ENGINES))
    made.add_argument("--only", nargs="+", default=[], metavar="WORD", help="cases whose names hold every one of these")
    made.add_argument("--rounds", type=int, default=7, help="samples of each figure, of which p25 is shown")
    made.add_argument("--quick", action="store_true", help="tiny sizes and one round: is everything right?")
    made.add_argument("--patience", type=float, default=120, metavar="S", help="seconds to wait for an answer")
    made.add_argument("--device", choices=["cpu", "gpu"], default="cpu", help="where to measure")
    made.add_argument("--minutes", type=float, default=8, help="on a GPU: the most that all of it may take")
    made.add_argument("--core", type=int, default=_last_core(), help="core to stay on; -1 for any")
    made.add_argument("--json", type=Path, metavar="FILE", help="write every sample")
    made.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the marks of this document")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Parse, measure, print; 1 if any result was wrong."""
    cli = parser()
    chosen = cli.parse_args(argv)
    if chosen.install_peers:
        return install(chosen.install_peers)
    if chosen.device == "gpu":
        rounds, elements = (1, device.QUICK) if chosen.quick else (chosen.rounds, device.ELEMENTS)
        lines = device.main(rounds, chosen.only, elements, chosen.minutes)
        print("\n".join(lines))
        if lines[0].startswith("No GPU"):
            return 1
        if chosen.write:
            insert(chosen.write, lines)
        return 1 if any("WRONG" in line for line in lines) else 0
    unknown = set(chosen.families) - set(FAMILIES)
    if unknown:
        cli.error(f"no such family: {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    rounds = 1 if chosen.quick else chosen.rounds
    engines = chosen.engines or (list(ENGINES) if chosen.peers else ["penstock", "numpy"])
    report = [machine(chosen.core, rounds), ""]
    places = [Place(f, chosen.quick, chosen.core, chosen.peers, chosen.patience) for f in chosen.families or FAMILIES]
    engines, versions = installed(engines, places[0])
    report += [versions]
    print("\n".join(report), flush=True)
    wrong = False
    samples: dict[str, dict[str, object]] = {}
    for place in places:
        rows = show_progress(place, engines, chosen.only, rounds)
        if not rows:
            continue
        table = ["", f"### {place.family}: {FAMILIES[place.family].title}", "", *tables(rows, engines)]
        print("\n".join(table), flush=True)
        report += table
        wrong = wrong or any(reason.startswith("WRONG") for row in rows for reason in row.reasons.values())
        samples[place.family] = {row.case: {"samples": row.samples, "reasons": row.reasons} for row in rows}
        if chosen.json:
            chosen.json.write_text(json.dumps({"about": report[:3], "families": samples}, indent=1), "utf-8")
    if chosen.write:
        insert(chosen.write, report)
    return 1 if wrong else 0


def install(folder: Path) -> int:
    """A venv with the peers."""
    venv.create(folder, with_pip=True)
    return subprocess.call([str(python_of(folder)), "-m", "pip", "install", "ml_dtypes", *PEERS])


def installed(engines: Sequence[str], place: Place) -> tuple[list[str], str]:
    """The engines that are there, and a line that names their versions and those that are not."""
    found: list[str] = []
    words: list[str] = []
    for name in engines:
        client = Client(name, place)
        client.end()
        if client.version:
            found.append(name)
        words.append(f"{name} {client.version}" if client.version else f"{name} is left out ({client.missing})")
    return found, "Engines: " + "; ".join(words) + "."


def show_progress(place: Place, engines: Sequence[str], words: Sequence[str], rounds: int) -> list[Row]:
    """The rows of a family; on a terminal, the case at hand."""
    rows: list[Row] = []
    cases = chosen_cases(place.family, place.quick, words)
    for row in measure(place, engines, cases, rounds):
        rows.append(row)
        if sys.stderr.isatty():
            print(f"\r{place.family} {len(rows)}/{len(cases)} {row.case:<50}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r" + " " * 70 + "\r", end="", file=sys.stderr, flush=True)
    return rows


def tables(rows: Sequence[Row], engines: Sequence[str]) -> list[str]:
    """The timed cases in one table, each probe in its own, then the reasons."""
    notes = Notes()
    lines: list[str] = []
    timed = [row for row in rows if row.timed]
    if timed:
        lines += [*timed_table(timed, engines, notes), ""]
    for row in rows:
        if not row.timed:
            lines += [*probe_table(row, engines, notes), ""]
    return [*lines, *notes.lines()]


def insert(document: Path, report: Sequence[str]) -> None:
    """Replace what stands between the marks."""
    text = document.read_text("utf-8")
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    document.write_text("\n".join([before + MARKS[0], "", *report, "", MARKS[1] + after]), "utf-8")


def machine(core: int, rounds: int) -> str:
    """The processor, its cores, Python, and how it was measured."""
    where = "any core" if core < 0 else f"core {core}"
    return (f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start, Python "
            f"{platform.python_version()}; one thread on {where}, p25 of {rounds} interleaved rounds.")  # fmt: skip


def processor() -> str:
    """The model's name, with its widest vectors."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    flags = facts.get("flags", "").split()
    vectors = next((name for name in ("avx512f", "avx2", "avx") if name in flags), "")
    family = f"family {facts.get('cpu family', '?')} model {facts.get('model', '?')}"
    return f"{facts.get('model name', platform.machine())} ({family}{', ' + vectors if vectors else ''})"


def _last_core() -> int:
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else -1


if __name__ == "__main__":
    sys.exit(main())
