"""Writes the lists of the public names of ops, from what the modules of ops say.

    python docs/make_names.py            says whether the lists are up to date
    python docs/make_names.py --write    writes them

A module of `penstock/ops` says under which names users find its functions: `PUBLIC_NAMES = {"tf math": "zeta"}` means
`tf.zeta` and `tf.math.zeta`, and `"linalg": "band_part=matrix_band_part"` that the name is not the function's own. The
namespaces are `tf`, `nn` and those of `FILES`. Of `tf` and `nn` the first use of a name imports the module; "start",
"start_0x" and "start_nn" are their names that come with `import penstock`, of modules which the package itself needs.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "penstock"
FILES = {
    "bitwise": "bitwise", "contrib.nn": "contrib/contrib_nn", "debugging": "debugging", "image": "image",
    "io": "io/__init__", "linalg": "linalg", "manip": "manip", "math": "math", "random": "random", "signal": "signal",
    "sparse": "sparse", "spectral": "spectral", "start": "api/api_common", "start_0x": "api/api_0x",
    "start_nn": "api/nn_common", "strings": "strings",
}  # fmt: skip
"""Namespace -> the file whose import lines are its names."""
TABLES = {"tf": "NAMES_OF_OPS", "nn": "NN_NAMES_OF_OPS"}
"""Namespace -> the table in `api/public_names.py`: its names are imported at their first use."""
WIDEST = 120


@cache
def statements() -> list[tuple[str, str, str]]:
    """Each module of ops, a namespace, and the names that it has there."""
    each = []
    for path in sorted(PACKAGE.joinpath("ops").rglob("*.py")):
        text = path.read_text("utf-8")
        for statement in ast.parse(text).body if "PUBLIC_NAMES" in text else ():
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "PUBLIC_NAMES":
                module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
                for namespaces, names in ast.literal_eval(statement.value).items():
                    each += [(module, namespace, names) for namespace in namespaces.split()]
    return each


def names_in(namespace: str) -> dict[str, list[str]]:
    """Module of ops -> the names that it has in a namespace, as "name" or "name=own name"."""
    names: dict[str, list[str]] = {}
    for module, where, words in statements():
        if where == namespace:
            names[module] = sorted([*names.get(module, []), *words.split()])
    return names


def files() -> dict[Path, str]:
    """The files with the lists, and their texts as they should be."""
    if strangers := {where for _, where, _ in statements()} - FILES.keys() - TABLES.keys():
        raise SystemExit(f"PUBLIC_NAMES: no such namespace: {', '.join(sorted(strangers))}")
    texts = {}
    for namespace, name in FILES.items():
        path = PACKAGE / f"{name}.py"
        texts[path] = with_imports(path.read_text("utf-8"), names_in(namespace), "." * (1 + name.count("/")))
    path = PACKAGE / "api" / "public_names.py"
    text = path.read_text("utf-8")
    for namespace, table in TABLES.items():
        rows = [line for module, names in names_in(namespace).items() for line in _row(module, names)]
        text = _replaced(text, table, [f"{table} = {{", *rows, "}"])
    texts[path] = text
    return texts


def with_imports(text: str, names: dict[str, list[str]], dots: str) -> str:
    """A module whose import lines of ops, and entries of `__all__`, are these names; everything else stays."""
    lines, body = text.splitlines(), ast.parse(text).body
    listed = next((s for s in body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == "__all__"), None)
    public = None if listed is None else set(ast.literal_eval(listed.value))
    of_ops = [
        s for s in body
        if isinstance(s, ast.ImportFrom) and s.level == len(dots) and (s.module or "").startswith("ops.")
        and (public is None or public.intersection(each.asname or each.name for each in s.names))
    ]  # fmt: skip
    if public is not None:
        public -= {each.asname or each.name for s in of_ops for each in s.names}
        public |= {each.partition("=")[0] for names_of_module in names.values() for each in names_of_module}
        each = ", ".join(f'"{name}"' for name in sorted(public))
        lines = [f"__all__ = [{each}]"] if len(each) < WIDEST - 12 else ["__all__ = [", *_wrapped(each), "]"]
        text = _replaced(text, "__all__", lines)
        lines = text.splitlines()  # `__all__` stands behind the import lines
    for statement in reversed(of_ops):
        del lines[statement.lineno - 1 : statement.end_lineno]
    start = of_ops[0].lineno - 1 if of_ops else next(s.end_lineno or 0 for s in body)
    lines[start:start] = [line for module in sorted(names) for line in _import(f"{dots}{module}", names[module])]
    return "\n".join(lines) + "\n"


def _import(module: str, names: list[str]) -> list[str]:
    each = [f"{own} as {name}" if own else name for name, _, own in (each.partition("=") for each in names)]
    line = f"from {module} import {', '.join(each)}"
    return [line] if len(line) <= WIDEST else [f"from {module} import (", *_wrapped(", ".join(each)), ")"]


def _row(module: str, names: list[str]) -> list[str]:
    line = f'    "{module}": "{" ".join(names)}",'
    if len(line) <= WIDEST:
        return [line]
    parts = textwrap.wrap(" ".join(names), WIDEST - 12)
    return [f'    "{module}": (', *[f'        "{part} "' for part in parts[:-1]], f'        "{parts[-1]}"', "    ),"]


def _wrapped(words: str) -> list[str]:
    """The lines of a list, so that no line ends in the middle of `a as b`."""
    parts = textwrap.wrap(words.replace(" as ", "\0as\0") + ",", WIDEST - 4, break_on_hyphens=False)
    return [f"    {part}".replace("\0", " ") for part in parts]


def _replaced(text: str, name: str, by: list[str]) -> str:
    """The text with another statement that assigns `name`; the comment behind it stays."""
    lines = text.splitlines()
    old = next(s for s in ast.parse(text).body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == name)
    end = old.end_lineno or old.lineno
    comment = lines[end - 1].partition("  #")
    lines[old.lineno - 1 : end] = [*by[:-1], by[-1] + comment[1] + comment[2]]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compare or write; the exit code is 1 if a list was out of date."""
    old = [(path, text) for path, text in files().items() if path.read_text("utf-8") != text]
    for path, text in old:
        print(f"{path.relative_to(ROOT)} is out of date")
        if sys.argv[1:] == ["--write"]:
            path.write_text(text, "utf-8")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
