// The states of a credible set, or of its equivalence classes, that is taken apart from the sinks.
//
// With the exact bound (best[U] of all subsets) this is the fastest way for small components, and it is the
// direction in which equivalence classes have a canonical form (canonical_rules.hpp). A state is what is left
// (U) and what the rule still forbids.
#pragma once

#include <algorithm>
#include <cstdint>

#include "credible/construction/canonical_rules.hpp"
#include "credible/construction/completion_bounds.hpp"

namespace arcwise {

template <std::size_t W, class Bound, class Rule>
class SinkStates {
  public:
    static constexpr bool keeps_ways = false;  // a way refers to what the next one overwrites
    struct Key {
        NodeSet<W> left;
        typename Rule::State rule;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct State {
        Key key;
        typename Bound::State bound;
        double done = 0;  // the best score of what was removed
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return static_cast<std::size_t>(key.left.hash() * 31 + key.rule.hash());
        }
    };
    struct Way {
        const typename Bound::State& bound;
        double done;
    };

    // Networks with score >= least are sought.
    SinkStates(const ComponentProblem<W>& component, const Bound& bound, const Rule& rule, double least)
        : component_(component), bound_(bound), rule_(rule), threshold_(bound.threshold(least)) {}

    std::size_t fixed_bytes() const { return 0; }
    std::size_t copy_bytes() const { return 0; }
    std::size_t state_bytes(const State&) const { return sizeof(State) + 48 + 8 * component_.nodes; }
    std::size_t key_bytes(const Key&) const { return sizeof(State) + 48 + 8 * component_.nodes; }

    State start() const { return {{NodeSet<W>::first(component_.nodes), rule_.start()}, bound_.start()}; }
    State make(const Key& key, const Way& way) const { return {key, way.bound, way.done}; }
    bool join(State& state, const Way& way) const {
        state.done = std::max(state.done, way.done);
        return true;
    }

    template <class Arrive>
    void expand(const State& state, std::size_t, Arrive&& arrive) {
        state.key.left.for_each([&](std::size_t v) {
            if (!rule_.may_remove(state.key.rule, v)) return;
            key_.left = state.key.left;
            key_.left.remove(v);
            const double completion = bound_.completion(state.bound, key_.left, v, scratch_);
            for (auto row = component_.offsets[v]; row < component_.offsets[v + 1]; ++row) {
                const double done = state.done + bound_.value(row);
                if (done + completion < threshold_) break;
                if (!component_.rows[row].parents.within(key_.left) ||
                    !rule_.may_choose(state.key.rule, v, row))
                    continue;
                rule_.remove(state.key.rule, key_.left, v, row, key_.rule);
                arrive(key_, Way{scratch_, done}, row);
            }
        });
    }

  private:
    const ComponentProblem<W>& component_;
    const Bound& bound_;
    const Rule& rule_;
    double threshold_;
    Key key_;
    typename Bound::State scratch_;
};

}  // namespace arcwise
