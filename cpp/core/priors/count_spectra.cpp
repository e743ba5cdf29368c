#include "priors/count_spectra.hpp"

#include <bit>
#include <cassert>

#include "counts/collapsed_rows.hpp"
#include "counts/set_counter.hpp"
#include "parallel_for.hpp"

namespace arcwise {

namespace {

using Count = std::uint32_t;

template <class Code>
class Counter final : public GroupCounter {
  public:
    explicit Counter(std::shared_ptr<const CollapsedRows<Code, Count>> data)
        : data_(std::move(data)), counter_(*data_) {}

    void count(std::span<const std::int32_t> tops, std::vector<CountRun>& runs,
               std::vector<std::size_t>& ends) override {
        counter_.set_prefix(tops);
        const std::size_t lows = tops.empty() ? data_->variables : static_cast<std::size_t>(tops.back());
        for (std::size_t low = 0; low < lows; ++low) {
            append(counter_.cells(low), runs);
            ends.push_back(runs.size());
        }
    }
    CountRun everything() const override { return {static_cast<Count>(data_->cases), 1}; }

  private:
    // Counts below `direct` are tallied in a table; the few above it (at most N / direct) one by one.
    void append(std::span<const Count> cells, std::vector<CountRun>& runs) {
        constexpr std::size_t direct = 4096;
        tally_.resize(direct, 0);
        seen_.clear();
        for (const auto count : cells) {
            if (count == 0) continue;
            if (count >= direct) {
                runs.push_back({count, 1});
            } else if (tally_[count]++ == 0) {
                seen_.push_back(count);
            }
        }
        for (const auto count : seen_) {
            runs.push_back({count, tally_[count]});
            tally_[count] = 0;
        }
    }

    std::shared_ptr<const CollapsedRows<Code, Count>> data_;
    SetCounter<Code, Count> counter_;
    std::vector<std::uint32_t> tally_;
    std::vector<Count> seen_;
};

// The next larger number with as many bits set (Gosper).
std::uint32_t next_of_size(std::uint32_t set) {
    const std::uint32_t lowest = set & (~set + 1);
    const std::uint32_t ripple = set + lowest;
    return ripple | (((set ^ ripple) >> 2) / lowest);
}

}  // namespace

template <class Code>
CountSpectra::CountSpectra(const Columns<Code>& data) {
    assert(data.variables <= largest && data.cases() <= 0x7FFFFFFF);
    auto rows = std::make_shared<const CollapsedRows<Code, Count>>(collapse_rows<Code, Count>(data));
    labels_ = rows->labels;
    arities_ = rows->arities;
    cases_ = rows->cases;
    make_counter_ = [rows] { return std::make_unique<Counter<Code>>(rows); };
    const std::size_t sets = std::size_t{1} << arities_.size();
    starts_.assign(sets, 0);
    lengths_.assign(sets, 0);
    shapes_.assign(sets, 0);
}

std::vector<std::uint32_t> CountSpectra::flat_runs(std::uint32_t set) const {
    std::vector<std::uint32_t> flat;
    for (const auto& run : runs(set)) flat.insert(flat.end(), {run.count, run.cells});
    return flat;
}

double CountSpectra::bytes() const {
    return static_cast<double>(runs_.capacity() * sizeof(CountRun) + starts_.size() * 16);
}

void CountSpectra::store(std::uint32_t set, std::span<const CountRun> found) {
    double size = 1.0;
    for (std::uint32_t rest = set; rest != 0; rest &= rest - 1)
        size *= static_cast<double>(arities_[static_cast<std::size_t>(std::countr_zero(rest))]);
    const auto [place, is_new] = shape_of_size_.try_emplace(size, static_cast<std::uint32_t>(sizes_.size()));
    if (is_new) sizes_.push_back(size);
    shapes_[set] = place->second;
    starts_[set] = runs_.size();
    lengths_[set] = static_cast<std::uint32_t>(found.size());
    runs_.insert(runs_.end(), found.begin(), found.end());
}

Status CountSpectra::advance(Monitor& monitor, double seconds, std::size_t threads, double memory_bytes) {
    const auto size = static_cast<std::size_t>(level_ + 1);
    const std::size_t n = variables();
    while (counters_.size() < std::max<std::size_t>(threads, 1)) counters_.push_back(make_counter_());
    if (size == 0) {
        const CountRun all = counters_[0]->everything();
        store(0, {&all, 1});
        level_ = 0;
        return Status::complete;
    }
    assert(size <= n);
    // All sets of size - 1 tops, ascending as numbers: neighbours share their largest members, and the
    // counter its work.
    std::vector<std::uint32_t> groups;
    const std::uint64_t end = std::uint64_t{1} << n;
    for (std::uint64_t tops = (std::uint64_t{1} << (size - 1)) - 1; tops < end;) {
        groups.push_back(static_cast<std::uint32_t>(tops));
        if (tops == 0) break;
        tops = next_of_size(static_cast<std::uint32_t>(tops));
    }
    constexpr std::size_t chunk = 64;
    struct Part {
        std::vector<CountRun> runs;
        std::vector<std::size_t> ends;
    };
    std::vector<Part> parts((groups.size() + chunk - 1) / chunk);
    std::atomic<double> held{bytes()};
    Ticker ticker(monitor, seconds);
    const bool done = parallel_for(
        counters_.size(), parts.size(),
        [&](std::size_t worker, std::size_t task) {
            std::vector<std::int32_t> tops;
            for (std::size_t g = task * chunk; g < std::min((task + 1) * chunk, groups.size()); ++g) {
                tops.clear();
                for (std::uint32_t rest = groups[g]; rest != 0; rest &= rest - 1)
                    tops.insert(tops.begin(), static_cast<std::int32_t>(std::countr_zero(rest)));
                counters_[worker]->count(tops, parts[task].runs, parts[task].ends);
            }
            held += static_cast<double>(2 * parts[task].runs.capacity() * sizeof(CountRun));
        },
        [&](std::size_t started) {
            if (held > memory_bytes) ticker.stop(Status::memory_limit);
            return ticker.poll_now({started * chunk, groups.size()});
        });
    if (!done) return ticker.reason();
    if (held > memory_bytes) return Status::memory_limit;
    for (std::size_t task = 0; task < parts.size(); ++task) {
        std::size_t at = 0;
        std::size_t begin = 0;
        for (std::size_t g = task * chunk; g < std::min((task + 1) * chunk, groups.size()); ++g) {
            const auto lows = groups[g] == 0 ? n : static_cast<std::size_t>(std::countr_zero(groups[g]));
            for (std::size_t low = 0; low < lows; ++low, ++at) {
                store(groups[g] | (std::uint32_t{1} << low),
                      std::span(parts[task].runs).subspan(begin, parts[task].ends[at] - begin));
                begin = parts[task].ends[at];
            }
        }
        parts[task] = Part{};
    }
    ++level_;
    return Status::complete;
}

template CountSpectra::CountSpectra(const Columns<std::uint8_t>&);
template CountSpectra::CountSpectra(const Columns<std::uint16_t>&);
template CountSpectra::CountSpectra(const Columns<std::uint32_t>&);

}  // namespace arcwise
