"""Machine code by LLVM: toolchain, cache, background compilation, promotion, the native driver."""
