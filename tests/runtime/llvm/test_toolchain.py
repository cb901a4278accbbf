"""Modules without passes are compiled with other options of LLVM, which are then as they were."""

from __future__ import annotations

from penstock.runtime.kernels.convolution.convolution_loop import convolution_loop
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


def test_the_note_on_llvm_does_not_name_options_but_the_key_of_objects_does() -> None:
    noted = facts_of_llvm().fingerprint
    assert fingerprint().startswith(noted)
    assert fingerprint() != noted
