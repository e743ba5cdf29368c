#include "model/bif_syntax.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace arcwise::bif {

namespace {

constexpr std::string_view delimiters = "{}()[]|,;\"";

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
bool is_control(char c) {
    const auto code = static_cast<unsigned char>(c);  // a char has a sign here, and none on ARM
    return code < 0x20 || code == 0x7f;
}
bool is_delimiter(char c) {
    return delimiters.find(c) != std::string_view::npos;
}

enum class Kind { word, punctuation, end };

struct Token {
    Kind kind;
    std::string_view text;
    std::size_t at;
    bool in_quotes = false;

    bool is(char c) const { return kind == Kind::punctuation && text[0] == c; }
    bool is(std::string_view keyword) const { return kind == Kind::word && !in_quotes && text == keyword; }
};

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

class Lexer {
  public:
    Lexer(std::string_view text, std::deque<std::string>& unescaped) : text_(text), unescaped_(unescaped) {
        for (std::size_t c = 0; c < 256; ++c) {
            const auto character = static_cast<char>(static_cast<unsigned char>(c));
            in_word_[c] = !is_space(character) && !is_control(character) && !is_delimiter(character);
        }
        advance();
    }

    const Token& peek() const { return token_; }

    Token take() {
        const Token taken = token_;
        advance();
        return taken;
    }

    // To be called when the token at hand is the first of a property: passes the next semicolon.
    void skip_to_semicolon(std::size_t start) {
        const auto semicolon = text_.find(';', token_.at);
        if (semicolon == std::string_view::npos) throw Mistake{"this property has no closing ';'", start};
        at_ = semicolon + 1;
        advance();
    }

  private:
    void skip_space_and_comments() {
        while (at_ < text_.size()) {
            if (is_space(text_[at_])) {
                ++at_;
            } else if (text_.substr(at_, 2) == "//") {
                const auto newline = text_.find('\n', at_);
                at_ = newline == std::string_view::npos ? text_.size() : newline + 1;
            } else if (text_.substr(at_, 2) == "/*") {
                const auto close = text_.find("*/", at_ + 2);
                if (close == std::string_view::npos) throw Mistake{"this comment has no closing '*/'", at_};
                at_ = close + 2;
            } else {
                return;
            }
        }
    }

    void advance() {
        skip_space_and_comments();
        const auto start = at_;
        if (start == text_.size()) {
            token_ = {Kind::end, {}, start};
            return;
        }
        const char c = text_[start];
        if (c == '"') {
            token_ = {Kind::word, read_quoted(), start, true};
        } else if (is_delimiter(c)) {
            ++at_;
            token_ = {Kind::punctuation, text_.substr(start, 1), start};
        } else if (is_control(c)) {
            throw Mistake{"control character " + quoted(text_.substr(start, 1)) + " outside quotes", start};
        } else {
            while (at_ < text_.size() && in_word_[static_cast<unsigned char>(text_[at_])]) ++at_;
            token_ = {Kind::word, text_.substr(start, at_ - start), start};
        }
    }

    std::string_view read_quoted() {
        const auto open = at_++;
        const auto special = text_.find_first_of("\"\\", at_);
        if (special != std::string_view::npos && text_[special] == '"') {
            const auto content = text_.substr(at_, special - at_);
            at_ = special + 1;
            return content;
        }
        std::string content;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] != '\\') {
                content += text_[at_++];
                continue;
            }
            content += read_escape();
        }
        if (at_ == text_.size()) throw Mistake{"this name has no closing quote", open};
        ++at_;
        return unescaped_.emplace_back(std::move(content));
    }

    char read_escape() {
        const auto start = at_++;
        const char c = at_ < text_.size() ? text_[at_++] : '\0';
        if (c == '"' || c == '\\') return c;
        if (c == 'n') return '\n';
        if (c == 't') return '\t';
        if (c == 'r') return '\r';
        if (c == 'x' && at_ + 2 <= text_.size()) {
            const int high = hex_digit(text_[at_]);
            const int low = hex_digit(text_[at_ + 1]);
            // Only ASCII: a byte above would not be UTF-8.
            if (high >= 0 && high < 8 && low >= 0) {
                at_ += 2;
                return static_cast<char>(high * 16 + low);
            }
        }
        throw Mistake{R"(unknown escape in a quoted name; known are \" \\ \n \t \r and \x00 to \x7f)", start};
    }

    std::string_view text_;
    std::deque<std::string>& unescaped_;
    bool in_word_[256];
    std::size_t at_ = 0;
    Token token_{Kind::end, {}, 0};
};

class Parser {
  public:
    explicit Parser(std::string_view text) : lexer_(text, syntax_.unescaped) {}

    Syntax read() {
        bool network_seen = false;
        while (lexer_.peek().kind != Kind::end) {
            const Token keyword = lexer_.take();
            if (keyword.is("variable")) {
                read_variable();
            } else if (keyword.is("probability")) {
                read_block();
            } else if (keyword.is("network")) {
                if (network_seen)
                    throw Mistake{"a second 'network' block; a file holds one network", keyword.at};
                network_seen = true;
                read_network();
            } else {
                throw expected("'network', 'variable' or 'probability'", keyword);
            }
        }
        return std::move(syntax_);
    }

  private:
    static Mistake expected(std::string_view what, const Token& found) {
        const std::string description = found.kind == Kind::end
                                            ? std::string("the end of the file (is it truncated?)")
                                            : quoted(found.text);
        return {"expected " + std::string(what) + ", found " + description, found.at};
    }

    Token expect(char c) {
        if (!lexer_.peek().is(c)) throw expected(std::string("'") + c + "'", lexer_.peek());
        return lexer_.take();
    }

    void expect(std::string_view keyword) {
        if (!lexer_.peek().is(keyword)) throw expected("'" + std::string(keyword) + "'", lexer_.peek());
        lexer_.take();
    }

    Word expect_word(std::string_view what) {
        if (lexer_.peek().kind != Kind::word) throw expected(what, lexer_.peek());
        const Token token = lexer_.take();
        return {token.text, token.at};
    }

    bool accept(char c) {
        if (!lexer_.peek().is(c)) return false;
        lexer_.take();
        return true;
    }

    bool accept(std::string_view keyword) {
        if (!lexer_.peek().is(keyword)) return false;
        lexer_.take();
        return true;
    }

    // Words up to `close`, with optional commas between them.
    template <class Sink>
    void read_words(char close, std::string_view what, Sink sink) {
        while (!accept(close)) {
            sink(expect_word(what));
            if (accept(',') && lexer_.peek().is(close)) throw expected(what, lexer_.peek());
        }
    }

    void read_network() {
        while (lexer_.peek().kind == Kind::word) lexer_.take();
        expect('{');
        while (!accept('}')) read_property();
    }

    void read_property() {
        const auto start = lexer_.peek().at;
        if (!lexer_.peek().is("property")) throw expected("'property' or '}'", lexer_.peek());
        // The text of a property is free: it is passed over as characters, not as words.
        lexer_.skip_to_semicolon(start);
    }

    void read_variable() {
        Variable variable;
        variable.name = expect_word("the name of a variable");
        expect('{');
        bool typed = false;
        while (!lexer_.peek().is('}')) {
            const auto at = lexer_.peek().at;
            if (!accept("type")) {
                if (lexer_.peek().is("property")) {
                    read_property();
                    continue;
                }
                throw expected("'type', 'property' or '}'", lexer_.peek());
            }
            if (typed) throw Mistake{"a second type for variable " + quoted(variable.name.text), at};
            typed = true;
            if (!lexer_.peek().is("discrete"))
                throw expected("'discrete' (arcwise reads discrete variables only)", lexer_.peek());
            lexer_.take();
            read_states(variable);
        }
        const auto close = lexer_.take().at;
        if (!typed) throw Mistake{"variable " + quoted(variable.name.text) + " has no type", close};
        syntax_.variables.push_back(std::move(variable));
    }

    void read_states(Variable& variable) {
        expect('[');
        const Word number = expect_word("the number of states");
        std::uint64_t declared = 0;
        const auto [stop, error] =
            std::from_chars(number.text.data(), number.text.data() + number.text.size(), declared);
        if (error != std::errc{} || stop != number.text.data() + number.text.size())
            throw Mistake{"the number of states must be a whole number, not " + quoted(number.text),
                          number.at};
        expect(']');
        expect('{');
        read_words('}', "a state or '}'", [&](const Word& state) { variable.states.push_back(state); });
        expect(';');
        if (variable.states.size() != declared)
            throw Mistake{"variable " + quoted(variable.name.text) + " declares " + std::to_string(declared) +
                              " states but lists " + std::to_string(variable.states.size()),
                          number.at};
        if (declared == 0)
            throw Mistake{"variable " + quoted(variable.name.text) + " has no states", number.at};
    }

    void read_block() {
        Block block;
        expect('(');
        block.child = expect_word("the name of a variable");
        if (!accept('|')) accept(',');
        read_words(')', "a parent or ')'", [&](const Word& parent) { block.parents.push_back(parent); });
        expect('{');
        while (!accept('}')) read_entry(block);
        syntax_.blocks.push_back(std::move(block));
    }

    void read_entry(Block& block) {
        const Token start = lexer_.peek();
        Entry entry{EntryKind::row,         start.at,
                    syntax_.words.size(),   syntax_.words.size(),
                    syntax_.numbers.size(), syntax_.numbers.size()};
        if (start.is("property")) {
            lexer_.take();
            if (!lexer_.peek().is("undefined")) {
                lexer_.skip_to_semicolon(start.at);
                return;
            }
            lexer_.take();
            entry.kind = EntryKind::undefined;
            if (accept('(')) read_configuration();
            expect(';');
        } else {
            if (accept('('))
                read_configuration();
            else if (accept("table"))
                entry.kind = EntryKind::table;
            else if (accept("default"))
                entry.kind = EntryKind::fallback;
            else
                throw expected("'(', 'table', 'default', 'property' or '}'", start);
            while (!accept(';')) {
                syntax_.numbers.push_back(read_number());
                if (accept(',') && lexer_.peek().is(';')) throw expected("a probability", lexer_.peek());
            }
        }
        entry.last_word = syntax_.words.size();
        entry.last_number = syntax_.numbers.size();
        block.entries.push_back(entry);
    }

    void read_configuration() {
        read_words(')', "the state of a parent or ')'", [&](const Word& w) { syntax_.words.push_back(w); });
    }

    double read_number() {
        const Token token = lexer_.peek();
        if (token.kind != Kind::word || token.in_quotes) throw expected("a probability or ';'", token);
        auto text = token.text;
        if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
        double value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc::result_out_of_range)
            throw Mistake{"the number " + quoted(token.text) + " does not fit a double", token.at};
        if (error != std::errc{} || stop != text.data() + text.size()) throw expected("a probability", token);
        // Written so that NaN fails. A hair above 1 is left to the check of the row's sum.
        if (!(value >= 0.0 && value <= 1.001))
            throw Mistake{"a probability lies between 0 and 1, not " + quoted(token.text), token.at};
        lexer_.take();
        return value + 0.0;  // -0 becomes 0
    }

    Syntax syntax_;
    Lexer lexer_;
};

}  // namespace

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    constexpr std::string_view digits = "0123456789abcdef";
    std::size_t length = text.size();
    std::string dots;
    if (length > longest) {
        length = longest;
        // Not inside a UTF-8 character.
        while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
        dots = "...";
    }
    std::string result = "'";
    for (const char c : text.substr(0, length)) {
        if (is_control(c)) {
            result += "\\x";
            result += digits[static_cast<unsigned char>(c) >> 4];
            result += digits[static_cast<unsigned char>(c) & 15];
        } else {
            result += c;
        }
    }
    return result + dots + "'";
}

Syntax read_syntax(std::string_view text) {
    return Parser(text).read();
}

}  // namespace arcwise::bif
