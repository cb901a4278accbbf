"""The tree of conditionals and loops that the nodes of a graph are; and what is no such tree, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import GraphFormatError
from penstock.interchange.foreign_flow.flow_tree import FlowBlock, FlowLoop, FlowTree
from penstock.interchange.foreign_flow.lifting import lifted
from penstock.interchange.tensorflow.wire.messages import AttrEntry, AttrValue, GraphProto, NodeProto
from penstock.interchange.wire.wire_format import decode

from ...helpers import every_case

FOLDER = Path(__file__).resolve().parents[2] / "golden_extra" / "foreign_graphs"


def node(text: str) -> NodeProto:
    """`name = Op(input, ^control) frame=f constant`"""
    name, _, rest = text.partition(" = ")
    op, _, rest = rest.partition("(")
    inputs, _, facts = rest.partition(")")
    attrs = [AttrEntry("is_constant", AttrValue(b="constant" in facts))]
    if "frame=" in facts:
        attrs.append(AttrEntry("frame_name", AttrValue(s=facts.split("frame=")[1].split()[0].encode())))
    return NodeProto(name, op, [each.strip() for each in inputs.split(",") if each.strip()], "", attrs)


def tree(text: str) -> FlowTree:
    return lifted([node(line.strip()) for line in text.strip().splitlines()])


def shown(found: FlowTree, block: FlowBlock | None = None) -> list[str]:
    """The tree, a line for each node, conditional and branch."""
    names = [each.name for each in found.index.nodes]
    lines = []
    for item in (block or found.top).items:
        if isinstance(item, int):
            lines.append(names[item])
        elif isinstance(item, FlowLoop):
            lines.append(f"loop {' '.join(names[v.merge] for v in item.variables)}")
            lines += [f"  while {line}" for line in shown(found, item.cond)]
            lines += [f"  do {line}" for line in shown(found, item.body)]
        else:
            kept = "".join(f" keeps {names[use.node]}" for _, use in item.kept)
            lines.append(f"if {names[item.predicate.node]}: {' '.join(names[m.node] for m in item.results)}{kept}")
            for number, branch in enumerate(item.branches):
                lines += [f"  {number} {line}" for line in shown(found, branch)]
    return lines


COND = """
    p = Placeholder()
    x = Placeholder()
    pred = Identity(p)
    pivot = Switch(p, p)
    t = Identity(pivot:1)
    yes = Switch(x, pred)
    c = Const(^t)
    mul = Mul(yes:1, c)
    neg = Neg(yes)
    m = Merge(neg, mul)
    after = Exp(m)
"""


def test_nodes_between_switch_and_merge_are_branches() -> None:
    assert shown(tree(COND)) == ["p", "x", "pred", "if p: m", "  0 neg", "  1 t", "  1 c", "  1 mul", "after"]


def test_the_order_of_the_nodes_in_the_file_does_not_matter() -> None:
    lines = COND.strip().splitlines()
    found = tree("\n".join(reversed(lines)))
    assert sorted(shown(found)) == sorted(shown(tree(COND)))


LOOP = """
    n = Placeholder()
    zero = Const()
    enter = Enter(zero) frame=f
    limit = Enter(n) frame=f constant
    i = Merge(enter, next)
    less = Less(i, limit)
    go = LoopCond(less)
    s = Switch(i, go)
    here = Identity(s:1)
    one = Const(^here)
    add = Add(here, one)
    next = NextIteration(add)
    last = Exit(s)
    after = Neg(last)
"""


def test_nodes_of_a_frame_are_a_loop() -> None:
    assert shown(tree(LOOP)) == ["n", "zero", "loop i", "  while less", "  do here", "  do one", "  do add", "after"]


def second_loop(frame: str) -> str:
    """The loop again, with other names of its nodes."""
    lines = [
        " = ".join([f"b_{line.split(' = ')[0].strip()}", _prefixed(line.split(" = ")[1])])
        for line in LOOP.strip().splitlines()
    ]
    return "\n".join(lines).replace("frame=f", f"frame={frame}") + "\n"


def test_two_loops_in_frames_of_one_name_are_two() -> None:
    found = tree(LOOP + second_loop("f"))
    assert found.refused == {} and sum(line.startswith("loop") for line in shown(found)) == 2


def test_an_unused_constant_belongs_to_the_loop_of_its_frame_where_there_is_one() -> None:
    unused = "unused = Enter(zero) frame=f constant"
    assert tree(LOOP + unused).refused == {}
    (reason,) = tree(LOOP + second_loop("f") + unused).refused.values()
    assert reason == "the frame 'f' has 0 LoopCond nodes; a loop has one"


def test_frames_of_two_names_are_not_one() -> None:
    found = tree(LOOP + second_loop("g") + "mix = Add(add, b_add)")
    assert set(found.refused.values()) == {"'mix' uses values of 'f' and 'g'; a value leaves a loop through an Exit"}


def _prefixed(rest: str) -> str:
    op, _, tail = rest.partition("(")
    inputs, _, facts = tail.partition(")")
    names = [each.strip() for each in inputs.split(",") if each.strip()]
    return f"{op}({', '.join(f'^b_{n[1:]}' if n[0] == '^' else f'b_{n}' for n in names)}){facts}"


def test_a_value_of_a_branch_that_a_later_conditional_uses_is_kept() -> None:
    found = tree(COND + """
    back = Switch(after, pred)
    grad = Mul(back:1, mul)
    none = Neg(back)
    m2 = Merge(none, grad)
    """)
    lines = shown(found)
    assert "if p: m keeps mul" in lines and "if p: m2" in lines


def test_a_merge_of_a_dead_branch_gives_the_other_one() -> None:
    found = tree("""
    p = Placeholder()
    x = Placeholder()
    one = Switch(x, p)
    both = Switch(one:1, p)
    dead = Neg(both)
    alive = Exp(both:1)
    m = Merge(dead, alive)
    other = Neg(one)
    end = Merge(other, m)
    """)
    assert found.refused == {}
    assert shown(found) == ["p", "x", "if p: end", "  0 other", "  1 alive"]


REFUSED = {
    "an Exit outside": (COND + "bad = Exit(x)", "bad", "of an iteration outside of any loop"),
    "a leak": (LOOP + "bad = Neg(add)\n    worse = Add(bad, n)", "worse", "a value leaves a loop through an Exit"),
    "branches of two conditionals": (COND + """
    q = Placeholder()
    w = Switch(x, q)
    a = Neg(w)
    bad = Merge(a, mul)
    """, "bad", "not the branches of one conditional"),
    "a branch twice": (COND + "b = Exp(yes)\n    bad = Merge(neg, b)", "bad", "one input for each branch"),
    "no LoopCond": (LOOP.replace("LoopCond(less)", "Identity(less)"), "enter", "has 0 LoopCond nodes"),
    "a first value used twice": (LOOP + "bad = Neg(enter)", "enter", "which only its Merge can"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_conditional_and_no_loop_is_refused_by_name(what: str) -> None:
    text, name, reason = REFUSED[what]
    found = tree(text)
    assert reason in found.refused[found.index.numbers[name]]


def test_a_circle_without_a_next_iteration_is_an_error() -> None:
    with pytest.raises(GraphFormatError, match="depends on itself"):
        tree(LOOP.replace("NextIteration", "Identity"))


def test_conditionals_and_loops_nest_only_so_deep() -> None:
    lines = ["x_0 = Placeholder()", "p = Placeholder()"]
    for depth in range(40):
        lines += [f"p_{depth} = Placeholder()", f"s_{depth} = Switch(x_{depth}, p_{depth})",
                  f"x_{depth + 1} = Neg(s_{depth}:1)"]  # fmt: skip
    found = tree("\n".join(lines))
    assert any("inside more than 24 conditionals" in reason for reason in found.refused.values())


@every_case("path", sorted(FOLDER.glob("*.pb")))
def test_every_recorded_graph_is_lifted(path: Path) -> None:
    found = lifted(decode(GraphProto, path.read_bytes()).nodes)
    assert (found.refused, found.waiting) == ({}, ())
