"""The compiled tier: fused groups as LLVM IR, and the calls of their machine code."""
