#include "ensemble/diagram_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace arcwise {

namespace {

struct Losses {
    std::vector<double> loss;  // ascending
    std::vector<BigCount> ways;
    // What an entry contributes to: the number and the weight of the ways on the other side.
    std::vector<BigCount> other_count;
    std::vector<double> other_mass;
};

struct Entry {
    double loss;
    BigCount ways;
};

class Summation {
  public:
    Summation(const NetworkDiagram& diagram, double slack, double grain, std::size_t memory, Ticker& ticker)
        : diagram_(diagram), slack_(slack), grain_(grain), memory_(memory), ticker_(ticker) {}

    bool run(DiagramSums& sums, std::size_t rows, bool families) {
        const std::size_t states = diagram_.states();
        least_.assign(states, std::numeric_limits<double>::infinity());
        least_[0] = 0;
        for (std::size_t s = 0; s < states; ++s)
            for (auto e = begin(s); e < end(s); ++e)
                least_[target(e)] = std::min(least_[target(e)], least_[s] + detour(e));
        to_.resize(states);
        from_.resize(states);
        to_[0] = {{0.0}, {1}, {}, {}};
        std::size_t top = 0, bottom = diagram_.nodes;
        for (auto s = first(bottom); s < first(bottom + 1); ++s) from_[s] = {{0.0}, {1}, {}, {}};
        std::size_t top_size = 1, bottom_size = 1;
        while (top < bottom) {
            if (top_size <= bottom_size)
                top_size = extend_down(top++);
            else
                bottom_size = extend_up(bottom--);
            if (stopped_) return false;
        }
        meet(top, sums);
        if (!families || overflow_) {
            sums.overflow = overflow_;
            return true;
        }
        sums.row_counts.assign(rows, 0);
        sums.row_masses.assign(rows, 0);
        for (std::size_t layer = top; layer-- > 0;) share_above(layer, sums);
        for (std::size_t layer = top; layer < diagram_.nodes; ++layer) share_below(layer, sums);
        sums.overflow = overflow_;
        return !stopped_;
    }

  private:
    std::size_t first(std::size_t layer) const { return diagram_.layer_begin[layer]; }
    std::uint64_t begin(std::size_t s) const { return diagram_.edge_begin[s]; }
    std::uint64_t end(std::size_t s) const { return diagram_.edge_begin[s + 1]; }
    std::size_t target(std::uint64_t e) const { return diagram_.edge_target[e]; }
    double detour(std::uint64_t e) const { return diagram_.edge_detour[e]; }

    BigCount add(BigCount a, BigCount b) {
        BigCount sum;
        overflow_ = __builtin_add_overflow(a, b, &sum) || overflow_;
        return sum;
    }
    BigCount multiply(BigCount a, BigCount b) {
        BigCount product;
        overflow_ = __builtin_mul_overflow(a, b, &product) || overflow_;
        return product;
    }

    // Sorts and joins entries that differ by less than the grain.
    std::size_t settle(std::vector<Entry>& entries, Losses& losses) {
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& a, const Entry& b) { return a.loss < b.loss; });
        for (const Entry& entry : entries) {
            if (!losses.loss.empty() && entry.loss - losses.loss.back() <= grain_) {
                losses.ways.back() = add(losses.ways.back(), entry.ways);
            } else {
                losses.loss.push_back(entry.loss);
                losses.ways.push_back(entry.ways);
            }
        }
        held_ += losses.loss.size();
        const bool too_large = held_ * (sizeof(Entry) + 32) > memory_;
        if (too_large) ticker_.stop(Status::memory_limit);
        if (too_large || ticker_.poll_now({held_, 0})) stopped_ = true;
        return losses.loss.size();
    }

    std::size_t extend_down(std::size_t layer) {
        std::vector<std::vector<Entry>> entries(first(layer + 2) - first(layer + 1));
        std::size_t pending = 0;
        for (auto s = first(layer); s < first(layer + 1) && !stopped_; ++s) {
            for (auto e = begin(s); e < end(s); ++e) {
                auto& into = entries[target(e) - first(layer + 1)];
                for (std::size_t i = 0; i < to_[s].loss.size(); ++i) {
                    const double loss = to_[s].loss[i] + detour(e);
                    if (loss > slack_) break;
                    into.push_back({loss, to_[s].ways[i]});
                    ++pending;
                }
            }
            check_pending(pending);
        }
        std::size_t total = 0;
        for (std::size_t t = 0; t < entries.size() && !stopped_; ++t)
            total += settle(entries[t], to_[first(layer + 1) + t]);
        return total;
    }

    std::size_t extend_up(std::size_t layer) {
        std::vector<Entry> entries;
        std::size_t total = 0;
        for (auto s = first(layer - 1); s < first(layer) && !stopped_; ++s) {
            entries.clear();
            for (auto e = begin(s); e < end(s); ++e) {
                const Losses& next = from_[target(e)];
                for (std::size_t i = 0; i < next.loss.size(); ++i) {
                    const double loss = next.loss[i] + detour(e);
                    if (least_[s] + loss > slack_) break;
                    entries.push_back({loss, next.ways[i]});
                }
                check_pending(entries.size());
            }
            total += settle(entries, from_[s]);
        }
        return total;
    }

    void check_pending(std::size_t pending) {
        if ((held_ + pending) * sizeof(Entry) > memory_) {
            ticker_.stop(Status::memory_limit);
            stopped_ = true;
        }
    }

    void meet(std::size_t layer, DiagramSums& sums) {
        for (auto s = first(layer); s < first(layer + 1); ++s) {
            reach(to_[s], from_[s]);
            reach(from_[s], to_[s]);
            for (std::size_t i = 0; i < to_[s].loss.size(); ++i) {
                sums.count = add(sums.count, multiply(to_[s].ways[i], to_[s].other_count[i]));
                sums.mass +=
                    static_cast<double>(to_[s].ways[i]) * std::exp(-to_[s].loss[i]) * to_[s].other_mass[i];
            }
        }
    }

    // For each entry of a: how many ways of b fit into what it leaves of the slack.
    void reach(Losses& a, const Losses& b) {
        a.other_count.assign(a.loss.size(), 0);
        a.other_mass.assign(a.loss.size(), 0);
        BigCount count = 0;
        double mass = 0;
        std::size_t j = 0;
        for (std::size_t i = a.loss.size(); i-- > 0;) {
            while (j < b.loss.size() && a.loss[i] + b.loss[j] <= slack_) {
                count = add(count, b.ways[j]);
                mass += static_cast<double>(b.ways[j]) * std::exp(-b.loss[j]);
                ++j;
            }
            a.other_count[i] = count;
            a.other_mass[i] = mass;
        }
    }

    // Passes what the entries of `outer` contribute to on to those of `inner`, which became entries of
    // `outer` by adding the edge's detour; returns nothing but the edge's own sums.
    void share(Losses& inner, const Losses& outer, std::uint64_t e, double limit, DiagramSums& sums) {
        if (inner.other_count.empty()) {
            inner.other_count.assign(inner.loss.size(), 0);
            inner.other_mass.assign(inner.loss.size(), 0);
        }
        const double step = detour(e), weight = std::exp(-step);
        BigCount count = 0;
        double mass = 0;
        std::size_t j = 0;
        for (std::size_t i = 0; i < inner.loss.size(); ++i) {
            const double loss = inner.loss[i] + step;
            if (loss > limit) break;
            while (j + 1 < outer.loss.size() && outer.loss[j + 1] <= loss) ++j;
            const BigCount others = outer.other_count[j];
            const double other_mass = outer.other_mass[j] * weight;
            count = add(count, multiply(inner.ways[i], others));
            mass += static_cast<double>(inner.ways[i]) * std::exp(-inner.loss[i]) * other_mass;
            inner.other_count[i] = add(inner.other_count[i], others);
            inner.other_mass[i] += other_mass;
        }
        const auto row = diagram_.edge_row[e];
        sums.row_counts[row] = add(sums.row_counts[row], count);
        sums.row_masses[row] += mass;
    }

    void share_above(std::size_t layer, DiagramSums& sums) {
        for (auto s = first(layer); s < first(layer + 1); ++s)
            for (auto e = begin(s); e < end(s); ++e) share(to_[s], to_[target(e)], e, slack_, sums);
    }

    void share_below(std::size_t layer, DiagramSums& sums) {
        for (auto s = first(layer); s < first(layer + 1); ++s)
            for (auto e = begin(s); e < end(s); ++e)
                share(from_[target(e)], from_[s], e, slack_ - least_[s], sums);
    }

    const NetworkDiagram& diagram_;
    double slack_, grain_;
    std::size_t memory_;
    Ticker& ticker_;
    std::vector<double> least_;
    std::vector<Losses> to_, from_;
    std::size_t held_ = 0;
    bool stopped_ = false;
    bool overflow_ = false;
};

}  // namespace

DiagramSums sum_diagram(const NetworkDiagram& diagram, double slack, double grain, std::size_t rows,
                        bool families, std::size_t memory, Ticker& ticker) {
    DiagramSums sums;
    if (diagram.states() == 0) return sums;
    Summation summation(diagram, std::min(slack, diagram.slack), grain, memory, ticker);
    if (!summation.run(sums, rows, families)) sums.status = ticker.reason();
    return sums;
}

}  // namespace arcwise
