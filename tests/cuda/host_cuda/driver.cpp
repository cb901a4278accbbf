/* CUDA's driver and NVRTC as CuPy calls them: a source becomes a library of the host (translate.py), which is the cubin;
 * a launch calls the kernel's entry in it. Arguments are copied when it is handed over, as CUDA does. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "gpu_threads.h"
#include "machine.h"

using namespace host_cuda;

extern "C" {

struct Module { void *library; bool waits; };
struct Function { void (*call)(void **); const unsigned *sizes; bool waits; std::string name; };

CUresult cuGetErrorName(CUresult e, const char **s) { *s = cudaGetErrorName((cudaError_t)e); return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult e, const char **s) { *s = cudaGetErrorString((cudaError_t)e); return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext *c) { *c = (CUcontext)(size_t)(current_device() + 1); return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext c) { current_device() = (int)(size_t)c - 1; return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice *d) { *d = current_device(); return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuStreamGetCtx(CUstream, CUcontext *c) { return cuCtxGetCurrent(c); }

CUresult cuModuleLoadData(CUmodule *made, const void *image) {
  Entry entry;
  if (entry.error) return (CUresult)entry.error;
  auto *head = (const Elf64_Ehdr *)image;
  if (memcmp(image, ELFMAG, 4)) return CUDA_ERROR_INVALID_IMAGE;
  size_t size = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
  int fd = memfd_create("kernel", 0);
  for (size_t done = 0; done < size;) done += write(fd, (const char *)image + done, size - done);
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) { fprintf(stderr, "host CUDA: %s\n", dlerror()); close(fd); return CUDA_ERROR_INVALID_IMAGE; }
  /* The file stays open: the loader knows a library by its path, and a number given out again would be another's. */
  bool waits = memmem(image, size, "hc_barrier", 10) || memmem(image, size, "hc_warp_barrier", 15) || memmem(image, size, "hc_exchange", 11);
  *made = (CUmodule) new Module{library, waits};
  return CUDA_SUCCESS;
}
CUresult cuModuleLoad(CUmodule *made, const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return cuModuleLoadData(made, text.str().data());
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }  /* graphs may still start its kernels */
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
  Entry entry;
  auto *module = (Module *)m;
  void *call = dlsym(module->library, (std::string("hc_call_") + name).c_str());
  if (!call) return CUDA_ERROR_NOT_FOUND;
  void *sizes = dlsym(module->library, (std::string("hc_sizes_") + name).c_str());
  *f = (CUfunction) new Function{(void (*)(void **))call, (const unsigned *)sizes, module->waits, name};
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) { return CUDA_ERROR_NOT_FOUND; }

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **params, void **) {
  Entry entry;
  if (entry.error) return (CUresult)entry.error;
  auto *function = (Function *)f;
  if (!gx || !gy || !gz || !bx || !by || !bz || (size_t)bx * by * bz > 1024 || gy > 65535 || gz > 65535 || gx > 2147483647u || shared > 232448)
    return CUDA_ERROR_INVALID_VALUE;
  auto kept = std::make_shared<std::vector<std::string>>();
  for (unsigned i = 0; i < function->sizes[0]; i++) kept->emplace_back((const char *)params[i], function->sizes[1 + i]);
  return (CUresult)enqueue(stream, [=] {
    /* 16-byte places: argument structs are read in place */
    std::vector<void *> pointers;
    std::vector<std::shared_ptr<void>> cells;
    for (auto &value : *kept) {
      void *cell = aligned_alloc(32, (value.size() + 31) / 32 * 32);
      memcpy(cell, value.data(), value.size());
      cells.emplace_back(cell, free);
      pointers.push_back(cell);
    }
    pointers.push_back(nullptr);
    const hc_launch how = {function->call, pointers.data(), {gx, gy, gz}, {bx, by, bz}, function->waits, 1, 0, nullptr, 0, shared};
    if (hc_run(&how)) {
      fprintf(stderr, "host CUDA: the threads of a block of %s wait for each other for ever\n", function->name.c_str());
      abort();
    }
  });
}
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction) { *v = a == 0 ? 1024 : a == 4 ? 32 : 0; return CUDA_SUCCESS; }
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction, int, size_t) { *n = 2; return CUDA_SUCCESS; }
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction, CUoccupancyB2DSize, size_t, int limit) {
  *grid = 8;
  *block = limit ? limit : 1024;
  return CUDA_SUCCESS;
}

/* ---- NVRTC ---- */
struct Program { std::string source, log, library; std::vector<std::string> names; };

const char *nvrtcGetErrorString(int e) { return e == 0 ? "NVRTC_SUCCESS" : e == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
int nvrtcVersion(int *major, int *minor) { *major = CUDART_VERSION / 1000; *minor = CUDART_VERSION % 1000 / 10; return 0; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 1; return 0; }
int nvrtcGetSupportedArchs(int *a) { *a = 90; return 0; }
int nvrtcCreateProgram(Program **p, const char *text, const char *, int, const char **, const char **) { *p = new Program{text, "", "", {}}; return 0; }
int nvrtcDestroyProgram(Program **p) { delete *p; *p = nullptr; return 0; }
int nvrtcAddNameExpression(Program *p, const char *e) { p->names.push_back(e); return 0; }
int nvrtcGetLoweredName(Program *p, const char *e, const char **name) {
  static std::set<std::string> kept;
  for (size_t i = 0; i < p->names.size(); i++)
    if (p->names[i] == e) { *name = kept.insert("hc_name_" + std::to_string(i)).first->c_str(); return 0; }
  return 10;
}
int nvrtcCompileProgram(Program *p, int count, const char **options) {
  std::string folder = std::filesystem::temp_directory_path() / "host-cuda-XXXXXX";
  if (!mkdtemp(folder.data())) return 1;
  std::string base = folder, source = base + "/kernel.cu", library = base + "/kernel.so", log = base + "/log";
  std::ofstream(source) << p->source;
  std::vector<std::string> words = {HOST_CUDA_PYTHON, "-I", "-S", HOST_CUDA_HERE "/translate.py", source, library,
                                    "--hc-machine=" HOST_CUDA_LIBRARY, "-I" HOST_CUDA_CRT};
  for (int i = 0; i < count; i++) words.push_back(options[i]);
  for (auto &n : p->names) words.push_back("--hc-name=" + n);
  std::vector<char *> argv;
  for (auto &w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  pid_t child = fork();
  if (!child) {
    int out = open(log.c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(out, 1);
    dup2(out, 2);
    unsetenv("LD_PRELOAD");
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  auto read = [](const std::string &path) { std::ifstream f(path, std::ios::binary); std::stringstream t; t << f.rdbuf(); return t.str(); };
  p->log = read(log);
  p->library = read(library);
  for (auto &f : {source, library, log}) unlink(f.c_str());
  rmdir(folder.c_str());
  return status ? 6 : 0;
}
int nvrtcGetCUBINSize(Program *p, size_t *n) { *n = p->library.size(); return 0; }
int nvrtcGetCUBIN(Program *p, char *to) { memcpy(to, p->library.data(), p->library.size()); return 0; }
/* CuPy reads the comments of this text into the key of its cache on disk: a changed stand-in builds anew. */
static std::string ptx() {
  std::string text = "// host CUDA";
  for (const char *path : {HOST_CUDA_HERE "/kernel.h", HOST_CUDA_HERE "/translate.py"}) {
    struct stat about;
    if (!stat(path, &about)) text += " " + std::to_string(about.st_mtim.tv_sec * 1000 + about.st_mtim.tv_nsec / 1000000);
  }
  return text + "\n";
}
int nvrtcGetPTXSize(Program *, size_t *n) { *n = ptx().size() + 1; return 0; }
int nvrtcGetPTX(Program *, char *to) { strcpy(to, ptx().c_str()); return 0; }
int nvrtcGetProgramLogSize(Program *p, size_t *n) { *n = p->log.size() + 1; return 0; }
int nvrtcGetProgramLog(Program *p, char *to) { memcpy(to, p->log.c_str(), p->log.size() + 1); return 0; }
}
