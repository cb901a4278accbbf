"""The demo computes what NumPy computes, for any table, and reports bad input in one line."""

import csv
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock import cli
from penstock.cli import demo

from .warm_python import run_warm

ROOT = Path(__file__).resolve().parents[1]
Array = np.ndarray[Any, np.dtype[Any]]


def reference(cells: Sequence[Sequence[str]], species: Sequence[int]) -> dict[str, Array]:
    """The job in plain NumPy, in float64."""
    x = np.array(cells).astype(np.float32).astype(np.float64)
    labels = np.array(species)
    standardised = np.empty_like(x)
    means: list[Array] = []
    deviations: list[Array] = []
    counts: list[int] = []
    for kind in range(int(labels.max()) + 1):
        part = x[labels == kind]
        constant = np.ptp(part, axis=0) == 0
        deviation = np.where(constant, 0.0, part.std(axis=0))
        standardised[labels == kind] = (part - part.mean(axis=0)) / np.where(constant, 1.0, deviation)
        means.append(part.mean(axis=0))
        deviations.append(deviation)
        counts.append(len(part))
    summary = np.concatenate([means, deviations, [x.min(axis=0), x.max(axis=0)]])
    return {"standardised": standardised, "counts": np.array(counts), "summary": summary}


def assert_as_numpy(table: demo.Table) -> None:
    results = demo.run(demo.build(table.columns, table.names), table)
    expected = reference(table.cells, table.species)
    assert results.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(results[name], value, rtol=1e-4, atol=1e-4, err_msg=name)


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def iris_rows() -> list[list[str]]:
    table = demo.read_table()
    return [[*cells, table.names[kind]] for cells, kind in zip(table.cells, table.species, strict=True)]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """A header and rows: few columns, few species in any order, values with one decimal, often equal."""
    wide = draw(st.integers(1, 4))
    value = st.integers(-500, 500).map(lambda tenths: f"{tenths / 10:.1f}")
    value = st.one_of(st.just("5.1"), value)
    row = st.tuples(*[value] * wide, st.sampled_from(["setosa", "a b/c", "Ünique", "7"])).map(list)
    return [*(f"column {i}" for i in range(wide)), "kind"], draw(st.lists(row, min_size=1, max_size=25))


# ---- the job ------------------------------------------------------------------------------------


def test_iris_is_standardised_as_numpy_does_it() -> None:
    table = demo.read_table()
    assert (len(table.cells), table.columns[0]) == (150, "sepal_length")
    assert table.names == ("setosa", "versicolor", "virginica")
    assert_as_numpy(table)


@given(tables())
def test_any_table_is_standardised_as_numpy_does_it(tmp_path_factory: pytest.TempPathFactory, table: Any) -> None:
    path = write_csv(tmp_path_factory.mktemp("csv") / "table.csv", *table)
    read = demo.read_table(path)
    assert [[*cells, read.names[kind]] for cells, kind in zip(read.cells, read.species, strict=True)] == table[1]
    assert_as_numpy(read)


@pytest.mark.parametrize("seed", range(3))
def test_permuted_rows_and_values_give_the_permuted_result(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = iris_rows()
    for column in range(4):  # values move between flowers, so the numbers are new ones
        for row, value in zip(rows, rng.permutation([r[column] for r in rows]).tolist(), strict=True):
            row[column] = value
    header = ["a", "b", "c", "d", "species"]
    order = rng.permutation(150)
    table = demo.read_table(write_csv(tmp_path / "rows.csv", header, rows))
    permuted = demo.read_table(write_csv(tmp_path / "permuted.csv", header, [rows[i] for i in order]))
    assert_as_numpy(table)
    assert_as_numpy(permuted)
    result = demo.run(demo.build(table.columns, table.names), table)["standardised"]
    again = demo.run(demo.build(permuted.columns, permuted.names), permuted)["standardised"]
    np.testing.assert_allclose(again, result[order], atol=1e-4)


def test_each_part_has_mean_0_and_deviation_1() -> None:
    table = demo.read_table()
    standardised = demo.run(demo.build(table.columns, table.names), table)["standardised"]
    for kind in range(3):
        part = standardised[np.array(table.species) == kind].astype(np.float64)
        np.testing.assert_allclose(part.mean(axis=0), 0, atol=1e-5)
        np.testing.assert_allclose(part.std(axis=0), 1, atol=1e-5)


def test_a_species_of_one_row_or_of_equal_rows_becomes_zeros(tmp_path: Path) -> None:
    rows = [["0.1", "7", "many"]] * 30 + [["3.3", "1e6", "one"]]
    table = demo.read_table(write_csv(tmp_path / "equal.csv", ["x", "y", "kind"], rows))
    results = demo.run(demo.build(table.columns, table.names), table)
    assert results["standardised"].tolist() == [[0.0, 0.0]] * 31
    expected = np.array([[0.1, 7.0], [3.3, 1e6], [0.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(results["summary"][:4], expected, rtol=1e-6)


def test_one_graph_serves_tables_of_any_length() -> None:
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    with tf.Session(graph=job.graph) as session:
        for rows in (slice(None), slice(40, 110), slice(0, 150, 7)):
            cells, species = table.cells[rows], table.species[rows]
            result = session.run(job.standardised, {job.cells: cells, job.species: species})
            np.testing.assert_allclose(result, reference(cells, species)["standardised"], atol=1e-4)


def test_the_rows_are_a_named_dimension_that_both_feeds_share() -> None:
    job = demo.build(["a", "b"], ["x", "y"])
    assert [str(t.shape) for t in (job.cells, job.species, job.standardised, job.summary)] == [
        "(flowers, 2)", "(flowers,)", "(flowers, 2)", "(6, 2)"]  # fmt: skip
    with tf.Session(graph=job.graph) as session, pytest.raises(tf.errors.FeedError, match="flowers"):
        session.run(job.standardised, {job.cells: [["1", "2"]] * 3, job.species: [0, 1]})


def test_names_that_no_node_can_have_still_make_scopes() -> None:
    job = demo.build(["länge (cm)", "länge [cm]", "%"], ["a b", "a/b", "???"])
    names = [op.name for op in job.graph.get_operations()]
    assert len(names) == len(set(names))
    scopes = {name.split("/")[0] for name in names}
    assert {"a_b", "a_b_1", "number_2"} <= scopes


# ---- the command --------------------------------------------------------------------------------


def test_the_demo_prints_the_results_first_and_fewer_than_60_lines_and_writes_a_page_and_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "folder"
    assert cli.main(["demo", "--out", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) < 60
    assert "setosa      50    5.006 (0.349)  3.428 (0.375)  1.462 (0.172)  0.246 (0.104)" in printed
    assert re.search(r"^read/cells:0 +string \(flowers, 4\) +\(150, 4\)$", printed, re.MULTILINE)
    assert re.search(r"^setosa/scaled:0 +float32 \(\?, 4\) +\(50, 4\)$", printed, re.MULTILINE)
    steps = re.findall(r'^t.* = (\w+)\(.*# "([^"]+)"', printed, re.MULTILINE)
    assert ("RealDiv", "setosa/scaled") in steps
    assert all(node.startswith("setosa/") for _, node in steps)
    parts = [printed.index(title) for title in ("The results", "The graph: ", "The plan: ", "penstock demo --plan")]
    assert parts == sorted(parts)
    for name in ("demo.svg", "demo-overview.svg"):
        assert str(folder / name) in printed
        assert ElementTree.parse(folder / name).getroot().tag.endswith("svg")
    assert str(folder / "demo.html") in printed
    assert (folder / "demo.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_the_demo_lists_every_operation_and_every_step_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    job = demo.build(demo.read_table().columns, demo.read_table().names)
    assert cli.main(["demo", "--graph"]) == 0
    printed = capsys.readouterr().out
    assert all(operation.name in printed for operation in job.graph.get_operations())
    assert cli.main(["demo", "--plan"]) == 0
    steps = re.findall(r'^t.* = (\w+)\(.*# "([^"]+)"', capsys.readouterr().out, re.MULTILINE)
    order = [op for op, _ in steps]
    milestones = ["StringToNumber", "DynamicPartition", "DynamicStitch"]  # each needs the one before
    assert [op for op in dict.fromkeys(order) if op in milestones] == milestones
    assert order.index("StringToNumber") < order.index("Split") < order.index("Concat")
    assert not list(tmp_path.iterdir())


@pytest.mark.share(2)
@pytest.mark.parametrize("columns", [["a"], ["a", "b"]])
@pytest.mark.parametrize("kinds", [["x"], ["x", "y"], ["x y", "a/b", "c"]])
def test_the_demo_shows_tables_of_few_columns_and_species(
    columns: list[str], kinds: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [[*(str(row + i) for i in range(len(columns))), kinds[row % len(kinds)]] for row in range(6)]
    path = write_csv(tmp_path / "few.csv", [*columns, "kind"], rows)
    assert cli.main(["demo", "--csv", str(path), "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert re.search(rf"^standardised:0 +float32 \(flowers, {len(columns)}\) +\(6, {len(columns)}\)$", printed, re.M)
    assert f"those of {kinds[0]}," in printed
    assert f"penstock demo --csv {path} --graph" in printed


def test_the_demo_takes_a_table_of_the_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["1", "owl"], ["2", "cat"], ["3", "owl"]]
    path = write_csv(tmp_path / "mine.csv", ["weight", "animal"], rows)
    assert cli.main(["demo", "--csv", str(path), "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert f"{path}: 3 flowers, 1 measurements each, 2 species" in printed
    assert re.search(r"^owl +2 +2\.000 \(1\.000\)$", printed, re.MULTILINE)
    shown = re.findall(r"^(\d+) +(owl|cat) +([+-]\d\.\d+)$", printed, re.MULTILINE)
    assert shown == [("2", "owl", "-1.000"), ("3", "cat", "+0.000"), ("4", "owl", "+1.000")]


def test_the_picture_in_the_readme_is_the_one_the_demo_writes(tmp_path: Path) -> None:
    demo.show(demo.read_table(), tmp_path)

    def texts(path: Path) -> list[str]:
        return sorted("".join(e.itertext()) for e in ElementTree.parse(path).iter() if e.tag.endswith("}text"))

    shown = texts(ROOT / "docs" / "demo-overview.svg")
    assert "standardised" in shown
    assert shown == texts(tmp_path / "demo-overview.svg")


BAD = {
    "no such file": (None, "No such file"),
    "an empty file": (b"", "the file is empty"),
    "blank lines only": (b"\n  ,\n\n", "the file is empty"),
    "a header only": (b"x,species\n", "no row below it"),
    "one column": (b"x\n1\n", "line 1 has 1 column"),
    "other separators": (b"x;species\n1;a\n", "line 1 has 1 column"),
    "no header": (b"5.1,3.5,setosa\n4.9,3.0,setosa\n", "line 1 holds numbers"),
    "a short row": (b"x,y,species\n1,2,a\n\n3,a\n", "line 4 has 2 columns; the header has 3"),
    "a long row": (b"x,species\n1,a,9\n", "line 2 has 3 columns; the header has 2"),
    "no species": (b"x,species\n1,a\n2,\n", "line 3 has no species"),
    "no number": (b"x,y,species\n1,2,a\n3,four,b\n", "line 3, column y: 'four' is not a number"),
    "an empty cell": (b"x,y,species\n1,2,a\n,4,b\n", "line 3, column x: '' is not a number"),
    "not UTF-8": (b"x,species\n1,\xff\xfe\n", "not a CSV file in UTF-8"),
    "an open quote": (b'x,species\n1,"a\n', "not a CSV file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_exit_code_2(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, fragment = BAD[case]
    path = tmp_path / "bad.csv"
    if content is not None:
        path.write_bytes(content)
    assert cli.main(["demo", "--csv", str(path), "--out", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert fragment in printed.err
    assert str(path) in printed.err
    assert not list(tmp_path.glob("*.svg"))


def test_a_folder_in_place_of_a_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "--csv", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert cli.main(["demo", "--out", str(blocked / "pictures")]) == 2
    assert "cannot write into" in capsys.readouterr().err


def penstock(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "penstock", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_the_module_runs_as_the_command() -> None:
    assert penstock("--version").stdout == f"penstock {tf.__version__}\n"
    refused = run_warm(["-m", "penstock", "demo", "--csv", "missing.csv"])
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "penstock demo: missing.csv: No such file or directory\n"


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--help"], ["demo", "--help"]):
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        assert ended.value.code == 0
        assert "penstock demo --csv flowers.csv" in capsys.readouterr().out


def test_a_reader_that_leaves_early_gives_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "penstock", "demo", "--out", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1
