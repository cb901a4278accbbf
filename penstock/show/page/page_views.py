"""The complete data of a page: one view for each stage, and the facts that planning and running found about the nodes.

Everything here is plain data for JSON. Without stages a page has one view, the graph itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...graph.model.nodes import Graph
from ...graph.model.subgraph import bodies_of
from ...runtime.ir.fused_ir import instructions_in
from ...runtime.observe.run_record import RunRecord
from ...runtime.planning.memory_plan import MemoryPlan
from ...runtime.planning.plan import Plan, Slot, Step
from ..content.closed_scopes import kept_open, unfolded
from ..content.constant_labels import Constants
from ..content.from_graph import Context, GraphLike, graph_picture
from ..content.from_plan import names_of
from ..content.nested_graphs import with_insides
from ..content.picture import Box, BoxKind, Direction, Picture, all_groups
from ..content.run_texts import RunTexts
from .page_cards import Cards
from .page_data import Texts, view_of
from .page_run import plan_facts, run_facts
from .page_stages import PageStage, run_shapes, stages_of
from .stage_pictures import KnownNames, stage_picture

if TYPE_CHECKING:  # what makes explanations is not needed to draw one
    from ...runtime.observe.explain import Explanation

_NAMED = 4


@dataclass(frozen=True, slots=True)
class PageOptions:
    """The options of a page: `fetches`, `depth`, `hide`, `title`, `constants` and `context` as in `picture_of`.

    memory: the result of `session.memory` for the run.
    fed: the shapes of the fed arrays by tensor name.
    colour: the meaning of the colours when the page opens.
    direction: the way in which arrows point.
    """

    fetches: object = ()
    depth: int | None = None
    hide: tuple[str, ...] = ()
    title: str = ""
    memory: MemoryPlan | None = None
    fed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    colour: str = "kind"
    constants: Constants = "labels"
    direction: Direction = "auto"
    context: Context = "dim"

    @property
    def of_stages(self) -> dict[str, Any]:
        """The options of the picture of a stage."""
        return {"hide": self.hide, "title": self.title, "constants": self.constants}


def data_of_picture(picture: Picture) -> dict[str, Any]:
    """The data of a page of a picture alone: boxes without cards."""
    page = _Page(PageOptions(direction=picture.direction))
    return page.data(picture, picture.title or "graph", [page.view(_NO_STAGE, picture, lambda _: -1)], {})


def data_of_plan(
    plan: Plan, run: RunRecord | None, picture: Picture, memory: MemoryPlan | None, options: PageOptions
) -> dict[str, Any]:
    """The data of a page of a plan, drawn as `picture`, with a recorded run of it if there is one."""
    page = _Page(options)
    facts = {**plan_facts(plan, memory), **({} if run is None else run_facts(run))}
    facts["groups"] = {step.node: body.formula for step in plan.steps if (body := instructions_in(step)) is not None}
    named = zip(names_of(plan).steps, plan.steps, strict=True)
    numbers = {name: page.cards.of_step(step, plan) for name, step in named}
    view = page.view(_NO_STAGE, _closed_below(picture, options.depth), lambda name: numbers.get(name, -1))
    return page.data(picture, picture.title or "plan", [view], facts)


def data_of_graph(
    graph: GraphLike, explanation: Explanation | None, run: RunRecord | None, options: PageOptions
) -> dict[str, Any]:
    """The data of a page of a graph, with its stages if `explanation` is given and its steps if `run` is.

    Raises:
        ValueError: a fetch that names nothing in the graph, or stages of an object that is not a Graph.
    """
    page = _Page(options)
    title = options.title or "graph"
    constants: Sequence[str] = ()
    if explanation is None:
        asked: dict[str, Any] = {"hide": options.hide, "title": title, "constants": options.constants}
        shown = graph_picture(graph, fetches=options.fetches, context=options.context, **asked)
        views = [page.stage_view(PageStage("", "", tuple(graph.get_operations())), shown)]
    elif isinstance(graph, Graph):
        stages = stages_of(graph, explanation, options.memory)
        pictures = _pictures(stages, options)
        page.run_texts = None if run is None else RunTexts(run, explanation.kept)
        views = page.stage_views(stages, pictures)
        shown = pictures[0] or Picture()
        constants = _constants(stages, explanation.plan if run is None else run.plan)
    else:
        raise ValueError(
            f"html_page(stages): a {type(graph).__name__} was given; stages belong to the graph that a session runs. "
            "Give session.graph."
        )
    return page.data(shown, title, views, _facts(explanation, run, options, constants))


def data_of_play(
    graph: Graph, explanations: Mapping[str, Explanation], options: PageOptions, is_run: Callable[[Plan, Step], bool]
) -> tuple[dict[str, Any], dict[str, list[str]], list[list[str]]]:
    """The data of a page that computes: for each of its plans a view, and the names of its values by slot.

    And for each graph inside the plan "written" the names of its constants, in the order of the steps.

    explanations: how each plan is made. The plan "written" is drawn as the graph itself, another one as its last stage.
    is_run: whether the page runs a step of a plan; the graphs inside of others are left out.
    """
    page = _Page(options)
    known = KnownNames.of(graph.get_operations())
    views: list[dict[str, Any]] = []
    names: dict[str, list[str]] = {}
    shown = Picture()
    inside: list[list[str]] = []
    for name, each in explanations.items():
        stages = stages_of(graph, each, None)
        drawn = stages[0] if name == "written" else _last_drawn(stages)
        picture = stage_picture(drawn, known, **options.of_stages, only_needed=name == "written")
        loops = _written_loops(drawn.operations or ())
        picture = _titled_as_written(picture, loops)
        page.titles = {**page.titles, **loops}
        shown = shown if views else picture
        if name == "written":
            inside = list(_constants_inside(_last_drawn(stages).operations or (), each.plan, is_run))
        outer = {op.name for op in drawn.operations or ()}  # their cells say more
        outer.update(each for names in inside for each in names)
        boxes = tuple(replace(b, detail=b.detail[:1]) if b.is_constant and b.id in outer else b for b in picture.boxes)
        picture = replace(picture, boxes=boxes)
        row = replace(drawn, name=name, summary=_PLAY_SUMMARIES[name], gone=(), new=(), changed=(), faded={})
        views.append(page.stage_view(row, picture))
        values = names_of(each.plan, _constants(stages, each.plan)).values
        names[name] = [values.get(slot, "") for slot in map(Slot, range(len(each.plan.slots)))]
    return page.data(shown, options.title or "graph", views, {}), names, inside


def _constants_inside(
    operations: Sequence[Any], plan: Plan, is_run: Callable[[Plan, Step], bool]
) -> Iterator[list[str]]:
    """The names of the constants of each plan inside of `plan`, whose stage has these operations.

    They are in the order in which a walk through steps and arguments meets the plans; [] where they are not known.
    """
    by_name = {op.name: op for op in operations}
    for step in plan.steps:
        plans = [arg for arg in step.args if isinstance(arg, Plan)]
        if not plans or not is_run(plan, step):
            continue
        holder = by_name.get(step.node)
        bodies = [] if holder is None else list(bodies_of(holder))
        for place, inner in enumerate(plans):
            inside = bodies[place].operations if place < len(bodies) else ()
            constants = [op.name for op in inside if op.opdef.facts.is_constant]
            yield constants if len(constants) == len(inner.constants) else []
            yield from _constants_inside(inside, inner, is_run)


def _written_loops(operations: Iterable[Any]) -> dict[str, str]:
    """For each copy of a loop or branch that also gives what its gradient needs: the name of the one in the program."""
    copies = [op for op in operations if op.opdef.facts.extends and op.get_attr("extends")]
    return {op.name: op.get_attr("extends")[0] for op in copies}


def _titled_as_written(picture: Picture, loops: Mapping[str, str]) -> Picture:
    """Copies of loops under the titles of the loops in the program."""
    titles = {name: loop.rpartition("/")[2] for name, loop in loops.items()}
    return replace(picture, boxes=tuple([replace(b, label=titles.get(b.id, b.label)) for b in picture.boxes]))


_PLAY_SUMMARIES = {
    "written": "The graph as written: every node is a step.",
    "optimised": "The optimised plan: nodes are folded, merged and fused.",
    "open": "The optimised plan with its constants fed, because one of them was edited.",
}


def _last_drawn(stages: Sequence[PageStage]) -> PageStage:
    return next(stage for stage in reversed(stages) if stage.operations is not None)


_NO_STAGE = PageStage("", "", None)


class _Page:
    """The tables of a page that all its views share: texts and cards."""

    def __init__(self, options: PageOptions | None = None) -> None:
        self._options = options or PageOptions()
        self._texts = Texts()
        self.cards = Cards(self._texts)
        self.run_texts: RunTexts | None = None
        self.titles: Mapping[str, str] = {}
        """The names by which the headline calls boxes, where that is not their id."""

    def data(self, shown: Picture, title: str, views: list[dict[str, Any]], facts: dict[str, Any]) -> dict[str, Any]:
        """All data of the page; `shown` is the picture that its headline describes."""
        return {
            "format": 1,
            "title": title,
            "colour": self._options.colour,
            "direction": self._options.direction,
            "words": words_of(shown, self.titles),
            "cards": self.cards.rows,
            "docs": self.cards.docs,
            "views": views,
            "facts": facts,
            "texts": self._texts.table,
        }

    def view(self, stage: PageStage, picture: Picture, card_of: Callable[[str], int]) -> dict[str, Any]:
        """One view; `card_of` gives the number of a box's card, -1 where it has none."""
        return {**_stage_row(stage), **view_of(picture, self._texts, card_of)}

    def stage_view(self, stage: PageStage, picture: Picture) -> dict[str, Any]:
        """The view of a stage with a drawing of its own; scopes nested deeper than `depth` are closed at first.

        ran: the lines that a recorded run puts in place of a box's detail, by the box's number.
        told: what it says of a tensor in place of the type, by the tensor's name.
        """
        by_name = {op.name: op for op in with_insides(stage.operations or ())}
        closed = _closed_below(picture, self._options.depth)
        view = self.view(stage, closed, lambda name: self.cards.number(by_name[name]))
        if self.run_texts is not None:
            lines, named = self.run_texts.of(closed, by_name)
            view["ran"] = {str(place): self._texts.numbers(told) for place, told in lines.items()}
            view["told"] = {name: self._texts.number(told) for name, told in named.items()}
        return view

    def stage_views(self, stages: Sequence[PageStage], pictures: Sequence[Picture | None]) -> list[dict[str, Any]]:
        """A view of each stage. One without a drawing of its own has the number of the equal view in `same`."""
        views: list[dict[str, Any]] = []
        for stage, picture in zip(stages, pictures, strict=True):
            if picture is None:
                views.append({**_stage_row(stage), "same": views[-1].get("same", len(views) - 1)})
            else:
                views.append(self.stage_view(stage, picture))
        return views


def _stage_row(stage: PageStage) -> dict[str, Any]:
    return {
        "name": stage.name,
        "summary": stage.summary,
        "gone": stage.gone,
        "new": stage.new,
        "changed": stage.changed,
        "faded": dict(stage.faded),
    }


def _pictures(stages: Sequence[PageStage], options: PageOptions) -> list[Picture | None]:
    """The picture of each stage; None where it equals the stage before, because a large one takes seconds to draw."""
    known = KnownNames.of(stages[0].operations or ())
    pictures: list[Picture | None] = []
    before: object = None
    for stage in stages:
        drawn = before if stage.operations is None else (set(stage.operations), stage.fed, stage.fetched)
        pictures.append(None if drawn == before else stage_picture(stage, known, **options.of_stages))
        before = drawn
    return pictures


def _closed_below(picture: Picture, depth: int | None) -> Picture:
    """Close scopes nested deeper than `depth` at first; the reader can open them."""
    if depth is None:
        return picture
    picture = unfolded(picture)
    groups = all_groups(picture)
    open_ = kept_open(groups)
    return replace(
        picture,
        groups=tuple(
            replace(group, collapsed=group.collapsed or (len(group.path) > depth and group.path not in open_))
            for group in groups.values()
        ),
    )


# ---- facts about the nodes ------------------------------------------------------------------------


def _constants(stages: Sequence[PageStage], plan: Plan) -> list[str]:
    """The names of the plan's constants: those of the last stage, in their order, that are not fed."""
    last = next((stage for stage in reversed(stages) if stage.operations is not None), None)
    operations = last.operations or () if last else ()
    found = [op.name for op in operations if op.opdef.facts.is_constant and last and op.name not in last.fed]
    return found if len(found) == len(plan.constants) else []


def _facts(
    explanation: Explanation | None, run: RunRecord | None, options: PageOptions, constants: Sequence[str]
) -> dict[str, Any]:
    """The facts of `plan_facts` and `run_facts`; groups: the formulas of fused steps by node."""
    plan = run.plan if run is not None else explanation.plan if explanation is not None else None
    facts: dict[str, Any] = {}
    if plan is not None:
        facts = plan_facts(plan, options.memory, constants)
        facts["shapes"] = run_shapes(plan, options.fed) if options.fed or not plan.feeds else {}
    if explanation is not None:
        facts["groups"] = {group.node: group.formula for group in explanation.groups}
    if run is not None:
        facts |= run_facts(run, constants)
    return facts


def words_of(picture: Picture, titles: Mapping[str, str] = {}) -> str:
    """A sentence about the program: its feeds, its fetches, and the number of operations.

    titles: how some of the boxes are called, by id.
    """
    boxes = picture.boxes
    fed = [box for box in boxes if box.kind is BoxKind.FED]
    fetched = [box for box in boxes if box.kind is BoxKind.FETCHED]
    groups = all_groups(picture)
    constants = {box.id for box in boxes if box.is_constant} | {each.name for box in boxes for each in box.constants}
    number = len(boxes) - sum(box.is_constant for box in boxes)
    count = f"{number} operation{'' if number == 1 else 's'}"
    if constants:
        count += f" and {len(constants)} constant{'' if len(constants) == 1 else 's'}"
    scopes = f" in {len(groups)} scope{'' if len(groups) == 1 else 's'}" if groups else ""
    parts = [count + scopes]
    parts.append(f"fed: {_named(fed, titles)}" if fed else "nothing is fed")
    if fetched:
        parts.append(f"fetched: {_named(fetched, titles)}")
    else:
        sources = {arrow.source for arrow in picture.arrows}
        parts.append(f"ends in: {_named([box for box in boxes if box.id not in sources], titles)}")
    work = Counter(box.type for box in boxes if box.kind in (BoxKind.OPERATION, BoxKind.FETCHED) and box.type)
    if work:
        common = sorted(work, key=lambda kind: (-work[kind], kind))[:3]
        parts.append(f"mostly {', '.join(map(_short, common))}")
    return "; ".join(parts) + "."


def _named(boxes: Sequence[Box], titles: Mapping[str, str]) -> str:
    names = [_short(" ".join((titles.get(box.id, box.id), *_type_told(box)))) for box in boxes[:_NAMED]]
    more = f" and {len(boxes) - _NAMED} more" if len(boxes) > _NAMED else ""
    return (", ".join(names) + more) or "nothing"


def _type_told(box: Box) -> tuple[str, ...]:
    """The first line of a box; of one with several results nothing, for the picture does not say which is meant."""
    return box.detail[:1] if box.detail and not box.detail[0].startswith(":") else ()


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:59]}…{text[-60:]}"


def as_patterns(hide: Iterable[str]) -> tuple[str, ...]:
    """The patterns of `hide`, which may be a single text."""
    return (hide,) if isinstance(hide, str) else tuple(hide)
