// Loops that are compiled for newer processors, too: the same operations in the same order (no contraction to
// fused ones), more of them at a time, so that the results are the same bits everywhere.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(ARCWISE_ONE_TARGET)
#define ARCWISE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ARCWISE_CLONES
#endif
