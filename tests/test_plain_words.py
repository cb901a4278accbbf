"""Plain words: module heads state what is in the file, class names are unique, subjects and names are not vague."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .kept_results import kept
from .package_modules import docstring_of, package_modules

PACKAGE = Path(__file__).resolve().parents[1] / "penstock"
TESTS = PACKAGE.parent / "tests"
SOURCES = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in package_modules()}
VAGUE = ("anybody", "everybody", "nobody", "somebody", "whoever")
VAGUE_NAMES = {"found", "given", "made", "told"}
"""They do not say what was found."""
NEAR = 10
"""So many lines after its first line a variable must not stand under such a name."""


def head_complaint(source: str) -> str | None:
    """What is wrong with the first paragraph of a module's docstring, or None."""
    head = docstring_of(source).split("\n\n")[0].strip()
    if "?" in head:
        return f"it asks: {head}"
    if not head.endswith((".", ":")):
        return f"its first paragraph does not end like a sentence: {head}"
    return None


@kept
def classes_in(source: str) -> list[str]:
    """The name of each class that a module defines, also of a nested one."""
    has_some = re.search(r"(^|[;:])\s*class\s", source, re.M)
    return [node.name for node in statements(source) if isinstance(node, ast.ClassDef)] if has_some else []


def statements(source: str) -> Iterator[ast.AST]:
    """Every node but expressions, which hold no definitions, line by line."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)][::-1]


def class_names(sources: dict[str, str]) -> dict[str, list[str]]:
    """The name of each class and the modules that define it."""
    found = defaultdict(list)
    for module, source in sources.items():
        for name in classes_in(source):
            found[name].append(module)
    return dict(found)


def vague_words(source: str) -> list[str]:
    return re.findall(rf"\b(?:{'|'.join(VAGUE)})\b", source, re.IGNORECASE)


def own_nodes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
            waiting += ast.iter_child_nodes(node)


@kept
def vague_names(source: str) -> list[str]:
    """Variables and parameters with a vague name that live `NEAR` lines or longer, and what to do."""
    complaints = []
    occurs = re.search(rf"(?<!\.)\b(?:{'|'.join(VAGUE_NAMES)})(?:\s*[=:,)\]]| in\b)", source)  # where one is bound
    for function in statements(source) if occurs else ():
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        lines = defaultdict(list)
        for node in own_nodes(function):
            if isinstance(node, ast.Name) and node.id in VAGUE_NAMES:
                lines[node.id].append(node.lineno)
        for parameter in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
            if parameter.arg in VAGUE_NAMES:
                lines[parameter.arg] += [function.lineno, function.body[0].lineno]
        for name, at in lines.items():
            if max(at) - min(at) >= NEAR:
                complaints.append(f"{min(at)}: `{name}` in {function.name} lives to line {max(at)}; rename it to a "
                                  "noun of the data, such as `gradients`, `node` or `arguments`")  # fmt: skip
    return complaints


def head_complaints(sources: dict[str, str]) -> list[str]:
    judged = {module: head_complaint(source) for module, source in sources.items()}
    return [f"{module}: {complaint}" for module, complaint in judged.items() if complaint]


def test_the_head_of_a_module_states_what_is_in_it() -> None:
    lines = head_complaints(SOURCES)
    assert not lines, "\n".join(lines)


def test_the_head_of_a_test_module_states_what_holds() -> None:
    sources = {path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    lines = head_complaints({module: source for module, source in sources.items() if source.strip()})
    assert not lines, "\n".join(lines)


PRESCRIBED = {"AttrValue", "OpDef", "TensorProto"}
"""Messages whose public names are TensorFlow's, beside classes that files and ops have."""


def test_no_two_classes_have_one_name() -> None:
    shared = {name: modules for name, modules in class_names(SOURCES).items() if len(modules) > 1}
    assert {name: modules for name, modules in shared.items() if name not in PRESCRIBED} == {}


def test_sentences_have_a_definite_subject() -> None:
    lines = [f"{module}: {word}" for module, source in SOURCES.items() for word in vague_words(source)]
    assert not lines, "\n".join(lines)


def test_what_lives_long_is_called_by_a_noun() -> None:
    lines = [f"penstock/{module}:{each}" for module, source in SOURCES.items() for each in vague_names(source)]
    assert not lines, "\n".join(lines)


def test_the_check_of_heads_sees_questions_and_fragments() -> None:
    assert head_complaint('"""Buffer donation: which step may write over an operand.\n\nWhy? For memory."""') is None
    assert head_complaint('"""A picture:\n\n    a -> b\n"""') is None
    for bad in ('"""Which step may write over an operand?"""', '"""Buffer donation"""', "x = 1"):
        assert head_complaint(bad) is not None
    assert len(head_complaints({"a.py": "x = 1", "b.py": '"""A picture."""\n', "c.py": ""})) == 2


def test_a_docstring_is_found_however_it_is_written() -> None:
    for source in ('"""A."""\n', '"""A\n\n    b."""\nx = 1\n', '"""A "b"."""\n', r'"""A \n b."""', "'A.'", '"""A."""',
                   '"""A.""" + "b"\n', "", "x = 1\n", '# a\n"""A."""\n'):  # fmt: skip
        assert docstring_of(source) == (ast.get_docstring(ast.parse(source)) or "")


def test_the_check_of_classes_counts_nested_ones_and_that_of_words_ignores_case() -> None:
    sources = {"a.py": "class A: pass", "b.py": "def f():\n    class A: pass"}
    assert class_names(sources) == {"A": ["a.py", "b.py"]}
    assert vague_words("# Nobody reads nobodys x; somebody_else may") == ["Nobody"]


def test_the_check_of_names_counts_lines_in_one_function() -> None:
    def with_lines(between: int, end: str) -> str:
        return "def f(x):\n    found = [x]\n" + "    x += 1\n" * between + end

    assert len(vague_names(with_lines(9, "    return found\n"))) == 1
    assert vague_names(with_lines(9, "    return found\n"))[0].startswith("2: `found` in f lives to line 12;")
    assert vague_names(with_lines(8, "    return found\n")) == []
    assert vague_names(with_lines(9, "    return x.found\n")) == []
    assert vague_names(with_lines(9, "    def g():\n        found = x\n        return found\n    return g\n")) == []
    assert len(vague_names("async def f(*, told):\n" + "    await g()\n" * 10 + "    return told\n")) == 1


def test_a_rule_of_an_op_has_a_name() -> None:
    unnamed = [f"{module}:{node.lineno}" for module, source in SOURCES.items() if "def _(" in source
               for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef) and node.name == "_"]
    assert not unnamed, f"name the rule after op and rule, such as gather_shape: {unnamed}"
