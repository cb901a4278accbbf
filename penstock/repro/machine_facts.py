"""Where a run was made: versions, the platform, the processor, and the settings of the process."""

from __future__ import annotations

import platform

import numpy as np

from .. import __version__
from ..runtime.base.cores import cores
from ..runtime.llvm import tier
from ..runtime.llvm.jit_settings import SETTINGS
from ..runtime.llvm.llvmlite_import import llvm_or_reason
from ..runtime.llvm.llvmlite_import import versions as llvm_versions
from ..runtime.llvm.toolchain import features


def machine_facts() -> dict[str, str]:
    """Versions and facts of the machine, each as text."""
    facts = {
        "penstock": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": str(cores()),
        "jit": tier.why_off() or SETTINGS.mode,
    }
    if llvm_or_reason()[0] is not None:
        facts["llvmlite"], facts["llvm"] = llvm_versions()
        facts["cpu features"] = " ".join(sorted(features()))
    return facts
