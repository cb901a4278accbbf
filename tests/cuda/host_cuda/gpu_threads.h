/* The GPU that a CPU thread plays: what kernels see of it, and how one is run. See gpu_threads.c. */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
typedef struct { unsigned x, y, z; } hc_dim;
extern hc_dim hc_thread, hc_block, hc_block_dim, hc_grid_dim;
extern char *hc_dynamic;
void hc_yield(void);
void hc_barrier(void);
void hc_warp_barrier(void);
const unsigned long long (*hc_exchange(const unsigned long long *value))[4];
unsigned hc_lane(void);
unsigned hc_lanes(void);
/* The number of the block whose thread runs, and of that thread; how often its block and its warp have waited. */
unsigned long long hc_where(unsigned *thread, unsigned *whole, unsigned *warp);
int hc_is_shared(const void *place);

/* call: the kernel, given pointers to its arguments. waits: its threads wait for each other. resident: blocks that run
 * at the same time, up to 5. seed: 0 for turns in order, odd ones for turns backwards, others for drawn ones. shared: its
 * static shared memory, which is needed if several blocks are resident; it holds rubbish when a block begins. dynamic:
 * bytes of dynamic shared memory. */
struct hc_launch {
  void (*call)(void **);
  void **arguments;
  hc_dim grid, block;
  int waits, resident;
  unsigned seed;
  char *shared;
  size_t shared_size, dynamic;
};
/* 0; 1 if threads wait for each other for ever; 2 for a block that is too large; 3 for too much shared memory. */
int hc_run(const struct hc_launch *launch);
#ifdef __cplusplus
}
#endif
