/* What a kernel's source finds when the CPU plays the GPU: CUDA's words in C++. */
#pragma once
#include <cassert>
#include <cfloat>
#include <climits>
#include <math.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector_types.h>
#include <vector_functions.h>

extern "C" {
extern uint3 hc_thread, hc_block, hc_block_dim, hc_grid_dim;
extern char *hc_dynamic;
void hc_barrier();
void hc_warp_barrier();
const unsigned long long (*hc_exchange(const unsigned long long *))[4];
unsigned hc_lane();
unsigned hc_lanes();
}
#define threadIdx hc_thread
#define blockIdx hc_block
#define blockDim hc_block_dim
#define gridDim hc_grid_dim
#define __CUDACC_VER_MAJOR__ 12
static const int warpSize = 32;

#undef __global__
#undef __shared__
#undef __device__
#undef __host__
#undef __constant__
#undef __launch_bounds__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __grid_constant__
#ifndef __restrict__
#define __restrict__ __restrict
#endif
/* __global__ and __shared__ stay: translate.py reads them in the preprocessed text. */

/* ---- waiting and exchanging ---- */
static inline void __syncthreads() { hc_barrier(); }
static inline void __syncwarp(unsigned = 0xffffffffu) { hc_warp_barrier(); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
namespace hc {
template <class T> struct Seen {
  const unsigned long long (*slots)[4];
  explicit Seen(const T &value) {
    static_assert(sizeof(T) <= 32, "an exchange of at most 32 bytes");
    unsigned long long raw[4] = {};
    memcpy(raw, &value, sizeof(T));
    slots = hc_exchange(raw);
  }
  T operator[](unsigned lane) const { T out; memcpy(&out, slots[lane], sizeof(T)); return out; }
};
template <class T> T shuffle(const T &value, int source) {
  Seen<T> seen(value);
  return source >= 0 && source < (int)hc_lanes() ? seen[source] : value;
}
}  // namespace hc
template <class T> T __shfl_sync(unsigned, T v, int lane, int width = 32) {
  int first = hc_lane() / width * width;
  return hc::shuffle(v, first + (lane & (width - 1)));
}
template <class T> T __shfl_up_sync(unsigned, T v, unsigned by, int width = 32) {
  int at = hc_lane(), first = at / width * width;
  return hc::shuffle(v, at - (int)by < first ? at : at - (int)by);
}
template <class T> T __shfl_down_sync(unsigned, T v, unsigned by, int width = 32) {
  int at = hc_lane(), first = at / width * width;
  return hc::shuffle(v, at + (int)by >= first + width ? at : at + (int)by);
}
template <class T> T __shfl_xor_sync(unsigned, T v, int by, int width = 32) { (void)width; return hc::shuffle(v, (int)hc_lane() ^ by); }
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
  hc::Seen<int> seen(predicate);
  unsigned found = 0;
  for (unsigned i = 0; i < hc_lanes(); i++) if (mask >> i & 1 && seen[i]) found |= 1u << i;
  return found;
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
template <class T> unsigned __match_any_sync(unsigned mask, T value) {
  hc::Seen<T> seen(value);
  unsigned found = 0;
  for (unsigned i = 0; i < hc_lanes(); i++) if (mask >> i & 1 && seen[i] == value) found |= 1u << i;
  return found;
}
static inline int __syncthreads_or(int p) {
  static int any; any = 0; hc_barrier(); if (p) any = 1; hc_barrier(); int r = any; hc_barrier(); return r;
}

/* ---- atomics: one CPU thread runs all ---- */
#define HC_ATOMIC(name, expression) \
  template <class T, class V, class = std::enable_if_t<std::is_arithmetic_v<T>>> T name(T *p, V v0) { T v = (T)v0, old = *p; *p = (T)(expression); return old; }
HC_ATOMIC(atomicAdd, old + v)
HC_ATOMIC(atomicSub, old - v)
HC_ATOMIC(atomicExch, v)
HC_ATOMIC(atomicMin, v < old ? v : old)
HC_ATOMIC(atomicMax, v > old ? v : old)
HC_ATOMIC(atomicAnd, old & v)
HC_ATOMIC(atomicOr, old | v)
HC_ATOMIC(atomicXor, old ^ v)
template <class T, class V, class W> T atomicCAS(T *p, V c, W v) { T old = *p; if (old == (T)c) *p = (T)v; return old; }

/* ---- bits ---- */
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
template <class T> T __ldg(const T *p) { return *p; }
namespace hc { template <class To, class From> To bits(From x) { To y; static_assert(sizeof x == sizeof y, ""); memcpy(&y, &x, sizeof y); return y; } }
static inline int __float_as_int(float x) { return hc::bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return hc::bits<unsigned>(x); }
static inline float __int_as_float(int x) { return hc::bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return hc::bits<float>(x); }
static inline long long __double_as_longlong(double x) { return hc::bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return hc::bits<double>(x); }
static inline int __double2hiint(double x) { return (int)(hc::bits<unsigned long long>(x) >> 32); }
static inline int __double2loint(double x) { return (int)hc::bits<unsigned long long>(x); }
static inline double __hiloint2double(int h, int l) { return hc::bits<double>((unsigned long long)(unsigned)h << 32 | (unsigned)l); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned __int128)a * b >> 64; }
static inline long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
static inline int __mulhi(int a, int b) { return (long long)a * b >> 32; }
static inline long long clock64() { return 0; }
#define __trap() abort()

/* ---- numbers: CUDA has these in the global namespace ---- */
#define HC_LEAST(name, sign) \
  template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>> \
  constexpr std::common_type_t<A, B> name(A a0, B b0) { std::common_type_t<A, B> a = a0, b = b0; \
    if constexpr (std::is_floating_point_v<std::common_type_t<A, B>>) { if (a != a) return b; if (b != b) return a; } \
    return b sign a ? b : a; }
HC_LEAST(min, <)
HC_LEAST(max, >)
static inline double rsqrt(double x) { return 1 / std::sqrt(x); }
static inline float rsqrt(float x) { return 1 / std::sqrt(x); }
static inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
static inline double rcbrt(double x) { return 1 / std::cbrt(x); }
static inline double sinpi(double x) { return std::sin(M_PI * x); }
static inline double cospi(double x) { return std::cos(M_PI * x); }
static inline void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
static inline void sincospif(float x, float *s, float *c) { *s = (float)sinpi(x); *c = (float)cospi(x); }
static inline double normcdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float x) { return std::sqrt(x); }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double x) { return std::sqrt(x); }
/* the instructions that our own prelude spells as PTX */
static inline float hc_cvt_f32_f16(unsigned short h) { _Float16 x; memcpy(&x, &h, 2); return (float)x; }
static inline unsigned short hc_cvt_rn_f16_f32(float f) { _Float16 x = (_Float16)f; unsigned short h; memcpy(&h, &x, 2); return h; }
static inline unsigned short hc_cvt_rn_f16_f64(double d) { _Float16 x = (_Float16)d; unsigned short h; memcpy(&h, &x, 2); return h; }

/* ---- entries: a kernel by pointers to its arguments, and the sizes of those ---- */
namespace hc {
template <class... P, size_t... I> void call(void (*f)(P...), void **a, std::index_sequence<I...>) {
  f(*(std::remove_cv_t<std::remove_reference_t<P>> *)a[I]...);
}
template <class... P> void call(void (*f)(P...), void **a) { call(f, a, std::index_sequence_for<P...>{}); }
template <class... P> struct Sizes { unsigned count = sizeof...(P); unsigned bytes[sizeof...(P) + 1] = {(unsigned)sizeof(P)..., 0}; };
template <class... P> constexpr Sizes<P...> sizes(void (*)(P...)) { return {}; }
}  // namespace hc
#define HC_ENTRY(name, kernel) \
  extern "C" void hc_call_##name(void **a) { hc::call(&kernel, a); } \
  extern "C" const auto hc_sizes_##name = hc::sizes(&kernel);
