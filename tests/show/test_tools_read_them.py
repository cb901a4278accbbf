"""Other programs read the exported forms: Mermaid in Chromium, Graphviz, TensorBoard, Netron.

They read the golden files in `tests/golden_files/forms`, which are compared with what is written now on every run.
Graphviz, Chromium and node are looked for on the path; PENSTOCK_MERMAID_JS names a mermaid.min.js,
PENSTOCK_TENSORBOARD_PYTHON an interpreter that can import tensorboard, PENSTOCK_NETRON the folder of the Python package
netron. `docs/verified.md` records the last runs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from penstock.interchange.tensorflow.wire.messages import GraphProto, NodeProto
from penstock.interchange.wire.wire_format import decode
from tests.graph.serial.programs import program
from tests.show import forms
from tests.show.browser import CHROMIUM
from tests.show.forms import GRAPHS, files_for, picture, record

MERMAID = os.environ.get("PENSTOCK_MERMAID_JS", "")
TENSORBOARD = os.environ.get("PENSTOCK_TENSORBOARD_PYTHON", "")
NETRON = os.environ.get("PENSTOCK_NETRON", "")
DOT = shutil.which("dot")
NODE = shutil.which("node")
HERE = Path(__file__).resolve().parent

PAGE = """<!doctype html><meta charset="utf-8"><body>
<pre id="result">waiting</pre><script src="mermaid.js"></script><script>
const texts = %s;
window.harmed = false;
window.alert = () => { window.harmed = true; };
const answer = (data) => {
  document.body.textContent = "RESULT" + encodeURIComponent(JSON.stringify(data)) + "END";
};
(async () => {
  const found = [];
  try {
    mermaid.initialize({startOnLoad: false, maxTextSize: 1e7, maxEdges: 1e5});
    for (const [i, text] of texts.entries()) {
      const {svg} = await mermaid.render("drawn" + i, text);
      const place = document.createElement("div");
      place.innerHTML = svg;
      const labels = [...place.querySelectorAll(".node .nodeLabel")].map(label => label.textContent);
      const count = (selector) => place.querySelectorAll(selector).length;
      found.push({nodes: count("g.node"), edges: count("path.flowchart-link"), scripts: count("script"), labels});
    }
    answer({found, harmed: window.harmed});
  } catch (error) {
    answer({error: String(error)});
  }
})();
</script>"""


# ---- the golden files, everywhere ------------------------------------------------------------------


@pytest.mark.parametrize("file", forms.FILES)
def test_a_golden_file_is_what_is_written_now(file: str) -> None:
    path = forms.FOLDER / file
    now = forms.written(file)
    if forms.UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(now)
    assert path.read_bytes() == now, f"{file} differs: PENSTOCK_UPDATE_GOLDEN=1 writes it; then let the tools read it"


@pytest.mark.parametrize("tool", sorted(forms.READ_BY))
def test_each_program_has_read_these_very_files(tool: str) -> None:
    if forms.UPDATE:
        pytest.skip("the files and their records are being written")
    records = json.loads(forms.RECORDS.read_text("utf-8"))
    found = {path.name: forms.checksum(path) for path in files_for(tool)}
    assert records[tool]["files"] == found, f"{tool} read other files: run its test with PENSTOCK_UPDATE_GOLDEN=1"
    assert records[tool]["version"] in (HERE.parents[1] / "docs" / "verified.md").read_text("utf-8")


# ---- Mermaid ---------------------------------------------------------------------------------------


@pytest.mark.skipif(
    not MERMAID or CHROMIUM is None, reason="PENSTOCK_MERMAID_JS names no mermaid.min.js, or no Chromium"
)
def test_mermaid_draws_every_box_and_arrow_and_no_name_becomes_markup(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    shutil.copy(MERMAID, tmp_path / "mermaid.js")
    texts = json.dumps([path.read_text("utf-8") for path in files_for("mermaid")]).replace("</", "<\\/")
    (tmp_path / "page.html").write_text(PAGE % texts, encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom",
               f"--user-data-dir={tmp_path / 'profile'}", (tmp_path / "page.html").as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    answer = re.search(r"RESULT(.*?)END", done.stdout)
    assert answer is not None, (done.stdout + done.stderr)[-2000:]
    result = json.loads(unquote(answer[1]))
    assert "error" not in result, result
    assert result["harmed"] is False
    for graph, found in zip(GRAPHS, result["found"], strict=True):
        shown = picture(graph)
        assert (found["nodes"], found["edges"], found["scripts"]) == (len(shown.boxes), len(shown.arrows), 0)
    labels = result["found"][1]["labels"]
    assert any("<script>alert(1)<" in text for text in labels)
    assert any('say "x"' in text for text in labels)
    assert any("&amp;" in text for text in labels)
    package = Path(MERMAID).resolve().parent.with_name("package.json")
    if package.exists():
        record("mermaid", json.loads(package.read_text("utf-8"))["version"])


# ---- Graphviz --------------------------------------------------------------------------------------


@pytest.mark.skipif(DOT is None, reason="Graphviz's dot is not installed")
def test_graphviz_reads_our_dot() -> None:
    assert DOT is not None
    for graph, path in zip(GRAPHS, files_for("graphviz"), strict=True):
        done = subprocess.run([DOT, "-Tdot_json", str(path)], capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr[-2000:]
        found = json.loads(done.stdout.decode("utf-8", "replace"), strict=False)
        assert len(found.get("edges", [])) == len(picture(graph).arrows)
        assert len(found["objects"]) - found["_subgraph_cnt"] == len(picture(graph).boxes)
    told = subprocess.run([DOT, "-V"], capture_output=True, text=True, timeout=60).stderr
    version = re.search(r"version (\S+)", told)
    assert version is not None, told
    record("graphviz", version[1])


# ---- TensorBoard -----------------------------------------------------------------------------------


@pytest.mark.skipif(not TENSORBOARD, reason="PENSTOCK_TENSORBOARD_PYTHON names no interpreter with tensorboard")
def test_tensorboards_graph_page_gets_every_node_with_its_shapes(tmp_path: Path) -> None:
    paths = [path for path in files_for("tensorboard") if path.suffix == ".pb"]
    command = [TENSORBOARD, str(HERE / "tensorboard_side.py"), str(tmp_path), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    for path, found in zip(paths, told["found"], strict=True):
        ours = [_as_tensorboard_has_it(node) for node in decode(GraphProto, path.read_bytes()).nodes]
        assert found["page"] == ours
        assert found["text"] == ours
    named = {node[0]: node for node in told["found"][0]["page"]}
    assert named["x"][3] == [[-1, 3]] and named["u"][3] == [None]
    record("tensorboard", told["version"])


def _as_tensorboard_has_it(node: NodeProto) -> list[Any]:
    found = next((entry.value for entry in node.attrs if entry.key == "_output_shapes"), None)
    shapes = found.list.shape if found is not None and found.list is not None else []
    sizes = [None if shape.unknown_rank else [dim.size for dim in shape.dims] for shape in shapes]
    return [node.name, node.op, list(node.inputs), sizes]


# ---- Netron ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not NETRON or NODE is None, reason="PENSTOCK_NETRON names no folder of netron, or no node")
def test_netron_reads_every_node_arrow_and_constant() -> None:
    assert NODE is not None
    paths = files_for("netron")
    command = [NODE, str(HERE / "netron_side.mjs"), NETRON, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["errors"] == []
    for path, found in zip(paths, told["found"], strict=True):
        assert found["format"] == "TensorFlow Graph"
        nodes = decode(GraphProto, path.with_suffix(".pb").read_bytes()).nodes
        _assert_netron_has(nodes, found)
    ordinary = told["found"][0]["constants"]
    assert ordinary["tower/add/y"] == {"type": "float32", "values": 1}
    values = np.array(ordinary["boolean_mask/mask"]["values"])
    assert values.tolist() == [True, False]
    record("netron", _version_beside(Path(NETRON), "netron"))


def _assert_netron_has(nodes: list[NodeProto], found: dict[str, Any]) -> None:
    """Every node is a node there, a constant of one, or what is fed; each arrow joins the same two."""
    shown = {node["name"]: node for node in found["nodes"]}
    ours = {node.name: node for node in nodes}
    assert shown.keys() <= ours.keys()
    missing = ours.keys() - shown.keys() - found["constants"].keys()
    assert {ours[name].op for name in missing} <= {"Placeholder"}
    for name, node in shown.items():
        assert node["type"] == ours[name].op
        wanted = [text.removesuffix(":0") for text in ours[name].inputs if not text.startswith("^")]
        assert [text.removesuffix(":0") for text in node["inputs"]] == wanted


def _version_beside(folder: Path, package: str) -> str:
    """The version of an installed package, from the folder of its data beside it."""
    (found,) = folder.parent.glob(f"{package}-*.dist-info")
    return found.name.removeprefix(f"{package}-").removesuffix(".dist-info")


def test_the_golden_program_holds_what_the_checks_of_it_look_at() -> None:
    names = {op.name for op in program()[0].get_operations()}
    assert {"x", "u", "tower/add/y", "boolean_mask/mask"} <= names
