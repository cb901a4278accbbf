"""Every kernel goes through its own launch with sizes, dtypes and layouts at random; loads and stores are watched."""

from __future__ import annotations

import ast
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.runtime.cuda as package
from penstock.runtime.backends import register_backend
from penstock.runtime.cuda import cuda_source, nest_launch, partition_kernel, tile_source
from penstock.runtime.cuda.cuda_source import CudaSource
from penstock.runtime.cuda.nest_facts import has_one_level, reductions_of

from ..helpers import nightly, own_backends
from . import shim
from .fake_cupy import FakeCupy, FakeGpu
from .launches import ADDED, CASES, DTYPES, SIZES
from .random_nests import RandomNest
from .test_nests import difference

FOLDER = Path(str(package.__file__)).parent
LAUNCHERS = {"launch", "run_places", "run_nest", "copy"}
"""The functions through which kernels start."""
GROUPS = {"cuda_group.CudaGroup._space", "cuda_group._run_rows"}
"""They launch nests of groups, which the random nests of this file are."""

pytestmark = pytest.mark.skipif(not shim.can_watch(), reason="GCC alone tells of every load and store")


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    """Loads and stores are watched during the test."""
    shim.Watch.is_on = True
    yield
    shim.Watch.is_on, shim.Turns.seed = False, 0


@pytest.fixture(params=["all threads at once", "a grid of one block"])
def grid(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid for all pieces; or one block, whose threads loop and take several pieces at a time."""
    monkeypatch.setattr(cuda_source, "HOT", 1 << 30)
    monkeypatch.setattr(partition_kernel, "MANY", 4096)
    if request.param == "a grid of one block":
        monkeypatch.setattr(cuda_source, "blocks_for", lambda xp, pieces: min(1, pieces))
        monkeypatch.setattr(cuda_source, "MANY", 1)


ALL_SIZES = "int32"
"""Every run tries this dtype with all sizes: each layout is a kernel to compile."""
OTHER_WIDTHS = {"bool": 7, "float16": 300, "float64": 1025, "complex128": 7}
"""Every run tries these with one size. Moves know widths alone; sums are tried in each dtype, with two sizes."""


@pytest.mark.share(3)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("is_whole", [False, *nightly([True])])
def test_every_launch_gives_what_numpy_gives(grid: None, name: str, is_whole: bool) -> None:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    for place, dtype in enumerate(DTYPES):
        shim.Turns.seed = place % 3
        few: tuple[int, ...] = (OTHER_WIDTHS[dtype],) if dtype in OTHER_WIDTHS else ()
        if name == "row_kernels.add_rows":
            few = (SIZES[place % len(SIZES)], SIZES[(place + 2) % len(SIZES)])
        for size in SIZES if is_whole or dtype == ALL_SIZES else few:
            for got, want in CASES[name](FakeCupy(), rng, dtype, size):
                assert got.dtype == want.dtype
                assert got.shape == want.shape
                assert FakeCupy().asnumpy(got).tobytes() == want.tobytes(), (dtype, size)


def kind_of(program: RandomNest) -> str:
    """Which of the schedules of `nest_launch` a nest takes, and whether a block combines several totals."""
    nest, rows, count = program.nest, program.rows, program.count
    totals = len(reductions_of(nest))
    if program.is_turned or not totals:
        return "tiles" if program.is_turned else "elements"
    if nest_launch.pieces_of(rows, count) > 1 and has_one_level(nest):
        return "pieces"
    return f"a block, {min(totals, 2)}" if nest_launch.lanes_of(rows, count, 4) == 256 else "lanes"


KINDS = ("elements", "lanes", "a block, 1", "a block, 2", "pieces", "tiles")


@pytest.mark.parametrize("most", [2, *nightly([5])])
@pytest.mark.parametrize("kind", KINDS)
def test_random_nests_touch_nothing_but_their_operands(
    grid: None, monkeypatch: pytest.MonkeyPatch, kind: str, most: int
) -> None:
    run_random_nests(monkeypatch, kind, most)


def nests_of(kind: str) -> Iterator[RandomNest]:
    """Random nests that take a schedule."""
    programs = (RandomNest(seed, kind == "tiles") for seed in range(1000, 2000))
    return (each for each in programs if kind_of(each) == kind)


def run_random_nests(monkeypatch: pytest.MonkeyPatch, kind: str, most: int) -> None:
    """Compare the first nests of a kind with their definition."""
    names: list[str] = []
    plain = shim.launch
    wanted = "turned" if kind == "tiles" else "fused"  # not every turned nest is worth tiles

    def noted(source: str, name: str, *rest: Any) -> None:
        names.append(name)
        plain(source, name, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(shim, "launch", noted)
        patch.setattr(tile_source, "TILED", 1)
        tile_source.tiles_of.cache_clear()
        for program in nests_of(kind):
            with np.errstate(all="ignore"):
                assert difference(FakeCupy(), program, patch) is None, program.nest
            if names.count(wanted) >= most:
                break
        else:
            pytest.fail(f"no nests are {kind}")
    tile_source.tiles_of.cache_clear()


def test_a_flag_that_many_threads_set_is_the_error_of_the_op(monkeypatch: pytest.MonkeyPatch) -> None:
    own_backends(monkeypatch)
    register_backend(FakeGpu())
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.int32, [1000]), tf.placeholder(tf.int32, [1000])
        z = tf.mod(tf.floordiv(x * 2, y) - 1, y)
    feeds = {x: np.arange(1000), y: np.ones(1000)}
    with tf.Session(graph=graph, config=tf.SessionConfig(device="gpu")) as session:
        assert not session.run(z, feeds).any()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            session.run(z, {x: np.arange(1000), y: np.zeros(1000)})
        assert not session.run(z, feeds).any()


# ---- every kernel has a case --------------------------------------------------------------------


def _launching() -> set[str]:
    """The functions of the package that call one of LAUNCHERS."""
    found = set()
    for path in FOLDER.glob("*.py"):
        for name, function in _functions(ast.parse(path.read_text()), path.stem):
            calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
            if any(isinstance(call, ast.Name) and call.id in LAUNCHERS for call in calls):
                found.add(name)
    return found


def _functions(tree: ast.AST, name: str) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            own = f"{name}.{node.name}"
            if isinstance(node, ast.FunctionDef):
                yield own, node
            yield from _functions(node, own)


def test_every_function_that_launches_a_kernel_has_a_case() -> None:
    ways = {"nest_launch.run_nest", "place_launch.run_places"}  # the cases go through them
    assert _launching() - ways == set(CASES) | GROUPS


def _texts() -> dict[str, list[str]]:
    """For each text of a kernel in the package the lines that stand in every source made of it."""
    found = {}
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "PS_KERNEL void" in node.value:
                lines = [line.strip() for line in node.value.splitlines()]
                own = [line for line in lines if len(line) > 12 and not set("{}@") & set(line)]
                found[f"{path.stem}, line {node.lineno}"] = own or [lines[1].partition("{")[0]]
    return found


def test_every_text_of_a_kernel_is_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    launched: set[str] = set()
    monkeypatch.setattr(shim, "launch", lambda source, *rest: launched.add(source))  # other tests run them
    rng = np.random.default_rng(0)
    for case in CASES.values():
        for _ in case(FakeCupy(), rng, ADDED[2], 300):
            pass
    monkeypatch.setattr(tile_source, "TILED", 1)
    tile_source.tiles_of.cache_clear()
    for kind in KINDS:
        for program in islice(nests_of(kind), 4):
            difference(FakeCupy(), program, monkeypatch)
    tile_source.tiles_of.cache_clear()
    texts = _texts()
    assert len(texts) >= 6
    for name, lines in texts.items():
        assert any(all(line in source for line in lines) for source in launched), f"no launch of {name}"


# ---- what the watch sees ------------------------------------------------------------------------


FAULTY = {
    "a race": """
  __shared__ u32 cells[THREADS];
  cells[threadIdx.x] = x[threadIdx.x];
  out[threadIdx.x] = cells[(threadIdx.x + 1) % THREADS];""",
    "a race: a store of 4 bytes": """
  out[threadIdx.x] = 1;
  __syncwarp(0xffffffffu);
  out[THREADS - 1 - threadIdx.x] = 2;""",
    "a race: a store of 4 bytes by thread 1 of": "out[0] = x[threadIdx.x];",
    "a load outside": "out[threadIdx.x] = x[threadIdx.x + 1];",
    "a store outside": "out[(int)threadIdx.x - 1] = x[threadIdx.x];",
    "a misaligned load of 16 bytes": "uint4 q = *(const uint4 *)(x + threadIdx.x % 2 * 2); out[threadIdx.x] = q.x;",
}
RIGHT = {
    "a barrier": FAULTY["a race"].replace("  out", "  __syncthreads();\n  out"),
    "atomic functions": "atomicAdd(&out[0], x[threadIdx.x]);",
    "an exchange": """
  __shared__ u32 cells[THREADS];
  cells[threadIdx.x] = x[threadIdx.x];
  __syncwarp(0xffffffffu);
  out[threadIdx.x] = cells[threadIdx.x ^ 1];""",
}


def _launch(body: str, blocks: int = 1) -> Any:
    text = "PS_KERNEL void tried(u32 *out, const u32 *x) {" + body + "\n}"
    made: CudaSource = cuda_source.source({"THREADS": 256}, text, "tried")
    xp = FakeCupy()
    out, x = [xp.asarray(np.arange(264, dtype=np.uint32))[4:260] for _ in range(2)]  # other memory lies around them
    cuda_source.launch(xp, made, "tried", 0, out, x, blocks=blocks)
    return xp.asnumpy(out)


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_kernel_is_told(fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        _launch(FAULTY[fault])
    shim.Watch.is_on = False
    _launch(FAULTY[fault])


@pytest.mark.parametrize("what", RIGHT)
def test_a_kernel_that_waits_where_it_must_is_told_nothing(what: str) -> None:
    _launch(RIGHT[what])


@pytest.mark.parametrize("fence, is_right", [("__threadfence();", True), ("", False)])
def test_the_block_that_counts_last_reads_what_others_have_stored_before_a_fence(fence: str, is_right: bool) -> None:
    body = f"""
  if (threadIdx.x) return;
  out[8 + blockIdx.x] = x[blockIdx.x];
  {fence}
  const u32 before = atomicAdd(&out[0], 1u);
  __threadfence();
  if (before == 3 + gridDim.x) for (u32 b = 0; b < gridDim.x; b++) out[1] += ((volatile u32 *)out)[8 + b];"""
    if is_right:
        _launch(body, blocks=3)
        return
    with pytest.raises(AssertionError, match="a race: a load of 4 bytes by thread 0 of block 2"):
        _launch(body, blocks=3)


def test_blocks_race_with_each_other_where_threads_of_one_do_not() -> None:
    _launch("out[threadIdx.x] = blockIdx.x;")
    with pytest.raises(AssertionError, match="a race: a store of 4 bytes by thread 0 of block 1"):
        _launch("out[threadIdx.x] = blockIdx.x;", blocks=2)


def test_what_a_block_shares_holds_rubbish_at_its_start_and_fits_every_card() -> None:
    out = _launch("__shared__ u32 cells[THREADS]; out[threadIdx.x] = cells[threadIdx.x];")
    assert set(out.tolist()) == {0xCBCBCBCB}
    _launch("__shared__ u32 cells[12288]; cells[threadIdx.x] = 1;")
    with pytest.raises(AssertionError, match="error 3"):
        _launch("__shared__ u32 cells[12289]; cells[threadIdx.x] = 1;")
