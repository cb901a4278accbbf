"""Machine code by LLVM: toolchain, object cache, background compilation, promotion, the native driver."""
