/* Runs a CUDA kernel on one CPU thread.
 *
 * Blocks run one after another. The threads of a block run to their end one after another or, where the kernel waits at
 * barriers, as contexts that take turns: a thread runs until it must wait. Threads of a warp exchange values through
 * slots, written before a barrier of the warp and read after it; two sets of slots alternate, since no thread is further
 * ahead than one exchange. Threads that have ended count at no barrier.
 *
 * Blocks that wait for each other are resident several at a time, in turns that a seed draws; the shared memory of a
 * block is put aside between its turns. An odd seed starts blocks from the last to the first and lets the threads of a
 * block take their turns backwards; an even one lets threads take turns in an order that is drawn anew each time. No
 * result may depend on any of it. A launch fails when no thread of any resident block can continue.
 *
 * A context is made once, and at its end waits for the next block: from then on turns change by _longjmp, which asks
 * nothing of the system, where swapcontext asks for the signals each time. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "gpu_threads.h"

#define MOST 1024
#define WARPS 32
#define RESIDENT 5
#define STACK (128 * 1024)
#define SHARED (48 * 1024) /* static shared memory of a block, on every card */
#define RUBBISH 0xCB

typedef struct { unsigned alive, waiting, round; } Barrier;
typedef struct {
  jmp_buf threads[MOST];
  char over[MOST], is_made[MOST];
  Barrier whole, warps[WARPS];
  unsigned long long slots[2][MOST][4];
  hc_dim at;
  unsigned long long number;
  unsigned before; /* its progress when its last turn ended */
  int busy;
  char *stacks, *shared;
} Block;

hc_dim hc_thread, hc_block, hc_block_dim, hc_grid_dim;
char *hc_dynamic;
static jmp_buf scheduler;
static Block *blocks[RESIDENT], *block;
static unsigned now, turns_drawn;
static const struct hc_launch *running;

void hc_yield(void) { if (!_setjmp(block->threads[now])) _longjmp(scheduler, 1); }

static void arrive(Barrier *b) {
  unsigned round = b->round;
  if (++b->waiting == b->alive) { b->waiting = 0; b->round++; return; }
  while (b->round == round) hc_yield();
}
static void leave(Barrier *b) {
  if (--b->alive && b->waiting == b->alive) { b->waiting = 0; b->round++; }
}
void hc_barrier(void) { arrive(&block->whole); }
void hc_warp_barrier(void) { arrive(&block->warps[now / 32]); }
const unsigned long long (*hc_exchange(const unsigned long long *value))[4] {
  Block *own = block;
  unsigned warp = now / 32, set = own->warps[warp].round & 1;
  memcpy(own->slots[set][now], value, sizeof own->slots[0][0]);
  arrive(&own->warps[warp]);
  return (const unsigned long long(*)[4]) & own->slots[set][warp * 32];
}
unsigned long long hc_where(unsigned *thread, unsigned *whole, unsigned *warp) {
  *thread = now;
  *whole = block->whole.round;
  *warp = block->warps[now / 32].round;
  return block->number;
}
int hc_is_shared(const void *place) {
  const char *at = (const char *)place;
  return (running->shared && at >= running->shared && at < running->shared + running->shared_size) ||
         (hc_dynamic && at >= hc_dynamic && at < hc_dynamic + running->dynamic);
}
unsigned hc_lane(void) { return now % 32; }
unsigned hc_lanes(void) {
  unsigned count = hc_block_dim.x * hc_block_dim.y * hc_block_dim.z - now / 32 * 32;
  return count < 32 ? count : 32;
}

static void thread_main(void) {
  for (;;) {
    running->call(running->arguments);
    block->over[now] = 1;
    leave(&block->whole);
    leave(&block->warps[now / 32]);
    hc_yield();
  }
}
/* Let a thread of the block go on until it yields. */
static void go_on(unsigned me) {
  if (_setjmp(scheduler)) return;
  if (block->is_made[me]) _longjmp(block->threads[me], 1);
  block->is_made[me] = 1;
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = block->stacks + (size_t)me * STACK;
  context.uc_stack.ss_size = STACK;
  context.uc_link = NULL;
  makecontext(&context, thread_main, 0);
  setcontext(&context);
}
static void begin(unsigned count) {
  Barrier none = {0, 0, 0};
  block->whole = none;
  block->whole.alive = count;
  for (unsigned w = 0; w < WARPS; w++) block->warps[w] = none;
  if (!block->stacks) block->stacks = (char *)malloc((size_t)MOST * STACK);
  for (unsigned i = 0; i < count; i++) {
    if (!block->over[i]) block->is_made[i] = 0; /* it stands where a launch has failed */
    block->over[i] = 0;
    block->warps[i / 32].alive++;
  }
}
static void number(unsigned i) {
  now = i;
  hc_thread.x = i % hc_block_dim.x;
  hc_thread.y = i / hc_block_dim.x % hc_block_dim.y;
  hc_thread.z = i / hc_block_dim.x / hc_block_dim.y;
}
static unsigned drawn(unsigned *seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 16; }

/* The order in which threads take a turn. */
static const unsigned *order(unsigned count) {
  static unsigned numbers[MOST];
  for (unsigned i = 0; i < count; i++) numbers[i] = running->seed & 1 ? count - 1 - i : i;
  if (running->seed && !(running->seed & 1)) {
    for (unsigned i = count; i > 1; i--) {
      unsigned other = drawn(&turns_drawn) % i, mine = numbers[i - 1];
      numbers[i - 1] = numbers[other];
      numbers[other] = mine;
    }
  }
  return numbers;
}
/* A turn of each thread that has not ended; their progress, as a number that changes. */
static unsigned turn(unsigned count) {
  unsigned progress;
  const unsigned *numbers = order(count);
  for (unsigned i = 0; i < count; i++) {
    unsigned me = numbers[i];
    if (block->over[me]) continue;
    number(me);
    go_on(me);
  }
  progress = block->whole.alive + block->whole.round * 7919u;
  for (unsigned w = 0; w < WARPS; w++) progress += block->warps[w].round * 104729u;
  return progress;
}
/* Turns of a resident block until it ends or must wait for another one; whether it continued. */
static int turns(unsigned count) {
  const struct hc_launch *how = running;
  int continued = 0, swapped = how->resident > 1 && how->shared_size;
  if (swapped) memcpy(how->shared, block->shared, how->shared_size);
  do {
    unsigned progress = turn(count);
    if (progress == block->before) break;
    block->before = progress;
    continued = 1;
  } while (block->whole.alive && how->resident == 1);
  if (swapped) memcpy(block->shared, how->shared, how->shared_size);
  return continued;
}

int hc_run(const struct hc_launch *how) {
  const unsigned count = how->block.x * how->block.y * how->block.z;
  const unsigned long long all = (unsigned long long)how->grid.x * how->grid.y * how->grid.z;
  unsigned long long started = 0, over = 0;
  unsigned seed = how->seed, idle = 0;
  if (count > MOST || how->resident > RESIDENT) return 2;
  if (how->shared_size > SHARED) return 3;
  running = how;
  turns_drawn = how->seed;
  hc_grid_dim = how->grid;
  hc_block_dim = how->block;
  hc_dynamic = how->dynamic ? (char *)aligned_alloc(128, (how->dynamic + 127) / 128 * 128) : NULL;
  for (int p = 0; p < how->resident; p++) {
    if (!blocks[p]) blocks[p] = (Block *)calloc(1, sizeof(Block));
    if (how->resident > 1) blocks[p]->shared = (char *)realloc(blocks[p]->shared, how->shared_size + 1);
    blocks[p]->busy = 0;
  }
  while (over < all && idle <= 60) {
    int continued = 0;
    for (int p = 0; p < how->resident; p++) {
      block = blocks[p];
      if (!block->busy && started < all) {
        unsigned long long n = how->seed & 1 ? all - 1 - started : started;
        block->number = n;
        block->at.x = n % how->grid.x;
        block->at.y = n / how->grid.x % how->grid.y;
        block->at.z = n / how->grid.x / how->grid.y;
        started++;
        block->busy = continued = 1;
        block->before = ~0u;
        if (hc_dynamic) memset(hc_dynamic, RUBBISH, how->dynamic);
        if (how->shared) memset(how->resident > 1 ? block->shared : how->shared, RUBBISH, how->shared_size);
        if (how->waits) begin(count);
      }
      if (!block->busy) continue;
      hc_block = block->at;
      if (!how->waits) {
        const unsigned *numbers = order(count);
        for (unsigned i = 0; i < count; i++) { number(numbers[i]); how->call(how->arguments); }
        block->busy = 0;
        over++;
        continue;
      }
      if (how->seed && how->resident > 1 && drawn(&seed) % 3 == 0) continue; /* not its turn */
      if (turns(count)) continued = 1;
      if (!block->whole.alive) { block->busy = 0; over++; }
    }
    idle = continued ? 0 : idle + 1;
  }
  free(hc_dynamic);
  hc_dynamic = NULL;
  return over < all;
}
