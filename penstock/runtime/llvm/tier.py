"""The compiled tier: whether it is on, and building code from IR, at once or in the background.

It is on if llvmlite is installed, its self-check passed, and neither `PENSTOCK_JIT=off` nor `penstock.config.jit`
switched it off. LLVM is loaded (30-60 ms) and checked when code is built for the first time. `llvm.promotion` decides
when code pays. Lookups never wait for a compilation: only building takes `LOCK`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter, thread_time
from typing import Final, NamedTuple

from ...graph.common.lazy_import import load
from ...graph.common.quick_dataclass import dataclass
from . import self_check
from .background import BACKGROUND
from .compile_cost import COMPILE_SPEED
from .host_facts import note_facts, noted_facts
from .jit_settings import SETTINGS
from .llvmlite_import import MISSING, is_installed, llvm_or_reason
from .object_cache import CacheCounts, ObjectCache
from .toolchain import LOCK, Library, agrees_with_note, build, describe, facts_of_llvm, fingerprint, is_noted

MOST_LIBRARIES: Final = 20_000
"""The most libraries that one process loads; they are never unloaded, and each takes some 18 KiB."""


_WRONG_NOTE: Final = "the object cache had a wrong note of this processor; it is right from the next process on"


class ModuleSource(NamedTuple):
    """A module to compile: its IR, the functions to export, the addresses of imported functions by name, and modules
    whose functions it calls, too.
    """

    ir: str
    names: tuple[str, ...]
    imports: Mapping[str, int] = {}  # never changed
    needs: tuple[ModuleSource, ...] = ()


@dataclass(frozen=True, slots=True)
class JitStats:
    """What the compiled tier did in this process.

    Attributes:
        compiled: pieces of code that are loaded.
        hits: how many of them came from the cache on disk.
        misses: how many of them were compiled.
        damaged: files of the cache that were thrown away.
        unwritten: pieces of code that could not be kept on disk.
        seconds: the time spent on building them, LLVM's own start included.
        why_off: why nothing is compiled; "" if the tier is on.
        no_cache: why nothing is kept on disk; "" if it is.

    >>> from penstock.config import jit
    >>> stats = jit.stats()
    >>> isinstance(stats.compiled, int), stats.seconds >= 0.0
    (True, True)
    """

    compiled: int
    hits: int
    misses: int
    damaged: int
    unwritten: int
    seconds: float
    why_off: str
    no_cache: str


class TierState:
    """What is loaded.

    Attributes:
        checked: whether the self-check has run.
        recalled: whether the notes of earlier processes were looked for.
        fault: what it found, or what is missing; "" if the tier works.
        seconds: time spent on building.
        spent: see `spent_in_all`.
        counts: the counters of the object cache.
        libraries: the loaded code by source.
        cache: the object cache.
    """

    def __init__(self) -> None:
        self.checked = False
        self.recalled = False
        self.fault = ""
        self.seconds = self.spent = 0.0
        self.counts = CacheCounts()
        self.libraries: dict[bytes, Library] = {}
        self.cache = ObjectCache(None, 0)


STATE: Final = TierState()


# ---- is it on? ----------------------------------------------------------------------------------


def on() -> bool:
    """True if code may be compiled. Takes 0.2 us; loads nothing."""
    return not SETTINGS.why_off and not STATE.fault and is_installed()


def why_off() -> str:
    """Why nothing is compiled, in one sentence; empty if the tier is on."""
    return SETTINGS.why_off or STATE.fault or ("" if is_installed() else MISSING)


def at_once() -> bool:
    """True if everything is compiled at its first use: `PENSTOCK_JIT=now`, for tests."""
    return SETTINGS.mode == "now"


def is_ready() -> bool:
    """True if LLVM is loaded and checked."""
    return STATE.checked and not STATE.fault


def is_described() -> bool:
    """True if sources can be written, and looked for in the object cache: LLVM is loaded, or an earlier process has
    noted what it says of this processor.
    """
    if not STATE.recalled and not STATE.checked:
        STATE.recalled = True
        describe(noted_facts(cache()))
    return is_ready() or (is_noted() and not STATE.fault)


# ---- building code ------------------------------------------------------------------------------


def is_cached(source: ModuleSource) -> bool:
    """True if the code is loaded or in the object cache, so that building takes 0.5 ms once LLVM is loaded.

    Takes no lock: another thread may be compiling for a second.
    """
    # The self-check has computed the fingerprint, or it was noted, so LLVM is not called here.
    if not is_described() or not all(map(is_cached, source.needs)):
        return False
    return _key(source) in STATE.libraries or cache().has(source.ir, fingerprint())


def build_now(source: ModuleSource) -> Library:
    """The code, from the cache or compiled; the same code for the same source.

    Raises:
        RuntimeError: it cannot be compiled or linked, or the tier is off.
    """
    with LOCK:
        if SETTINGS.why_off or not _make_ready():
            raise RuntimeError(why_off())
        return _built(source)


def try_build(source: ModuleSource) -> Library | None:
    """The same, or None while another thread is compiling: a run does not wait for it.

    Raises:
        RuntimeError: as `build_now`.
    """
    if not LOCK.acquire(blocking=False):
        return None
    try:
        return build_now(source)
    finally:
        LOCK.release()


def load_llvm() -> bool:
    """Load and check LLVM if no other thread is at it; True if it is there."""
    if not LOCK.acquire(blocking=False):
        return False
    try:
        return _make_ready()
    finally:
        LOCK.release()


def build_later(
    source: ModuleSource, deliver: Callable[[Library | Exception], None], is_urgent: bool = False
) -> None:
    """Build code in the background, and call `deliver` there with the code or the error.

    With `PENSTOCK_JIT=now` everything happens before this returns. What is urgent comes before what waits, and between
    this module and those that it needs.
    """
    if at_once():
        try:
            built: Library | Exception = build_now(source)
        except Exception as error:  # `deliver` handles it, as in the background
            built = error
        deliver(built)
        return
    if not is_urgent:
        for each in source.needs:
            BACKGROUND.submit(partial(build_now, each), _heard_later)
    BACKGROUND.submit(partial(build_now, source), deliver, is_urgent)


def _heard_later(_: Library | Exception) -> None:
    """What a module needs is there, or failed: then the module fails, too."""


def is_idle() -> bool:
    """True if nothing is compiled in the background."""
    return BACKGROUND.is_idle


def spent_in_all(more: float) -> float:
    """The seconds for which work was interpreted that machine code may repay, with `more` of them."""
    STATE.spent += more
    return STATE.spent


def keep_going() -> None:
    """Continue with the queue if it has no thread, as in a forked child."""
    BACKGROUND.keep_going()


def wait(timeout: float | None = None) -> bool:
    """Wait until the background queue is empty, for tests and measurements; False after `timeout` seconds."""
    return BACKGROUND.wait(timeout)


# ---- state --------------------------------------------------------------------------------------


def cache() -> ObjectCache:
    """The object cache in the folder of the current settings."""
    folder = SETTINGS.chosen_folder()
    if STATE.cache.folder != folder or STATE.cache.cap != SETTINGS.cap:
        STATE.cache = ObjectCache(folder, SETTINGS.cap, STATE.counts)
    return STATE.cache


def stats() -> JitStats:
    """What was built in this process."""
    counts = STATE.counts
    return JitStats(
        compiled=len(STATE.libraries),
        hits=counts.hits,
        misses=counts.misses,
        damaged=counts.damaged,
        unwritten=counts.unwritten,
        seconds=STATE.seconds,
        why_off=why_off(),
        no_cache=cache().why_not(),
    )


# ---- building, under LOCK -----------------------------------------------------------------------


def _make_ready() -> bool:
    """Load and check LLVM once; True if it works."""
    if not STATE.checked:
        start = perf_counter()
        STATE.fault = _fault()
        STATE.checked = True
        STATE.seconds += perf_counter() - start
    return not STATE.fault


def _fault() -> str:
    llvm, reason = llvm_or_reason()
    if llvm is None:
        return reason
    try:
        fault = self_check.fault(_built(ModuleSource(self_check.IR, self_check.NAMES, self_check.imports())))
        facts = facts_of_llvm()
        note_facts(cache(), facts)
        return fault or ("" if agrees_with_note(facts) else _WRONG_NOTE)
    except Exception as error:  # an llvmlite of another version may lack what is called here
        return f"the self-check failed: {error}"


def _built(source: ModuleSource) -> Library:
    key = _key(source)
    library = STATE.libraries.get(key)
    if library is not None:
        return library
    if len(STATE.libraries) >= MOST_LIBRARIES:
        raise RuntimeError(f"{MOST_LIBRARIES} libraries are loaded, the most in one process; they are never unloaded")
    imports = dict(source.imports)
    for each in source.needs:
        imports |= _built(each).addresses
    start = perf_counter()
    try:
        library = build(source.ir, source.names, imports, _from_cache)
    finally:
        if STATE.checked:  # otherwise `_make_ready` counts the time
            STATE.seconds += perf_counter() - start
    STATE.libraries[key] = library
    return library


def _from_cache(ir: str, compile_ir: Callable[[str], bytes]) -> bytes:
    def compiled(text: str) -> bytes:
        start = thread_time()  # not the wall clock, which counts the time of other processes
        code = compile_ir(text)
        if STATE.checked:  # the first compilation includes LLVM's start
            COMPILE_SPEED.update(text, thread_time() - start)
        return code

    return cache().get(ir, fingerprint(), compiled)


def _key(source: ModuleSource) -> bytes:
    load("hashlib")
    import hashlib  # see `cache.key_of`

    text = f"{source.names} {sorted(source.imports.items())}\n{source.ir}"
    return hashlib.sha256(text.encode()).digest()

