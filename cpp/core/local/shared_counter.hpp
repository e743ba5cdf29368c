// Whoever counts families for several searches at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace arcwise {

class SharedCounter {
  public:
    virtual ~SharedCounter() = default;
    // Counts a family and hands it to all searches that may still ask for it (NeighbourScores::receive),
    // among them the one that asks now. False: it is not one for all, and who needs it counts alone.
    virtual bool count(std::size_t child, std::span<const std::int32_t> parents) = 0;

  protected:
    SharedCounter() = default;
    SharedCounter(const SharedCounter&) = default;
    SharedCounter& operator=(const SharedCounter&) = default;
};

}  // namespace arcwise
