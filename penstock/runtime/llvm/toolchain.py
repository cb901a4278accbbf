"""The toolchain: from LLVM IR to functions that can be called.

`compile_ir` makes an object file (slow: 10-20 ms), `link` loads one into the process (0.15 ms), and `build` does both,
with the object cache in between. All of it uses one ORC engine. Its errors are Python exceptions; MCJIT would crash the
process on a damaged object and link a missing symbol to address 0.

llvmlite is used by one thread at a time, under `LOCK`, and a fork waits for that lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any

from ...graph.common.locks import LockKind, new_lock
from ...graph.common.quick_dataclass import dataclass
from .host_facts import HostFacts
from .llvmlite_import import llvm_or_reason, versions

AS_IS = "; no passes\n"
"""The first line of a module that is written in vectors and registers: passes would take longer than making the object,
and improve nothing."""

_OPTIONS = "as is 2"
"""Changes with the options below. What is noted of LLVM lacks it, because versions of the package share that note."""

_IMPROVING = {"disable-lsr": False, "disable-cgp": False, "enable-misched": True}
"""Options of LLVM's code generator that are put the other way round for such modules, and what they are otherwise: the
reduction of strengths in loops, the preparation of blocks and the scheduler, together half of its time."""

_NEWEST_LLVM_WITH_THEM = 22
"""LLVM ends the process at an option that it does not know, so a later version is not asked."""

LOCK = new_lock(LockKind.COMPILER)
"""Held around every use of llvmlite."""

Imports = Mapping[str, int]
_numbers = count()


@dataclass(frozen=True, eq=False)
class Library:
    """Loaded code: the addresses of its functions by name. It is never unloaded.

    Unloading would free only half of the memory (9 of 18 KiB), and it would need a count of references to the code.
    """

    addresses: Mapping[str, int]
    kept: Any

    def __getitem__(self, name: str) -> int:
        return self.addresses[name]


_forever: list[Library] = []


@cache
def _machine() -> Any:
    llvm, reason = llvm_or_reason()
    if llvm is None:
        raise RuntimeError(reason)
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )


@cache
def _engine() -> Any:
    llvm, _ = llvm_or_reason()
    return llvm.create_lljit_compiler(_machine())


@cache
def features() -> frozenset[str]:
    """The features of this processor by LLVM's names: {"avx512f", "f16c", ...}; none where LLVM cannot tell.

    A writer of sources may ask before anything has found out that they cannot be compiled.
    """
    if _EarlierFacts.facts is not None:
        return _EarlierFacts.facts.features
    return _features_now()


def _features_now() -> frozenset[str]:
    llvm, _ = llvm_or_reason()
    try:
        return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)
    except Exception:
        return frozenset()


def attributes() -> str:
    """The attributes of functions: #0, and #1 of those that are not to be inlined."""
    # By default LLVM uses 256-bit vectors, because early AVX-512 processors slowed down on 512.
    width = ' "prefer-vector-width"="512"' if "avx512f" in features() else ""
    return f"attributes #0 = {{ nounwind{width} }}\nattributes #1 = {{ nounwind noinline{width} }}"


@cache
def fingerprint() -> str:
    """The versions, the processor and the options that an object file depends on, besides its IR."""
    facts = _EarlierFacts.facts
    return f"{_fingerprint_now() if facts is None else facts.fingerprint}\n{_OPTIONS}"


def _fingerprint_now() -> str:
    llvm, _ = llvm_or_reason()
    cpu = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return "\n".join([*versions(), llvm.get_process_triple(), *cpu, "O2 loop-vectorize slp 1"])


class _EarlierFacts:
    facts: HostFacts | None = None


def describe(facts: HostFacts | None) -> None:
    """From now on answer with the facts that an earlier process noted; None if it noted none."""
    _EarlierFacts.facts = facts


def is_noted() -> bool:
    """Whether `features` and `fingerprint` answer without loading LLVM."""
    return _EarlierFacts.facts is not None


def facts_of_llvm() -> HostFacts:
    """What LLVM says, which is loaded now."""
    return HostFacts(_features_now(), _fingerprint_now())


def agrees_with_note(facts: HostFacts) -> bool:
    """Whether sources that are written already hold what LLVM says."""
    return _EarlierFacts.facts is None or _EarlierFacts.facts == facts


def compile_ir(ir: str) -> bytes:
    """The object file of a module.

    Raises:
        RuntimeError: the IR is invalid, or llvmlite is missing.
    """
    with LOCK:
        module, _ = _optimised(ir)
        with _improvements(not ir.startswith(AS_IS)):
            code: bytes = _machine().emit_object(module)
        return code


def optimised_ir(ir: str) -> str:
    """The IR after LLVM's passes, for listings."""
    with LOCK:
        return str(_optimised(ir)[0])


def assembly(ir: str) -> str:
    """The assembly text of a module, for listings."""
    with LOCK:
        module, _ = _optimised(ir)
        with _improvements(not ir.startswith(AS_IS)):
            text: str = _machine().emit_assembly(module)
        return text


@contextmanager
def _improvements(are_wanted: bool) -> Iterator[None]:
    """A block in which LLVM generates code with what `_IMPROVING` lists, or without. The options are the process's."""
    if are_wanted:
        yield
        return
    try:
        _set_options({name: not value for name, value in _IMPROVING.items()})
        yield
    finally:
        _set_options(_IMPROVING)


def _set_options(options: Mapping[str, bool]) -> None:
    llvm, _ = llvm_or_reason()
    if llvm.llvm_version_info[0] > _NEWEST_LLVM_WITH_THEM:
        return
    for name, value in options.items():
        llvm.set_option("penstock", f"-{name}={'true' if value else 'false'}")


def _optimised(ir: str) -> tuple[Any, Any]:
    llvm, reason = llvm_or_reason()
    if llvm is None:
        raise RuntimeError(reason)
    machine = _machine()
    module = llvm.parse_assembly(ir)
    module.verify()
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    if ir.startswith(AS_IS):
        return module, None
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = True
    options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    try:
        passes.run(module, builder)
    finally:
        _free_pass_manager(passes)
    return module, builder


def _free_pass_manager(passes: Any) -> None:
    """Free a pass manager: in llvmlite the empty `_dispose` of one base hides that of the other, 60 KB per module."""
    llvm, _ = llvm_or_reason()
    own = llvm.newpassmanagers.NewPassManager._dispose
    if type(passes)._dispose is not own:
        own(passes)


def link(code: bytes, names: Iterable[str], imports: Imports = {}) -> Library:  # noqa: B006  # never changed
    """Load an object file.

    Args:
        code: the object file.
        names: the functions to export.
        imports: addresses of the functions it calls, by name.

    Raises:
        RuntimeError: the object is damaged, or calls a function that is neither imported nor in the process.
    """
    llvm, reason = llvm_or_reason()
    if llvm is None:
        raise RuntimeError(reason)
    with LOCK:
        unit = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name, address in imports.items():
            unit.import_symbol(name, address)
        names = tuple(names)
        for name in names:
            unit.export_symbol(name)
        tracker = unit.link(_engine(), f"penstock{next(_numbers)}")
        library = Library({name: tracker[name] for name in names}, tracker)
        _forever.append(library)
        return library


def build(
    ir: str,
    names: Iterable[str],
    imports: Imports = {},  # noqa: B006  # never changed
    cached: Callable[[str, Callable[[str], bytes]], bytes] | None = None,
) -> Library:
    """Compile and link. cached: a function (IR, compile) -> object code; without it `compile_ir` is called."""
    code = compile_ir(ir) if cached is None else cached(ir, compile_ir)
    return link(code, names, imports)
