/* What the parts of the stand-in share: work that is queued, and the machine that runs it. */
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace host_cuda {

/* A launch, copy or call that a stream was handed. Graphs keep it and hand it over again. */
using Work = std::function<void()>;

struct Stream {
  unsigned flags = 0;
  bool capturing = false, broken = false;
  std::vector<Work> captured;
};

/* Work of a stream that has not run. records, awaits: an event, or nothing. */
struct Item {
  Stream *stream;
  Work work;
  const void *records = nullptr, *awaits = nullptr;
};

/* Nothing runs before somebody waits for it, and then only what CUDA promises to be over. */
struct Machine {
  std::recursive_mutex lock;
  std::vector<Item> queue;
};
Machine &machine();

/* Held by every entry: the lock, and CUDA's number for why it may not be used in this process (0: it may). */
struct Entry {
  std::lock_guard<std::recursive_mutex> held{machine().lock};
  int error;
  Entry();
};

/* The GPU in force in this thread. */
int &current_device();

/* Runs all that is queued. */
void finish();

/* 0, or the error that CUDA gives for work on this stream just now. */
int enqueue(void *stream, Work work, const void *records = nullptr, const void *awaits = nullptr);

}  // namespace host_cuda
