/* A GPU played by one CPU thread, for sources that keep to C (see runtime/cuda/prelude.py).
 *
 * A launch runs block after block. The threads of a block are contexts of their own that take turns: one runs until it
 * waits at a barrier. What threads of one warp exchange goes through slots, written before a barrier of that warp and
 * read after it; two sets of slots in turn, since no thread can be further ahead than one exchange.
 *
 * Blocks that wait for each other (PS_SPIN) are several at a time, in turns that a seed draws: what a block shares and
 * knows of its threads lies in a section of its own, which is put aside between its turns. A seed also starts blocks
 * from the last to the first and lets the threads of a block take their turns backwards, to which no result may be
 * sensitive. If nobody gets on any more, the launch fails.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define PS_KERNEL static
#define PS_INLINE static inline
#define PS_BLOCK __attribute__((section("ps_block")))
#define __shared__ static PS_BLOCK
#define PS_SPIN ps_yield()
#define __device__
#define __restrict__ restrict
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))

typedef struct { unsigned x, y, z; } ps_dim;
static ps_dim threadIdx, blockIdx, blockDim, gridDim;
#define PS_MOST 1024
#define PS_STACK (64 * 1024)
#define PS_RESIDENT 5

static ucontext_t ps_scheduler, ps_fibers[PS_RESIDENT][PS_MOST];
static char *ps_stacks;
static unsigned ps_now, ps_place;
PS_BLOCK static char ps_over[PS_MOST];
PS_BLOCK static unsigned ps_alive, ps_waiting, ps_round;
PS_BLOCK static unsigned ps_warp_alive[32], ps_warp_waiting[32], ps_warp_round[32];
PS_BLOCK static unsigned long long ps_slot[2][PS_MOST];
extern char __start_ps_block[], __stop_ps_block[];
static void ps_call(void);

static void ps_yield(void) { swapcontext(&ps_fibers[ps_place][ps_now], &ps_scheduler); }
static void __syncthreads(void) {
  unsigned round = ps_round;
  if (++ps_waiting == ps_alive) { ps_waiting = 0; ps_round++; return; }
  while (ps_round == round) ps_yield();
}
static void ps_warp_wait(void) {
  unsigned warp = threadIdx.x / 32, round = ps_warp_round[warp];
  if (++ps_warp_waiting[warp] == ps_warp_alive[warp]) { ps_warp_waiting[warp] = 0; ps_warp_round[warp]++; return; }
  while (ps_warp_round[warp] == round) ps_yield();
}
static const unsigned long long *ps_exchange(unsigned long long value) {
  unsigned warp = threadIdx.x / 32, set = ps_warp_round[warp] & 1;
  ps_slot[set][threadIdx.x] = value;
  ps_warp_wait();
  return &ps_slot[set][warp * 32];
}
static unsigned ps_lanes(void) {
  unsigned first = threadIdx.x / 32 * 32, count = blockDim.x - first;
  return count < 32 ? count : 32;
}
static void __syncwarp(unsigned mask) { (void)mask; ps_warp_wait(); }
static unsigned __ballot_sync(unsigned mask, int predicate) {
  const unsigned long long *slots = ps_exchange(predicate != 0);
  unsigned found = 0;
  for (unsigned i = 0; i < ps_lanes(); i++) if (mask >> i & 1 && slots[i]) found |= 1u << i;
  return found;
}
static int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static unsigned __match_any_sync(unsigned mask, unsigned long long value) {
  const unsigned long long *slots = ps_exchange(value);
  unsigned found = 0;
  for (unsigned i = 0; i < ps_lanes(); i++) if (mask >> i & 1 && slots[i] == value) found |= 1u << i;
  return found;
}
static unsigned long long ps_shuffle(unsigned long long value, int source) {
  const unsigned long long *slots = ps_exchange(value);
  return source >= 0 && source < (int)ps_lanes() ? slots[source] : value;
}
#define ps_of(value, source) ({ __typeof__(value) ps_v = (value); unsigned long long ps_u = 0; \
  memcpy(&ps_u, &ps_v, sizeof ps_v); ps_u = ps_shuffle(ps_u, source); memcpy(&ps_v, &ps_u, sizeof ps_v); ps_v; })
#define __shfl_sync(mask, value, lane) ps_of(value, (int)(lane))
#define __shfl_up_sync(mask, value, by) ps_of(value, (int)(threadIdx.x % 32) - (int)(by))
#define __shfl_down_sync(mask, value, by) ps_of(value, (int)(threadIdx.x % 32) + (int)(by))
#define __shfl_xor_sync(mask, value, by) ps_of(value, (int)(threadIdx.x % 32) ^ (int)(by))
#define __popc(x) __builtin_popcount(x)
#define __ffs(x) __builtin_ffs(x)
#define __clz(x) __builtin_clz(x)
#define __threadfence()
#define __ldg(p) (*(p))
#define atomicAdd(p, v) ({ __typeof__(*(p)) ps_o = *(p); *(p) = (__typeof__(*(p)))(ps_o + (v)); ps_o; })
#define atomicMin(p, v) ({ __typeof__(*(p)) ps_o = *(p); if ((v) < ps_o) *(p) = (v); ps_o; })
#define atomicMax(p, v) ({ __typeof__(*(p)) ps_o = *(p); if ((v) > ps_o) *(p) = (v); ps_o; })
#define atomicExch(p, v) ({ __typeof__(*(p)) ps_o = *(p); *(p) = (v); ps_o; })
#define atomicCAS(p, c, v) ({ __typeof__(*(p)) ps_o = *(p); if (ps_o == (c)) *(p) = (v); ps_o; })
typedef struct __attribute__((aligned(8))) { int x, y; } int2;
typedef struct __attribute__((aligned(16))) { int x, y, z, w; } int4;
typedef struct __attribute__((aligned(8))) { unsigned x, y; } uint2;
typedef struct __attribute__((aligned(16))) { unsigned x, y, z, w; } uint4;
static inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

static inline float ps_h2f(unsigned short h) { _Float16 x; memcpy(&x, &h, 2); return (float)x; }
static inline unsigned short ps_f2h(float f) { _Float16 x = (_Float16)f; unsigned short h; memcpy(&h, &x, 2); return h; }
static inline unsigned short ps_d2h(double d) { _Float16 x = (_Float16)d; unsigned short h; memcpy(&h, &x, 2); return h; }

static void ps_main(void) {
  ps_call();
  unsigned me = ps_now, warp = me / 32;
  ps_over[me] = 1;
  /* Who leaves no longer counts at barriers; the last one missing may be it. */
  if (--ps_alive && ps_waiting == ps_alive) { ps_waiting = 0; ps_round++; }
  if (--ps_warp_alive[warp] && ps_warp_waiting[warp] == ps_warp_alive[warp]) {
    ps_warp_waiting[warp] = 0; ps_warp_round[warp]++;
  }
  ps_yield();
}

static void ps_begin(unsigned count) {
  ps_alive = count; ps_waiting = 0;
  for (unsigned w = 0; w < 32; w++) { ps_warp_alive[w] = 0; ps_warp_waiting[w] = 0; }
  for (unsigned i = 0; i < count; i++) {
    ucontext_t *fiber = &ps_fibers[ps_place][i];
    ps_over[i] = 0; ps_warp_alive[i / 32]++;
    getcontext(fiber);
    fiber->uc_stack.ss_sp = ps_stacks + ((size_t)ps_place * PS_MOST + i) * PS_STACK;
    fiber->uc_stack.ss_size = PS_STACK;
    fiber->uc_link = 0;
    makecontext(fiber, ps_main, 0);
  }
}
/* A turn of each thread that is not over; what they got on with, as a number that changes. */
static unsigned ps_turn(unsigned count, int backwards) {
  for (unsigned i = 0; i < count; i++) {
    unsigned me = backwards ? count - 1 - i : i;
    if (ps_over[me]) continue;
    ps_now = me; threadIdx = (ps_dim){me, 0, 0};
    swapcontext(&ps_scheduler, &ps_fibers[ps_place][me]);
  }
  unsigned got = ps_alive + ps_round * 7919u;
  for (unsigned w = 0; w < 32; w++) got += ps_warp_round[w] * 104729u;
  return got;
}
static unsigned ps_drawn(unsigned *seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 16; }

/* 0, or 1 if threads wait for each other for ever. seed: 0 for turns in order, otherwise how they are drawn. */
int ps_launch(const unsigned *grid, const unsigned *block, int barriers, int resident, unsigned seed) {
  static char *aside[PS_RESIDENT];
  const size_t size = __stop_ps_block - __start_ps_block;
  const unsigned count = block[0];
  const unsigned long long blocks = (unsigned long long)grid[0] * grid[1] * grid[2];
  const int backwards = seed & 1;
  unsigned long long started = 0, over = 0;
  ps_dim at[PS_RESIDENT];
  unsigned busy[PS_RESIDENT] = {0}, before[PS_RESIDENT] = {0}, idle = 0;
  gridDim = (ps_dim){grid[0], grid[1], grid[2]};
  blockDim = (ps_dim){block[0], 1, 1};
  if (block[1] != 1 || block[2] != 1 || count > PS_MOST || resident > PS_RESIDENT) return 2;
  if (!ps_stacks) ps_stacks = malloc((size_t)PS_RESIDENT * PS_MOST * PS_STACK);
  for (int p = 0; p < PS_RESIDENT; p++) if (!aside[p]) aside[p] = calloc(1, size);
  while (over < blocks) {
    int got_on = 0;
    for (ps_place = 0; ps_place < (unsigned)resident; ps_place++) {
      if (!busy[ps_place] && started < blocks) {
        unsigned long long number = backwards ? blocks - 1 - started : started;
        started++;
        at[ps_place] = (ps_dim){number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
        busy[ps_place] = 1; got_on = 1; before[ps_place] = ~0u;
        if (barriers) {
          memcpy(__start_ps_block, aside[ps_place], size);
          ps_begin(count);
          memcpy(aside[ps_place], __start_ps_block, size);
        }
      }
      if (!busy[ps_place]) continue;
      blockIdx = at[ps_place];
      if (!barriers) {
        for (unsigned i = 0; i < count; i++) { threadIdx = (ps_dim){i, 0, 0}; ps_call(); }
        busy[ps_place] = 0; over++;
        continue;
      }
      if (seed && resident > 1 && ps_drawn(&seed) % 3 == 0) continue;  /* not its turn */
      memcpy(__start_ps_block, aside[ps_place], size);
      do {
        unsigned got = ps_turn(count, backwards);
        if (got != before[ps_place]) { got_on = 1; before[ps_place] = got; } else break;
      } while (ps_alive && resident == 1);
      if (!ps_alive) { busy[ps_place] = 0; over++; }
      memcpy(aside[ps_place], __start_ps_block, size);
    }
    idle = got_on ? 0 : idle + 1;
    if (idle > 60) return 1;
  }
  return 0;
}
