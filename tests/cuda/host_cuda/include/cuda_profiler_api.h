/* The two functions of NVIDIA's header of this name, which is in a wheel of its own. */
#include <driver_types.h>
extern "C" cudaError_t cudaProfilerStart(void);
extern "C" cudaError_t cudaProfilerStop(void);
