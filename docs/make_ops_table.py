"""Which ops are there? `docs/ops.md` is written from the registry, so that it cannot say anything else than the code.

    python docs/make_ops_table.py            says whether ops.md is up to date
    python docs/make_ops_table.py --write    writes it
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "ops.md"

HEAD = """# The ops

Made by `python docs/make_ops_table.py --write` from the declarations in `penstock/ops/`; `help(tf.gather)` shows the
whole docstring, with arguments, errors, an example and the source. Every function takes a `name` too. Several names in
one row are one function. The column *dtypes* gives those of the tensor operands (those with the same letter share one
dtype), *node* the `type` of the operation that a call adds; functions without one are built from other ops.
"""


def table() -> str:
    """The text of ops.md."""
    import penstock

    names: dict[int, list[str]] = {}
    functions: dict[int, Any] = {}
    for name, value in vars(penstock).items():
        is_ours = callable(value) and getattr(value, "__module__", "").startswith("penstock.ops.")
        if is_ours and not name.startswith("_"):
            names.setdefault(id(value), []).append(name)
            functions[id(value)] = value
    modules: dict[str, list[str]] = {}
    for key, function in sorted(functions.items(), key=lambda item: names[item[0]][0]):
        modules.setdefault(function.__module__, []).append(_row(names[key], function))
    parts = [HEAD]
    for module in sorted(modules):
        question = (sys.modules[module].__doc__ or "").split("\n")[0]
        file = module.replace(".", "/") + ".py"
        parts.append(f"\n## {question}\n\n`{file}`\n\n| call | result | dtypes | node |\n|---|---|---|---|\n")
        parts.append("\n".join(modules[module]) + "\n")
    return "".join(parts)


def _row(names: list[str], function: Any) -> str:
    own = function.__name__ if function.__name__ in names else names[0]
    others = "".join(f"<br>`{name}`" for name in names if name != own)
    call = f"`{own}({_parameters(function)})`"
    node = f"`{function.type}`" if hasattr(function, "type") else ""
    cells = [call + others, _law(function), _dtypes(function), node]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _parameters(function: Callable[..., Any]) -> str:
    shown = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "name":
            continue
        default = "" if parameter.default is parameter.empty else f"={_plain(parameter.default)}"
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        shown.append(f"{star}{parameter.name}{default}")
    return ", ".join(shown)


def _plain(value: Any) -> str:
    return value.__name__ if callable(value) else str(value) if hasattr(value, "as_numpy_dtype") else repr(value)


def _law(function: Any) -> str:
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def _dtypes(function: Any) -> str:
    rows: dict[str, list[str]] = {}
    for _, parameter, operand in getattr(function, "operands", ()):
        letter = f"{operand.var} in " if operand.var else ""
        rows.setdefault(letter + _set_name(operand.allowed), []).append(parameter)
    return "<br>".join(f"{', '.join(parameters)}: {dtypes}" for dtypes, parameters in rows.items())


def _set_name(bits: int) -> str:
    """A set of dtypes in words: "ints, floats", or the dtypes themselves where there is no word."""
    from penstock.graph import signature as s
    from penstock.graph.dtypes import dtypes_in

    signed = sum(d.bit for d in dtypes_in(s.INTEGERS) if not d.is_unsigned)
    words = []
    for group, word in ((s.ANY, "any"), (s.NUMBERS, "numbers"), (s.INTEGERS, "ints"), (signed, "signed ints"),
                        (s.FLOATS, "floats"), (s.COMPLEX, "complex")):  # fmt: skip
        if bits & group == group:
            words.append(word)
            bits &= ~group
    return ", ".join(words + [dtype.name for dtype in dtypes_in(bits)])


def main() -> int:
    """Compare, or write; the exit code is 1 if ops.md was out of date."""
    text = table()
    if TABLE.exists() and TABLE.read_text("utf-8") == text:
        return 0
    if "--write" in sys.argv[1:]:
        TABLE.write_text(text, "utf-8")
    print("docs/ops.md differs from the registry")
    return 1


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
