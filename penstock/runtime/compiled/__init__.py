"""The compiled tier: fused groups as LLVM IR, and their run."""
