/* The one way of loading a block's tile that CuPy's reductions use. */
#pragma once
namespace cub {
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT };
template <class T, int THREADS, int ITEMS, BlockLoadAlgorithm> struct BlockLoad {
  struct TempStorage { char unused; };
  explicit BlockLoad(TempStorage &) {}
  template <class From, class Other> void Load(From from, T (&items)[ITEMS], int count, Other otherwise) {
    for (int j = 0; j < ITEMS; j++) {
      int at = threadIdx.x * ITEMS + j;
      items[j] = at < count ? T(from[at]) : T(otherwise);
    }
  }
};
}  // namespace cub
