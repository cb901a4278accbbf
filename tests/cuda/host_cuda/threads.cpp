/* How does a kernel run on one CPU thread? Block after block; the threads of a block run to their end one after another,
 * or, where the kernel waits at barriers, as contexts of their own that take turns: one runs until it must wait. What the
 * threads of a warp exchange goes through slots, written before a barrier of that warp and read after it; two sets of
 * slots in turn, since no thread is further ahead than one exchange. Threads that ended count at no barrier. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#include "machine.h"

extern "C" {
host_cuda::Dim hc_thread, hc_block, hc_block_dim, hc_grid_dim;
char *hc_dynamic;
}

namespace host_cuda {
namespace {

constexpr unsigned MOST = 1024, WARPS = 32;
constexpr size_t STACK = 128 * 1024;

ucontext_t scheduler, fibers[MOST];
char *stacks;
unsigned now;
bool over[MOST];
struct Barrier { unsigned alive = 0, waiting = 0, round = 0; };
Barrier whole, warps[WARPS];
unsigned long long slots[2][MOST][4];
void (*body)(void **);
void **given;

void arrive(Barrier &b) {
  unsigned round = b.round;
  if (++b.waiting == b.alive) { b.waiting = 0; b.round++; return; }
  while (b.round == round) { unsigned me = now; swapcontext(&fibers[me], &scheduler); }
}

void leave(Barrier &b) {
  if (--b.alive && b.waiting == b.alive) { b.waiting = 0; b.round++; }
}

unsigned linear() { return hc_thread.x + hc_block_dim.x * (hc_thread.y + hc_block_dim.y * hc_thread.z); }

void fiber() {
  body(given);
  unsigned me = now;
  over[me] = true;
  leave(whole);
  leave(warps[me / 32]);
  swapcontext(&fibers[me], &scheduler);
}

void take_turns(unsigned count, Dim block, const char *name) {
  whole = Barrier{count, 0, 0};
  for (auto &w : warps) w = Barrier{};
  for (unsigned i = 0; i < count; i++) {
    over[i] = false;
    warps[i / 32].alive++;
    getcontext(&fibers[i]);
    fibers[i].uc_stack.ss_sp = stacks + i * STACK;
    fibers[i].uc_stack.ss_size = STACK;
    fibers[i].uc_link = nullptr;
    makecontext(&fibers[i], fiber, 0);
  }
  auto progress = [] { unsigned long long n = whole.round * 1000003ull - whole.alive; for (auto &w : warps) n += w.round; return n; };
  while (whole.alive) {
    auto before = progress();
    for (unsigned i = 0; i < count; i++) {
      if (over[i]) continue;
      now = i;
      hc_thread = {i % block.x, i / block.x % block.y, i / block.x / block.y};
      swapcontext(&scheduler, &fibers[i]);
    }
    if (whole.alive && progress() == before) {
      fprintf(stderr, "host CUDA: the threads of a block of %s wait for each other for ever\n", name);
      abort();
    }
  }
}

}  // namespace

void run_kernel(void (*call)(void **), void **arguments, Dim grid, Dim block, size_t shared, bool waits, const char *name) {
  unsigned count = block.x * block.y * block.z;
  hc_grid_dim = grid;
  hc_block_dim = block;
  if (!stacks) stacks = (char *)malloc(MOST * STACK);
  hc_dynamic = shared ? (char *)aligned_alloc(128, (shared + 127) / 128 * 128) : nullptr;
  body = call;
  given = arguments;
  for (unsigned z = 0; z < grid.z; z++) for (unsigned y = 0; y < grid.y; y++) for (unsigned x = 0; x < grid.x; x++) {
    hc_block = {x, y, z};
    if (shared) memset(hc_dynamic, 0xCB, shared);
    if (waits) { take_turns(count, block, name); continue; }
    for (unsigned i = 0; i < count; i++) {
      hc_thread = {i % block.x, i / block.x % block.y, i / block.x / block.y};
      call(arguments);
    }
  }
  free(hc_dynamic);
}

}  // namespace host_cuda

using namespace host_cuda;

/* Kernels call these; a library that names `hc_barrier` or `hc_exchange` is run with turns. */
extern "C" void hc_barrier() { arrive(whole); }
extern "C" void hc_warp_barrier() { arrive(warps[linear() / 32]); }
extern "C" const unsigned long long (*hc_exchange(const unsigned long long *value))[4] {
  unsigned me = linear(), warp = me / 32, set = warps[warp].round & 1;
  memcpy(slots[set][me], value, sizeof slots[0][0]);
  arrive(warps[warp]);
  return &slots[set][warp * 32];
}
extern "C" unsigned hc_lane() { return linear() % 32; }
extern "C" unsigned hc_lanes() {
  unsigned first = linear() / 32 * 32, count = hc_block_dim.x * hc_block_dim.y * hc_block_dim.z - first;
  return count < 32 ? count : 32;
}
