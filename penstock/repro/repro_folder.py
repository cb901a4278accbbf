"""Folders of runs: writing and reading.

    run.json      what is fetched, fed and expected; variables, random state, choices, versions (see `_data`)
    run.npz       arrays above 1 KiB
    graph.json    the part of the graph that the run needs, and graph.npz with its large constants
    repro.py      a program that runs it again
    program.py    a minified run as a program that builds it, where it is small enough

Nothing is pickled: opening a folder runs none of its content, and reading it checks what it finds. A folder is written
beside its final place and moved there, so that it is there as a whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import GraphFormatError
from ..graph.serial.array_data import ArrayReader
from ..graph.serial.checked_json import parsed_json, refuse_lone_surrogates
from ..graph.serial.document import document_text
from ..graph.serial.document_reader import parse
from ..graph.serial.error_text import brief, short
from ..graph.serial.limits import DEFAULT_LIMITS, read_limited
from ..printable_text import printable_lines
from ..runtime.base.random_counters import RandomState, StreamState
from ..runtime.base.session_config import RunOptions, SessionConfig
from ..runtime.session.failed_run import RunFailure
from .graph_part import archive_of, written_arrays
from .saved_run import SavedRun, choices_as_data, choices_of_data

FORMAT = "penstock-repro"
VERSION = 1
_OF_NAMES = frozenset({"fetches", "feeds", "variables", "random"})
"""Entries with names of nodes, which may have any character; other texts are printed as they are."""
FILES = frozenset({"run.json", "run.npz", "graph.json", "graph.npz", "repro.py", "program.py"})
PROGRAM = '''\
"""Runs again what this folder holds: `python repro.py`.

run.json says what is fetched, fed and expected; graph.json is the graph. The exit code is 0 if the run does what is
expected, 1 if not, 2 if the folder cannot be read.
"""

import os
import pathlib
import sys

try:
    from penstock.repro import load_repro
except ImportError:
    print("Penstock is not installed here, or has no penstock.repro: python -m pip install penstock", file=sys.stderr)
    sys.exit(2)

try:
    repro = load_repro(pathlib.Path(__file__).resolve().parent)
except (OSError, ValueError) as error:
    print(error, file=sys.stderr)
    sys.exit(2)
# In a program of your own:
#     session = repro.session()
#     session.run(repro.fetches, repro.feeds)
try:
    code = repro.check()
    sys.stdout.flush()
except BrokenPipeError:  # the reader of a pipe has closed it
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    code = 1
sys.exit(code)
'''


def write_folder(saved: SavedRun, target: Path, program: str | None = None) -> Path:
    """Write a run to the folder `target`, which may be there if it is empty or holds such a run.

    Args:
        saved: the run.
        target: the folder.
        program: the content of program.py.

    Raises:
        FileExistsError: the folder holds something else.
        GraphFormatError: the graph has no written form.
        OSError: as the file system says. Then there is no folder, or the old one.
    """
    if target.exists() and not _is_free(target):
        raise FileExistsError(
            17, "the folder holds other files; a run is written to a new folder, an empty one or one of such a run",
            str(target),
        )  # fmt: skip

    def place(made: Path) -> Path:
        old = None
        if target.exists():
            old = _beside(target)
            os.rename(target, old)
        try:
            os.rename(made, target)
        except BaseException:
            if old is not None:
                os.rename(old, target)
            raise
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
        return target

    return _written(saved, target, place, program)


def write_numbered(saved: SavedRun, folder: Path, name: str) -> Path:
    """Write a run to a new folder in `folder`: `name` with a number that is free.

    Raises:
        OSError: as the file system says.
    """
    folder.mkdir(parents=True, exist_ok=True)

    def place(made: Path) -> Path:
        number = 1 + max([int(head) for each in folder.iterdir() if (head := each.name.partition("-")[0]).isdigit()],
                         default=0)  # fmt: skip
        while True:
            target = folder / f"{number:03}-{name}"
            try:
                if not target.exists():
                    os.rename(made, target)
                    return target
            except OSError:  # another process or thread took the name meanwhile
                if not target.exists():
                    raise
            number += 1

    return _written(saved, folder / name, place)


def _is_free(folder: Path) -> bool:
    names = {each.name for each in folder.iterdir()} if folder.is_dir() else {"a file"}
    return not names or ("run.json" in names and names <= FILES | {"minified", "__pycache__"})


def _beside(target: Path) -> Path:
    return target.parent / f".{target.name}.{os.urandom(6).hex()}.tmp"


def _written(saved: SavedRun, target: Path, place: Callable[[Path], Path], program: str | None = None) -> Path:
    files = contents(saved) | ({} if program is None else {"program.py": program.encode()})
    target.parent.mkdir(parents=True, exist_ok=True)
    made = _beside(target)
    try:
        made.mkdir()
        for name, content in files.items():
            (made / name).write_bytes(content)
        return place(made)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def contents(saved: SavedRun) -> dict[str, bytes]:
    """The files of a folder by name.

    Raises:
        GraphFormatError: the graph has no written form.
    """
    data, arrays = _data(saved)
    files: dict[str, bytes] = {}
    document = dict(saved.document)
    for stem, held, into in (("graph", saved.archive, document), ("run", archive_of(arrays), data)):
        into["constants"] = None
        if held is not None:
            into["constants"] = {"bytes": len(held), "sha256": hashlib.sha256(held).hexdigest()}
            files[f"{stem}.npz"] = held
    files["graph.json"] = document_text(document).encode("ascii")
    lines = [f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in data.items()]
    files["run.json"] = ("{" + ",\n ".join(lines) + "}\n").encode("ascii")
    files["repro.py"] = PROGRAM.encode("ascii")
    return files


def _data(saved: SavedRun) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The content of run.json, and the arrays beside it."""
    both = {("feeds", name): array for name, array in saved.feeds.items()}
    both |= {("variables", name): array for name, array in saved.variables.items()}
    written, outside, lost = written_arrays({f"{kind} {name}": array for (kind, name), array in both.items()})
    notes = [f"the value of {each.partition(' ')[2]!r} has no written form (dtype variant)" for each in lost]
    streams = None if saved.random is None else {
        name: [each.seed, each.seed2, each.drawn, *([] if each.memory is None else each.memory.tolist())]
        for name, each in saved.random.items()
    }  # fmt: skip
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "made": dict(saved.made),
        "expected": None if saved.expected is None else asdict(saved.expected),
        "notes": [printable_lines(note) for note in (*saved.notes, *notes)],
        "fetches": list(saved.fetches),
        "feeds": {},
        "variables": {},
        "random": streams,
        "config": choices_as_data(saved.config),
        "options": None if saved.options is None else choices_as_data(saved.options),
        "as_device": saved.as_device,
        "constants": None,
    }
    for kind, name in both:
        if f"{kind} {name}" in written:
            data[kind][name] = written[f"{kind} {name}"]
    return data, outside


# ---- reading ------------------------------------------------------------------------------------


def read_folder(folder: Path) -> SavedRun:
    """The run in a folder.

    Raises:
        GraphFormatError (a ValueError): a file is damaged, or not of this form.
        OSError: one cannot be read.
    """
    data = _json(folder / "run.json")
    arrays = ArrayReader(DEFAULT_LIMITS, _archive(folder / "run.npz", data))
    document = parse(read_limited(folder / "graph.json", DEFAULT_LIMITS.file_bytes))
    archive = _archive(folder / "graph.npz", document)
    saved = SavedRun(
        document, archive, _texts(data.get("fetches"), "fetches"), _arrays(arrays, data, "feeds"),
        _arrays(arrays, data, "variables"), _random(data.get("random")),
        choices_of_data(SessionConfig, data.get("config", {})),
        None if data.get("options") is None else choices_of_data(RunOptions, data["options"]),
        data.get("as_device") is True, _failure(data.get("expected")),
        _texts_by_name(data, "made"), _texts(data.get("notes"), "notes"),
    )  # fmt: skip
    saved.graph()
    return saved


def _json(path: Path) -> dict[str, Any]:
    content = read_limited(path, DEFAULT_LIMITS.file_bytes)
    data = parsed_json(content, what=path.name)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise GraphFormatError(f'{path.name} does not describe a run: it must have "format": "{FORMAT}"')
    if type(data.get("version")) is not int or not 1 <= data["version"] <= VERSION:
        raise GraphFormatError(f"{path.name} has another version; this Penstock reads versions 1 to {VERSION}")
    plain = {key: value for key, value in data.items() if key not in _OF_NAMES}
    if isinstance(data.get("expected"), dict):
        plain["expected"] = {key: value for key, value in data["expected"].items() if key != "node"}
    refuse_lone_surrogates(plain, content, path.name)
    return data


def _archive(path: Path, said_by: dict[str, Any]) -> bytes | None:
    """The npz file that a document says lies beside it."""
    said = said_by.get("constants")
    if said is None:
        return None
    content = read_limited(path, DEFAULT_LIMITS.constant_bytes)
    if not isinstance(said, dict) or said.get("sha256") != hashlib.sha256(content).hexdigest():
        raise GraphFormatError(f"{path.name} is not the file that was written with the others; the folder is damaged")
    return content


def _dict(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    if not isinstance(found, dict):
        raise GraphFormatError(f'run.json: "{key}" is {short(found)}; it must be an object')
    return found


def _texts(found: Any, key: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise GraphFormatError(f'run.json: "{key}" is {short(found)}; it must be a list of texts')
    return tuple(found)


def _texts_by_name(data: dict[str, Any], key: str) -> dict[str, str]:
    found = _dict(data, key)
    for name, text in found.items():
        if not isinstance(text, str):
            raise GraphFormatError(f'run.json: {short(name)} of "{key}" is {short(text)}; it must be a text')
    return found


def _arrays(reader: ArrayReader, data: dict[str, Any], key: str) -> dict[str, Any]:
    arrays = {}
    for name, each in _dict(data, key).items():
        try:
            arrays[name] = reader.read(each)
        except GraphFormatError as error:
            raise GraphFormatError(f'run.json: {short(name)} of "{key}": {brief(error)}', code=error.code) from None
    return arrays


def _random(data: Any) -> RandomState | None:
    if data is None:
        return None
    good = isinstance(data, dict) and all(
        isinstance(each, list) and len(each) >= 3 and all(type(part) is int and 0 <= part < 1 << 128 for part in each)
        for each in data.values()
    )
    if not good:
        raise GraphFormatError(f'run.json: "random" is {short(data)}; it must be an object with three numbers for '
                               "each operation, and what it has kept of its calls")  # fmt: skip
    return RandomState({
        name: StreamState(seed, seed2, drawn, np.array(kept, np.int64) if kept else None)
        for name, (seed, seed2, drawn, *kept) in data.items()
    })  # fmt: skip


def _failure(data: Any) -> RunFailure | None:
    if data is None:
        return None
    texts = ("kind", "node", "op", "message", "text")
    if not isinstance(data, dict) or not all(isinstance(data.get(key), str) for key in texts):
        raise GraphFormatError(f'run.json: "expected" is {short(data)}; it must be an error with the texts kind, node, '
                               "op, message and text")  # fmt: skip
    kind, node, op, message, text = [data[key] for key in texts]
    return RunFailure(kind, node, op, message, text, _texts(data.get("notes") or [], "expected.notes"))
