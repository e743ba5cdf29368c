// The diagram of a credible set, or of its equivalence classes, taken apart from the sinks.
//
// With the exact bound (best[U] of all subsets) this is the fastest way for small components, and it is the
// direction in which equivalence classes have a canonical form (canonical_rules.hpp). A state is what is left
// (U) and what the rule still forbids; only two layers are held while they grow.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ensemble/construction/canonical_rules.hpp"
#include "ensemble/construction/completion_bounds.hpp"
#include "ensemble/construction/layered_states.hpp"
#include "monitor.hpp"

namespace arcwise {

template <std::size_t W, class Bound, class Rule>
class SinkBuilder {
  public:
    // Networks with score >= at_least - slack are sought.
    SinkBuilder(const ComponentProblem<W>& problem, const Bound& bound, const Rule& rule, double at_least,
                double slack, std::size_t memory, Ticker& ticker)
        : problem_(problem),
          bound_(bound),
          rule_(rule),
          threshold_(bound.threshold(at_least - slack)),
          slack_(slack),
          memory_(memory),
          ticker_(ticker),
          layers_(problem) {}

    NetworkDiagram build() {
        std::vector<State> layer(1), next;
        layer[0].key.left = NodeSet<W>::first(problem_.nodes);
        layer[0].key.rule = rule_.start();
        layer[0].bound = bound_.start();
        for (std::size_t depth = 0; depth < problem_.nodes; ++depth) {
            layers_.begin_layer(layer.size());
            index_.clear();
            next.clear();
            for (const State& state : layer) {
                layers_.begin_state();
                expand(state, next);
                if (ticker_.poll({++explored_, 0})) return stopped();
                if (layers_.bytes() + (layer.size() + 2 * next.size()) * state_bytes() > memory_) {
                    ticker_.stop(Status::memory_limit);
                    return stopped();
                }
            }
            layer.swap(next);
        }
        layers_.begin_layer(layer.size());
        NetworkDiagram diagram = layers_.finish(slack_);
        diagram.explored = explored_;
        return diagram;
    }

  private:
    struct Key {
        NodeSet<W> left;
        typename Rule::State rule;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct State {
        Key key;
        typename Bound::State bound;
        double done = 0;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return static_cast<std::size_t>(key.left.hash() * 31 + key.rule.hash());
        }
    };

    std::size_t state_bytes() const { return sizeof(State) + 48 + 8 * problem_.nodes; }

    NetworkDiagram stopped() const {
        return NetworkDiagram::stopped(problem_.nodes, explored_, ticker_.reason());
    }

    void expand(const State& state, std::vector<State>& next) {
        state.key.left.for_each([&](std::size_t v) {
            if (!rule_.may_remove(state.key.rule, v)) return;
            key_.left = state.key.left;
            key_.left.remove(v);
            const double completion = bound_.completion(state.bound, key_.left, v, scratch_);
            for (auto row = problem_.offsets[v]; row < problem_.offsets[v + 1]; ++row) {
                const double done = state.done + bound_.value(row);
                if (done + completion < threshold_) break;
                if (!problem_.rows[row].parents.within(key_.left) ||
                    !rule_.may_choose(state.key.rule, v, row))
                    continue;
                rule_.remove(state.key.rule, key_.left, v, row, key_.rule);
                const auto [entry, fresh] = index_.try_emplace(key_, static_cast<std::uint32_t>(next.size()));
                if (fresh)
                    next.push_back({key_, scratch_, done});
                else if (next[entry->second].done < done)
                    next[entry->second].done = done;
                layers_.add_edge(entry->second, row);
            }
        });
    }

    const ComponentProblem<W>& problem_;
    const Bound& bound_;
    const Rule& rule_;
    double threshold_, slack_;
    std::size_t memory_;
    Ticker& ticker_;
    Key key_;
    typename Bound::State scratch_;
    std::unordered_map<Key, std::uint32_t, Hash> index_;
    LayeredStates<W> layers_;
    std::uint64_t explored_ = 0;
};

}  // namespace arcwise
