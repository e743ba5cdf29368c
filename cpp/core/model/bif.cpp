#include "model/bif.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/bif_syntax.hpp"

namespace arcwise {

namespace {

using bif::Block;
using bif::Entry;
using bif::EntryKind;
using bif::Mistake;
using bif::quoted;
using bif::Syntax;
using bif::Word;

// An ordered map: a hash table could be driven to quadratic time by names chosen to collide.
using Index = std::map<std::string_view, std::int32_t>;

std::pair<std::size_t, std::size_t> line_and_column(std::string_view text, std::size_t at) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i < std::min(at, text.size()); ++i) {
        const bool lone_return = text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n');
        if (text[i] == '\n' || lone_return) {
            ++line;
            column = 1;
        } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
            ++column;
        }
    }
    return {line, column};
}

std::string listed(const std::vector<Word>& words) {
    constexpr std::size_t most = 12;
    std::string result;
    for (std::size_t i = 0; i < std::min(most, words.size()); ++i)
        result += (i == 0 ? "" : ", ") + quoted(words[i].text);
    return words.size() > most ? result + ", ... (" + std::to_string(words.size()) + ")" : result;
}

std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

class Resolver {
  public:
    Resolver(std::string_view text, const Syntax& syntax, double tolerance, std::size_t max_cells)
        : text_(text), syntax_(syntax), tolerance_(tolerance), max_cells_(max_cells) {}

    BifNetwork resolve() {
        declare_variables();
        assign_blocks();
        refuse_cycles();
        for (std::size_t v = 0; v < syntax_.variables.size(); ++v) fill_table(v);
        return std::move(network_);
    }

  private:
    std::size_t arity(std::int32_t variable) const {
        return syntax_.variables[static_cast<std::size_t>(variable)].states.size();
    }

    std::string line_of(std::size_t at) const { return std::to_string(line_and_column(text_, at).first); }

    void declare_variables() {
        if (syntax_.variables.empty()) throw Mistake{"the file declares no variable", text_.size()};
        for (const auto& variable : syntax_.variables) {
            if (variable.name.text.empty()) throw Mistake{"a variable's name is empty", variable.name.at};
            const auto position = static_cast<std::int32_t>(variables_.size());
            const auto [known, is_new] = variables_.try_emplace(variable.name.text, position);
            if (!is_new) {
                const auto& first = syntax_.variables[static_cast<std::size_t>(known->second)].name;
                throw Mistake{"variable " + quoted(variable.name.text) +
                                  " is declared twice; first on line " + line_of(first.at),
                              variable.name.at};
            }
            auto& states = states_.emplace_back();
            auto& names = network_.states.emplace_back();
            for (const auto& state : variable.states) {
                if (state.text.empty())
                    throw Mistake{"a state of " + quoted(variable.name.text) + " has an empty name",
                                  state.at};
                if (!states.try_emplace(state.text, static_cast<std::int32_t>(states.size())).second)
                    throw Mistake{"variable " + quoted(variable.name.text) + " lists state " +
                                      quoted(state.text) + " twice",
                                  state.at};
                names.emplace_back(state.text);
            }
            network_.names.emplace_back(variable.name.text);
        }
    }

    std::int32_t find_variable(const Word& name) const {
        const auto known = variables_.find(name.text);
        if (known == variables_.end())
            throw Mistake{"unknown variable " + quoted(name.text) + "; no 'variable' block declares it",
                          name.at};
        return known->second;
    }

    void assign_blocks() {
        blocks_.assign(syntax_.variables.size(), nullptr);
        file_parents_.resize(syntax_.variables.size());
        network_.parents.resize(syntax_.variables.size());
        for (const auto& block : syntax_.blocks) {
            const auto child = static_cast<std::size_t>(find_variable(block.child));
            if (blocks_[child] != nullptr)
                throw Mistake{"a second 'probability' block for " + quoted(block.child.text) +
                                  "; the first is on line " + line_of(blocks_[child]->child.at),
                              block.child.at};
            blocks_[child] = &block;
            auto& parents = file_parents_[child];
            for (const auto& parent : block.parents) parents.push_back(find_variable(parent));
            auto& sorted = network_.parents[child];
            sorted = parents;
            std::ranges::sort(sorted);
            for (std::size_t i = 0; i < parents.size(); ++i) {
                if (parents[i] == static_cast<std::int32_t>(child))
                    throw Mistake{"variable " + quoted(block.child.text) + " is its own parent",
                                  block.parents[i].at};
                const auto [first, last] = std::ranges::equal_range(sorted, parents[i]);
                if (last - first > 1)
                    throw Mistake{"parent " + quoted(block.parents[i].text) + " is listed twice",
                                  block.parents[i].at};
            }
        }
        for (std::size_t v = 0; v < blocks_.size(); ++v)
            if (blocks_[v] == nullptr)
                throw Mistake{"variable " + quoted(network_.names[v]) + " has no 'probability' block",
                              syntax_.variables[v].name.at};
    }

    // Removes nodes without parents until none is left; what stays has a cycle, found by walking to parents.
    void refuse_cycles() const {
        const auto n = network_.parents.size();
        std::vector<std::size_t> missing(n);
        std::vector<std::vector<std::size_t>> children(n);
        std::vector<std::size_t> ready;
        for (std::size_t v = 0; v < n; ++v) {
            missing[v] = network_.parents[v].size();
            if (missing[v] == 0) ready.push_back(v);
            for (const auto parent : network_.parents[v])
                children[static_cast<std::size_t>(parent)].push_back(v);
        }
        std::size_t removed = 0;
        for (; removed < ready.size(); ++removed)
            for (const auto child : children[ready[removed]])
                if (--missing[child] == 0) ready.push_back(child);
        if (removed == n) return;

        std::vector<bool> on_path(n, false);
        auto v = static_cast<std::size_t>(std::ranges::find_if(missing, [](auto m) { return m > 0; }) -
                                          missing.begin());
        const auto remaining_parent = [&](std::size_t node) {
            const auto& parents = network_.parents[node];
            return static_cast<std::size_t>(*std::ranges::find_if(
                parents, [&](auto parent) { return missing[static_cast<std::size_t>(parent)] > 0; }));
        };
        for (; !on_path[v]; v = remaining_parent(v)) on_path[v] = true;
        constexpr std::size_t longest = 12;
        std::string cycle = quoted(network_.names[v]);
        std::size_t length = 0;
        for (auto u = remaining_parent(v);; u = remaining_parent(u)) {
            if (++length == longest) cycle = "... -> " + cycle;
            if (length < longest) cycle = quoted(network_.names[u]) + " -> " + cycle;
            if (u == v) break;
        }
        throw Mistake{"the graph has a cycle: " + cycle, blocks_[v]->child.at};
    }

    struct Row {
        std::size_t index;
        const Entry* entry;
    };

    void fill_table(std::size_t v) {
        const Block& block = *blocks_[v];
        const auto& sorted = network_.parents[v];
        const auto r = arity(static_cast<std::int32_t>(v));

        // q, the number of parent configurations; saturates above the limit, so that it cannot overflow.
        std::size_t q = 1;
        const auto room = (max_cells_ - network_.values.size()) / r;
        for (const auto parent : sorted) {
            const auto states = arity(parent);
            q = q > room / states ? room + 1 : q * states;
        }
        if (q > room)
            throw Mistake{"with the table of " + quoted(block.child.text) + " given its " +
                              std::to_string(sorted.size()) + " parents, the file's tables exceed " +
                              std::to_string(max_cells_) + " numbers",
                          block.child.at};
        const auto strides = strides_of(v);

        std::vector<Row> rows;
        const Entry* fallback = nullptr;
        const Entry* table = nullptr;
        for (const auto& entry : block.entries) {
            if (entry.kind == EntryKind::table || entry.kind == EntryKind::fallback) {
                const Entry*& slot = entry.kind == EntryKind::table ? table : fallback;
                if (slot != nullptr)
                    throw Mistake{"a second '" + std::string(&slot == &table ? "table" : "default") +
                                      "' for " + quoted(block.child.text),
                                  entry.at};
                slot = &entry;
                if (entry.kind == EntryKind::fallback) check_row(block, entry, r);
            } else {
                rows.push_back({configuration(v, entry, strides), &entry});
                if (entry.kind == EntryKind::row) check_row(block, entry, r);
            }
        }
        if (table != nullptr && (!rows.empty() || fallback != nullptr))
            throw Mistake{"a 'table' and other rows for " + quoted(block.child.text), table->at};
        // Every configuration exactly once: found out by sorting, before memory for the table is taken.
        std::ranges::stable_sort(rows, {}, &Row::index);
        for (std::size_t i = 0; i + 1 < rows.size(); ++i)
            if (rows[i].index == rows[i + 1].index)
                throw Mistake{"the row " + shown_configuration(v, rows[i].index) + " of " +
                                  quoted(block.child.text) + " is given twice; first on line " +
                                  line_of(rows[i].entry->at),
                              rows[i + 1].entry->at};
        if (table == nullptr && fallback == nullptr && rows.size() < q) {
            std::size_t missing = 0;
            while (missing < rows.size() && rows[missing].index == missing) ++missing;
            throw Mistake{"the 'probability' block of " + quoted(block.child.text) + " has no row for " +
                              shown_configuration(v, missing) + " (" + std::to_string(rows.size()) + " of " +
                              std::to_string(q) + " rows are given)",
                          block.child.at};
        }

        const auto offset = network_.values.size();
        if (network_.table_offsets.empty()) network_.table_offsets.push_back(0);
        if (table != nullptr) {
            append_table(v, *table, q, strides);
        } else {
            network_.values.resize(offset + q * r);
            if (fallback != nullptr && rows.size() < q)
                for (std::size_t j = 0; j < q; ++j) copy_row(*fallback, offset + j * r, r);
            for (const auto& row : rows) copy_row(*row.entry, offset + row.index * r, r);
        }
        network_.table_offsets.push_back(static_cast<std::int64_t>(network_.values.size()));
    }

    // How far apart the rows are that differ by one state of the parent, for each parent as the file lists
    // them; the table has the parents ascending, the first varying slowest.
    std::vector<std::size_t> strides_of(std::size_t v) const {
        const auto& sorted = network_.parents[v];
        std::vector<std::size_t> by_rank(sorted.size(), 1);
        for (std::size_t i = sorted.size(); i-- > 1;) by_rank[i - 1] = by_rank[i] * arity(sorted[i]);
        std::vector<std::size_t> strides;
        for (const auto parent : file_parents_[v])
            strides.push_back(
                by_rank[static_cast<std::size_t>(std::ranges::lower_bound(sorted, parent) - sorted.begin())]);
        return strides;
    }

    std::size_t configuration(std::size_t v, const Entry& entry,
                              const std::vector<std::size_t>& strides) const {
        const auto& parents = file_parents_[v];
        const auto given = entry.last_word - entry.first_word;
        if (given != parents.size())
            throw Mistake{"this row of " + quoted(network_.names[v]) + " names " + std::to_string(given) +
                              " states, but the variable has " + std::to_string(parents.size()) + " parents",
                          entry.at};
        std::size_t index = 0;
        for (std::size_t i = 0; i < given; ++i) {
            const auto& state = syntax_.words[entry.first_word + i];
            const auto parent = static_cast<std::size_t>(parents[i]);
            const auto known = states_[parent].find(state.text);
            if (known == states_[parent].end())
                throw Mistake{"unknown state " + quoted(state.text) + " of " +
                                  quoted(network_.names[parent]) + "; its states are " +
                                  listed(syntax_.variables[parent].states),
                              state.at};
            index += static_cast<std::size_t>(known->second) * strides[i];
        }
        return index;
    }

    std::string shown_configuration(std::size_t v, std::size_t index) const {
        constexpr std::size_t most = 12;
        const auto strides = strides_of(v);
        std::string result = "(";
        for (std::size_t i = 0; i < std::min(most, strides.size()); ++i) {
            const auto& states = network_.states[static_cast<std::size_t>(file_parents_[v][i])];
            result += (i == 0 ? "" : ", ") + quoted(states[index / strides[i] % states.size()]);
        }
        return result + (strides.size() > most ? ", ...)" : ")");
    }

    void check_row(const Block& block, const Entry& entry, std::size_t r) const {
        const auto given = entry.last_number - entry.first_number;
        if (given != r)
            throw Mistake{"this row of " + quoted(block.child.text) + " has " + std::to_string(given) +
                              " numbers, but the variable has " + std::to_string(r) + " states",
                          entry.at};
        const auto first = syntax_.numbers.begin() + static_cast<std::ptrdiff_t>(entry.first_number);
        const double sum = std::accumulate(first, first + static_cast<std::ptrdiff_t>(r), 0.0);
        if (!sums_to_one(sum)) throw wrong_sum(sum, block, entry, "");
    }

    bool sums_to_one(double sum) const { return std::abs(sum - 1.0) <= tolerance_; }

    Mistake wrong_sum(double sum, const Block& block, const Entry& entry, const std::string& where) const {
        return {"this row of " + quoted(block.child.text) + where + " sums to " + shown(sum) +
                    ", not to 1 within " + shown(tolerance_),
                entry.at};
    }

    void copy_row(const Entry& entry, std::size_t to, std::size_t r) {
        for (std::size_t k = 0; k < r; ++k)
            network_.values[to + k] = entry.kind == EntryKind::undefined
                                          ? std::numeric_limits<double>::quiet_NaN()
                                          : syntax_.numbers[entry.first_number + k];
    }

    // A `table` lists the joint states of (child, parents as the file lists them), the child varying slowest.
    void append_table(std::size_t v, const Entry& entry, std::size_t q,
                      const std::vector<std::size_t>& strides) {
        const auto r = arity(static_cast<std::int32_t>(v));
        const auto given = entry.last_number - entry.first_number;
        if (given != q * r)
            throw Mistake{"the table of " + quoted(network_.names[v]) + " has " + std::to_string(given) +
                              " numbers; " + std::to_string(r) + " states and " + std::to_string(q) +
                              " parent configurations need " + std::to_string(q * r),
                          entry.at};
        const auto offset = network_.values.size();
        network_.values.resize(offset + q * r);
        for (std::size_t j = 0; j < q; ++j) {
            std::size_t rest = j;
            std::size_t index = 0;
            for (std::size_t i = strides.size(); i-- > 0;) {
                const auto states = arity(file_parents_[v][i]);
                index += rest % states * strides[i];
                rest /= states;
            }
            double sum = 0;
            for (std::size_t k = 0; k < r; ++k) {
                const auto value = syntax_.numbers[entry.first_number + k * q + j];
                network_.values[offset + index * r + k] = value;
                sum += value;
            }
            if (!sums_to_one(sum))
                throw wrong_sum(sum, *blocks_[v], entry, " for " + shown_configuration(v, index));
        }
    }

    std::string_view text_;
    const Syntax& syntax_;
    double tolerance_;
    std::size_t max_cells_;
    Index variables_;
    std::vector<Index> states_;
    std::vector<const Block*> blocks_;
    std::vector<std::vector<std::int32_t>> file_parents_;  // as the file lists them
    BifNetwork network_;
};

}  // namespace

BifNetwork read_bif(std::string_view text, double tolerance, std::size_t max_cells) {
    try {
        const auto syntax = bif::read_syntax(text);
        return Resolver(text, syntax, tolerance, max_cells).resolve();
    } catch (const Mistake& mistake) {
        BifNetwork failed;
        failed.message = mistake.message;
        std::tie(failed.line, failed.column) = line_and_column(text, mistake.at);
        return failed;
    }
}

}  // namespace arcwise
