/* What CuPy's cub module calls: reductions and scans of whole arrays and of rows. They are work of the stream. */
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include <cuda_runtime_api.h>

#include "by_dtype.h"
#include "machine.h"

namespace {

enum { SUM, MIN, MAX, ARGMIN, ARGMAX, CUMSUM, CUMPROD, PROD };

template <class T> bool less(const T &a, const T &b) {
  if constexpr (is_complex<T>) return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else return a < b;
}
template <class T> bool is_nan(const T &a) { return a != a; }

template <class T> T combined(int op, const T &a, const T &b) {
  if (op == SUM || op == CUMSUM) return (T)(a + b);
  if (op == PROD || op == CUMPROD) return (T)(a * b);
  if (is_nan(a)) return a;
  if (is_nan(b)) return b;
  if (op == MIN) return less(b, a) ? b : a;
  return less(a, b) ? b : a;
}


void rows(void *in, void *out, int count, int length, cudaStream_t stream, int op, int dtype) {
  int error = host_cuda::enqueue(stream, [=] {
    by_dtype(dtype, [&](auto *of) {
      using T = std::remove_pointer_t<decltype(of)>;
      for (int r = 0; r < count; r++) {
        T *row = (T *)in + (size_t)r * length;
        if (op == ARGMIN || op == ARGMAX) {
          int best = 0;
          for (int i = 1; i < length && !is_nan(row[best]); i++)
            if (is_nan(row[i]) || (op == ARGMIN ? less(row[i], row[best]) : less(row[best], row[i]))) best = i;
          *(int *)out = best;  /* of a cub::KeyValuePair CuPy reads the key */
          continue;
        }
        T total = length ? row[0] : (T)(op == PROD);
        for (int i = 1; i < length; i++) total = combined(op, total, row[i]);
        ((T *)out)[r] = total;
      }
    });
  });
  if (error) throw std::runtime_error(cudaGetErrorName((cudaError_t)error));
}

}  // namespace

void cub_device_reduce(void *, size_t &, void *x, void *y, int n, cudaStream_t s, int op, int dtype) { rows(x, y, 1, n, s, op, dtype); }
void cub_device_segmented_reduce(void *, size_t &, void *x, void *y, int count, int length, cudaStream_t s, int op, int dtype) {
  rows(x, y, count, length, s, op, dtype);
}
void cub_device_scan(void *, size_t &, void *x, void *y, int n, cudaStream_t s, int op, int dtype) {
  int error = host_cuda::enqueue(s, [=] {
    by_dtype(dtype, [&](auto *of) {
      using T = std::remove_pointer_t<decltype(of)>;
      T *in = (T *)x, *out = (T *)y, total = in[0];
      out[0] = total;
      for (int i = 1; i < n; i++) out[i] = total = combined(op, total, in[i]);
    });
  });
  if (error) throw std::runtime_error(cudaGetErrorName((cudaError_t)error));
}
/* Bins between neighbouring levels; the last level is in the last bin of none. Counts are long long. */
template <class Find> void histogram(void *x, void *y, int levels, size_t n, cudaStream_t s, int dtype, Find find) {
  int error = host_cuda::enqueue(s, [=] {
    by_dtype(dtype, [&](auto *of) {
      using T = std::remove_pointer_t<decltype(of)>;
      if constexpr (!is_complex<T>) {
        auto *counts = (long long *)y;
        std::fill_n(counts, levels - 1, 0);
        for (size_t i = 0; i < n; i++) {
          int bin = find(((T *)x)[i]);
          if (bin >= 0 && bin < levels - 1) counts[bin]++;
        }
      }
    });
  });
  if (error) throw std::runtime_error(cudaGetErrorName((cudaError_t)error));
}
void cub_device_histogram_range(void *, size_t &, void *x, void *y, int levels, void *bins, size_t n, cudaStream_t s, int dtype) {
  histogram(x, y, levels, n, s, dtype, [=](auto value) {
    auto *first = (decltype(value) *)bins;
    return (int)(std::upper_bound(first, first + levels, value) - first) - 1;
  });
}
void cub_device_histogram_even(void *, size_t &, void *x, void *y, int levels, int low, int high, size_t n, cudaStream_t s, int dtype) {
  histogram(x, y, levels, n, s, dtype, [=](auto value) {
    long double at = (long double)value;
    return at >= low && at < high ? (int)((at - low) * (levels - 1) / (high - low)) : -1;
  });
}
size_t cub_device_reduce_get_workspace_size(void *, void *, int, cudaStream_t, int, int) { return 1; }
size_t cub_device_segmented_reduce_get_workspace_size(void *, void *, int, int, cudaStream_t, int, int) { return 1; }
size_t cub_device_scan_get_workspace_size(void *, void *, int, cudaStream_t, int, int) { return 1; }
size_t cub_device_histogram_range_get_workspace_size(void *, void *, int, void *, size_t, cudaStream_t, int) { return 1; }
size_t cub_device_histogram_even_get_workspace_size(void *, void *, int, int, int, size_t, cudaStream_t, int) { return 1; }
