// The Bayesian Interchange Format (BIF), first half: from characters to statements.
//
// A BIF file is a sequence of blocks, in any order:
//
//     network NAME { property ... ; }
//     variable NAME { type discrete [ N ] { STATE, STATE, ... }; property ... ; }
//     probability ( CHILD | PARENT, PARENT, ... ) {
//         (STATE, STATE, ...) NUMBER, NUMBER, ... ;     one row: the states of the parents, then the child's
//                                                       distribution
//         table NUMBER, NUMBER, ... ;                   everything at once, the child varying slowest
//         default NUMBER, NUMBER, ... ;                 all rows not given
//         property undefined (STATE, ...) ;             a row known to be undefined: ours, see below
//     }
//
// As in the format's own grammar (version 0.15), commas between words are optional, `|` may be left out, and
// a property runs to the next semicolon. What the grammar leaves open is settled here:
//   - A word is any run of characters other than white space and { } ( ) [ ] | , ; " so that states such as
//     <5, 12+ and Asy/Patch need no quotes. // and /* open a comment where a word could begin.
//   - A name with any other character is written in double quotes, with the escapes \" \\ \n \t \r and \xHH.
//   - A maximum-likelihood table has rows that the data leave undefined, and the format has no word for them.
//   A
//     property says so, which other readers skip; a row that is merely absent is an error.
//
// The grammar needs no recursion, so that no nesting can exhaust the stack, and every step consumes a
// character, so that no input can make it hang.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace arcwise::bif {

// A mistake in the text; `at` is the byte where it shows.
struct Mistake {
    std::string message;
    std::size_t at;
};

struct Word {
    std::string_view text;  // unescaped; a view of the text, or of Syntax::unescaped
    std::size_t at = 0;
};

struct Variable {
    Word name;
    std::vector<Word> states;
};

enum class EntryKind { row, table, fallback, undefined };

// One statement of a probability block; its words and numbers are ranges of Syntax::words and
// Syntax::numbers.
struct Entry {
    EntryKind kind;
    std::size_t at;
    std::size_t first_word, last_word;
    std::size_t first_number, last_number;
};

struct Block {
    Word child;
    std::vector<Word> parents;
    std::vector<Entry> entries;
};

struct Syntax {
    std::vector<Variable> variables;
    std::vector<Block> blocks;
    std::vector<Word> words;
    std::vector<double> numbers;        // each in [0, 1]
    std::deque<std::string> unescaped;  // quoted words that had escapes; a deque, so that views stay valid
};

// Reads the statements; throws Mistake. Views in the result point into `text`. `text` is valid UTF-8 without
// NUL.
Syntax read_syntax(std::string_view text);

// A piece of the text for a message: in quotes, control characters escaped, cut after 40 characters.
std::string quoted(std::string_view text);

}  // namespace arcwise::bif
