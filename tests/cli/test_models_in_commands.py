"""Models in the commands: `inspect` lists signatures, `run` takes their names, `export` draws the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock as tf
from penstock.cli.main import main

FOLDER = Path(__file__).resolve().parents[1] / "golden_extra" / "foreign_models"


def test_inspect_lists_signatures_assets_and_variables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(FOLDER / "embeddings.v2" / "saved")]) == 0
    told = capsys.readouterr().out
    for part in ("graph with the tags serve", "signature serving_default", "in  words = words:0  string (?, ?)",
                 "asset words.txt", "starts with tables", "matrix  (6, 3)", "op types supported"):  # fmt: skip
        assert part in told


def test_inspect_of_a_model_of_tensorflow_2_lists_its_variables_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(FOLDER / "module")]) == 0
    told = capsys.readouterr().out
    assert "signature loop" in told
    assert "variables (3)" in told


def test_run_takes_names_of_the_signature(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(FOLDER / "words"), "--feed", 'words=["blue", "pink"]']) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "[ 2 -1]"
    arguments = ["--signature", "loop", "--feed", "x=[[1, 2, 3]]", "--feed", "n=0", "--fetch", "total"]
    assert main(["run", str(FOLDER / "module"), *arguments]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "[[0. 0. 0.]]"


def test_run_restores_the_checkpoint_beside_a_meta_graph(capsys: pytest.CaptureFixture[str]) -> None:
    model = str(FOLDER / "dropout.v1" / "model.meta")
    assert main(["run", model, "--feed", "x=[[1, 2, 3, 4]]", "--fetch", "logits"]) == 0
    assert "[[ 0.01898" in capsys.readouterr().out


def test_export_draws_the_graph_of_a_model(tmp_path: Path) -> None:
    assert main(["export", str(FOLDER / "branches.v2" / "saved"), "-o", str(tmp_path / "g.svg")]) == 0
    assert "<svg" in (tmp_path / "g.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "MODEL", "--signature", "nothing"], "the model has the signatures loop, serving_default, step"),
        (["run", "MODEL", "--tags", "train"], "no graph has the tags train; there are: serve"),
        (["inspect", "FOLDER"], "the folder has no saved_model.pb, so it is no SavedModel"),
    ],
)
def test_what_is_not_there_is_said(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    places = {"MODEL": str(FOLDER / "module"), "FOLDER": str(FOLDER)}
    assert main([places.get(each, each) for each in arguments]) != 0
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["folder", "", ".index", ".data-00000-of-00001"])
@pytest.mark.parametrize("has_graph", [True, False])
def test_a_checkpoint_is_called_one_and_its_graph_is_named(
    ending: str, has_graph: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.Variable(1.0, name="v").initializer)
        prefix = tf.train.Saver().save(session, str(tmp_path / "model"), global_step=3, write_meta_graph=has_graph)
    path = str(tmp_path) if ending == "folder" else f"{prefix}{ending}"
    assert main(["inspect", path]) != 0
    told = capsys.readouterr().err
    assert (f"{path} holds the checkpoint {prefix}" if ending == "folder" else f"{path} is a checkpoint") in told
    assert (f"Its graph is in {prefix}.meta: give that" if has_graph else "It has no .meta file") in told
    if has_graph:
        assert main(["inspect", f"{prefix}.meta"]) == 0
