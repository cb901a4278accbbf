/* What CuPy's thrust module calls: sorting of rows, by the CPU. NaNs are last, complex numbers by real part first. */
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "by_dtype.h"

using Shape = std::vector<ptrdiff_t>;
namespace host_cuda { void finish(); }

namespace {

template <class T> bool less(const T &a, const T &b) {
  if constexpr (is_complex<T>) {
    auto key = [](const T &z) { return (z.real() != z.real() ? 2 : 0) + (z.imag() != z.imag() ? 1 : 0); };
    if (key(a) != key(b)) return key(a) < key(b);
    if (less(a.real(), b.real()) || less(b.real(), a.real())) return less(a.real(), b.real());
    return less(a.imag(), b.imag());
  } else {
    return a != a ? false : b != b ? true : a < b;
  }
}

size_t rows_of(const Shape &shape) {
  size_t n = 1;
  for (size_t i = 0; i + 1 < shape.size(); i++) n *= shape[i];
  return n;
}

}  // namespace

void thrust_sort(int dtype, void *data, size_t *, const Shape &shape, intptr_t, void *) {
  host_cuda::finish();
  by_dtype(dtype, [&](auto *of) {
    using T = std::remove_pointer_t<decltype(of)>;
    size_t n = shape.back();
    for (size_t r = 0; r < rows_of(shape); r++) std::stable_sort((T *)data + r * n, (T *)data + (r + 1) * n, less<T>);
  });
}

void thrust_argsort(int dtype, size_t *places, void *data, void *, const Shape &shape, intptr_t, void *) {
  host_cuda::finish();
  by_dtype(dtype, [&](auto *of) {
    using T = std::remove_pointer_t<decltype(of)>;
    size_t n = shape.back();
    for (size_t r = 0; r < rows_of(shape); r++) {
      T *row = (T *)data + r * n;
      size_t *at = places + r * n;
      std::iota(at, at + n, 0);
      std::stable_sort(at, at + n, [=](size_t a, size_t b) { return less(row[a], row[b]); });
      std::stable_sort(row, row + n, less<T>);
    }
  });
}

void thrust_lexsort(int dtype, size_t *places, void *keys, size_t k, size_t n, intptr_t, void *) {
  host_cuda::finish();
  by_dtype(dtype, [&](auto *of) {
    using T = std::remove_pointer_t<decltype(of)>;
    std::iota(places, places + n, 0);
    for (size_t i = 0; i < k; i++) {
      T *row = (T *)keys + i * n;
      std::stable_sort(places, places + n, [=](size_t a, size_t b) { return less(row[a], row[b]); });
    }
  });
}
