"""Plain words: module heads state what is in the file, class names are unique, subjects and names are not vague."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from .module_facts import facts_of
from .package_modules import docstring_of, package_modules

PACKAGE = Path(__file__).resolve().parents[1] / "penstock"
TESTS = PACKAGE.parent / "tests"
SOURCES = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in package_modules()}
VAGUE = ("anybody", "everybody", "nobody", "somebody", "whoever")


def head_complaint(source: str) -> str | None:
    """What is wrong with the first paragraph of a module's docstring, or None."""
    head = docstring_of(source).split("\n\n")[0].strip()
    if "?" in head:
        return f"it asks: {head}"
    if not head.endswith((".", ":")):
        return f"its first paragraph does not end like a sentence: {head}"
    return None


def class_names(sources: dict[str, str]) -> dict[str, list[str]]:
    """The name of each class and the modules that define it."""
    found = defaultdict(list)
    for module, source in sources.items():
        for name in facts_of(f"penstock/{module}", source).classes:
            found[name].append(module)
    return dict(found)


def vague_words(source: str) -> list[str]:
    return re.findall(rf"\b(?:{'|'.join(VAGUE)})\b", source, re.IGNORECASE)


def vague_names(source: str, module: str = "penstock/a.py") -> tuple[str, ...]:
    """Variables and parameters with a vague name that live long, and what to do."""
    return facts_of(module, source).vague


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
    sources = {f"penstock/{module}": source for module, source in SOURCES.items()}
    lines = [f"{module}:{each}" for module, source in sources.items() for each in vague_names(source, module)]
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
    assert vague_names(with_lines(8, "    return found\n")) == ()
    assert vague_names(with_lines(9, "    return x.found\n")) == ()
    assert vague_names(with_lines(9, "    def g():\n        found = x\n        return found\n    return g\n")) == ()
    assert len(vague_names("async def f(*, told):\n" + "    await g()\n" * 10 + "    return told\n")) == 1


def test_a_rule_of_an_op_has_a_name() -> None:
    unnamed = [f"{module}:{node.lineno}" for module, source in SOURCES.items() if "def _(" in source
               for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef) and node.name == "_"]
    assert not unnamed, f"name the rule after op and rule, such as gather_shape: {unnamed}"
