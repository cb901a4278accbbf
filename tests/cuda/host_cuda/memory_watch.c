/* Watches the loads and stores of a kernel, as NVIDIA's compute-sanitizer does on a card.
 *
 * The C compiler puts a call before each load and store (-fsanitize=thread); the functions that it calls are here. Each
 * byte has the last store and the last loads of two threads. The faults:
 *
 *   outside       memory that is neither an argument's nor shared
 *   misaligned    an address that is no multiple of the size of the load or store
 *   a race        two threads, at least one of which stores, with nothing between them that orders them. In a block that
 *                 is __syncthreads, in a warp __syncwarp or an exchange too. Atomic functions and volatile memory do not
 *                 race with each other. A volatile load of what another block has stored plainly needs a __threadfence
 *                 and then an atomic function of the thread that stored it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_threads.h"
#include "memory_watch.h"

enum { NONE, PLAIN, VOLATILE };
enum { BYTES = 8, NEAR = 64 };
typedef struct { unsigned long long block; unsigned thread, whole, warp; unsigned short fences; unsigned char kind; } Access;
typedef struct { Access store, loads[2]; } Cell; /* of a byte */
typedef struct { uintptr_t number; unsigned launch; Cell cells[BYTES]; } Line; /* of bytes beside each other */

static struct hw_range *given;
static int given_count, bounded, on, atomic;
static unsigned short *fences, *released; /* of each thread: its fences, and those before its last atomic function */
static Line *lines; /* kept from launch to launch: those of an earlier one are free */
static unsigned launch;
static unsigned bits; /* of the number of lines */
static size_t used;
static char fault[400];

void hw_begin(const struct hw_range *ranges, int count, int is_bounded, size_t threads) {
  given = (struct hw_range *)realloc(given, sizeof *given * (count + 1));
  memcpy(given, ranges, sizeof *given * count);
  given_count = count; bounded = is_bounded; atomic = 0; fault[0] = 0;
  fences = (unsigned short *)calloc(threads, sizeof *fences);
  released = (unsigned short *)calloc(threads, sizeof *released);
  if (!lines) lines = (Line *)calloc((size_t)1 << (bits = 10), sizeof *lines);
  launch++;
  used = 0;
  on = 1;
}
const char *hw_end(void) {
  on = 0;
  free(fences); free(released);
  fences = released = NULL;
  return fault[0] ? fault : NULL;
}
static size_t of_thread(unsigned long long block, unsigned thread) {
  return (size_t)block * (hc_block_dim.x * hc_block_dim.y * hc_block_dim.z) + thread;
}
static size_t this_thread(void) {
  unsigned thread, whole, warp;
  unsigned long long number = hc_where(&thread, &whole, &warp);
  return of_thread(number, thread);
}
void hw_fence(void) { if (on) fences[this_thread()]++; }
void hw_atomic(int begins) {
  atomic = begins;
  if (on && begins) released[this_thread()] = fences[this_thread()];
}

static Line *line_of(uintptr_t number) {
  size_t at;
  if (used >> (bits - 1)) { /* half of them */
    Line *old = lines;
    size_t before = (size_t)1 << bits;
    lines = (Line *)calloc((size_t)1 << (bits += 2), sizeof *lines);
    used = 0;
    for (size_t i = 0; i < before; i++) if (old[i].launch == launch) *line_of(old[i].number) = old[i];
    free(old);
  }
  at = (number / NEAR * 0x9E3779B97F4A7C15ull >> (64 - bits) & -NEAR) + number % NEAR; /* neighbours stay neighbours */
  while (lines[at].launch == launch && lines[at].number != number) at = (at + NEAR + 1) & (((size_t)1 << bits) - 1);
  if (lines[at].launch != launch) {
    memset(&lines[at], 0, sizeof lines[at]);
    lines[at].number = number;
    lines[at].launch = launch;
    used++;
  }
  return &lines[at];
}
static int is_own(uintptr_t address) { /* the thread's stack, and the words that the machine keeps */
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  const hc_dim *words[] = {&hc_thread, &hc_block, &hc_block_dim, &hc_grid_dim};
  if (address >= frame && address < frame + (128 << 10)) return 1;
  for (int i = 0; i < 4; i++) if (address >= (uintptr_t)words[i] && address < (uintptr_t)(words[i] + 1)) return 1;
  return 0;
}
static int is_inside(uintptr_t address, size_t size) {
  for (int i = 0; i < given_count; i++) {
    uintptr_t start = (uintptr_t)given[i].start;
    if (address >= start && address + size <= start + given[i].size) return 1;
  }
  return 0;
}
static int is_ordered(const Access *one, const Access *other, int is_shared, int is_load) {
  if (!one->kind || (one->kind == VOLATILE && other->kind == VOLATILE)) return 1;
  if (one->block != other->block) {
    if (is_shared) return 1; /* each block has its own */
    return is_load && other->kind == VOLATILE && released[of_thread(one->block, one->thread)] > one->fences;
  }
  if (one->thread == other->thread || one->whole != other->whole) return 1;
  return one->thread / 32 == other->thread / 32 && one->warp != other->warp;
}
static void told(const char *what, uintptr_t address, size_t size, const Access *now, const Access *before) {
  if (fault[0]) return;
  int n = snprintf(fault, sizeof fault, "%s of %zu bytes by thread %u of block %llu", what, size, now->thread, now->block);
  for (int i = 0; i < given_count; i++) {
    long long at = (long long)address - (long long)(uintptr_t)given[i].start;
    if (at >= -64 && at < (long long)given[i].size + 64)
      n += snprintf(fault + n, sizeof fault - n, ", byte %lld of range %d", at, i);
  }
  if (before) snprintf(fault + n, sizeof fault - n, "; before it thread %u of block %llu", before->thread, before->block);
}
static void access_to(void *place, size_t size, int is_store, int kind, int is_aligned) {
  uintptr_t address = (uintptr_t)place;
  Access now;
  int is_shared;
  if (!on || is_own(address)) return;
  now.block = hc_where(&now.thread, &now.whole, &now.warp);
  now.kind = atomic ? VOLATILE : kind;
  now.fences = fences[of_thread(now.block, now.thread)];
  is_shared = hc_is_shared(place);
  if (is_aligned && (size & (size - 1)) == 0 && address % size)
    told(is_store ? "a misaligned store" : "a misaligned load", address, size, &now, NULL);
  if (bounded && !is_shared && !is_inside(address, size)) {
    told(is_store ? "a store outside" : "a load outside", address, size, &now, NULL);
    return;
  }
  Line *line = NULL;
  for (size_t i = 0; i < size; i++) {
    if (!line || (address + i) % BYTES == 0) line = line_of((address + i) / BYTES);
    Cell *cell = &line->cells[(address + i) % BYTES];
    if (!is_ordered(&cell->store, &now, is_shared, !is_store))
      told(is_store ? "a race: a store" : "a race: a load", address, size, &now, &cell->store);
    if (is_store) {
      for (int k = 0; k < 2; k++)
        if (!is_ordered(&cell->loads[k], &now, is_shared, 0)) told("a race: a store", address, size, &now, &cell->loads[k]);
      cell->store = now;
      cell->loads[0].kind = cell->loads[1].kind = NONE;
    } else if (cell->loads[0].thread != now.thread || cell->loads[0].block != now.block) {
      cell->loads[1] = cell->loads[0];
      cell->loads[0] = now;
    } else {
      cell->loads[0] = now;
    }
  }
}

void __tsan_init(void) {}
void __tsan_func_entry(void *at) { (void)at; }
void __tsan_func_exit(void) {}
#define OF_SIZE(n) \
  void __tsan_read##n(void *p) { access_to(p, n, 0, PLAIN, 1); } \
  void __tsan_write##n(void *p) { access_to(p, n, 1, PLAIN, 1); } \
  void __tsan_unaligned_read##n(void *p) { access_to(p, n, 0, PLAIN, 0); } \
  void __tsan_unaligned_write##n(void *p) { access_to(p, n, 1, PLAIN, 0); } \
  void __tsan_volatile_read##n(void *p) { access_to(p, n, 0, VOLATILE, 1); } \
  void __tsan_volatile_write##n(void *p) { access_to(p, n, 1, VOLATILE, 1); }
OF_SIZE(1) OF_SIZE(2) OF_SIZE(4) OF_SIZE(8) OF_SIZE(16)
void __tsan_read_range(void *p, size_t size) { access_to(p, size, 0, PLAIN, 0); }
void __tsan_write_range(void *p, size_t size) { access_to(p, size, 1, PLAIN, 0); }
