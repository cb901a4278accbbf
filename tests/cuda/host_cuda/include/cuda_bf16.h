/* Brain floats for the CPU: what CuPy's headers use of NVIDIA's header of this name. */
#pragma once
struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> __nv_bfloat16(T v) {
    unsigned u = __float_as_uint((float)v);
    bits = (u & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (u + 0x7fffu + (u >> 16 & 1)) >> 16;
  }
  operator float() const { return __uint_as_float((unsigned)bits << 16); }
};
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.bits; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { __nv_bfloat16 b; b.bits = u; return b; }
static inline bool __hisnan(__nv_bfloat16 b) { return (b.bits & 0x7fff) > 0x7f80; }
static inline int __hisinf(__nv_bfloat16 b) { return (b.bits & 0x7fff) == 0x7f80 ? (b.bits >> 15 ? -1 : 1) : 0; }
