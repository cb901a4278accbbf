/* What a kernel does to memory, watched: see memory_watch.c. */
#pragma once
#include <stddef.h>

struct hw_range { const char *start; size_t size; };
/* ranges: the memory that a kernel is given. is_bounded: it touches no other. threads: those of the whole grid. */
void hw_begin(const struct hw_range *ranges, int count, int is_bounded, size_t threads);
/* The first fault since hw_begin, or NULL. */
const char *hw_end(void);
void hw_atomic(int begins);
void hw_fence(void);
