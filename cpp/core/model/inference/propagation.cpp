#include "model/inference/propagation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "model/inference/arithmetic.hpp"
#include "parallel_for.hpp"

namespace arcwise {

namespace {

// Products of a few numbers between this and 1 are still ordinary numbers; below, digits may be lost.
constexpr double least_scale = 0x1.0p-900;

}  // namespace

template <class Arithmetic>
Propagation<Arithmetic>::Propagation(const JunctionTree& tree, std::size_t threads, bool keep_messages)
    : tree_(tree),
      threads_(threads),
      keep_(keep_messages),
      messages_(tree.nodes().size()),
      exponents_(tree.nodes().size(), 0),
      current_(tree.nodes().size(), 0),
      scratch_(std::max<std::size_t>(threads, 1)) {}

template <class Arithmetic>
const double* Propagation<Arithmetic>::table_start(const TreeTable& table) const {
    const auto* start = Arithmetic::in_logs ? tree_.tables().log_table(table.variable).data()
                                            : tree_.tables().table(table.variable).data();
    for (std::size_t i = 0; i < table.observed.size(); ++i)
        start +=
            table.strides[i] * static_cast<std::size_t>(states_[static_cast<std::size_t>(table.observed[i])]);
    return start;
}

template <class Arithmetic>
void Propagation<Arithmetic>::point_at_inputs(std::size_t number) {
    const auto& node = tree_.nodes()[number];
    inputs_.clear();
    for (const auto& table : node.tables) inputs_.push_back(table_start(table));
    for (const auto child : node.children) inputs_.push_back(messages_[child].data());
}

template <class Arithmetic>
bool Propagation<Arithmetic>::run(const Clique& clique, std::span<double* const> sums,
                                  std::span<const std::size_t> sizes, Ticker& ticker) {
    const auto tasks = clique.tasks();
    if (tasks == 1) {
        clique.run<Arithmetic>(inputs_, sums, 0, scratch_[0]);
        return true;
    }
    // Tasks that would write to the same cells get their own, which are added up in the tasks' order; unless
    // that takes too much memory, and one thread does it all. Neither depends on the number of threads.
    std::vector<std::size_t> shared;
    std::size_t own_cells = 0;
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (clique.shared_by_tasks(i)) {
            shared.push_back(i);
            own_cells += sizes[i];
        }
    const bool apart = static_cast<double>(own_cells * tasks) <= std::max(clique.cells() / 8, 0x1.0p16);
    std::vector<double> own(apart ? own_cells * tasks : 0, Arithmetic::zero);
    const auto work = [&](std::size_t worker, std::size_t task) {
        std::vector<double*> to(sums.begin(), sums.end());
        if (apart) {
            auto* next = own.data() + own_cells * task;
            for (const auto i : shared) {
                to[i] = next;
                next += sizes[i];
            }
        }
        clique.run<Arithmetic>(inputs_, to, task, scratch_[worker]);
    };
    const auto poll = [&](std::size_t) { return ticker.poll_now({}); };
    if (!parallel_for(apart || shared.empty() ? threads_ : 1, tasks, work, poll)) return false;
    if (apart)
        for (std::size_t task = 0; task < tasks; ++task) {
            const auto* next = own.data() + own_cells * task;
            for (const auto i : shared)
                for (std::size_t x = 0; x < sizes[i]; ++x, ++next)
                    sums[i][x] = Arithmetic::plus(sums[i][x], *next);
        }
    return true;
}

template <class Arithmetic>
std::int64_t Propagation<Arithmetic>::scale(std::vector<double>& table) {
    if (!Arithmetic::scaled) return 0;
    const auto top = *std::max_element(table.begin(), table.end());
    if (!(top >= least_scale)) underflow_ = true;
    if (top <= 0) return 0;
    const auto exponent = std::ilogb(top);
    if (exponent == 0) return 0;
    const auto factor = std::ldexp(1.0, -exponent);
    for (auto& value : table) value *= factor;
    return exponent;
}

template <class Arithmetic>
bool Propagation<Arithmetic>::collect(std::span<const std::int32_t> states, Ticker& ticker) {
    const auto& nodes = tree_.nodes();
    const bool first = states_.empty();
    const auto changed = [&](const TreeNode& node) {
        if (first) return true;
        for (const auto child : node.children)
            if (!current_[child]) return true;
        for (const auto& table : node.tables)
            for (const auto v : table.observed)
                if (states[static_cast<std::size_t>(v)] != states_[static_cast<std::size_t>(v)]) return true;
        return false;
    };
    // `current_` says, until the end of the loop, whether a message stayed as it was.
    std::vector<std::uint8_t> stayed(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) stayed[i] = current_[i] = !changed(nodes[i]);
    states_.assign(states.begin(), states.end());
    underflow_ = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (stayed[i]) continue;
        if (ticker.poll_now({i, nodes.size()})) return false;
        point_at_inputs(i);
        messages_[i].assign(nodes[i].message_cells, Arithmetic::zero);
        double* const sum = messages_[i].data();
        if (!run(nodes[i].collect, {&sum, 1}, {&nodes[i].message_cells, 1}, ticker)) return false;
        exponents_[i] = scale(messages_[i]);
        current_[i] = 1;
        if (!keep_)
            for (const auto child : nodes[i].children) std::vector<double>().swap(messages_[child]);
        if (underflow_) {  // all that follows is 0, or not to be trusted
            std::fill(current_.begin(), current_.end(), 0);
            states_.clear();
            return true;
        }
    }
    return true;
}

template <class Arithmetic>
double Propagation<Arithmetic>::log_scale() const {
    return static_cast<double>(std::accumulate(exponents_.begin(), exponents_.end(), std::int64_t{0})) *
           std::log(2.0);
}

template <class Arithmetic>
bool Propagation<Arithmetic>::distribute(Ticker& ticker, const Found& found) {
    const auto& nodes = tree_.nodes();
    const auto root = nodes.size() - 1;
    messages_[root].assign(nodes[root].message_cells, Arithmetic::one);
    std::vector<std::vector<double>> sums;
    std::vector<double*> starts;
    std::vector<std::size_t> sizes;
    for (auto i = nodes.size(); i-- > 0;) {
        if (ticker.poll_now({nodes.size() - i, nodes.size()})) return false;
        const auto& node = nodes[i];
        const auto clique = tree_.distribution(i);
        point_at_inputs(i);
        inputs_.push_back(messages_[i].data());
        sums.clear(), starts.clear(), sizes.clear();
        for (const auto child : node.children)
            sums.emplace_back(nodes[child].message_cells, Arithmetic::zero);
        for (auto l = node.separator; l < node.scope.size(); ++l)
            sums.emplace_back(clique.arity(l), Arithmetic::zero);
        for (auto& sum : sums) {
            starts.push_back(sum.data());
            sizes.push_back(sum.size());
        }
        if (!run(clique, starts, sizes, ticker)) return false;
        for (std::size_t c = 0; c < node.children.size(); ++c) {
            auto& sent = messages_[node.children[c]];
            for (std::size_t x = 0; x < sent.size(); ++x) sent[x] = Arithmetic::over(sums[c][x], sent[x]);
            scale(sent);
        }
        for (auto l = node.separator; l < node.scope.size(); ++l) {
            auto& distribution = sums[node.children.size() + l - node.separator];
            scale(distribution);
            found(static_cast<std::size_t>(node.scope[l]), std::span<const double>(distribution));
        }
        std::vector<double>().swap(messages_[i]);
        if (underflow_) return true;
    }
    return true;
}

template <class Arithmetic>
template <class Choose>
void Propagation<Arithmetic>::descend(std::span<std::int32_t> states, Choose choose) {
    const auto& nodes = tree_.nodes();
    std::vector<std::size_t> digits;
    for (auto i = nodes.size(); i-- > 0;) {
        const auto& node = nodes[i];
        if (node.separator == node.scope.size()) continue;
        point_at_inputs(i);
        digits.resize(node.scope.size());
        for (std::size_t l = 0; l < node.separator; ++l)
            digits[l] = static_cast<std::size_t>(states[static_cast<std::size_t>(node.scope[l])]);
        choose(node, digits);
        for (auto l = node.separator; l < node.scope.size(); ++l)
            states[static_cast<std::size_t>(node.scope[l])] = static_cast<std::int32_t>(digits[l]);
    }
}

template <class Arithmetic>
void Propagation<Arithmetic>::trace_back(std::span<std::int32_t> states) {
    descend(states, [this](const TreeNode& node, std::span<std::size_t> digits) {
        node.collect.choose(inputs_, node.separator, digits);
    });
}

template <class Arithmetic>
void Propagation<Arithmetic>::draw(std::span<std::int32_t> states, const Uniform& uniform) {
    if constexpr (!std::is_same_v<Arithmetic, MaxProduct>)
        descend(states, [&](const TreeNode& node, std::span<std::size_t> digits) {
            const auto share = uniform(static_cast<std::size_t>(node.scope.back()));
            node.collect.template draw<Arithmetic>(inputs_, node.separator, share, digits, weights_);
        });
}

template class Propagation<SumProduct>;
template class Propagation<LogSumProduct>;
template class Propagation<MaxProduct>;

}  // namespace arcwise
