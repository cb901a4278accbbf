/* What CuPy's matmul calls of cuBLAS: products of column-major matrices, in the order of the inner index. Types are told
 * by number; 16-bit and 32-bit floats are summed in float, as with CUBLAS_COMPUTE_32F. */
#include <complex>
#include <cstdint>
#include <cstring>

#include "machine.h"

namespace {

struct Brain {  /* bfloat16 */
  uint16_t bits;
  operator float() const { uint32_t u = (uint32_t)bits << 16; float f; memcpy(&f, &u, 4); return f; }
  Brain &operator=(float f) { uint32_t u; memcpy(&u, &f, 4); bits = f != f ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16; return *this; }
};

template <class T> T turned(T x, bool conjugate) { (void)conjugate; return x; }
template <class T> std::complex<T> turned(std::complex<T> x, bool conjugate) { return conjugate ? std::conj(x) : x; }

template <class T, class Wide>
void product(int ta, int tb, int m, int n, int k, Wide alpha, const T *a, int lda, const T *b, int ldb, Wide beta, T *c, int ldc) {
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) {
    Wide sum{};
    for (int p = 0; p < k; p++)
      sum += turned((Wide)(ta ? a[p + (size_t)i * lda] : a[i + (size_t)p * lda]), ta == 2) *
             turned((Wide)(tb ? b[j + (size_t)p * ldb] : b[p + (size_t)j * ldb]), tb == 2);
    T &cell = c[i + (size_t)j * ldc];
    Wide before = beta == Wide{} ? Wide{} : beta * (Wide)cell;
    cell = alpha * sum + before;
  }
}

template <class T, class Wide>
int batch(void *stream, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda, long long sa, const void *b,
          int ldb, long long sb, const void *beta, void *c, int ldc, long long sc, int count) {
  Wide one = *(const Wide *)alpha, other = *(const Wide *)beta;
  return host_cuda::enqueue(stream, [=] {
    for (int i = 0; i < count; i++)
      product<T, Wide>(ta, tb, m, n, k, one, (const T *)a + i * sa, lda, (const T *)b + i * sb, ldb, other, (T *)c + i * sc, ldc);
  }) ? 14 : 0;
}

struct Handle { void *stream = nullptr; int pointer_mode = 0, math_mode = 0; };

}  // namespace

extern "C" {
int cublasCreate_v2(Handle **h) { *h = new Handle; return 0; }
int cublasDestroy_v2(Handle *h) { delete h; return 0; }
int cublasGetVersion_v2(Handle *, int *v) { *v = 120900; return 0; }
int cublasSetStream_v2(Handle *h, void *s) { h->stream = s; return 0; }
int cublasGetStream_v2(Handle *h, void **s) { *s = h->stream; return 0; }
int cublasSetPointerMode_v2(Handle *h, int mode) { h->pointer_mode = mode; return 0; }
int cublasGetPointerMode_v2(Handle *h, int *mode) { *mode = h->pointer_mode; return 0; }
int cublasSetMathMode(Handle *h, int mode) { h->math_mode = mode; return 0; }
int cublasGetMathMode(Handle *h, int *mode) { *mode = h->math_mode; return 0; }
int cublasSetWorkspace_v2(Handle *, void *, size_t) { return 0; }
int cublasGemmStridedBatchedEx(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type, int lda,
                               long long sa, const void *b, int, int ldb, long long sb, const void *beta, void *c, int, int ldc,
                               long long sc, int count, int, int) {
#define BATCH(T, Wide) return batch<T, Wide>(h->stream, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count)
  switch (type) {
    case 0: BATCH(float, float);
    case 1: BATCH(double, double);
    case 2: BATCH(_Float16, float);
    case 4: BATCH(std::complex<float>, std::complex<float>);
    case 5: BATCH(std::complex<double>, std::complex<double>);
    case 14: BATCH(Brain, float);
  }
  return 15;
}
int cublasGemmEx(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type, int lda, const void *b,
                 int tb2, int ldb, const void *beta, void *c, int tc, int ldc, int compute, int algorithm) {
  return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, type, lda, 0, b, tb2, ldb, 0, beta, c, tc, ldc, 0, 1, compute, algorithm);
}
#define POINTERS(name, T) \
  int cublas##name##gemmBatched(Handle *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *const *a, int lda, const T *const *b, \
                                int ldb, const T *beta, T *const *c, int ldc, int count) { \
    T one = *alpha, other = *beta; \
    return host_cuda::enqueue(h->stream, [=] { \
      for (int i = 0; i < count; i++) product<T, T>(ta, tb, m, n, k, one, a[i], lda, b[i], ldb, other, c[i], ldc); \
    }) ? 14 : 0; \
  }
POINTERS(S, float)
POINTERS(D, double)
POINTERS(C, std::complex<float>)
POINTERS(Z, std::complex<double>)
int hc_no_blas() { return 15; }  /* CUBLAS_STATUS_NOT_SUPPORTED */
}
#define ABSENT(name) __asm__(".globl " #name "\n.set " #name ", hc_no_blas\n");
#include "absent_blas.inc"
