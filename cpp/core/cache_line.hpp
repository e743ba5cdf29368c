// How far apart data must lie that threads write at the same time.
#pragma once

#include <cstddef>

namespace arcwise {

// Processors pass memory to each other in lines of 64 bytes, some in pairs of them. A counter of one thread
// in the line of what another reads makes both wait for it: the sums over all DAGs took a third longer on two
// threads.
constexpr std::size_t cache_line_padding = 128;

}  // namespace arcwise
