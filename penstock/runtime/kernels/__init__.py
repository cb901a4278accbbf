"""Which loops over memory are compiled for the ops that move elements? Templates of LLVM IR; they know no op."""
