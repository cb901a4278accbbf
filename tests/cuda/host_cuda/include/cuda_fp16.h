/* 16-bit floats for the CPU: what CuPy's headers use of NVIDIA's header of this name. */
#pragma once
struct __half_raw { unsigned short x; };
struct __half {
  _Float16 value;
  __half() = default;
  __half(const __half_raw &r) { memcpy(&value, &r.x, 2); }
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> __half(T v) : value((_Float16)v) {}
  operator float() const { return (float)value; }
  operator __half_raw() const { __half_raw r; memcpy(&r.x, &value, 2); return r; }
};
typedef __half half;
static inline unsigned short __half_as_ushort(__half h) { return __half_raw(h).x; }
static inline __half __ushort_as_half(unsigned short u) { return __half(__half_raw{u}); }
static inline __half __float2half_rn(float f) { return __half(f); }
static inline float __half2float(__half h) { return (float)h; }
