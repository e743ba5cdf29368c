// Delimited text (CSV, TSV, the data part of ARFF) into dictionary-encoded columns.
//
// Discrete data repeat few labels many times, so the reader never makes a string per cell: a field is looked
// up in its column's dictionary where it stands in the text, and only a new label is copied. Codes are
// numbered by first appearance and stored in the narrowest type that has held so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "monitor.hpp"

namespace arcwise {

struct Dialect {
    char separator = ',';
    std::string quotes = "\"";  // characters that may open a quoted field; the same one closes it
    bool doubled = true;        // a doubled quote inside a quoted field stands for one
    bool backslash = false;     // a backslash inside a quoted field takes the next character as it is
    char comment = '\0';        // a line that starts with it is skipped; 0: no comments
};

// Labels one after the other: label k is bytes[offsets[k], offsets[k + 1]).
struct Labels {
    std::string bytes;
    std::vector<std::int64_t> offsets{0};

    std::size_t size() const { return offsets.size() - 1; }
    std::string_view operator[](std::size_t k) const {
        return std::string_view(bytes).substr(static_cast<std::size_t>(offsets[k]),
                                              static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
    }
    void add(std::string_view label) {
        bytes.append(label);
        offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
};

using AnyCodes =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

// One column while it is read. Labels have no spaces around them; where a label was seen with other spaces
// than at its first appearance, `respaced` has its code and the line, once per label.
class TextColumn {
  public:
    explicit TextColumn(std::uint64_t seed);

    // `before` and `after` are the spaces that stood around the label inside its field.
    void add(std::string_view label, std::size_t before, std::size_t after, std::int64_t line);
    // The label is the one byte `byte`, with no space around it: the commonest field of discrete data.
    void add_byte(char byte, std::int64_t line);
    void reserve(std::size_t rows);

    const Labels& labels() const { return labels_; }
    const std::vector<std::int64_t>& first_lines() const { return first_lines_; }
    const std::vector<std::int64_t>& respaced_codes() const { return respaced_codes_; }
    const std::vector<std::int64_t>& respaced_lines() const { return respaced_lines_; }
    AnyCodes& codes() { return codes_; }

  private:
    // A label of up to eight bytes is its own key, so that it is recognised without a look at the labels; the
    // key of a longer one is a hash of it, and the label itself has the last word.
    struct Slot {
        std::uint64_t key;
        std::uint32_t length;
        std::uint32_t code;  // plus one; 0: free
    };
    std::size_t place_of(const Slot& slot) const;
    std::uint32_t find(std::string_view label, std::int64_t line);
    void push(std::uint32_t code);
    void grow();

    std::uint64_t seed_;
    std::vector<Slot> slots_;
    std::vector<std::uint8_t> one_byte_;  // code plus one of a label of one byte, 0: not there; 256 entries
    Labels labels_;
    std::vector<std::int64_t> first_lines_;
    std::vector<std::uint64_t> spacing_;  // per label: spaces before << 32 | spaces after, at first sight
    std::vector<bool> is_respaced_;
    bool any_spaces_ = false;  // whether any label had spaces around it at first sight
    std::vector<std::int64_t> respaced_codes_, respaced_lines_;
    AnyCodes codes_;
};

// What stopped the reader. Lines and fields count from 1.
enum class DelimitedProblem : std::int32_t {
    none = 0,
    ragged = 1,            // `found` fields instead of `expected`
    unclosed_quote = 2,    // the quote that opens the field is never closed
    text_after_quote = 3,  // something stands between a closing quote and the separator
    nul_byte = 4,
    field_too_long = 5,
    interrupted = 6
};

struct DelimitedTable {
    Labels header;  // the fields of the first record, if there is a header
    std::vector<TextColumn> columns;
    std::int64_t rows = 0;
    // The line of each row; empty as long as row k is on line first_line + k.
    std::vector<std::int64_t> lines;
    std::int64_t first_line = 0;
    DelimitedProblem problem = DelimitedProblem::none;
    std::int64_t line = 0, field = 0, found = 0, expected = 0;
};

inline constexpr std::size_t max_field_bytes = std::size_t{1} << 20;

// Reads `text`, a whole file without a byte-order mark. Lines end in \n, \r\n or \r; lines of nothing but
// spaces are skipped. `seed` makes the dictionaries' hashing unpredictable (a file cannot be made to
// collide); it has no effect on the result. `line` is the number of the first line.
DelimitedTable read_delimited(std::string_view text, const Dialect& dialect, bool header, std::int64_t line,
                              std::uint64_t seed, Monitor& monitor);

}  // namespace arcwise
