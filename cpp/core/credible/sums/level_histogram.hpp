// How the work for one layer of losses grows with the share of the slack that its lists may use.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace arcwise {

class LevelHistogram {
  public:
    static constexpr std::size_t bins = 32;

    // One step of work at a level >= 0; levels from 1 on are none of ours.
    void add(double level) {
        const double bin = level * static_cast<double>(bins);
        if (bin < static_cast<double>(bins)) ++steps_[static_cast<std::size_t>(std::max(0.0, bin))];
    }
    void add(const LevelHistogram& other) {
        for (std::size_t bin = 0; bin < bins; ++bin) steps_[bin] += other.steps_[bin];
    }
    // To be called when all steps at levels below `known` are there.
    void close(double known) {
        known_ =
            std::clamp(static_cast<std::size_t>(known * static_cast<double>(bins)), std::size_t{1}, bins);
        for (std::size_t bin = 1; bin < bins; ++bin) steps_[bin] += steps_[bin - 1];
    }
    // The largest level below which there are at most this many steps.
    double level_of(std::uint64_t steps) const {
        const auto end = steps_.begin() + static_cast<std::ptrdiff_t>(known_);
        return level_at(
            static_cast<std::size_t>(std::upper_bound(steps_.begin(), end, steps) - steps_.begin()));
    }
    // The logarithm of the steps up to `level`. Beyond what is known it grows with the root of the level, as
    // where each of many layers adds an independent choice: of k choices that lose x together there are about
    // (r x)^k / k!^2, and the sum of that over k is about exp(2 sqrt(r x)).
    double log_steps(double level) const {
        const double place = level * static_cast<double>(bins);
        const auto bin = static_cast<std::size_t>(place);
        if (bin < known_)
            return log_of(bin) + (place - static_cast<double>(bin)) * (log_of(bin + 1) - log_of(bin));
        const std::size_t middle = known_ / 2;
        const double end = std::sqrt(level_at(known_)), start = std::sqrt(level_at(middle));
        const double rise = (log_of(known_) - log_of(middle)) / (end - start);
        return log_of(known_) + rise * (std::sqrt(level) - end);
    }

  private:
    static double level_at(std::size_t bin) { return static_cast<double>(bin) / static_cast<double>(bins); }
    double log_of(std::size_t bin) const {
        return std::log(1.0 + static_cast<double>(steps_[std::max<std::size_t>(bin, 1) - 1]));
    }

    std::array<std::uint64_t, bins> steps_{};  // below the end of each bin, when closed
    std::size_t known_ = 1;                    // bins
};

}  // namespace arcwise
