#include "data/delimited.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>

namespace arcwise {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The words of a label, folded by 128-bit multiplication and keyed by `seed`.
std::uint64_t hash_of(std::string_view label, std::uint64_t seed) {
    std::uint64_t state = seed;
    const char* p = label.data();
    std::size_t left = label.size();
    std::uint64_t word = 0;
    for (; left > 8; p += 8, left -= 8) {
        std::memcpy(&word, p, 8);
        state = mix(state ^ word, seed | 1);
    }
    word = 0;
    std::memcpy(&word, p, left);
    return mix(state ^ word, 0xd6e8feb86659fd93ULL);
}

std::uint64_t key_of(std::string_view label, std::uint64_t seed) {
    if (label.size() > 8) return hash_of(label, seed);
    std::uint64_t word = 0;
    if (!label.empty()) std::memcpy(&word, label.data(), label.size());
    return word;
}

template <class Wide, class Narrow>
std::vector<Wide> widened(const std::vector<Narrow>& codes) {
    std::vector<Wide> wide;
    wide.reserve(codes.capacity());
    wide.assign(codes.begin(), codes.end());
    return wide;
}

}  // namespace

TextColumn::TextColumn(std::uint64_t seed) : seed_(seed), slots_(16), one_byte_(256, 0) {}

void TextColumn::reserve(std::size_t rows) {
    std::visit([rows](auto& codes) { codes.reserve(rows); }, codes_);
}

void TextColumn::push(std::uint32_t code) {
    if (auto* narrow = std::get_if<0>(&codes_)) {
        if (code <= std::numeric_limits<std::uint8_t>::max()) {
            narrow->push_back(static_cast<std::uint8_t>(code));
            return;
        }
        codes_ = widened<std::uint16_t>(*narrow);
    }
    if (auto* medium = std::get_if<1>(&codes_)) {
        if (code <= std::numeric_limits<std::uint16_t>::max()) {
            medium->push_back(static_cast<std::uint16_t>(code));
            return;
        }
        codes_ = widened<std::uint32_t>(*medium);
    }
    std::get<2>(codes_).push_back(code);
}

std::size_t TextColumn::place_of(const Slot& slot) const {
    return mix(slot.key ^ seed_, 0x9e3779b97f4a7c15ULL + 2 * slot.length) & (slots_.size() - 1);
}

void TextColumn::grow() {
    std::vector<Slot> full(slots_.size() * 2);
    slots_.swap(full);
    for (const auto& slot : full) {
        if (slot.code == 0) continue;
        std::size_t place = place_of(slot);
        while (slots_[place].code != 0) place = (place + 1) & (slots_.size() - 1);
        slots_[place] = slot;
    }
}

// The code of a label; a new label gets the next one.
std::uint32_t TextColumn::find(std::string_view label, std::int64_t line) {
    const auto code = static_cast<std::uint32_t>(labels_.size());
    const Slot wanted{key_of(label, seed_), static_cast<std::uint32_t>(label.size()), code + 1};
    std::size_t place = place_of(wanted);
    for (; slots_[place].code != 0; place = (place + 1) & (slots_.size() - 1)) {
        const Slot& slot = slots_[place];
        if (slot.key == wanted.key && slot.length == wanted.length &&
            (label.size() <= 8 || labels_[slot.code - 1] == label))
            return slot.code - 1;
    }
    slots_[place] = wanted;
    labels_.add(label);
    first_lines_.push_back(line);
    if (labels_.size() * 2 > slots_.size()) grow();
    return code;
}

void TextColumn::add(std::string_view label, std::size_t before, std::size_t after, std::int64_t line) {
    const std::uint32_t code = find(label, line);
    const std::uint64_t spacing = (static_cast<std::uint64_t>(before) << 32) | after;
    if (code == spacing_.size()) {
        spacing_.push_back(spacing);
        is_respaced_.push_back(false);
        any_spaces_ = any_spaces_ || spacing != 0;
    } else if ((any_spaces_ || spacing != 0) && spacing_[code] != spacing && !is_respaced_[code]) {
        is_respaced_[code] = true;
        respaced_codes_.push_back(code);
        respaced_lines_.push_back(line);
    }
    push(code);
}

void TextColumn::add_byte(char byte, std::int64_t line) {
    std::uint8_t& known = one_byte_[static_cast<unsigned char>(byte)];
    if (known != 0) {
        push(known - 1u);
        return;
    }
    add({&byte, 1}, 0, 0, line);
    const std::uint32_t code = find({&byte, 1}, line);
    // Only a label that always stood without spaces may skip the comparison of spaces.
    if (code < 255 && spacing_[code] == 0) known = static_cast<std::uint8_t>(code + 1);
}

namespace {

class Reader {
  public:
    Reader(std::string_view text, const Dialect& dialect, std::int64_t line, std::uint64_t seed,
           Monitor& monitor)
        : p_(text.data()),
          start_(text.data()),
          end_(text.data() + text.size()),
          dialect_(dialect),
          line_(line),
          seed_(seed),
          ticker_(monitor, std::numeric_limits<double>::infinity()) {
        for (const char stop : {dialect.separator, '\n', '\r', '\0'}) stops_[byte(stop)] = true;
        for (const char quote : dialect.quotes) quotes_[byte(quote)] = true;
    }

    DelimitedTable read(bool header) {
        if (header && next_record()) {
            while (read_field(
                [&](std::string_view label, std::size_t, std::size_t) { table_.header.add(label); })) {
            }
            table_.expected = static_cast<std::int64_t>(table_.header.size());
        }
        while (table_.problem == DelimitedProblem::none && next_record()) read_row();
        return std::move(table_);
    }

  private:
    static unsigned char byte(char c) { return static_cast<unsigned char>(c); }
    bool is_space(char c) const { return (c == ' ' || c == '\t') && c != dialect_.separator; }

    // Moves to the first field of the next record; false at the end of the text.
    bool next_record() {
        for (;;) {
            const char* q = p_;
            while (q < end_ && is_space(*q)) ++q;
            if (q == end_) return false;
            if (dialect_.comment != '\0' && *q == dialect_.comment)
                while (q < end_ && *q != '\n' && *q != '\r') ++q;
            else if (*q != '\n' && *q != '\r')
                break;
            p_ = q;
            if (p_ < end_) end_line();
        }
        record_line_ = line_;
        field_ = 0;
        return true;
    }

    void end_line() {
        if (*p_ == '\r' && p_ + 1 < end_ && p_[1] == '\n') ++p_;
        ++p_;
        ++line_;
    }

    bool fail(DelimitedProblem problem, std::int64_t line) {
        table_.problem = problem;
        table_.line = line;
        table_.field = field_;
        return false;
    }

    void read_row() {
        const bool first = table_.rows == 0;
        if (first) table_.first_line = record_line_;
        const char* record = p_;
        const auto width = static_cast<std::size_t>(table_.expected);
        std::size_t v = 0;
        bool more = true;
        if (first && table_.expected > 0) make_columns(width);
        while (more) {
            // A field of one byte: no quote, no space, and a stop behind it.
            if (v < table_.columns.size() && end_ - p_ > 1 && plain(p_[0]) && stops_[byte(p_[1])] &&
                p_[1] != '\0') {
                ++field_;
                table_.columns[v++].add_byte(*p_++, record_line_);
                more = end_field();
                continue;
            }
            more = read_field([&](std::string_view label, std::size_t before, std::size_t after) {
                if (first && table_.expected == 0) table_.columns.emplace_back(seed_ + table_.columns.size());
                if (v < table_.columns.size()) table_.columns[v].add(label, before, after, record_line_);
                ++v;
            });
        }
        if (table_.problem != DelimitedProblem::none) return;
        if (first && table_.expected == 0) table_.expected = static_cast<std::int64_t>(v);
        if (static_cast<std::int64_t>(v) != table_.expected) {
            fail(DelimitedProblem::ragged, record_line_);
            table_.found = static_cast<std::int64_t>(v);
            return;
        }
        if (first) {
            const auto size = static_cast<std::size_t>(p_ - record);
            const std::size_t rows =
                static_cast<std::size_t>(end_ - record) / std::max<std::size_t>(size, 2 * v - 1) + 1;
            for (auto& column : table_.columns) column.reserve(rows);
        }
        note_line();
        ++table_.rows;
        if (ticker_.poll(
                {static_cast<std::uint64_t>(p_ - start_), static_cast<std::uint64_t>(end_ - start_)}))
            fail(DelimitedProblem::interrupted, record_line_);
    }

    void make_columns(std::size_t width) {
        table_.columns.reserve(width);
        for (std::size_t v = 0; v < width; ++v) table_.columns.emplace_back(seed_ + v);
    }

    void note_line() {
        if (table_.lines.empty()) {
            if (record_line_ == table_.first_line + table_.rows) return;
            for (std::int64_t row = 0; row < table_.rows; ++row)
                table_.lines.push_back(table_.first_line + row);
        }
        table_.lines.push_back(record_line_);
    }

    bool plain(char c) const { return !stops_[byte(c)] && !quotes_[byte(c)] && c != ' ' && c != '\t'; }

    // Reads one field and gives it to `take`; true if another field follows in the same record.
    template <class Take>
    bool read_field(Take take) {
        ++field_;
        const char* outer = p_;
        while (p_ < end_ && is_space(*p_)) ++p_;
        if (p_ < end_ && quotes_[byte(*p_)]) return read_quoted(take);
        const char* begin = p_;
        while (p_ < end_ && !stops_[byte(*p_)]) ++p_;
        if (p_ < end_ && *p_ == '\0') return fail(DelimitedProblem::nul_byte, line_);
        if (static_cast<std::size_t>(p_ - outer) > max_field_bytes)
            return fail(DelimitedProblem::field_too_long, line_);
        const char* finish = p_;
        while (finish > begin && is_space(finish[-1])) --finish;
        take(std::string_view(begin, static_cast<std::size_t>(finish - begin)),
             static_cast<std::size_t>(begin - outer), static_cast<std::size_t>(p_ - finish));
        return end_field();
    }

    template <class Take>
    bool read_quoted(Take take) {
        const std::int64_t opened = line_;
        const char quote = *p_++;
        scratch_.clear();
        for (;; ++p_) {
            if (p_ == end_) return fail(DelimitedProblem::unclosed_quote, opened);
            if (scratch_.size() > max_field_bytes) return fail(DelimitedProblem::field_too_long, opened);
            const char c = *p_;
            if (c == '\0') return fail(DelimitedProblem::nul_byte, line_);
            if (c == '\\' && dialect_.backslash && p_ + 1 < end_) {
                scratch_.push_back(*++p_);
                if (*p_ == '\0') return fail(DelimitedProblem::nul_byte, line_);
                if (*p_ == '\n') ++line_;
                continue;
            }
            if (c == quote) {
                if (!dialect_.doubled || p_ + 1 == end_ || p_[1] != quote) break;
                ++p_;
            }
            if (c == '\n' || (c == '\r' && !(p_ + 1 < end_ && p_[1] == '\n'))) ++line_;
            scratch_.push_back(c);
        }
        ++p_;
        while (p_ < end_ && is_space(*p_)) ++p_;
        if (p_ < end_ && *p_ != dialect_.separator && *p_ != '\n' && *p_ != '\r')
            return fail(*p_ == '\0' ? DelimitedProblem::nul_byte : DelimitedProblem::text_after_quote, line_);
        const std::string_view whole = scratch_;
        std::size_t before = 0, after = 0;
        while (before < whole.size() && is_blank(whole[before])) ++before;
        while (after < whole.size() - before && is_blank(whole[whole.size() - 1 - after])) ++after;
        take(whole.substr(before, whole.size() - before - after), before, after);
        return end_field();
    }

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    // Steps over the separator (true: another field follows) or the end of the line.
    bool end_field() {
        if (p_ == end_) return false;
        if (*p_ == dialect_.separator) {
            ++p_;
            return true;
        }
        end_line();
        return false;
    }

    const char* p_;
    const char* start_;
    const char* end_;
    const Dialect& dialect_;
    std::int64_t line_, record_line_ = 0, field_ = 0;
    std::uint64_t seed_;
    Ticker ticker_;
    std::array<bool, 256> stops_{}, quotes_{};
    std::string scratch_;
    DelimitedTable table_;
};

}  // namespace

DelimitedTable read_delimited(std::string_view text, const Dialect& dialect, bool header, std::int64_t line,
                              std::uint64_t seed, Monitor& monitor) {
    return Reader(text, dialect, line, seed, monitor).read(header);
}

}  // namespace arcwise
