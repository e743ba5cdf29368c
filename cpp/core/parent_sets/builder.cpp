#include "parent_sets/builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>

#include "parallel_for.hpp"
#include "parent_sets/builder_level.hpp"
#include "parent_sets/family_ranks.hpp"
#include "parent_sets/pruning.hpp"

namespace arcwise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Calls visit(set number, low) for each set of the candidates, after open(tops) for each group.
template <class Open, class Visit>
void for_each_set(const Candidates& candidates, Open open, Visit visit) {
    for (std::size_t group = 0; group < candidates.groups(); ++group) {
        open(candidates.tops_of(group));
        for (std::size_t set = candidates.begin_of(group); set < candidates.end_of(group); ++set)
            visit(set, candidates.lows[set]);
    }
}

}  // namespace

ParentSetBuilder::ParentSetBuilder(std::unique_ptr<CountSource> source, std::vector<const LocalScore*> scores,
                                   BuildOptions options)
    : source_(std::move(source)),
      scores_(std::move(scores)),
      options_(std::move(options)),
      ranks_(source_->labels().size()) {
    const auto labels = source_->labels();
    const std::size_t n = labels.size();
    for (std::size_t score = 0; score < scores_.size(); ++score) {
        const SetScore* set_score = scores_[score]->set_score();
        set_number_.push_back(set_score != nullptr ? set_scores_.size() : family_scores_.size());
        if (set_score != nullptr) {
            set_scores_.push_back(set_score);
            set_owner_.push_back(score);
        } else {
            family_scores_.push_back(scores_[score]);
        }
    }
    options_.threads = std::max<std::size_t>(1, options_.threads);
    for (std::size_t thread = 0; thread < options_.threads; ++thread)
        scorers_.push_back(source_->scorer(ranks_, set_scores_, family_scores_));
    position_.resize(n);
    for (std::size_t p = 0; p < n; ++p)
        position_[static_cast<std::size_t>(labels[p])] = static_cast<std::int32_t>(p);

    jobs_ = make_jobs(*source_, scores_, options_, position_);
    gains_.resize(scores_.size());
    for (std::size_t score = 0; score < scores_.size(); ++score)
        if (const FamilyPrior* prior = scores_[score]->prior()) gains_[score].emplace(*prior, n);
    for (const auto& job : jobs_)
        if (job.prior) gains_[job.score]->add_child(*job.prior, job.allowed);
}

double ParentSetBuilder::bound(const Job& job, double parent_cells, double occupied_cells) const {
    const LocalScore& score = *scores_[job.score];
    const double weight = score.penalty_weight();
    if (weight > 0.0) return penalty_bound(job.full_likelihood, weight, parent_cells, job.arity);
    return score.shape_bound(parent_cells, occupied_cells, static_cast<std::size_t>(job.arity));
}

// Step 1 for one child. False if memory runs out.
bool ParentSetBuilder::generate(const Job& job, std::size_t size, Candidates& candidates,
                                std::atomic<double>& bytes) const {
    const std::size_t base = job.required.size();
    if (size < base || size > job.limit) return true;
    candidates.set_size = size - base;
    if (size == base) {
        candidates.add(-1, -infinity);
        candidates.close({});
        return true;
    }
    const auto arities = source_->arities();
    const auto arity_of = [&](std::int32_t p) {
        return static_cast<double>(arities[static_cast<std::size_t>(p)]);
    };
    double cells = 0.0;  // of the group's tops; 0: not yet computed
    ChildPrior::Sum believed;
    std::size_t accounted = 0;
    bool enough = true;
    extend(
        job.state.alive, job.allowed, ranks_,
        [&](std::span<const std::int32_t> tops, std::int32_t low, double best) {
            if (cells == 0.0) {
                cells = job.required_cells;
                for (const auto top : tops) cells *= arity_of(top);
                if (job.prior) believed = job.prior->sum(tops);
            }
            double limit = bound(job, cells * arity_of(low), 1.0);
            if (job.prior) limit += job.prior->most(job.prior->with(believed, low));
            if (!beaten_with_supersets(best, limit, options_.slack, 2 * score_tolerance(best)))
                candidates.add(low, best);
        },
        [&](std::span<const std::int32_t> tops) {
            cells = 0.0;
            candidates.close(tops);
            if (candidates.bytes() > accounted + (1u << 20)) {
                const auto now = candidates.bytes();
                const double total = bytes.fetch_add(static_cast<double>(now - accounted)) +
                                     static_cast<double>(now - accounted);
                accounted = now;
                enough = total <= options_.memory_bytes;
            }
            return enough;
        });
    bytes.fetch_add(static_cast<double>(candidates.bytes() - std::min(accounted, candidates.bytes())));
    return enough;
}

// Has a batch counted elsewhere, if anybody is there for it: then `done` says whether that was finished.
bool ParentSetBuilder::count_elsewhere(const Level& level, SetBatch batch, Ticker& ticker, bool& done) const {
    if (level.elsewhere == nullptr || batch.size() == 0) return false;
    const auto status = (*level.elsewhere)(batch);
    if (!status) return false;
    done = *status == Status::complete;
    if (!done) ticker.stop(*status);
    return true;
}

// Counts the sets of an index on all threads, or elsewhere.
bool ParentSetBuilder::count(Level& level, const SetIndex& index, std::span<const std::uint8_t> known,
                             SetValues& values, Ticker& ticker) {
    values.sums.assign(set_scores_.size(), {});
    for (auto& sums : values.sums) sums.resize(index.size());
    values.occupied.resize(index.size());
    level.counted += index.size();
    bool done = false;
    if (count_elsewhere(level, SetBatch(index, known, values), ticker, done)) return done;
    const std::size_t chunk = std::clamp<std::size_t>(4'000'000 / (source_->rows() + 1), 16, 2048);
    const std::size_t chunks = (index.size() + chunk - 1) / chunk;
    return parallel_for(
        options_.threads, chunks,
        [&](std::size_t worker, std::size_t task) {
            const auto first = task * chunk;
            scorers_[worker]->sum_sets(index, first, std::min(first + chunk, index.size()), known, values);
        },
        [&](std::size_t started) {
            level.shown.done = std::min(started * chunk, index.size());
            level.shown.total = index.size();
            return ticker.poll_now(level.shown);
        });
}

// Step 3 for the parent sets in slots first .. last - 1: how many states a child may have at most (less one)
// so that no member of the set adds too little to the others.
void ParentSetBuilder::measure_parents(Level& level, std::size_t first, std::size_t last) const {
    if (level.size == 0 || parent_index_.set_size() + 1 != level.size) return;
    const auto arities = source_->arities();
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> others;
    for (std::size_t slot = first; slot < last; ++slot) {
        ranks_.unrank(level.parent_index.rank(slot), level.size, members);
        std::reverse(members.begin(), members.end());
        double cells = 1.0;
        for (const auto m : members) cells *= static_cast<double>(arities[static_cast<std::size_t>(m)]);
        for (std::size_t skip = 0; skip < members.size(); ++skip) {
            others.assign(members.begin(), members.end());
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(skip));
            const auto subset = parent_index_.slot(ranks_.rank(others));
            if (subset == SetIndex::absent) continue;
            const auto arity = static_cast<double>(arities[static_cast<std::size_t>(members[skip])]);
            const double subset_cells = cells / arity;
            for (std::size_t s = 0; s < set_scores_.size(); ++s) {
                const double weight = scores_[set_owner_[s]]->penalty_weight();
                if (!(weight > 0.0)) continue;
                const auto& gains = gains_[set_owner_[s]];
                const double slack =
                    options_.slack +
                    (gains ? gains->largest(static_cast<std::size_t>(members[skip]), level.size) : 0.0);
                // N H(X_j | P - j) from the likelihood parts of g.
                const double entropy =
                    (parent_values_.sums[s][subset] - set_scores_[s]->constant(subset_cells)) -
                    (level.parent_values.sums[s][slot] - set_scores_[s]->constant(cells));
                const double room = arity_room(entropy, weight, arity, subset_cells, slack,
                                               2 * score_tolerance(level.parent_values.sums[s][slot]));
                auto& smallest = level.room[s][slot];
                // Rounded up, so that nothing is dropped by rounding.
                smallest = std::min(smallest, std::nextafter(static_cast<float>(room),
                                                             std::numeric_limits<float>::infinity()));
            }
        }
    }
}

// Steps 3 and 4 for one child: leaves out what step 3 rules out, and marks the sets to be counted.
void ParentSetBuilder::select(Job& job, Level& level, Candidates& candidates) const {
    const bool by_room = scores_[job.score]->penalty_weight() > 0.0 && job.required.empty();
    const auto* room = by_room ? &level.room[set_score_of(job.score)] : nullptr;
    FamilyRanks ranks(ranks_, job.child, job.required);
    SetIndex::Marker marker(level.family_index);
    Candidates kept;
    kept.set_size = candidates.set_size;
    bool dropped = false;
    if (room != nullptr) {
        for_each_set(
            candidates, [&](auto tops) { ranks.set_tops(tops); },
            [&](std::size_t, std::int32_t low) {
                ranks.set_low(low);
                const float limit = (*room)[level.parent_index.slot(ranks.parents())];
                dropped = dropped || parent_adds_too_little(static_cast<double>(limit), job.arity);
            });
    }
    for (std::size_t group = 0; group < candidates.groups(); ++group) {
        const auto tops = candidates.tops_of(group);
        ranks.set_tops(tops);
        for (std::size_t set = candidates.begin_of(group); set < candidates.end_of(group); ++set) {
            ranks.set_low(candidates.lows[set]);
            if (dropped) {
                const float limit = (*room)[level.parent_index.slot(ranks.parents())];
                if (parent_adds_too_little(static_cast<double>(limit), job.arity)) continue;
                kept.add(candidates.lows[set], candidates.best[set]);
            }
            marker.mark(ranks.family());
        }
        if (dropped) kept.close(tops);
    }
    if (dropped) candidates = std::move(kept);
}

// Step 5 for one child. False if memory runs out.
bool ParentSetBuilder::evaluate(Job& job, Level& level, const Candidates& candidates, ChildState& next,
                                std::uint64_t& families) const {
    const auto arities = source_->arities();
    const auto labels = source_->labels();
    const LocalScore& score = *scores_[job.score];
    const bool is_set_score = score.set_score() != nullptr;
    const std::size_t number = set_score_of(job.score);
    const bool last = level.size >= job.limit;
    next.alive.set_size = candidates.set_size;
    FamilyRanks ranks(ranks_, job.child, job.required);
    std::span<const std::int32_t> tops;
    double top_cells = 1.0;
    ChildPrior::Sum top_believed;
    double accounted = 0.0;  // bytes of `next` that level.results knows of
    std::vector<std::int32_t> parents;
    for (std::size_t group = 0; group < candidates.groups(); ++group) {
        tops = candidates.tops_of(group);
        ranks.set_tops(tops);
        top_cells = job.required_cells;
        for (const auto top : tops) top_cells *= static_cast<double>(arities[static_cast<std::size_t>(top)]);
        if (job.prior) top_believed = job.prior->sum(tops);
        for (std::size_t set = candidates.begin_of(group); set < candidates.end_of(group); ++set) {
            const auto low = candidates.lows[set];
            const double cells =
                low < 0 ? top_cells : top_cells * static_cast<double>(arities[static_cast<std::size_t>(low)]);
            ranks.set_low(low);
            const auto slot = level.family_index.slot(ranks.family());
            double value = 0.0;
            double limit = infinity;  // no superset scores more
            if (is_set_score) {
                value = level.family_values.sums[number][slot] -
                        level.parent_values.sums[number][level.parent_index.slot(ranks.parents())];
                limit = bound(job, cells * job.smallest_arity,
                              static_cast<double>(level.family_values.occupied[slot]));
                if (job.prior) {
                    const auto believed = low < 0 ? top_believed : job.prior->with(top_believed, low);
                    value += job.prior->value(believed);
                    limit += job.prior->most(believed);
                }
            } else {
                const auto entry = slot * (level.size + 1) + ranks.place();
                value = level.families[number].scores[entry];
                limit = level.families[number].bounds[entry];
            }
            ++families;
            const double best_subset = candidates.best[set];
            const double tolerance = score_tolerance(value);
            if (value > -infinity && !beaten_by_subset(best_subset, value, options_.slack, tolerance)) {
                parents.clear();
                for (const auto p : job.required) parents.push_back(labels[static_cast<std::size_t>(p)]);
                for (const auto p : tops) parents.push_back(labels[static_cast<std::size_t>(p)]);
                if (low >= 0) parents.push_back(labels[static_cast<std::size_t>(low)]);
                std::sort(parents.begin(), parents.end());
                next.scores.push_back(value);
                next.sizes.push_back(static_cast<std::int32_t>(parents.size()));
                next.members.insert(next.members.end(), parents.begin(), parents.end());
            }
            if (last) continue;
            const double best = std::max(best_subset, value);
            if (beaten_with_supersets(best, limit, options_.slack, 2 * score_tolerance(best))) continue;
            next.alive.add(low, best);
        }
        next.alive.close(tops);
        const double now = next.kept_bytes() + static_cast<double>(next.alive.bytes());
        if (now > accounted + 1e6) {
            const double total = level.results.fetch_add(now - accounted) + now - accounted;
            accounted = now;
            if (level.bytes + total > options_.memory_bytes) return false;
        }
    }
    return true;
}

Status ParentSetBuilder::build(Level& level, Ticker& ticker) {
    const std::size_t threads = options_.threads;
    const auto quietly = [&](std::size_t) { return ticker.poll_now(level.shown); };
    ranks_.grow(level.size + 3);
    if (!ranks_.representable(level.size + 1)) return Status::memory_limit;

    // 1. Candidates.
    std::atomic<double> bytes{0.0};
    std::atomic<bool> enough{true};
    level.candidates.resize(jobs_.size());
    const auto all = [&](auto body) {
        return parallel_for(threads, jobs_.size(), [&](std::size_t, std::size_t job) { body(job); }, quietly);
    };
    if (!all([&](std::size_t job) {
            if (enough && !generate(jobs_[job], level.size, level.candidates[job], bytes)) enough = false;
        }))
        return ticker.reason();
    if (!enough) return Status::memory_limit;
    for (const auto& job : jobs_)
        level.held += job.state.kept_bytes() + static_cast<double>(job.state.alive.bytes());
    level.next.resize(jobs_.size());
    for (std::size_t score = 0; score < scores_.size(); ++score)
        if (pays_dense(level, score) && !finish_densely(level, score, ticker)) return ticker.reason();
    std::size_t families = 0;
    for (const auto& candidates : level.candidates) families += candidates.sets();
    level.scored = level.dense_families;
    if (families == 0) return Status::complete;
    // What the level will take: candidates, twice while they are filtered, and the sets they need.
    const double per_set = 8.0 * static_cast<double>(set_scores_.size()) + 8.0 +
                           17.0 * static_cast<double>(family_scores_.size() * (level.size + 1));
    const auto sets_at_most = [&](std::size_t size) {
        return static_cast<std::size_t>(std::min(static_cast<Rank>(families), ranks_.sets(size)));
    };
    const std::size_t parents_at_most = set_scores_.empty() ? 0 : sets_at_most(level.size);
    const std::size_t families_at_most = sets_at_most(level.size + 1);
    level.bytes = level.held + bytes.load() + SetIndex::bytes(ranks_.sets(level.size), parents_at_most) +
                  SetIndex::bytes(ranks_.sets(level.size + 1), families_at_most) +
                  per_set * static_cast<double>(parents_at_most + families_at_most);
    if (level.bytes > options_.memory_bytes) return Status::memory_limit;

    // 2. The parent sets' own tables, where set scores need them.
    level.parent_index = SetIndex(level.size, ranks_.sets(level.size), parents_at_most);
    if (!set_scores_.empty()) {
        if (!all([&](std::size_t job) {
                if (scores_[jobs_[job].score]->set_score() == nullptr) return;
                SetIndex::Marker marker(level.parent_index);
                FamilyRanks ranks(ranks_, jobs_[job].child, jobs_[job].required);
                for_each_set(
                    level.candidates[job], [&](auto tops) { ranks.set_tops(tops); },
                    [&](std::size_t, std::int32_t low) {
                        ranks.set_low(low);
                        marker.mark(ranks.parents());
                    });
            }))
            return ticker.reason();
    }
    level.parent_index.seal();
    if (!set_scores_.empty()) {
        std::vector<std::uint8_t> known(level.parent_index.size(), 0);
        std::vector<std::size_t> origin(level.parent_index.size(), SetIndex::absent);
        const bool matches = family_index_.set_size() == level.size && family_index_.size() > 0;
        Rank rank = 0;
        for (std::size_t slot = 0; matches && slot < known.size(); ++slot) {
            rank = slot == 0 ? level.parent_index.rank(0) : level.parent_index.next(rank, slot - 1);
            origin[slot] = family_index_.slot(rank);
            known[slot] = origin[slot] != SetIndex::absent;
        }
        if (!count(level, level.parent_index, known, level.parent_values, ticker)) return ticker.reason();
        for (std::size_t slot = 0; slot < known.size(); ++slot) {
            if (known[slot] == 0) continue;
            --level.counted;
            for (std::size_t s = 0; s < set_scores_.size(); ++s)
                level.parent_values.sums[s][slot] = family_values_.sums[s][origin[slot]];
            level.parent_values.occupied[slot] = family_values_.occupied[origin[slot]];
        }
        level.room.assign(set_scores_.size(),
                          std::vector<float>(known.size(), std::numeric_limits<float>::infinity()));
        constexpr std::size_t chunk = 4096;
        if (std::isfinite(options_.slack) &&
            !parallel_for(
                threads, (known.size() + chunk - 1) / chunk,
                [&](std::size_t, std::size_t task) {
                    measure_parents(level, task * chunk, std::min((task + 1) * chunk, known.size()));
                },
                quietly))
            return ticker.reason();
    }

    // 3 and 4. The sets P + child.
    level.family_index = SetIndex(level.size + 1, ranks_.sets(level.size + 1), families_at_most);
    if (!all([&](std::size_t job) { select(jobs_[job], level, level.candidates[job]); }))
        return ticker.reason();
    level.family_index.seal();
    if (!set_scores_.empty() && !count(level, level.family_index, {}, level.family_values, ticker))
        return ticker.reason();
    if (!family_scores_.empty()) {
        const auto entries = level.family_index.size() * (level.size + 1);
        level.families.resize(family_scores_.size());
        for (auto& values : level.families) {
            values.needed.assign(entries, 0);
            values.scores.resize(entries);
            values.bounds.resize(entries);
        }
        for (std::size_t job = 0; job < jobs_.size(); ++job) {
            if (scores_[jobs_[job].score]->set_score() != nullptr) continue;
            auto& needed = level.families[set_score_of(jobs_[job].score)].needed;
            FamilyRanks ranks(ranks_, jobs_[job].child, jobs_[job].required);
            for_each_set(
                level.candidates[job], [&](auto tops) { ranks.set_tops(tops); },
                [&](std::size_t, std::int32_t low) {
                    ranks.set_low(low);
                    needed[level.family_index.slot(ranks.family()) * (level.size + 1) + ranks.place()] = 1;
                });
        }
        constexpr std::size_t chunk = 64;
        const auto size = level.family_index.size();
        bool done = false;
        if (!count_elsewhere(level, SetBatch(level.family_index, level.families), ticker, done))
            done = parallel_for(
                threads, (size + chunk - 1) / chunk,
                [&](std::size_t worker, std::size_t task) {
                    scorers_[worker]->score_families(level.family_index, task * chunk,
                                                     std::min((task + 1) * chunk, size), level.families);
                },
                [&](std::size_t started) {
                    level.shown.done = std::min(started * chunk, size);
                    level.shown.total = size;
                    return ticker.poll_now(level.shown);
                });
        if (!done) return ticker.reason();
        if (set_scores_.empty()) level.counted += size;
    }

    // 5. Scores.
    std::vector<std::uint64_t> scored(jobs_.size(), 0);
    if (!all([&](std::size_t job) {
            if (level.candidates[job].sets() == 0) return;
            if (enough && !evaluate(jobs_[job], level, level.candidates[job], level.next[job], scored[job]))
                enough = false;
            level.candidates[job] = Candidates{};
        }))
        return ticker.reason();
    if (!enough) return Status::memory_limit;
    level.scored += std::accumulate(scored.begin(), scored.end(), std::uint64_t{0});
    return Status::complete;
}

Status ParentSetBuilder::advance(Monitor& monitor, double seconds, const CountElsewhere& elsewhere) {
    Ticker ticker(monitor, seconds);
    Level level;
    if (elsewhere) level.elsewhere = &elsewhere;
    level.size = static_cast<std::size_t>(level_ + 1);
    try {
        const Status status = build(level, ticker);
        if (status != Status::complete) return status;
    } catch (const std::bad_alloc&) {
        return Status::memory_limit;
    }
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        auto& state = jobs_[job].state;
        auto& next = level.next[job];
        state.scores.insert(state.scores.end(), next.scores.begin(), next.scores.end());
        state.sizes.insert(state.sizes.end(), next.sizes.begin(), next.sizes.end());
        state.members.insert(state.members.end(), next.members.begin(), next.members.end());
        state.alive = std::move(next.alive);
    }
    parent_index_ = std::move(level.parent_index);
    parent_values_ = std::move(level.parent_values);
    family_index_ = std::move(level.family_index);
    family_values_ = std::move(level.family_values);
    statistics_.families += level.scored;
    statistics_.sets += level.counted;
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, level.bytes + level.results);
    ++level_;
    return Status::complete;
}

}  // namespace arcwise
