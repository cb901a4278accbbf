"""What a program uses of TensorFlow: its imports, the dotted names and the calls, with their lines.

The program is parsed and not run. A name counts where it is read through an imported module: after
`import tensorflow as tf` the text `tf.nn.relu` uses `nn.relu`; after `from tensorflow.contrib import rnn`, or
`rnn = tf.contrib.rnn`, the text `rnn.LSTMCell` uses `contrib.rnn.LSTMCell`.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .module_paths import ROOT

_PYTHON_2: Final = {
    "xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "long": "int",
    "unichr": "chr", "reload": "importlib.reload", "execfile": "exec(open(path).read())", "cPickle": "pickle",
    "urllib2": "urllib.request", "ConfigParser": "configparser", "Queue": "queue", "StringIO": "io.StringIO",
    "__builtin__": "builtins", "itertools.izip": "zip",
}  # fmt: skip
"""Names of Python 2 -> what Python 3 calls them."""
_MODULES_OF_2: Final = ("cPickle", "urllib2", "ConfigParser", "Queue", "StringIO", "__builtin__")


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name of TensorFlow in a program: what stands behind `tensorflow.`, the line, whether an import has it."""

    name: str
    line: int
    is_import: bool = False


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a name of TensorFlow."""

    name: str
    line: int
    node: ast.Call


@dataclass(slots=True)
class ProgramNames:
    """What one file uses of TensorFlow.

    Attributes:
        path: the file.
        uses: every name with its lines.
        calls: every call of such a name.
        imports: the modules of the program's own folder that it imports, by name.
        python_2: the line and the words of what only Python 2 has; None if there is none.
        is_broken: whether the file does not parse as Python 3.
        knows_state_tuples: whether it says what the state of a cell is, or takes one apart.
    """

    path: str
    uses: list[NameUse] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    python_2: tuple[int, str] | None = None
    is_broken: bool = False
    knows_state_tuples: bool = False


def names_in(path: str) -> ProgramNames:
    """Read a program, or the cells of a notebook.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: it is not Python, neither 2 nor 3.
    """
    text = _text_of(path)
    program = ProgramNames(path)
    try:
        tree = ast.parse(text, path)
    except SyntaxError as error:
        words = _python_2_syntax(error, text)
        if words is None:
            raise
        program.python_2, program.is_broken = (error.lineno or 1, words), True
        return program
    _read(tree, program)
    program.knows_state_tuples = any(map(_is_about_state_tuples, ast.walk(tree)))
    return program


def _is_about_state_tuples(node: ast.AST) -> bool:
    """Whether a node is `state_is_tuple=`, LSTMStateTuple, `state.c`, `state[1]` or `c, h = state`."""
    if isinstance(node, ast.keyword):
        return node.arg == "state_is_tuple"
    if isinstance(node, ast.Attribute):
        return node.attr == "LSTMStateTuple" or (node.attr in ("c", "h") and _is_state(node.value))
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value in (0, 1) and _is_state(node.value)
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and _is_state(node.value)


def _is_state(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).lower().endswith("state")


def _text_of(path: str) -> str:
    content = Path(path).read_bytes()
    if not path.endswith(".ipynb"):
        first = content.split(b"\n", 2)[:2]
        coding = next((line for line in first if line.startswith(b"#") and b"coding" in line), b"")
        encoding = "latin-1" if b"latin" in coding.lower() or b"8859" in coding else "utf-8-sig"
        return content.decode(encoding, "replace")
    cells = json.loads(content).get("cells", [])
    sources = ("".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code")
    lines = (line for source in sources for line in source.split("\n"))
    return "\n".join("pass" if line.startswith(("%", "!")) else line for line in lines)


def _python_2_syntax(error: SyntaxError, text: str) -> str | None:
    """What of Python 2 an error of syntax is about; None if it may be about anything else."""
    lines = text.split("\n")
    line = lines[error.lineno - 1].strip() if error.lineno and error.lineno <= len(lines) else ""
    message = error.msg or ""
    if "call to 'print'" in message or line.startswith("print "):
        return "a print statement"
    if "call to 'exec'" in message:
        return "an exec statement"
    if "multiple exception types" in message or (line.startswith("except ") and "," in line):
        return "`except Class, name`"
    if line.startswith("raise ") and "," in line:
        return "`raise Class, text`"
    if "leading zeros" in message:
        return "an octal number such as 0755"
    if "<>" in line:
        return "the operator <>"
    if "TabError" in type(error).__name__:
        return "tabs and spaces mixed"
    if "invalid decimal literal" in message and line.count("L"):
        return "a number such as 10L"
    return None


def _read(tree: ast.Module, program: ProgramNames) -> None:
    aliases: dict[str, str] = {}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                _import(alias, node.lineno, aliases, program)
        elif isinstance(node, ast.ImportFrom):
            _import_from(node, aliases, program)
            bound |= {alias.asname or alias.name for alias in node.names}
    aliases.update(_assigned(tree, aliases))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _PYTHON_2 and node.id not in bound:
            _old(program, node.lineno, node.id)
    for each, line, call in _dotted(tree, aliases):
        if call is None:
            program.uses.append(NameUse(each, line))
        else:
            program.calls.append(Called(each, line, call))


def _assigned(tree: ast.Module, aliases: dict[str, str]) -> dict[str, str]:
    """Names that only stand for one of TensorFlow's: `slim = tf.contrib.slim`."""
    stores = Counter(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    known = dict(aliases)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Name):
            name = _name_of(node.value, known)
            is_own = name.endswith("flags.FLAGS")  # what it has are the program's own options
            if name and not is_own and stores[target.id] == 1 and target.id not in arguments and target.id not in known:
                known[target.id] = name
    return known


def _old(found: ProgramNames, line: int, name: str) -> None:
    words = f"{name}, which Python 3 calls {_PYTHON_2[name]}"
    if found.python_2 is None or line < found.python_2[0]:
        found.python_2 = line, words


def _import(alias: ast.alias, line: int, aliases: dict[str, str], program: ProgramNames) -> None:
    top, _, rest = alias.name.partition(".")
    if top in _MODULES_OF_2:
        _old(program, line, top)
    if top != ROOT:
        program.imports.append(alias.name)
        return
    if alias.asname:
        aliases[alias.asname] = rest
    else:
        aliases[ROOT] = ""
    if rest:
        program.uses.append(NameUse(rest, line, is_import=True))


def _import_from(node: ast.ImportFrom, aliases: dict[str, str], program: ProgramNames) -> None:
    module = node.module or ""
    if node.level or module.partition(".")[0] != ROOT:
        program.imports += [module] if module else [alias.name for alias in node.names]
        return
    path = module.partition(".")[2]
    for alias in node.names:
        if alias.name == "*":
            program.uses.append(NameUse(path, node.lineno, is_import=True))
            continue
        whole = f"{path}.{alias.name}" if path else alias.name
        aliases[alias.asname or alias.name] = whole
        program.uses.append(NameUse(whole, node.lineno, is_import=True))


def _dotted(tree: ast.AST, aliases: dict[str, str]) -> Iterator[tuple[str, int, ast.Call | None]]:
    """Each dotted name that begins with an alias, the longest form of it only; calls a second time, with the call."""
    inner: set[int] = set()
    for node in ast.walk(tree):  # outer nodes come first
        if isinstance(node, ast.Call) and (name := _name_of(node.func, aliases)):
            yield name, node.lineno, node
        if isinstance(node, ast.Attribute):
            inner.add(id(node.value))
            if id(node) not in inner and (name := _name_of(node, aliases)):
                yield name, node.lineno, None
            elif id(node) in inner and (_name_of(node, aliases)):
                inner.add(id(node.value))


def _name_of(node: ast.expr, aliases: dict[str, str]) -> str:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in aliases:
        return ""
    return ".".join([*filter(None, [aliases[node.id]]), *reversed(names)])
