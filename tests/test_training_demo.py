"""The demo of training learns, goes on from its checkpoint with the same bits, and reports bad input in one line."""

import re
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock import cli
from penstock.cli import demo, training_demo

from .golden_cases import EXTRA, read


def test_the_demo_trains_saves_goes_on_with_the_same_bits_and_writes_a_summary_of_each_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["demo", "train", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert said.err == "" and len(said.out.splitlines()) < 60
    assert "iris.csv: 120 flowers to learn from, 30 for the test" in said.out
    assert re.search(r"^120 +0\.04\d\d +96\.7%$", said.out, re.MULTILINE)
    assert "The checkpoint after step 60: 15 variables" in said.out
    assert "steps 61 to 120; its weights have the same bits: yes" in said.out
    assert (tmp_path / "demo-train.html").exists()
    assert tf.train.latest_checkpoint(str(tmp_path / "training")) == str(tmp_path / "training" / "model-60")
    (file,) = (tmp_path / "training").glob("events.out.tfevents.*")
    events = list(tf.train.summary_iterator(str(file)))
    told = [(event.step, event.summary.value) for event in events if event.summary and event.summary.value]
    assert [step for step, values in told if values] == list(range(1, 121))
    assert {value.tag for _, values in told for value in values} == {"loss", "accuracy"}


def test_the_demo_learns_what_the_example_learns_with_tensorflow() -> None:
    """Both are one network with one seed. The example tells the loss before a step, the demo after it."""
    lines = read(EXTRA / "train_iris.json")["output"]
    recorded = {
        int(step): float(loss) for line in lines for step, loss in re.findall(r"step (\d+): loss ([\d.]+)", line)
    }
    table = demo.read_table()
    job = training_demo.build(table.columns, table.names)
    with tf.Session(graph=job.graph) as session:
        session.run(job.start)
        progress = training_demo.learn(job, session, {job.cells: table.cells, job.species: table.species}, 120)
    found = {each.step + 1: each.loss for each in progress}
    assert len(recorded) == 4
    for step in (10, 60, 120):
        np.testing.assert_allclose(found[step], recorded[step], atol=6e-5)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["1,2,a", "3,4,b"], "there are 2 rows; a training needs 5"),
        (["1,2,a", "3,x,b", "1,2,a", "1,2,a", "1,2,a"], "line 3, column wide: 'x' is not a number"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_line(
    rows: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(["long,wide,kind", *rows]))
    assert cli.main(["demo", "train", "--csv", str(path), "--out", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and words in said.err


def test_a_table_of_the_user_is_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(["long,kind", *[f"{i % 2},{'ab'[i % 2]}" for i in range(40)]]))
    assert cli.main(["demo", "train", "--csv", str(path), "--out", str(tmp_path)]) == 0
    assert "100.0%" in capsys.readouterr().out


def test_listings_of_the_other_demo_do_not_go_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "train", "--plan"]) == 2
    assert "leave out train" in capsys.readouterr().err
