/* CUDA's runtime as CuPy calls it. Device memory is memory, filled with rubbish; work is queued and runs as late as CUDA
 * allows; a capture keeps it. What CUDA refuses is refused with CUDA's number. */
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <pthread.h>
#include <set>

#include <cuda_runtime_api.h>

#include "machine.h"

namespace host_cuda {

Machine &machine() { static Machine m; return m; }
int &current_device() { thread_local int number; return number; }

static void finish(std::set<Stream *> streams, std::set<const void *> events);

namespace {

struct Block { size_t size; int device; bool host; };
std::map<char *, Block> blocks;
thread_local cudaError_t last_error;
size_t used;
bool forked, started;

size_t setting(const char *name, size_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, nullptr, 0) : otherwise;
}
int devices() { return (int)setting("HOST_CUDA_DEVICES", 1); }
size_t memory() { return setting("HOST_CUDA_MEMORY", size_t(2) << 30); }

const std::map<int, std::pair<const char *, const char *>> ERRORS = {
  {0, {"cudaSuccess", "no error"}}, {1, {"cudaErrorInvalidValue", "invalid argument"}},
  {2, {"cudaErrorMemoryAllocation", "out of memory"}}, {3, {"cudaErrorInitializationError", "initialization error"}},
  {100, {"cudaErrorNoDevice", "no CUDA-capable device is detected"}},
  {101, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
  {200, {"cudaErrorInvalidKernelImage", "device kernel image is invalid"}},
  {400, {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
  {500, {"cudaErrorSymbolNotFound", "named symbol not found"}},
  {801, {"cudaErrorNotSupported", "operation not supported"}},
  {900, {"cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"}},
  {901, {"cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"}},
  {906, {"cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"}},
  {907, {"cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"}},
};

void in_child() { if (started) forked = true; }

Stream *stream_of(void *handle) {
  static Stream legacy;
  return (size_t)handle <= 2 ? &legacy : (Stream *)handle;
}
std::vector<Stream *> streams;

/* Waiting for a stream, or work on the legacy one, while a blocking stream captures. */
int legacy_use() {
  for (Stream *s : streams) if (s->capturing && !(s->flags & cudaStreamNonBlocking)) { s->broken = true; return 906; }
  return 0;
}

Block *block_of(const void *pointer) {
  auto after = blocks.upper_bound((char *)pointer);
  if (after == blocks.begin()) return nullptr;
  auto &[begin, block] = *--after;
  return (char *)pointer < begin + std::max<size_t>(block.size, 1) ? &block : nullptr;
}

int wait_for(void *handle) {
  Stream *s = stream_of(handle);
  if (s->capturing) { s->broken = true; return 900; }
  if ((size_t)handle <= 2) if (int e = legacy_use()) return e;
  finish({s}, {});
  return 0;
}

int copy(void *to, const void *from, size_t count, void *stream, bool waits) {
  Block *source = block_of(from), *target = block_of(to);
  if (waits) {
    if (int e = wait_for(nullptr)) return e;
    memcpy(to, from, count);
    return 0;
  }
  if (!target && !stream_of(stream)->capturing) {  /* to pageable memory: CUDA waits */
    if (int e = wait_for(stream)) return e;
    memcpy(to, from, count);
    return 0;
  }
  if (!source && !stream_of(stream)->capturing) {  /* from pageable memory: it is staged at once */
    auto kept = std::make_shared<std::string>((const char *)from, count);
    return enqueue(stream, [=] { memcpy(to, kept->data(), count); });
  }
  return enqueue(stream, [=] { memmove(to, from, count); });
}

struct Event { Stream *captured = nullptr; bool done = true; std::chrono::steady_clock::time_point when; };
struct Graph { std::vector<Work> work; };

}  // namespace

/* Runs what is over once these streams and events are: their own work, and what that waits for. Work of the legacy
 * stream comes after all earlier work of blocking streams, and theirs after its; streams that do not block are on their
 * own. Whatever else is queued stays so, as late as CUDA allows. */
static void finish(std::set<Stream *> streams, std::set<const void *> events) {
  auto &queue = machine().queue;
  Stream *legacy = stream_of(nullptr);
  auto blocks = [](Stream *s) { return !(s->flags & cudaStreamNonBlocking); };
  bool blocking = false;
  for (Stream *s : streams) blocking |= blocks(s);
  std::vector<bool> needed(queue.size());
  for (size_t i = queue.size(); i-- > 0;) {
    Item &item = queue[i];
    needed[i] = streams.count(item.stream) || (item.stream == legacy && blocking) ||
                (blocks(item.stream) && streams.count(legacy)) || (item.records && events.count(item.records));
    if (!needed[i]) continue;
    streams.insert(item.stream);
    blocking |= blocks(item.stream);
    if (item.awaits) events.insert(item.awaits);
  }
  std::vector<Item> now, later;
  for (size_t i = 0; i < queue.size(); i++) (needed[i] ? now : later).push_back(std::move(queue[i]));
  queue = std::move(later);
  for (auto &item : now) if (item.work) item.work();
}

Entry::Entry() {
  if (!started) { started = true; pthread_atfork(nullptr, nullptr, in_child); }
  error = forked ? 3 : devices() ? 0 : 100;
}

void finish() {
  auto now = std::move(machine().queue);
  machine().queue.clear();
  for (auto &item : now) if (item.work) item.work();
}

int enqueue(void *handle, Work work, const void *records, const void *awaits) {
  Stream *s = stream_of(handle);
  if (s->capturing) {
    if (s->broken) return 901;
    s->captured.push_back(std::move(work));
    return 0;
  }
  if ((size_t)handle <= 2) if (int e = legacy_use()) return e;
  auto &queue = machine().queue;
  queue.push_back({s, std::move(work), records, awaits});
  if (setting("HOST_CUDA_EAGER", 0) || queue.size() > 4096) finish();
  return 0;
}

}  // namespace host_cuda

using namespace host_cuda;
#define BEGIN Entry entry; if (entry.error) return (last_error = (cudaError_t)entry.error)
#define GIVE(e) return (last_error = (cudaError_t)(e))

/* ---- the runtime ---- */
extern "C" {

const char *cudaGetErrorName(cudaError_t e) { auto f = ERRORS.find(e); return f == ERRORS.end() ? "cudaErrorUnknown" : f->second.first; }
const char *cudaGetErrorString(cudaError_t e) { auto f = ERRORS.find(e); return f == ERRORS.end() ? "unknown error" : f->second.second; }
cudaError_t cudaGetLastError() { auto e = last_error; last_error = cudaSuccess; return e; }
cudaError_t cudaDriverGetVersion(int *v) { *v = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *v) { *v = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *n) { BEGIN; *n = devices(); GIVE(0); }
cudaError_t cudaGetDevice(int *d) { BEGIN; *d = current_device(); GIVE(0); }
cudaError_t cudaSetDevice(int d) {
  BEGIN;
  if (d < 0 || d >= devices()) GIVE(101);
  current_device() = d;
  GIVE(0);
}
cudaError_t cudaDeviceSynchronize() {
  BEGIN;
  for (Stream *s : streams) if (s->capturing) { s->broken = true; GIVE(900); }
  finish();
  GIVE(0);
}
cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int d) {
  BEGIN;
  if (d < 0 || d >= devices()) GIVE(101);
  switch ((int)a) {
    case 75: *v = 9; break;        /* compute capability 9.0 */
    case 76: *v = 0; break;
    case 16: *v = 4; break;        /* multiprocessors */
    case 10: *v = 32; break;       /* threads of a warp */
    case 1: *v = 1024; break;
    case 8: *v = 49152; break;
    case 39: *v = 2048; break;
    case 81: *v = 233472; break;
    case 97: *v = 232448; break;
    default: *v = 0;
  }
  GIVE(0);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int d) {  /* a macro makes it cudaGetDeviceProperties_v2 */
  BEGIN;
  if (d < 0 || d >= devices()) GIVE(101);
  memset(p, 0, sizeof *p);
  strcpy(p->name, "host CUDA: the CPU");
  p->totalGlobalMem = memory();
  p->sharedMemPerBlock = 49152; p->regsPerBlock = 65536; p->warpSize = 32; p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024; p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647; p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = 1000000; p->memoryBusWidth = 64; p->totalConstMem = 65536;
  p->major = 9; p->multiProcessorCount = 4; p->l2CacheSize = 1 << 20; p->maxThreadsPerMultiProcessor = 2048;
  p->unifiedAddressing = p->canMapHostMemory = p->concurrentKernels = 1;
  p->sharedMemPerMultiprocessor = 233472; p->sharedMemPerBlockOptin = 232448; p->maxBlocksPerMultiProcessor = 32;
  GIVE(0);
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) { *can = 0; return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t *v, cudaLimit) { *v = 1024; return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

cudaError_t cudaMalloc(void **p, size_t size) {
  BEGIN;
  for (Stream *s : streams) if (s->capturing && s->flags & 0x100) { s->broken = true; GIVE(900); }
  if (used + size > memory()) GIVE(2);
  char *made = (char *)aligned_alloc(512, (size + 511) / 512 * 512 + 512);
  memset(made, 0xCB, size);
  blocks[made] = {size, current_device(), false};
  used += size;
  *p = made;
  GIVE(0);
}
cudaError_t cudaFree(void *p) {
  BEGIN;
  if (!p) GIVE(0);
  auto found = blocks.find((char *)p);
  if (found == blocks.end()) GIVE(1);
  finish();
  if (!found->second.host) used -= found->second.size;
  memset(p, 0xDD, found->second.size);
  blocks.erase(found);
  free(p);
  GIVE(0);
}
cudaError_t cudaHostAlloc(void **p, size_t size, unsigned) {
  BEGIN;
  char *made = (char *)aligned_alloc(512, (size + 511) / 512 * 512 + 512);
  blocks[made] = {size, current_device(), true};
  *p = made;
  GIVE(0);
}
cudaError_t cudaFreeHost(void *p) { return cudaFree(p); }
cudaError_t cudaMallocManaged(void **p, size_t size, unsigned) { return cudaMalloc(p, size); }
cudaError_t cudaMemGetInfo(size_t *free_, size_t *total) { BEGIN; *total = memory(); *free_ = *total - used; GIVE(0); }
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind) { BEGIN; GIVE(copy(to, from, n, nullptr, true)); }
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t s) { BEGIN; GIVE(copy(to, from, n, s, false)); }
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t n) { BEGIN; GIVE(copy(to, from, n, nullptr, true)); }
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t n, cudaStream_t s) { BEGIN; GIVE(copy(to, from, n, s, false)); }
cudaError_t cudaMemset(void *p, int v, size_t n) { BEGIN; GIVE(enqueue(nullptr, [=] { memset(p, v, n); })); }
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s) { BEGIN; GIVE(enqueue(s, [=] { memset(p, v, n); })); }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p) {
  BEGIN;
  memset(a, 0, sizeof *a);
  Block *b = block_of(p);
  a->type = !b ? cudaMemoryTypeUnregistered : b->host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  a->device = b ? b->device : -2;
  if (b) a->devicePointer = (void *)p;
  if (!b || b->host) a->hostPointer = (void *)p;
  GIVE(0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *p, unsigned flags) {
  BEGIN;
  auto *s = new Stream;
  s->flags = flags;
  streams.push_back(s);
  *p = (cudaStream_t)s;
  GIVE(0);
}
cudaError_t cudaStreamCreate(cudaStream_t *p) { return cudaStreamCreateWithFlags(p, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *p, unsigned flags, int) { return cudaStreamCreateWithFlags(p, flags); }
cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags) { *flags = stream_of(s)->flags; return cudaSuccess; }
cudaError_t cudaStreamGetPriority(cudaStream_t, int *p) { *p = 0; return cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t p) {
  BEGIN;
  finish();
  std::erase(streams, (Stream *)p);  /* its memory stays: events may point at it */
  GIVE(0);
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) { BEGIN; GIVE(wait_for(s)); }
cudaError_t cudaStreamQuery(cudaStream_t s) { BEGIN; GIVE(wait_for(s)); }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) { BEGIN; GIVE(enqueue(s, nullptr, nullptr, e)); }
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void *data, unsigned) {
  BEGIN; GIVE(enqueue(s, [=] { f(s, cudaSuccess, data); }));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *data) { BEGIN; GIVE(enqueue(s, [=] { f(data); })); }
cudaError_t cudaStreamBeginCapture(cudaStream_t p, cudaStreamCaptureMode mode) {
  BEGIN;
  Stream *s = stream_of(p);
  if ((size_t)p <= 2) GIVE(900);
  if (s->capturing) GIVE(1);
  s->capturing = true;
  s->broken = false;
  s->captured.clear();
  s->flags = (s->flags & 0xff) | (mode == cudaStreamCaptureModeRelaxed ? 0 : 0x100);
  GIVE(0);
}
cudaError_t cudaStreamEndCapture(cudaStream_t p, cudaGraph_t *g) {
  BEGIN;
  Stream *s = stream_of(p);
  if (!s->capturing) GIVE(1);
  s->capturing = false;
  s->flags &= 0xff;
  *g = nullptr;
  if (s->broken) { s->captured.clear(); GIVE(901); }
  *g = (cudaGraph_t) new Graph{std::move(s->captured)};
  s->captured.clear();
  GIVE(0);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t p, cudaStreamCaptureStatus *status) {
  BEGIN;
  if ((size_t)p <= 2) if (int e = legacy_use()) GIVE(e);
  Stream *s = stream_of(p);
  *status = !s->capturing ? cudaStreamCaptureStatusNone : s->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  GIVE(0);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g, unsigned long long) { BEGIN; *e = (cudaGraphExec_t) new Graph(*(Graph *)g); GIVE(0); }
cudaError_t cudaGraphDestroy(cudaGraph_t g) { BEGIN; delete (Graph *)g; GIVE(0); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g) { BEGIN; finish(); delete (Graph *)g; GIVE(0); }
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s) {
  BEGIN;
  for (auto &work : ((Graph *)g)->work) if (work) if (int e = enqueue(s, work)) GIVE(e);
  GIVE(0);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) { BEGIN; *e = (cudaEvent_t) new Event; GIVE(0); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { BEGIN; finish(); delete (Event *)e; GIVE(0); }
cudaError_t cudaEventRecord(cudaEvent_t p, cudaStream_t s) {
  BEGIN;
  auto *e = (Event *)p;
  e->captured = stream_of(s)->capturing ? stream_of(s) : nullptr;
  if (e->captured) GIVE(stream_of(s)->broken ? 901 : 0);
  e->done = false;
  GIVE(enqueue(s, [=] { e->done = true; e->when = std::chrono::steady_clock::now(); }, e));
}
cudaError_t cudaEventSynchronize(cudaEvent_t p) { BEGIN; if (((Event *)p)->captured) { ((Event *)p)->captured->broken = true; GIVE(907); } finish({}, {p}); GIVE(0); }
/* Nothing runs before somebody waits, so an event that was asked for is not ready the first time. */
cudaError_t cudaEventQuery(cudaEvent_t p) {
  BEGIN;
  auto *e = (Event *)p;
  if (e->captured) { e->captured->broken = true; GIVE(907); }
  if (e->done) GIVE(0);
  return cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) {
  BEGIN;
  finish();
  *ms = std::chrono::duration<float, std::milli>(((Event *)b)->when - ((Event *)a)->when).count();
  GIVE(0);
}

/* what CuPy links to and we do not use */
int hc_not_supported() { return 801; }
}
#define ABSENT(name) __asm__(".globl " #name "\n.set " #name ", hc_not_supported\n");
#include "absent.inc"
