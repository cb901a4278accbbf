"""The page as a file: its content, its safety, and what it shows of a graph, its stages and a run."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.show import Arrow, Box, BoxKind, Group, Picture, export_picture, html_page
from penstock.show.content.open_at_first import VISIBLE_LIMIT
from penstock.show.formats.export_graph import export
from penstock.show.page.page_document import SCRIPTS
from penstock.show.play.play_scripts import PLAY_SCRIPTS, VIEW_SCRIPTS

HOSTILE = (
    "a:0",
    'say "x"',
    "it's",
    "two\nlines",
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--",
    "-->",
    "]]>",
    "&lt;b&gt;",
    "{{data}}",
    "${x}",
    "\u2028",
    "🎉",
    "\x00\x1b",
    "\ud800",
    "x" * 10_000,
)

SHOW = Path(__file__).parents[2] / "penstock" / "show"


class _Elements(HTMLParser):
    """Which elements a document has, and the text in each script."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag == "script"
        if self._inside:
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = False


def elements(page: str) -> _Elements:
    parser = _Elements()
    parser.feed(page)
    parser.close()
    return parser


def data_of(page: str) -> dict[str, Any]:
    """The page's data, read as a browser would."""
    found: dict[str, Any] = json.loads(elements(page).scripts[0])
    return found


def hostile() -> Picture:
    boxes = tuple(Box(name, name, BoxKind.OPERATION, name, (name,), (name,)) for name in HOSTILE)
    arrows = tuple(Arrow(a, b, a, tensors=(f"{a}:0",)) for a, b in itertools.pairwise(HOSTILE))
    return Picture("".join(HOSTILE), boxes, arrows)


def small_graph() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """x (n, 3) -> dense/scaled, dense/total, with a constant that folds, a doubled node, and one nobody needs."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        with tf.name_scope("dense"):
            factor = tf.add(tf.constant(1.0, name="one"), 1.0, name="factor")
            scaled = tf.multiply(x, factor, name="scaled")
            again = tf.multiply(x, factor, name="again")
            total = tf.add(tf.exp(scaled, name="exp"), again, name="total")
        tf.reduce_sum(x, name="unused")
    return graph, x, total


def page_with_run(tmp_path: Path) -> tuple[tf.Graph, tf.Session, tf.Tensor, tf.Tensor, dict[str, Any]]:
    graph, x, total = small_graph()
    session = tf.Session(graph=graph)
    feeds = {x: np.ones((4, 3), np.float32)}
    path = export(graph, tmp_path / "g.html", fetches=total, session=session, feeds=feeds)
    return graph, session, x, total, data_of(path.read_text("utf-8"))


# ---- one file, safe and offline ------------------------------------------------------------------------


def test_the_page_asks_for_nothing_from_outside() -> None:
    page = html_page(hostile())
    parsed = elements(page)
    for tag, attributes in parsed.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "audio", "video"}
        assert not {"src", "href", "srcset", "action"} & set(attributes), (tag, attributes)
    program = parsed.scripts[1]
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)[0]
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import\(|@import", program + style)
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", program + style))
    addresses = set(re.findall(r"(?:https?|wss?|ftp)://[^\s\"'`]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_a_content_policy_forbids_every_request() -> None:
    metas = [attributes for tag, attributes in elements(html_page(Picture("p"))).tags if tag == "meta"]
    policy = next(m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none'")


def test_hostile_names_stay_data() -> None:
    page = html_page(hostile())
    parsed = elements(page)
    assert [tag for tag, _ in parsed.tags].count("script") == 2
    assert page.count("</script>") == 2
    data = json.loads(parsed.scripts[0])
    assert sorted(box[0] for box in data["views"][0]["boxes"]) == sorted(HOSTILE)


@given(st.lists(st.text(), unique=True, min_size=1, max_size=5))
def test_any_names_come_back_as_they_were(names: list[str]) -> None:
    page = html_page(Picture("t", tuple(Box(name, name, type=name) for name in names)))
    assert {box[0] for box in data_of(page)["views"][0]["boxes"]} == set(names)


def test_names_are_set_as_text_and_never_as_markup() -> None:
    program = elements(html_page(Picture("p"))).scripts[1]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", program)


def test_no_script_outgrows_its_file() -> None:
    names = [{path.stem for path in SHOW.glob(f"{folder}/*/*.js")} for folder in ("page", "play")]
    assert names[0] == {*SCRIPTS, "notebook_frame"}  # the latter is for the document around pages in a notebook
    assert names[1] == {*PLAY_SCRIPTS, *VIEW_SCRIPTS}
    files = [path for folder in ("page", "play") for path in (SHOW / folder).rglob("*") if path.suffix != ".pyc"]
    assert all(len(path.read_text("utf-8").splitlines()) <= 400 for path in files if path.is_file())


def declared_names(script: str) -> Iterator[str]:
    """The names that a script declares at its top level; of `const a = f(1, 2), b = 3` both."""
    yield from re.findall(r"^(?:async )?(?:function\*?|class) ([A-Za-z_$][\w$]*)", script, re.MULTILINE)
    for found in re.finditer(r"^(?:const|let) ", script, re.MULTILINE):
        depth, part = 0, ""
        for letter in re.sub(r"//[^\n]*|\"[^\"\n]*\"|`[^`]*`", "0", script[found.end() :]):
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 0 and letter in ",;":
                yield part.partition("=")[0].strip()
                part = ""
                if letter == ";":
                    break
            else:
                part += letter


def test_names_are_found_in_lists_of_declarations() -> None:
    assert list(declared_names("const a = f(1, [2, 3]), b = 4;\nlet c;\nfunction d() { const e = 1, g = 2; }")) == [
        "d", "a", "b", "c"
    ]  # fmt: skip


def test_no_two_scripts_of_the_page_declare_one_name() -> None:
    names = [name for path in SHOW.rglob("*.js") for name in declared_names(path.read_text("utf-8"))]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_page_is_the_same_in_whatever_order_arrows_were_added() -> None:
    picture = hostile()
    turned = Picture(picture.title, picture.boxes, picture.arrows[::-1])
    assert html_page(picture) == html_page(turned)
    graph, _, total = small_graph()
    assert html_page(graph, fetches=total) == html_page(graph, fetches=total)


def test_texts_that_repeat_are_written_once() -> None:
    def page(count: int) -> int:
        detail = ("float32 (batch, height, width, channels)",)
        boxes = tuple(Box(f"n{n}", f"n{n}", type="Add", detail=detail) for n in range(count))
        arrows = tuple(Arrow(f"n{n}", f"n{n + 1}", tensors=(f"n{n}:0",)) for n in range(count - 1))
        return len(html_page(Picture("p", boxes, arrows)))

    assert page(1100) - page(100) < 1000 * 80


# ---- what it says of a graph ---------------------------------------------------------------------------


def test_a_card_holds_op_shape_line_and_attributes() -> None:
    graph, _, total = small_graph()
    data = data_of(html_page(graph, fetches=total))
    texts, view = data["texts"], data["views"][0]
    box = next(box for box in view["boxes"] if box[0] == "dense/exp")
    kind, _, outputs, origins, _, _ = data["cards"][box[7]]
    assert texts[kind] == "Exp" and data["docs"][str(kind)]
    assert [(texts[dtype], texts[shape]) for dtype, shape in outputs] == [("float32", "(n, 3)")]
    place, code, differentiated = origins[0]
    assert texts[differentiated] == ""
    assert re.fullmatch(r"test_page_document\.py:\d+", texts[place])
    assert texts[code].startswith("total = tf.add(tf.exp(scaled")


def test_a_card_says_why_a_size_is_not_known() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = x
        for _ in range(5):
            y = tf.tanh(y)
    data = data_of(html_page(graph))
    reasons = {data["texts"][card[5]] for card in data["cards"]}
    assert len(reasons) == 1  # told once for the whole chain
    assert "the placeholder leaves it open" in reasons.pop()


def test_the_sentence_says_what_is_fed_and_fetched() -> None:
    graph, _, total = small_graph()
    words = data_of(html_page(graph, fetches=total))["words"]
    assert words.startswith("7 operations and 2 constants in 1 scope; ")
    assert "in 1 scope; fed: x float32 (n, 3); fetched: dense/total float32 (n, 3); mostly Add, Mul" in words


def test_a_scope_closed_by_depth_can_still_be_opened() -> None:
    graph, _, _ = small_graph()
    data = data_of(html_page(graph, depth=0))
    scopes = {scope[2]: scope for scope in data["views"][0]["scopes"]}
    assert scopes["dense"][6] == 0
    assert "dense/exp" in {box[0] for box in data["views"][0]["boxes"]}


@pytest.mark.parametrize("count", [VISIBLE_LIMIT, VISIBLE_LIMIT + 1, 9000])
def test_no_scope_shows_more_members_than_the_limit(count: int) -> None:
    boxes = tuple(Box(f"n{n}", f"n{n}") for n in range(count))
    arrows = tuple(Arrow(f"n{n - 40}", f"n{n}") for n in range(40, count, 2))
    view = data_of(html_page(Picture("p", boxes, arrows)))["views"][0]
    scopes = view["scopes"]
    members = [0] * len(scopes)
    for parent, *_ in scopes[1:]:
        members[parent] += 1
    for box in view["boxes"]:
        members[box[5]] += 1
    assert max(members) <= VISIBLE_LIMIT
    assert (len(scopes) > 1) == (count > VISIBLE_LIMIT)
    assert sum(int(scope[4].split()[0]) for scope in scopes[1:] if scope[0] == 0) == (count if len(scopes) > 1 else 0)


def test_scopes_that_the_picture_marks_are_closed_at_first() -> None:
    boxes = (Box("a/x", "x", group=("a",)), Box("b/x", "x", group=("b",)))
    picture = Picture("p", boxes, groups=(Group(("a",), "a", collapsed=True),))
    scopes = data_of(html_page(picture))["views"][0]["scopes"]
    assert {scope[2]: scope[6] for scope in scopes[1:]} == {"a": 0, "b": 1}


# ---- stages and runs ------------------------------------------------------------------------------------


def test_each_stage_changes_exactly_the_nodes_that_explain_names(tmp_path: Path) -> None:
    graph, session, x, total, data = page_with_run(tmp_path)
    found = session.explain(total, {x: np.ones((4, 3), np.float32)})
    views = data["views"]
    passes = [report.name for report in found.passes]
    assert [view["name"] for view in views] == ["built", "pruned", *passes, "memory"]
    assert _nodes(views[0]) == {op.name for op in graph.get_operations()}
    pruned = {absent.node: absent.reason for absent in found.pruned}
    assert views[1]["faded"] == {node: reason for node, reason in pruned.items() if reason != "fed"} != {}
    before = set(found.kept)
    for view, report in zip(views[2:-1], found.passes, strict=True):
        after = set(report.nodes)
        assert {name for name, _ in view["gone"]} == before - after, view["name"]
        assert {name for name, _ in view["new"]} == after - before, view["name"]
        drawn = view if "boxes" in view else views[view["same"]]
        assert _nodes(drawn) == after | {"x"}, view["name"]
        assert all(why for _, why in [*view["gone"], *view["new"], *view["changed"]])
        before = after


def _nodes(view: dict[str, Any]) -> set[str]:
    """The nodes that a view shows: its boxes, and the constants that are written in them."""
    return {box[0] for box in view["boxes"]} | {name for box in view["boxes"] for _, _, name, _ in box[8]}


def test_stages_in_which_nothing_came_or_went_share_one_drawing() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        end = tf.reverse(tf.cumsum(tf.reverse(tf.cumsum(x), [True])), [True])
    with tf.Session(graph=graph) as session:
        found = session.explain(end, {x: np.ones(4)})
    views = data_of(html_page(graph, found))["views"]
    names = [[*report.nodes] for report in found.passes]
    assert sorted(names[0]) == sorted(op.name for op in graph.get_operations() if op.name != "x")
    assert views[2]["same"] == 0, "fold found nothing to do"
    assert "boxes" in views[3], "merge joined the constants"
    assert [view.get("same") for view in views[4:]] == [3, 3, 3, 3]


def test_nodes_of_which_the_same_is_told_share_a_card() -> None:
    with tf.Graph().as_default() as graph:
        made = tf.placeholder(tf.float32, [4], name="x")
        for _ in range(3):
            made = tf.cumsum(made)
        other = tf.cumsum(made)
    data = data_of(html_page(graph))
    boxes = data["views"][0]["boxes"]
    card = {box[0]: box[7] for box in boxes} | {name: number for box in boxes for _, _, name, number in box[8]}
    assert card["Cumsum"] == card["Cumsum_1"] == card["Cumsum_2"] != card[other.op.name], "made at another line"
    assert len(data["cards"]) == len(set(card.values())) == len({str(row) for row in data["cards"]})


def test_a_node_that_a_pass_made_anew_has_its_card_and_a_group_another() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        end = tf.multiply(tf.exp(tf.cumsum(tf.cumsum(x))), 2.0, name="end")
    with tf.Session(graph=graph) as session:
        found = session.explain(end, {x: np.ones(4)})
    data = data_of(html_page(graph, found))
    built, *_, last = ({box[0]: box[7] for box in view["boxes"]} for view in data["views"] if "boxes" in view)
    merged = found.stages[2].operations  # the second sum reads the first one's axis, so it was made anew
    anew = [op.name for op in merged if op is not graph.get_operation_by_name(op.name)]
    assert "Cumsum_1" in anew
    assert built["Cumsum_1"] == last["Cumsum_1"]
    assert built["end"] != last["end"]
    assert data["texts"][data["cards"][last["end"]][0]] == "Fused"


def test_a_page_opens_in_the_colours_that_were_asked_for(tmp_path: Path) -> None:
    graph, x, total = small_graph()
    export(graph, tmp_path / "g.html", colour="dtype")
    assert data_of((tmp_path / "g.html").read_text())["colour"] == "dtype"
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(total, {x: np.ones((4, 3))}, run_metadata=metadata)
        found = session.explain(total, {x: np.ones((4, 3))})
    assert data_of(html_page(graph, found, colour="order"))["colour"] == "order"
    assert metadata.record is not None
    metadata.record.export(tmp_path / "r.html", colour="time")
    assert data_of((tmp_path / "r.html").read_text())["colour"] == "time"
    metadata.record.plan.export(tmp_path / "p.html", colour="group")
    assert data_of((tmp_path / "p.html").read_text())["colour"] == "group"
    refusals: tuple[Callable[[], object], ...] = (
        lambda: export(graph, tmp_path / "no.html", colour="time"),
        lambda: metadata.record and metadata.record.plan.export(tmp_path / "no.html", colour="bytes"),
        lambda: metadata.record and metadata.record.export(tmp_path / "no.html", colour="taste"),
    )
    for refused in refusals:
        with pytest.raises(ValueError, match="no such colouring"):
            refused()
    assert not (tmp_path / "no.html").exists()


def test_a_page_of_a_run_has_each_step_with_its_time_and_bytes(tmp_path: Path) -> None:
    _, session, x, total, data = page_with_run(tmp_path)
    plan = session.plan(total, [x])
    steps = data["facts"]["run"]
    assert [step[0] for step in steps] == [step.node for step in plan.steps]
    assert all(step[4] >= 0 and step[5] >= 0 for step in steps)
    assert data["facts"]["shapes"][plan.steps[-1].node] == ["(4, 3)"]
    assert data["facts"]["memory"]["steps"] == len(plan.steps)


def test_a_session_of_another_graph_is_refused(tmp_path: Path) -> None:
    graph, _, total = small_graph()
    with pytest.raises(ValueError, match="the session runs"):
        export(graph, tmp_path / "g.html", fetches=total, session=tf.Session(graph=tf.Graph()))


def test_a_run_needs_a_page_and_something_that_is_fetched(tmp_path: Path) -> None:
    graph, x, total = small_graph()
    with pytest.raises(ValueError, match=r"only a page \(\.html\) shows a run"):
        export(graph, tmp_path / "g.svg", fetches=total, session=tf.Session(graph=graph))
    with pytest.raises(ValueError, match=r"^show\.export\(fetches=None\): .* nothing is fetched"):
        export(graph, tmp_path / "g.html", feeds={x: np.ones((4, 3))})
    assert list(tmp_path.iterdir()) == []


def test_stages_of_a_bare_picture_are_refused() -> None:
    graph, x, total = small_graph()
    found = tf.Session(graph=graph).explain(total, {x: np.ones((4, 3))})
    with pytest.raises(ValueError, match="Give the graph"):
        html_page(Picture("p"), found)


def test_a_picture_is_exported_as_a_page_by_its_suffix(tmp_path: Path) -> None:
    path = export_picture(hostile(), tmp_path / "p.html")
    assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_an_empty_graph_has_a_page() -> None:
    assert data_of(html_page(tf.Graph()))["views"][0]["boxes"] == []
