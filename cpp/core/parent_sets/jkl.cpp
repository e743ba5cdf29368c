#include "parent_sets/jkl.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace arcwise {

namespace {

constexpr std::string_view blanks = " \t\r\f\v";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string quoted(std::string_view word) {
    std::size_t length = std::min<std::size_t>(word.size(), 40);
    // Never cut inside a UTF-8 character.
    while (length < word.size() && length > 0 && (static_cast<unsigned char>(word[length]) & 0xC0) == 0x80)
        --length;
    std::string text(1, '\'');
    text.append(word.substr(0, length));
    return text.append(length < word.size() ? "...'" : "'");
}

template <class Number>
std::optional<Number> number(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

// Lines that carry data, one at a time, split into words.
class Lines {
  public:
    Lines(std::string_view text, std::vector<std::string>& comments) : rest_(text), comments_(comments) {}

    // Moves to the next line that is neither empty nor a comment; false at the end of the text.
    bool next() {
        while (!rest_.empty()) {
            const auto end = rest_.find('\n');
            const auto line = trimmed(rest_.substr(0, end));
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            ++line_number_;
            if (line.empty()) continue;
            if (line.front() == '#') {
                comments_.emplace_back(trimmed(line.substr(1)));
                continue;
            }
            split(line);
            return true;
        }
        return false;
    }

    const std::vector<std::string_view>& words() const { return words_; }
    std::int64_t line_number() const { return line_number_; }

  private:
    void split(std::string_view line) {
        words_.clear();
        while (!line.empty()) {
            const auto end = std::min(line.find_first_of(blanks), line.size());
            words_.push_back(line.substr(0, end));
            line.remove_prefix(end);
            const auto start = line.find_first_not_of(blanks);
            line.remove_prefix(start == std::string_view::npos ? line.size() : start);
        }
    }

    std::string_view rest_;
    std::vector<std::string>& comments_;
    std::vector<std::string_view> words_;
    std::int64_t line_number_ = 0;
};

struct Mistake {
    std::int64_t line;
    std::string text;
};

class Parser {
  public:
    Parser(std::string_view text, JklTable& result) : lines_(text, result.comments), result_(result) {}

    std::optional<Mistake> parse() {
        if (auto mistake = header()) return mistake;
        for (std::int64_t node = 0; node < variables_; ++node)
            if (auto mistake = block()) return mistake;
        if (lines_.next())
            return mistake_here("text after the last of " + std::to_string(variables_) + " variables");
        return finish();
    }

  private:
    Mistake mistake_here(std::string text) const { return {lines_.line_number(), std::move(text)}; }
    Mistake ended(const std::string& expected) const {
        return mistake_here("the file ends where " + expected + " should follow");
    }

    std::optional<Mistake> header() {
        if (!lines_.next()) return ended("the number of variables");
        const auto count = number<std::int64_t>(lines_.words()[0]);
        if (lines_.words().size() != 1 || !count || *count < 1)
            return mistake_here("expected the number of variables, found " + quoted(lines_.words()[0]));
        variables_ = *count;
        return std::nullopt;
    }

    std::optional<Mistake> block() {
        if (!lines_.next())
            return ended("variable " + std::to_string(nodes_.size() + 1) + " of " +
                         std::to_string(variables_));
        const auto& words = lines_.words();
        const auto sets = words.size() == 2 ? number<std::int64_t>(words[1]) : std::nullopt;
        if (!sets || *sets < 0)
            return mistake_here("expected a variable and its number of parent sets, found " +
                                std::to_string(words.size()) + " words, the first " + quoted(words[0]));
        const auto node = intern(words[0]);
        if (block_line_[node] != 0)
            return mistake_here("variable " + quoted(words[0]) + " comes a second time (first in line " +
                                std::to_string(block_line_[node]) + ")");
        block_line_[node] = lines_.line_number();
        nodes_.push_back(static_cast<std::int32_t>(node));
        if (*sets == 0)
            return mistake_here("variable " + quoted(words[0]) + " has no parent set; it needs one at least");
        for (std::int64_t set = 0; set < *sets; ++set)
            if (auto mistake = row(node, set, *sets)) return mistake;
        table_.end_node();
        return std::nullopt;
    }

    std::optional<Mistake> row(std::size_t node, std::int64_t set, std::int64_t sets) {
        if (!lines_.next())
            return ended("parent set " + std::to_string(set + 1) + " of " + std::to_string(sets) + " of " +
                         quoted(names_[node]));
        const auto& words = lines_.words();
        const auto score = number<double>(words[0]);
        if (!score) return mistake_here("expected a score, found " + quoted(words[0]));
        if (!std::isfinite(*score))
            return mistake_here("the score " + quoted(words[0]) +
                                " is not finite; a parent set that is not allowed is left out of the file");
        const auto size = words.size() > 1 ? number<std::size_t>(words[1]) : std::nullopt;
        if (!size) return mistake_here("expected the number of parents after the score");
        if (*size != words.size() - 2)
            return mistake_here("says " + std::to_string(*size) + " parents but lists " +
                                std::to_string(words.size() - 2));
        parents_.clear();
        for (std::size_t word = 2; word < words.size(); ++word)
            parents_.push_back(static_cast<std::int32_t>(intern(words[word])));
        table_.add_row(*score, parents_);
        row_lines_.push_back(lines_.line_number());
        return std::nullopt;
    }

    std::size_t intern(std::string_view name) {
        const auto [entry, added] = index_.try_emplace(name, names_.size());
        if (added) {
            names_.push_back(name);
            first_line_.push_back(lines_.line_number());
            block_line_.push_back(0);
        }
        return entry->second;
    }

    // Replaces the names by positions, sorts, and checks what needs the whole text.
    std::optional<Mistake> finish() {
        for (std::size_t name = 0; name < names_.size(); ++name)
            if (block_line_[name] == 0)
                return Mistake{first_line_[name],
                               "parent " + quoted(names_[name]) + " is not a variable of the file"};
        const auto order = node_order();
        std::vector<std::int32_t> position(names_.size());
        std::vector<std::int32_t> blocks(order.size());
        for (std::size_t at = 0; at < order.size(); ++at) {
            const auto block = static_cast<std::size_t>(order[at]);
            blocks[at] = order[at];
            position[static_cast<std::size_t>(nodes_[block])] = static_cast<std::int32_t>(at);
            result_.names.emplace_back(names_[static_cast<std::size_t>(nodes_[block])]);
        }
        for (auto& member : table_.members) member = position[static_cast<std::size_t>(member)];
        std::vector<std::int64_t> origin;
        result_.table = sorted_table(table_.view(), blocks, &origin);
        const auto found = inspect_table(result_.table.view());
        if (found.defect == Defect::none) return std::nullopt;
        const auto line = row_lines_[static_cast<std::size_t>(origin[static_cast<std::size_t>(found.row)])];
        const auto& child = result_.names[static_cast<std::size_t>(found.node)];
        if (found.defect == Defect::own_parent)
            return Mistake{line, quoted(child) + " is among its own parents"};
        if (found.defect == Defect::unsorted_set) return Mistake{line, "a parent is listed twice"};
        return Mistake{line, quoted(child) + " has this parent set twice"};
    }

    // New position -> block. By number where the names are 0 .. n-1, else as they come.
    std::vector<std::int32_t> node_order() const {
        std::vector<std::int32_t> by_number(nodes_.size(), -1);
        std::vector<std::int32_t> as_found(nodes_.size());
        std::iota(as_found.begin(), as_found.end(), 0);
        for (std::size_t block = 0; block < nodes_.size(); ++block) {
            const auto value = number<std::size_t>(names_[static_cast<std::size_t>(nodes_[block])]);
            if (!value || *value >= nodes_.size() || by_number[*value] != -1) return as_found;
            by_number[*value] = static_cast<std::int32_t>(block);
        }
        return by_number;
    }

    Lines lines_;
    JklTable& result_;
    std::int64_t variables_ = 0;
    TableData table_;                  // members are interned names until `finish`
    std::vector<std::int32_t> nodes_;  // the name of each block
    std::vector<std::int32_t> parents_;
    std::vector<std::int64_t> row_lines_;
    std::unordered_map<std::string_view, std::size_t> index_;
    std::vector<std::string_view> names_;
    std::vector<std::int64_t> first_line_;
    std::vector<std::int64_t> block_line_;
};

template <class Number>
void append(std::string& text, Number value) {
    char digits[32];
    const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), value);
    text.append(digits, error == std::errc() ? end : digits);
}

}  // namespace

JklTable parse_jkl(std::string_view text) {
    JklTable result;
    if (auto mistake = Parser(text, result).parse()) {
        result.error_line = mistake->line;
        result.error = std::move(mistake->text);
    }
    return result;
}

std::string format_jkl(const TableView& table, const std::vector<std::string>& names,
                       const std::vector<std::string>& comments) {
    std::string text;
    for (const auto& comment : comments) text += "# " + comment + "\n";
    append(text, table.variables);
    text += '\n';
    for (std::size_t node = 0; node < table.variables; ++node) {
        text += names[node] + " ";
        append(text, table.rows_of(node));
        text += '\n';
        for (auto row = table.node_offsets[node]; row < table.node_offsets[node + 1]; ++row) {
            const auto parents = table.parents(static_cast<std::size_t>(row));
            append(text, table.scores[static_cast<std::size_t>(row)]);
            text += ' ';
            append(text, parents.size());
            for (const auto parent : parents) text += " " + names[static_cast<std::size_t>(parent)];
            text += '\n';
        }
    }
    return text;
}

}  // namespace arcwise
