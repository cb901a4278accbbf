"""The README and the documents are true: printed output, links, paths, and the table of ops."""

import ast
import importlib.util
import json
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def script(name: str) -> ModuleType:
    """A script in docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for the module that they are made in
    spec.loader.exec_module(module)
    return module


run_blocks = script("run_blocks")
make_notebook = script("make_notebook")
DOCUMENTS = [path.relative_to(ROOT).as_posix() for path in run_blocks.DOCUMENTS]
real = cache(run_blocks.real)
"""What the programs of a text make; those of a document run once for all of its tests."""
ADDS_AN_OP = "docs/adding-an-op.md"  # run by tests/test_adding_an_op.py, which takes the op back


@pytest.mark.parametrize("document", [document for document in DOCUMENTS if document != ADDS_AN_OP])
def test_the_programs_of_a_document_make_the_output_and_the_pictures_in_it(document: str) -> None:
    path = ROOT / document
    text = path.read_text("utf-8")
    assert real(text).text == text
    assert run_blocks.outdated_pictures(path, real(text).pictures) == []


def test_the_check_of_printed_output_sees_a_difference() -> None:
    text = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```text\nnot output\n```\n"
    assert run_blocks.real(text).text == text.replace("3\n", "2\n")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_screenshot_shows_a_page_of_the_document_and_is_of_modest_size(document: str) -> None:
    path = ROOT / document
    text = path.read_text("utf-8")
    shots = re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", text)
    if not shots:
        return
    assert set(real(text).pages) == set(shots)
    for shot in shots:
        content = (path.parent / shot).read_bytes()
        assert content.startswith(b"\x89PNG") and len(content) < 250_000, shot
        width, height = struct.unpack(">II", content[16:24])
        assert 400 <= width <= 1600 and 300 <= height <= 1200


def test_the_check_of_pictures_sees_a_difference(tmp_path: Path) -> None:
    program = "with open('a.svg', 'w') as file:\n    file.write('new')\n"
    text = f"```python\n{program}```\n\n![a](here/a.svg) ![b](here/b.svg)\n"
    pictures = run_blocks.real(text).pictures
    assert pictures == {"here/a.svg": b"new"}
    assert run_blocks.outdated_pictures(tmp_path / "page.md", pictures) == [tmp_path / "here" / "a.svg"]
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.svg").write_bytes(b"new")
    assert run_blocks.outdated_pictures(tmp_path / "page.md", pictures) == []


def test_the_readme_begins_with_a_program_of_6_lines_its_result_and_its_picture() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) < 120
    program = run_blocks.programs(text)[0]
    assert len([line for line in program.splitlines() if line.strip()]) == 6
    assert text.index(program) < text.index("```text\n") < text.index("![") < text.index("\n## ")


def test_the_readme_gives_the_two_commands_on_lines_of_their_own() -> None:
    lines = [line.strip() for line in (ROOT / "README.md").read_text("utf-8").splitlines()]
    start = "python3 -m venv .venv && . .venv/bin/activate && python -m pip install"
    assert f"{start} . && penstock demo" in lines
    assert f"{start} '.[test]' && python -m pytest -n 2 --dist worksteal" in lines


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_paths_in_a_document_lead_somewhere(document: str) -> None:
    path = ROOT / document
    text = path.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (path.parent / target).exists(), target
    for target in re.findall(r"`((?:penstock|docs|examples|tests)/[\w./-]+)`", text):
        assert (ROOT / target).exists(), target


def test_the_map_of_the_design_names_files_that_exist() -> None:
    design = (ROOT / "docs" / "design.md").read_text("utf-8")
    table = design[design.index("| to find or change") : design.index("## The graph")]
    paths = re.findall(r"`([\w/]+(?:\.py|/))`", table)
    package = ROOT / "penstock"
    stems = Counter(path.name for path in package.rglob("*.py"))

    def is_there(path: str) -> bool:
        beside = any((folder / path).exists() for folder in (package, package / "runtime"))
        return beside if "/" in path else stems[path] == 1

    assert len(paths) > 100
    assert [path for path in paths if not is_there(path)] == []


@pytest.mark.parametrize("name", ["make_names", "make_ops_table"])
def test_what_is_made_of_the_declarations_is_up_to_date(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # They look at files and at public names, so not at ops that other tests have declared.
    monkeypatch.setattr(sys, "argv", [name])
    code = script(name).main()
    assert code == 0, f"{capsys.readouterr().out}run python docs/{name}.py --write"


def test_every_public_op_is_in_the_table() -> None:
    import penstock

    table = (ROOT / "docs" / "ops.md").read_text("utf-8")
    for name in penstock.__all__:
        if hasattr(getattr(penstock, name), "shape_rule"):
            assert f"`{name}`" in table or f"`{name}(" in table, name


def test_a_docstring_is_translated_for_the_site_line_by_line() -> None:
    plain = "2*n of `Session`s and `x`.\n\nArgs:\n    x, y: numbers_.\n\n    |x|\n\n>>> 2*3\n6\n\nSource: `tf.x`."
    made = script("docstring_markup").restructured(plain.splitlines(), {"Session": "penstock.Session"}.get)
    assert made[0] == r"2\*n of :py:obj:`Session <penstock.Session>`\ s and ``x``."
    assert made[2:5] == [":Arguments:", "    ``x``, ``y``", r"        numbers\_."]
    assert made[-4:] == [">>> 2*3", "6", "", "*Source: tf.x.*"]


def test_every_page_is_linked_from_the_index_which_is_the_table_of_contents_of_the_site() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    linked = set(re.findall(r"^(?:-|\d+\.) \[[^]]*\]\(([^)]+)\)", index, re.MULTILINE))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - linked == {"index.md"}


EXPLAINED = {"kmeans": "kmeans", "pagerank": "pagerank", "text-pipeline": "weather_report"}


@pytest.mark.parametrize("page", EXPLAINED)
def test_a_worked_program_stands_in_its_page_paragraph_by_paragraph(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    source = (ROOT / "examples" / f"{EXPLAINED[page]}.py").read_text("utf-8")
    shown = "\n".join(run_blocks.programs(text))
    assert f"`examples/{EXPLAINED[page]}.py`" in text
    at = 0
    for paragraph in re.split(r"\n\n+", source.strip())[1:]:  # the first is the docstring
        found = shown.find(paragraph + "\n", at)
        assert found >= 0, f"not in the page, or not in this place:\n{paragraph}"
        at = found


# ---- the notebook --------------------------------------------------------------------------------


def code_cells() -> Iterator[str]:
    for cell in json.loads((ROOT / "docs" / "tutorial.ipynb").read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"])


def test_the_notebook_is_made_from_the_tutorial() -> None:
    text = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    assert (ROOT / "docs" / "tutorial.ipynb").read_text("utf-8") == make_notebook.notebook(text)


def test_the_cells_of_the_notebook_run_in_order_and_display_what_they_end_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    displayed = []
    for cell in code_cells():
        *before, last = ast.parse(cell).body
        if not isinstance(last, ast.Expr):
            before.append(last)
        exec(compile(ast.Module(before, []), "cell", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
            if hasattr(value, "_repr_html_"):
                displayed.append((type(value).__name__, value._repr_html_()))
    assert [kind for kind, _ in displayed] == ["Tensor", "Graph", "RunRecord"]
    assert all(shown.startswith("<") for _, shown in displayed)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.svg", "run.html"]


def test_the_reference_describes_every_public_name_once() -> None:
    names = script("public_names")
    assert sorted(names.PUBLIC) == sorted(names.described())


def test_the_lines_that_reading_a_plan_explains_are_those_that_it_shows() -> None:
    page = (ROOT / "docs/reading-a-plan.md").read_text("utf-8")
    listings = "\n".join(re.findall(r"```text\n(.*?)```", page, re.DOTALL))
    explained = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    assert len(explained) > 8
    assert [line for line in explained if line not in listings] == []
