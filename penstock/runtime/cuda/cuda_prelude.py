"""The text with which every CUDA source begins.

Sources use the part of CUDA that is also C, and the words below where the two differ. So NVRTC compiles a source for a
GPU, and a C compiler, with a header that plays the GPU, the same text for a CPU: that is how kernels are tested
without a GPU.

    PS_KERNEL    a kernel               PS_INLINE    a function that kernels call
    i8..i64, u8..u64, f32, f64          types of fixed size; f16 and bf16 are stored as u16
    ps_h2f, ps_f2h, ps_d2h              float16 to float32 and back, float64 to float16, rounded once
    ps_b2f, ps_f2b                      bfloat16 to float32 and back: nearest, ties to even
    PS_SPIN                             executed by a thread that waits for another block
"""

from __future__ import annotations

from typing import Final

PRELUDE: Final = r"""
typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64;
typedef float f32; typedef double f64;
#ifdef __CUDACC__
#define PS_KERNEL extern "C" __global__
#define PS_INLINE static __device__ __forceinline__
#if __CUDA_ARCH__ >= 700
#define PS_SPIN __nanosleep(32)
#else
#define PS_SPIN
#endif
PS_INLINE f32 ps_h2f(u16 h) { f32 f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); return f; }
PS_INLINE u16 ps_f2h(f32 f) { u16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f)); return h; }
PS_INLINE u16 ps_d2h(f64 d) { u16 h; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(d)); return h; }
#endif
PS_INLINE u32 ps_bits(f32 f) { union { f32 f; u32 u; } x; x.f = f; return x.u; }
PS_INLINE f32 ps_float(u32 u) { union { f32 f; u32 u; } x; x.u = u; return x.f; }
PS_INLINE f64 ps_double(u64 u) { union { f64 f; u64 u; } x; x.u = u; return x.f; }
PS_INLINE u64 ps_bits64(f64 f) { union { f64 f; u64 u; } x; x.f = f; return x.u; }
PS_INLINE f32 ps_b2f(u16 b) { return ps_float((u32)b << 16); }
PS_INLINE u16 ps_f2b(f32 f) {
  u32 u = ps_bits(f);
  if (f != f) return (u16)(((u >> 16) & 0x8000u) | 0x7fc0u);
  return (u16)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
"""
