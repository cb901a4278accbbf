"""Do the programs that our forms are for read them: Mermaid's own package in Chromium, and Graphviz?

PENSTOCK_MERMAID_JS names a mermaid.min.js; Graphviz and Chromium are looked for. `docs/verified.md` records the last
runs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from penstock.show.dot import dot_text
from penstock.show.from_graph import picture_of
from penstock.show.mermaid import mermaid_text
from penstock.show.picture import Picture
from tests.graph.serial.programs import hostile_graph, program
from tests.show.browser import CHROMIUM

MERMAID = os.environ.get("PENSTOCK_MERMAID_JS", "")
DOT = shutil.which("dot")

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


def pictures() -> list[Picture]:
    return [picture_of(program()[0], title='a "title"'), picture_of(hostile_graph())]


@pytest.mark.skipif(
    not MERMAID or CHROMIUM is None, reason="PENSTOCK_MERMAID_JS names no mermaid.min.js, or no Chromium"
)
def test_mermaid_draws_every_box_and_arrow_and_no_name_becomes_markup(tmp_path: Path) -> None:
    from urllib.parse import unquote

    assert CHROMIUM is not None
    shutil.copy(MERMAID, tmp_path / "mermaid.js")
    texts = json.dumps([mermaid_text(picture, None) for picture in pictures()]).replace("</", "<\\/")
    (tmp_path / "page.html").write_text(PAGE % texts, encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom",
               f"--user-data-dir={tmp_path / 'profile'}", (tmp_path / "page.html").as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    answer = re.search(r"RESULT(.*?)END", done.stdout)
    assert answer is not None, (done.stdout + done.stderr)[-2000:]
    result = json.loads(unquote(answer[1]))
    assert "error" not in result, result
    assert result["harmed"] is False
    for picture, found in zip(pictures(), result["found"], strict=True):
        assert (found["nodes"], found["edges"], found["scripts"]) == (len(picture.boxes), len(picture.arrows), 0)
    labels = result["found"][1]["labels"]
    assert any("<script>alert(1)<" in text for text in labels)
    assert any('say "x"' in text for text in labels)
    assert any("&amp;" in text for text in labels)


@pytest.mark.skipif(DOT is None, reason="Graphviz's dot is not installed")
def test_graphviz_reads_our_dot(tmp_path: Path) -> None:
    assert DOT is not None
    for picture in pictures():
        (tmp_path / "graph.dot").write_text(dot_text(picture, None), encoding="utf-8", errors="backslashreplace")
        done = subprocess.run([DOT, "-Tdot_json", str(tmp_path / "graph.dot")], capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr[-2000:]
        found = json.loads(done.stdout.decode("utf-8", "replace"), strict=False)
        assert len(found.get("edges", [])) == len(picture.arrows)
        assert len(found["objects"]) - found["_subgraph_cnt"] == len(picture.boxes)
