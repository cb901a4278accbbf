/* How long does it take to read some bytes once and write some bytes once? Inputs and output advance together, a chunk
   at a time, as an elementwise loop does; what is written depends on what was read, so that nothing is left out. */
#include <stddef.h>
#include <stdint.h>

uint64_t move(const uint64_t *const *in, const size_t *words, size_t inputs, uint64_t *out, size_t written, size_t chunks) {
    uint64_t seen = 0;
    for (size_t c = 0; c < chunks; c++) {
        for (size_t k = 0; k < inputs; k++) {
            const uint64_t *from = in[k];
            const size_t end = words[k] * (c + 1) / chunks;
            for (size_t i = words[k] * c / chunks; i < end; i++) seen ^= from[i];
        }
        const size_t end = written * (c + 1) / chunks;
        for (size_t i = written * c / chunks; i < end; i++) out[i] = seen + i;
    }
    return seen;
}
