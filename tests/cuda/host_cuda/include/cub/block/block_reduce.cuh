/* A block's reduction: each thread its items, then thread 0 all of them in order. */
#pragma once
namespace cub {
template <class T, int THREADS> struct BlockReduce {
  struct TempStorage { alignas(16) char cells[THREADS * sizeof(T)]; };
  T *cells;
  explicit BlockReduce(TempStorage &storage) : cells((T *)storage.cells) {}
  template <int ITEMS, class Op> T Reduce(T (&items)[ITEMS], Op op) {
    T total = items[0];
    for (int j = 1; j < ITEMS; j++) total = op(total, items[j]);
    cells[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x == 0) for (int i = 1; i < THREADS; i++) total = op(total, cells[i]);
    __syncthreads();
    return total;
  }
};
}  // namespace cub
