/* The words of CUDA in C, for sources that keep to C (see runtime/cuda/cuda_prelude.py); host_cuda/gpu_threads.c runs them. */
/* What kernels use of the headers of C. To read those took a third of the time in which a kernel is compiled. */
#define bool _Bool
#define true 1
#define false 0
#define isnan(x) __builtin_isnan(x)
#define signbit(x) __builtin_signbit(x)
#define memcpy __builtin_memcpy
#define PS_OF_ONE(name) double name(double); float name##f(float);
#define PS_OF_TWO(name) double name(double, double); float name##f(float, float);
PS_OF_ONE(fabs) PS_OF_ONE(sqrt) PS_OF_ONE(cbrt) PS_OF_ONE(floor) PS_OF_ONE(ceil) PS_OF_ONE(rint) PS_OF_ONE(trunc)
PS_OF_ONE(exp) PS_OF_ONE(exp2) PS_OF_ONE(expm1) PS_OF_ONE(log) PS_OF_ONE(log2) PS_OF_ONE(log10) PS_OF_ONE(log1p)
PS_OF_ONE(sin) PS_OF_ONE(cos) PS_OF_ONE(tan) PS_OF_ONE(asin) PS_OF_ONE(acos) PS_OF_ONE(atan)
PS_OF_ONE(sinh) PS_OF_ONE(cosh) PS_OF_ONE(tanh) PS_OF_ONE(asinh) PS_OF_ONE(acosh) PS_OF_ONE(atanh)
PS_OF_TWO(copysign) PS_OF_TWO(pow) PS_OF_TWO(atan2) PS_OF_TWO(hypot) PS_OF_TWO(fmod)
double fma(double, double, double);
float fmaf(float, float, float);

#include "host_cuda/gpu_threads.h"
#include "host_cuda/memory_watch.h"

#ifdef __SANITIZE_THREAD__  /* loads and stores are watched, but for those of the functions below */
#define PS_QUIET __attribute__((no_sanitize("thread")))
#define PS_ATOMIC(begins) hw_atomic(begins)
#define __threadfence() hw_fence()
#else
#define PS_QUIET
#define PS_ATOMIC(begins)
#define __threadfence()
#endif

#define PS_KERNEL static
#define PS_INLINE static inline  /* compiled where it is called */
#define __shared__ static __attribute__((section("ps_shared")))
#define PS_SPIN hc_yield()
#define __restrict__ restrict
#define __launch_bounds__(...)

#define threadIdx hc_thread
#define blockIdx hc_block
#define blockDim hc_block_dim
#define gridDim hc_grid_dim

static inline void __syncthreads(void) { hc_barrier(); }
static inline void __syncwarp(unsigned mask) { (void)mask; hc_warp_barrier(); }
PS_QUIET PS_INLINE const unsigned long long (*ps_exchange(unsigned long long value))[4] {
  const unsigned long long slot[4] = {value};
  return hc_exchange(slot);
}
PS_QUIET PS_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  const unsigned long long (*slots)[4] = ps_exchange(predicate != 0);
  unsigned found = 0;
  for (unsigned i = 0; i < hc_lanes(); i++) if (mask >> i & 1 && slots[i][0]) found |= 1u << i;
  return found;
}
PS_INLINE int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
PS_QUIET PS_INLINE unsigned __match_any_sync(unsigned mask, unsigned long long value) {
  const unsigned long long (*slots)[4] = ps_exchange(value);
  unsigned found = 0;
  for (unsigned i = 0; i < hc_lanes(); i++) if (mask >> i & 1 && slots[i][0] == value) found |= 1u << i;
  return found;
}
PS_QUIET PS_INLINE unsigned long long ps_shuffle(unsigned long long value, int source) {
  const unsigned long long (*slots)[4] = ps_exchange(value);
  return source >= 0 && source < (int)hc_lanes() ? slots[source][0] : value;
}
#define ps_of(value, source) ({ __typeof__(value) ps_v = (value); unsigned long long ps_u = 0; \
  memcpy(&ps_u, &ps_v, sizeof ps_v); ps_u = ps_shuffle(ps_u, source); memcpy(&ps_v, &ps_u, sizeof ps_v); ps_v; })
#define __shfl_sync(mask, value, lane) ps_of(value, (int)(lane))
#define __shfl_up_sync(mask, value, by) ps_of(value, (int)(threadIdx.x % 32) - (int)(by))
#define __shfl_down_sync(mask, value, by) ps_of(value, (int)(threadIdx.x % 32) + (int)(by))
#define __shfl_xor_sync(mask, value, by) ps_of(value, (int)(threadIdx.x % 32) ^ (int)(by))
#define __popc(x) __builtin_popcount(x)
#define __ffs(x) __builtin_ffs(x)
#define atomicAdd(p, v) ({ PS_ATOMIC(1); __typeof__(*(p)) ps_o = *(p); *(p) = (__typeof__(*(p)))(ps_o + (v)); \
  PS_ATOMIC(0); ps_o; })
#define atomicMax(p, v) ({ PS_ATOMIC(1); __typeof__(*(p)) ps_o = *(p); if ((v) > ps_o) *(p) = (v); PS_ATOMIC(0); ps_o; })
typedef struct __attribute__((aligned(8))) { unsigned x, y; } uint2;
typedef struct __attribute__((aligned(16))) { unsigned x, y, z, w; } uint4;
static inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

static inline float ps_h2f(unsigned short h) { _Float16 x; memcpy(&x, &h, 2); return (float)x; }
static inline unsigned short ps_f2h(float f) { _Float16 x = (_Float16)f; unsigned short h; memcpy(&h, &x, 2); return h; }
static inline unsigned short ps_d2h(double d) { _Float16 x = (_Float16)d; unsigned short h; memcpy(&h, &x, 2); return h; }
