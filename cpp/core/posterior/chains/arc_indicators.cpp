#include "posterior/chains/arc_indicators.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>

#include "worker_team.hpp"

namespace arcwise {
namespace {

// The autocovariances of the parts, lag by lag, and what they are compared with.
class Lags {
  public:
    Lags(std::span<const SetView> parts, std::size_t length)
        : parts_(parts), length_(length), heads_(parts.size()), tails_(parts.size()) {
        const auto n = static_cast<double>(length_);
        const auto m = static_cast<double>(parts_.size());
        double mean = 0, within = 0, between = 0;
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            heads_[k] = tails_[k] = static_cast<double>(parts_[k].size());
            means_.push_back(heads_[k] / n);
            within += means_[k] * (1 - means_[k]) / m;
            mean += means_[k] / m;
        }
        for (const double own : means_) between += (own - mean) * (own - mean) / (m - 1);
        variance_ = within * n / (n - 1);
        total_ = within + between;
    }

    bool is_constant() const { return !(total_ > 0); }

    // The autocorrelation at the next lag, from 1 on.
    double next() {
        ++lag_;
        const auto n = static_cast<double>(length_);
        double covariance = 0;
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            heads_[k] -= parts_[k].has(length_ - lag_) ? 1 : 0;
            tails_[k] -= parts_[k].has(lag_ - 1) ? 1 : 0;
            const double left = n - static_cast<double>(lag_);
            const auto both = static_cast<double>(together(parts_[k]));
            covariance += (both - means_[k] * (heads_[k] + tails_[k]) + left * means_[k] * means_[k]) / n;
        }
        covariance /= static_cast<double>(parts_.size());
        return 1 - (variance_ - covariance * n / (n - 1)) / total_;
    }

  private:
    std::size_t together(SetView part) const {
        const std::size_t skip = lag_ >> 6, shift = lag_ & 63;
        const auto words = part.words();
        std::size_t found = 0;
        for (std::size_t w = skip; w < words.size(); ++w) {
            Word later = words[w] >> shift;
            if (shift != 0 && w + 1 < words.size()) later |= words[w + 1] << (64 - shift);
            found += static_cast<std::size_t>(std::popcount(words[w - skip] & later));
        }
        return found;
    }

    std::span<const SetView> parts_;
    std::size_t length_, lag_ = 0;
    std::vector<double> heads_, tails_, means_;
    double variance_ = 0, total_ = 0;
};

}  // namespace

double effective_draws(std::span<const SetView> parts, std::size_t length) {
    Lags lags(parts, length);
    if (lags.is_constant()) return std::numeric_limits<double>::quiet_NaN();
    // Sums of neighbouring autocorrelations, lags 0 and 1, 2 and 3, ..., as long as they are positive, and
    // none larger than the one before.
    double even = 1, odd = lags.next();
    double sum = 0, before = std::numeric_limits<double>::infinity();
    for (std::size_t lag = 1; even + odd > 0; lag += 2) {
        before = std::min(before, even + odd);
        sum += before;
        even = 0;
        if (lag + 3 >= length) break;
        even = lags.next();
        odd = lags.next();
    }
    const auto draws = static_cast<double>(parts.size() * length);
    const double time = -1 + 2 * sum + std::max(even, 0.0);
    return draws / std::max(time, 1 / std::log10(draws));
}

ArcIndicators summarize_arcs(const TableView& table, std::span<const std::uint32_t> rows, std::size_t chains,
                             std::size_t threads) {
    const std::size_t n = table.variables, draws = rows.size() / (chains * n);
    assert(draws >= 8 && rows.size() == chains * draws * n);
    const std::size_t half = draws / 2, parts = 2 * chains;
    WorkerTeam team(threads);
    const auto quietly = [](std::size_t) { return false; };
    // The arcs that occur, child by child: for each a set of draws per part.
    std::vector<std::map<std::int32_t, BitRows>> arcs_into(n);
    const auto note = [&](std::size_t, std::size_t v) {
        const auto first_row = static_cast<std::size_t>(table.node_offsets[v]);
        std::vector<BitRows*> series;  // of the parents of the last row
        std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
        for (std::size_t part = 0; part < parts; ++part)
            for (std::size_t i = 0; i < half; ++i) {
                const std::size_t draw = part % 2 == 0 ? i : draws - half + i;
                const std::uint32_t row = rows[((part / 2) * draws + draw) * n + v];
                if (row != last) {
                    series.clear();
                    last = row;
                    for (const auto parent : table.parents(first_row + row))
                        series.push_back(&arcs_into[v].try_emplace(parent, half, parts).first->second);
                }
                for (auto* own : series) (*own)[part].add(i);
            }
    };
    team.run(n, note, quietly);
    // The pairs that any draw joins, in order, with the arcs one way and the other.
    std::map<std::pair<std::int32_t, std::int32_t>, std::array<const BitRows*, 2>> pairs;
    for (std::size_t v = 0; v < n; ++v)
        for (const auto& [parent, series] : arcs_into[v]) {
            const auto child = static_cast<std::int32_t>(v);
            pairs[{std::min(parent, child), std::max(parent, child)}][parent < child ? 0 : 1] = &series;
        }
    const BitRows none(half, parts);
    ArcIndicators found;
    std::vector<std::array<const BitRows*, 2>> all;
    for (const auto& [pair, arcs] : pairs) {
        found.firsts.push_back(pair.first);
        found.seconds.push_back(pair.second);
        all.push_back({arcs[0] == nullptr ? &none : arcs[0], arcs[1] == nullptr ? &none : arcs[1]});
    }
    found.counts.resize(all.size() * 3 * parts);
    found.effective.resize(all.size() * 3);
    const auto work = [&](std::size_t, std::size_t pair) {
        const auto& arcs = all[pair];
        BitRows either = *arcs[0];
        for (std::size_t part = 0; part < parts; ++part) either[part] |= (*arcs[1])[part];
        std::vector<SetView> views;
        std::size_t place = 3 * pair;
        for (const BitRows* own : {arcs[0], arcs[1], static_cast<const BitRows*>(&either)}) {
            views.clear();
            for (std::size_t part = 0; part < parts; ++part) {
                views.push_back((*own)[part]);
                found.counts[place * parts + part] = static_cast<std::int64_t>(views.back().size());
            }
            found.effective[place++] = effective_draws(views, half);
        }
    };
    team.run(all.size(), work, quietly);
    return found;
}

}  // namespace arcwise
