"""Modules without passes are compiled with other options of LLVM, which are then as they were."""

from __future__ import annotations

import pytest

from penstock.runtime.kernels.convolution.convolution_loop import convolution_loop
from penstock.runtime.llvm.llvmlite_import import llvm_or_reason
from penstock.runtime.llvm.toolchain import AS_IS, compile_ir, facts_of_llvm, fingerprint

from ..kernels.fences import needs_the_tier

pytestmark = needs_the_tier


def test_options_of_one_module_do_not_reach_the_next_one() -> None:
    as_is, _ = convolution_loop.code("f4", 3, 1, 0)
    assert as_is.startswith(AS_IS)
    other = as_is.removeprefix(AS_IS)
    before = compile_ir(other)
    quick = compile_ir(as_is)
    assert compile_ir(other) == before
    assert compile_ir(as_is) == quick
    assert quick != before


def test_a_version_of_llvm_that_may_not_know_the_options_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    as_is, _ = convolution_loop.code("f4", 3, 1, 0)
    llvm, _ = llvm_or_reason()
    options: list[str] = []
    monkeypatch.setattr(llvm, "set_option", lambda program, option: options.append(option))
    compile_ir(as_is)
    assert options == [
        "-disable-lsr=true", "-disable-cgp=true", "-enable-misched=false",
        "-disable-lsr=false", "-disable-cgp=false", "-enable-misched=true",
    ]  # fmt: skip
    options.clear()
    monkeypatch.setattr("penstock.runtime.llvm.toolchain._NEWEST_LLVM_WITH_THEM", 0)
    compile_ir(as_is)
    assert options == []


def test_the_note_on_llvm_does_not_name_options_but_the_key_of_objects_does() -> None:
    noted = facts_of_llvm().fingerprint
    assert fingerprint().startswith(noted)
    assert fingerprint() != noted
