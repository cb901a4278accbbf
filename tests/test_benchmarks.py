"""Every benchmark runs and verifies. No time is asserted here."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from benchmarks import case as case_module
from benchmarks import first_steps, pages, picture_corpus, pictures, row_nests
from benchmarks import table as table_module
from benchmarks.__main__ import MARKS, insert, main
from benchmarks.case import Probe, Timed, count, inputs_of
from benchmarks.client import Client, Place, Silent
from benchmarks.engine import Array, Unsupported
from benchmarks.engines.numpy_engine import Numpy
from benchmarks.engines.penstock_engine import Penstock
from benchmarks.families import FAMILIES
from benchmarks.jax_programs import JAX_PROGRAMS
from benchmarks.limit import NoCompiler, compiled, mover
from benchmarks.network_programs import NETWORKS, losses
from benchmarks.ordinary_programs import ORDINARY
from benchmarks.rounds import Row
from benchmarks.table import Notes, probe_table, timed_table
from benchmarks.tf1_programs import PROGRAMS, package
from benchmarks.verify import difference
from benchmarks.worker import Worker

from .helpers import every_case, nightly

CASES = [(family, case) for family in FAMILIES for case in FAMILIES[family].cases(True)]
ROOT = Path(__file__).resolve().parents[1]


@every_case("family, case", CASES, parts=5, by_day=3)
def test_penstock_gives_what_numpy_says(family: str, case: Timed | Probe) -> None:
    engine = Penstock()
    if isinstance(case, Probe):
        assert all(np.isfinite(value) for value in case.measure(engine, 0.0).values())  # it raises on a wrong result
        return
    oracle = Numpy()
    inputs = inputs_of(case)
    wanted = case.program(oracle, *inputs) if case.reference is None else case.reference(*inputs)
    if case.training is not None:
        step, state = engine.train(case.training, case.program, inputs, case.through)
        step()
        assert difference(engine.arrays(state()), oracle.arrays(wanted), case.tolerance) is None
        return
    run = engine.build(case.program, inputs, case.through)
    assert difference(engine.arrays(run()), oracle.arrays(wanted), case.tolerance) is None
    assert difference(engine.arrays(run()), oracle.arrays(wanted), case.tolerance) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_the_sizes_that_are_measured_have_the_same_programs_as_the_quick_ones(family: str) -> None:
    quick, full = FAMILIES[family].cases(True), FAMILIES[family].cases(False)
    assert len({case.name for case in full}) == len(full) >= len(quick)
    assert len({case.name for case in quick}) == len(quick)


@pytest.mark.parametrize("word", ["first result, chain", *nightly(["48"])])
def test_a_family_is_measured_in_processes_of_its_own_and_every_sample_is_written(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    assert main(["W4", "--quick", "--only", word, "--engines", "penstock", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "### W4" in printed and "WRONG" not in printed and "failed" not in printed
    rows = json.loads(file.read_text("utf-8"))["families"]["W4"]
    assert set(rows) == {case.name for case in FAMILIES["W4"].cases(True) if word in case.name}
    assert all(row["samples"]["penstock"] for row in rows.values())


def test_a_wrong_result_is_named_and_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker("penstock", "W2", True, 0.0)
    worker.hello()
    monkeypatch.setattr(Penstock, "exp", lambda self, x: x)
    answer = worker.prepare("exp tanh sigmoid, f32 48")
    assert "off by" in answer["wrong"]
    with pytest.raises(AssertionError):
        worker.time(0)
    row = Row("case", True, reasons={"penstock": "WRONG: " + answer["wrong"]})
    notes = Notes()
    assert timed_table([row], ["penstock"], notes)[2] == "| case | WRONG [1] |"
    assert notes.lines() == ["- [1] WRONG: " + answer["wrong"]]


@pytest.mark.parametrize(
    ("got", "words"),
    [
        ([np.zeros(3, np.float32)], "shape (3,), not (2,)"),
        ([np.zeros(2, np.float64)], "dtype float64, not float32"),
        ([np.array([0, np.nan], np.float32)], "off by nan"),
        ([np.array([0, 1.001], np.float32)], "off by 0.001"),
        ([np.zeros(2, np.float32)] * 2, "2 results, not 1"),
    ],
)
def test_a_difference_is_seen(got: list[Array], words: str) -> None:
    found = difference(got, [np.array([0, 1], np.float32)], None)
    assert found is not None and words in found


def test_the_limit_reads_every_input_and_writes_the_whole_output() -> None:
    try:
        library = compiled()
    except NoCompiler as reason:
        pytest.skip(str(reason))
    run: Any = mover(library, [80_000, 80], 40_000)
    _, target = run()
    # Two equal words cancel, so what was seen is 0 wherever a chunk has read an even number of ones.
    assert target.size == 5000 and {int(word) - i for i, word in enumerate(target)} <= {-1, 0, 1}
    assert target[-1] != 1


def test_a_worker_that_ends_is_reported_with_its_last_words() -> None:
    client = Client("no such engine", Place("W2", True, -1, None, 60))
    assert client.version is None and "its process ended: KeyError" in client.missing
    with pytest.raises(Silent, match="KeyError"):
        client.ask(do="hello")
    assert not client.alive


def test_a_worker_that_is_silent_too_long_is_ended() -> None:
    client = Client("penstock", Place("W2", True, -1, None, 60))
    client.place = Place("W2", True, -1, None, 0.0)
    with pytest.raises(Silent, match="no answer in 0 s"):
        client.ask(do="prepare", name="chain of 10, f32 48")
    assert not client.alive


def test_what_a_library_prints_is_not_taken_for_an_answer() -> None:
    program = (
        "import sys, benchmarks.worker as w\n"
        "w.Worker.hello = lambda self: print('noise') or {'version': '1'}\n"
        "w.main(['limit', 'W2', '-1', '0', '--quick'])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, input='{"do": "hello"}\n', capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stdout == '{"version": "1"}\n' and "noise" in done.stderr


def test_tables_show_p25_the_times_of_the_limit_and_reasons() -> None:
    row = Row("copy", True)
    for seconds in (4e-3, 1e-3, 2e-3, 3e-3, 5e-3):
        row.add("penstock", {"seconds": seconds})
        row.add("limit", {"seconds": 1e-3})
    row.reasons["jax"] = "no strings"
    notes = Notes()
    assert timed_table([row], ["penstock", "jax"], notes)[2] == "| copy | 1.00 ms |  2.00 ms |    2.00 | [1] |"
    assert notes.lines() == ["- [1] no strings"]
    row = Row("memory", False, {"penstock": {"peak MB": [12.34]}}, {"jax": "no strings"})
    assert probe_table(row, ["penstock", "jax"], notes)[2:] == ["| penstock |    12.3 |", "| jax      |     [1] |"]


def test_a_report_goes_between_the_marks_of_a_document(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n", "utf-8")
    insert(document, ["new"])
    insert(document, ["newer"])
    assert document.read_text("utf-8") == f"before\n{MARKS[0]}\n\nnewer\n\n{MARKS[1]}\nafter\n"


def test_an_engine_without_an_operation_says_which() -> None:
    with pytest.raises(Unsupported, match="pad: no such operation"):
        super(Numpy, Numpy()).pad(None, [])


def test_sizes_are_short() -> None:
    assert [count(n) for n in (48, 100, 10_000_000, 3125)] == ["48", "1e2", "1e7", "3125"]


def test_an_unknown_family_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["W0"])
    assert "no such family: W0; there are W1, W2, W3, W4" in capsys.readouterr().err


@pytest.mark.parametrize("module", [case_module, table_module])
def test_the_examples_in_docstrings_are_true(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0


def test_pictures_are_measured_in_every_form(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "CHROMIUM", None)
    pages.main([40])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in lines if line.startswith("chain 40")] == list(pages.FORMS)
    assert [line.split()[4] for line in lines if line.startswith("run of chain 40")] == list(pages.RUN_FORMS)
    for graph, fed, made in (pages.chain(40), pages.chain(40, scopes=True), pages.wide(40)):
        assert 40 <= len(graph.get_operations()) <= 43
        assert len(pages.recorded(graph, fed, made).steps) >= 2


@pytest.mark.slow
def test_there_are_fifty_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some examples write files
    assert len(picture_corpus.corpus()) >= 50


def test_of_the_examples_only_those_that_are_asked_for_are_run_for_a_picture() -> None:
    found = picture_corpus.corpus("example k")
    assert set(found) == {"example kmeans"} and len(found["example kmeans"].boxes) > 10


@pytest.mark.parametrize("name", ["demo, depth 0", "transformer block", "grid of 6 by 6", "random, 60 nodes, 6 scopes"])
def test_a_picture_of_every_kind_is_found_by_its_name(name: str) -> None:
    assert set(picture_corpus.corpus(name)) == {name}


def test_the_layout_of_a_picture_is_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pictures.main(["--only", "random, 30", "--json", str(tmp_path / "out.json"), "--sheet", str(tmp_path / "out.html")])
    assert "random, 30 nodes, 4 scopes" in capsys.readouterr().out
    found = json.loads((tmp_path / "out.json").read_text())["Penstock"]["random, 30 nodes, 4 scopes"]
    assert found["area"] > 0 and 0 < found["fit"] <= 1 and found["overlaps"] == 0
    assert (tmp_path / "out.html").read_text().count("<figure>") == 1


def test_the_figures_of_pictures_are_written_between_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nbelow\n")
    figures = pictures.Figures(1, 2.0, 3.0, 4.0, 5.0, 0.5, 0, 6.0)
    pictures.write_page(page, {"Penstock": {"one": figures}, "dot": {"one": figures}})
    text = page.read_text()
    assert text.startswith("above") and text.endswith("below\n") and "old" not in text
    assert "| one | 4 / 4 | 0.5 / 0.5 | 1 / 1 | 0 / 0 |" in text


LOSSES = dict(zip(PROGRAMS, (
    1.544823408126831, 1.544823408126831, 1.9543169736862183, 2.1664984226226807, 2.1664984226226807,
    1.5999171733856201, 0.21506941318511963, 0.21506941318511963, 0.2665606439113617, 0.2665606439113617,
    1.9241193532943726,
), strict=True))  # fmt: skip
"""What TensorFlow 2.21 gives after three steps."""


@pytest.mark.share(2)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_of_the_first_steps_train_as_in_tensorflow(program: str) -> None:
    tf = package("penstock")
    with tf.Graph().as_default():
        train, loss, feed = PROGRAMS[program](tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(train, feed)
            assert session.run(loss, feed) == pytest.approx(LOSSES[program], rel=1e-5)


@pytest.mark.parametrize("program", ["line, shapes not given", "graph convolution of 2,708 nodes, Adam"])
def test_the_other_package_starts_at_the_same_values_and_is_fed_the_same(program: str, tmp_path: Path) -> None:
    first_steps.write_start(program, tmp_path / "start.npz")
    with np.load(tmp_path / "start.npz") as file:
        arrays = {name: (file[name].dtype, file[name].shape) for name in file}
    number, place = np.dtype(np.float32), np.dtype(np.int32)
    if program.startswith("line"):
        assert arrays == {f"value{i}": (number, ()) for i in (0, 1)} | {f"feed{i}": (number, (4,)) for i in (0, 1)}
    else:
        assert [arrays[f"value{i}"] for i in (0, 1)] == [(number, (1433, 16)), (number, (16, 7))]
        assert [arrays[f"feed{i}"][0] for i in range(5)] == [place, number, place, number, place]
        assert arrays["feed0"][1] == (*arrays["feed1"][1], 2)


def test_each_program_of_the_first_steps_has_a_form_for_jax() -> None:
    assert list(JAX_PROGRAMS) == list(PROGRAMS)


def test_packages_that_train_something_else_are_not_compared() -> None:
    first_steps.agree("line", [2.0, 2.01, 2.0])
    with pytest.raises(AssertionError, match=r"line: the losses after 200 steps are 2.0, 2.1"):
        first_steps.agree("line", [2.0, 2.1])


ORDINARY_LOSSES = dict(zip(ORDINARY, (
    28.66729736328125, 2.3725788593292236, 2.4783685207366943, 3.6885857582092285, 114.8450927734375,
    0.09708542376756668, 0.03951554745435715, 337.0491027832031, 2.27386474609375, 36.037315368652344,
), strict=True))  # fmt: skip
"""What TensorFlow 2.21 gives in the third step."""


@pytest.mark.share(2)
@pytest.mark.parametrize("program", ORDINARY)
def test_the_ordinary_programs_train_as_in_tensorflow(program: str) -> None:
    tf = package("penstock")
    with tf.Graph().as_default():
        built = ORDINARY[program](tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            built.start(session)
            for step in range(3):
                loss = session.run(built.fetches, built.feeds(step))[-1]
            built.end()
    assert loss == pytest.approx(ORDINARY_LOSSES[program], rel=1e-5)


@pytest.mark.share(2)
@pytest.mark.parametrize("network", [name for name in NETWORKS if "64" not in name])
def test_the_networks_train(network: str, tmp_path: Path) -> None:
    of_steps = losses(package("penstock"), network, tmp_path / "values.npz", 3, batch=2)
    assert of_steps[2] < of_steps[0]


class _Numpy:
    """The functions of `row_nests` in NumPy."""

    exp, sqrt = np.exp, np.sqrt

    def __getattr__(self, name: str) -> Any:
        return lambda x, axis: getattr(np, name)(x, axis, keepdims=True)

    def columns(self, x: Any) -> Any:
        return np.sum(x, 0)


def test_the_rows_that_are_measured_are_what_numpy_says() -> None:
    engine, arrays = row_nests.Penstock(), row_nests.arrays()
    known = {name: x if name in ("gain", "offset") else x[:20] for name, x in arrays.items()}
    for name, (formula, words) in row_nests.FORMULAS.items():
        values = [known[word] for word in words.split()]
        got = engine.call(formula, values)()
        if "gradients" in name:  # by hand they take the mean and the spread of the forward pass
            x, gain, _, dy = values
            spread = np.sqrt(x.var(1, keepdims=True) + 1e-5)
            want = row_nests.layer_norm_backward(_Numpy(), x, dy, gain, x.mean(1, keepdims=True), spread)
        else:
            want = formula(_Numpy(), *values)
        pairs = zip(*[each if isinstance(each, list) else [each] for each in (got, want)], strict=True)
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-3, err_msg=name)


def test_rows_are_measured_beside_a_copy(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_nests, "ROWS", 50)
    assert row_nests.main(["sum(x", "--rounds", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == ["copy", "sum(x * x, 0)"]
