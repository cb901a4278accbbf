"""Writes `docs/ops.md`, the table of ops, from the registry and the docstrings.

    python docs/make_ops_table.py            says whether ops.md is up to date
    python docs/make_ops_table.py --write    writes it
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "ops.md"

HEAD = """# The ops

Made by `python docs/make_ops_table.py --write` from the declarations in `penstock/ops/`; `help(tf.gather)` shows the
whole docstring, with arguments, errors, an example and the source. Every function also takes `name`: that of the node
that it adds, or of the scope of several nodes. Several names in one row are one function.

- *shape* is that of the result; `graph.summary()` shows what follows from it in a graph.
- *dtypes* are those of the tensor operands; operands with the same letter share one dtype.
- *node* is the `type` of the operation that a call adds; functions without one are built from other ops.
- *gradient* is that of each operand, from `g`, the gradient of the result `out`; or why there is none. `conj` is the
  identity on real numbers. [Derivatives](derivatives.md) says how `tf.gradients` uses it.
- *fuses*: `yes` if a plan may compute it together with its neighbours, element by element; `last` if it may end such a
  group, where it reduces the last axes and these are constant. Strings never do.
- *shards*: `yes` if the parts of an operand along a named dimension may give the parts of the result; a word such as
  "sum" says how shards are combined where the op combines elements along that dimension. Others run once, on the whole.
- *runs on*: a GPU takes every op but those on strings and those that only look at shapes.

The drawings of ops that move data are made by `docs/draw_moves.py`, which runs the ops on the numbers of the elements.
"""

WORDS = (
    (r"^A scalar of dtype.*", "()"),
    (r"^A vector of dtype \w+", "a vector"),
    (r"^A tensor with the shape and dtype of ", "that of "),
    (r"^A tensor with the dtype of (`\w+`|the values) and (its|their) shape", r"that of \1"),
    (r",? (with|and) (the |its |their )?dtype( of)?( `\w+`( (and|or) `\w+`)?| named above| the \w+|\b \w+)?$", ""),
    (r"^A tensor with the broadcast shape of (.*)", r"\1, broadcast"),
    (r"^A tensor with the shape of ", "that of "),
    (r"^A tensor of shape ", ""),
)
"""From the first sentence below `Returns:` to the shape alone."""

USUAL = ("create", "elementwise", "reduce", "move", "index", "linalg", "nn", "convolution", "pooling", "random")
"""The folders of ops that come first."""

MOVES = ("dynamic_partition", "dynamic_stitch", "gather", "scatter_nd", "tensor_scatter_nd_update", "reverse_sequence")
"""The functions of which there is a drawing."""


def table() -> str:
    """The text of ops.md."""
    import penstock

    names: dict[int, list[str]] = {}
    functions: dict[int, Any] = {}
    top = {*dir(penstock)}  # to ask for a name that is missing looks for those like it
    of_nn = [(f"nn.{name}", getattr(penstock.nn, name)) for name in penstock.nn.__all__ if name not in top]
    of_top = [(name, getattr(penstock, name)) for name in penstock.__all__]  # the first use imports some of them
    for name, value in [*of_top, *of_nn]:
        is_ours = callable(value) and getattr(value, "__module__", "").startswith("penstock.ops.")
        is_ours = is_ours and not inspect.isclass(value)
        if is_ours and not name.startswith("_"):
            names.setdefault(id(value), []).append(name)
            functions[id(value)] = value
    modules: dict[str, list[str]] = {}
    for key, function in sorted(functions.items(), key=lambda item: names[item[0]][0]):
        modules.setdefault(function.__module__, []).append(_row(names[key], function))
    parts, room = [HEAD], ""
    for module in sorted(modules, key=_place):
        if room != (room := module.rpartition(".")[0]):
            parts.append(f"\n## {_title(room)}\n")
        file = module.replace(".", "/") + ".py"
        parts.append(f"\n### {_title(module)}\n\n`{file}`\n\n{COLUMNS}\n")
        parts.append("\n".join(modules[module]) + "\n")
        drawn = [name for name in MOVES if getattr(penstock, name).__module__ == module]
        parts += [f"\n![What {name} moves where](moves/{name}.svg)\n" for name in drawn]
    return "".join(parts)


def _place(module: str) -> tuple[int, str]:
    """Where a module stands: what most programs call comes first, the other folders by name."""
    folder = module.split(".")[2]
    return USUAL.index(folder) if folder in USUAL else len(USUAL), module


def _title(module: str) -> str:
    return (sys.modules[module].__doc__ or "").split("\n")[0].rstrip(".")


COLUMNS = "| call | result | shape | dtypes | node | gradient | fuses | shards | runs on |\n" + "|---" * 9 + "|"


def _row(names: list[str], function: Any) -> str:
    own = function.__name__ if function.__name__ in names else names[0]
    others = "".join(f"<br>`{name}`" for name in names if name != own)
    call = f"`{own}({_parameters(function)})`"
    node = f"`{function.type}`" if hasattr(function, "type") else ""
    facts = [""] * 4 if not node else [_gradient(function), _fuses(function), _shards(function), _places(function)]
    cells = [call + others, _law(function), shape_in_words(own, function), _dtypes(function), node, *facts]
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
    return value.__name__ if callable(value) else f"{value}" if hasattr(value, "as_numpy_dtype") else repr(value)


def _law(function: Any) -> str:
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def shape_in_words(name: str, function: Any) -> str:
    """The shape of the result, as the docstring has it."""
    told = re.search(r"^Returns:\n((?: +.*\n?)+)", inspect.getdoc(function) or "", re.MULTILINE)
    assert told is not None, f"{name}: tests/test_public_docstrings.py asks for Returns"
    words = re.split(r"\.(?: |$)", " ".join(told[1].split()))[0]
    for found, said in WORDS:
        words = re.sub(found, said, words)
    return words[:1].lower() + words[1:]


def _gradient(opdef: Any) -> str:
    from penstock.derivatives.explain_gradient import clauses
    from penstock.derivatives.gradient_paths import why_no_gradient

    reason = why_no_gradient(opdef)
    if reason is not None:
        return f"none: {reason}"
    found = clauses(opdef)
    if "" in found:
        return _formula(found[""])
    return "<br>".join(f"{name}: {_formula(words)}" for name, words in found.items())


def _formula(words: str) -> str:
    """Code as code: words that Python can read as an expression."""
    try:
        compile(words, "<gradient>", "eval")
    except SyntaxError:
        return words
    return f"`{words}`"


def _fuses(opdef: Any) -> str:
    if opdef.facts.elementwise and opdef.is_pure and opdef.is_tensorwise:
        return "yes"
    return "last" if opdef.reduction is not None else ""


def _shards(opdef: Any) -> str:
    from penstock.graph.declare.distributing import how_combined, says_how

    if not says_how(opdef):
        return ""
    return " ".join(["yes", *([f"({how})"] if (how := how_combined(opdef)) else [])])


def _places(opdef: Any) -> str:
    return "CPU" if opdef.facts.host_only or opdef.facts.reads_shape_only else "CPU, GPU"


def _dtypes(function: Any) -> str:
    from penstock.ops.declare.elementwise_decl import dtype_words

    rows: dict[str, list[str]] = {}
    for _, parameter, operand in getattr(function, "operands", ()):
        letter = f"{operand.var} in " if operand.var else ""
        rows.setdefault(letter + dtype_words(operand.allowed), []).append(parameter)
    return "<br>".join(f"{', '.join(parameters)}: {dtypes}" for dtypes, parameters in rows.items())


def main() -> int:
    """Compare, or write; the exit code is 1 if ops.md is out of date."""
    text = table()
    if TABLE.exists() and TABLE.read_text("utf-8") == text:
        return 0
    if "--write" in sys.argv[1:]:
        TABLE.write_text(text, "utf-8")
        print("docs/ops.md is written")
        return 0
    print("docs/ops.md differs from the registry; python docs/make_ops_table.py --write writes it")
    return 1


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
