"""How do plans become machine code? Everything here is optional: without llvmlite the interpreter runs alone."""
