/* CuPy's numbers for dtypes, as types of C++. */
#pragma once
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

template <class T> constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class F> void by_dtype(int dtype, F work) {
  switch (dtype) {
    case 0: return work((int8_t *)nullptr);
    case 1: return work((uint8_t *)nullptr);
    case 2: return work((int16_t *)nullptr);
    case 3: return work((uint16_t *)nullptr);
    case 4: return work((int32_t *)nullptr);
    case 5: return work((uint32_t *)nullptr);
    case 6: return work((int64_t *)nullptr);
    case 7: return work((uint64_t *)nullptr);
    case 8: return work((_Float16 *)nullptr);
    case 9: return work((float *)nullptr);
    case 10: return work((double *)nullptr);
    case 11: return work((std::complex<float> *)nullptr);
    case 12: return work((std::complex<double> *)nullptr);
    case 13: return work((bool *)nullptr);
    default: throw std::runtime_error("Unsupported dtype ID");
  }
}
