#include "posterior/chains/walking_dag.hpp"

#include <bit>

namespace arcwise {

void WalkingDag::spread(std::size_t node, LongSet& set) {
    const std::size_t width = children_.width();
    const auto& children = children_.words();
    set.add(node);
    if (width == 1) {
        Word reached = set.words()[0], waiting = Word{1} << node;
        while (waiting != 0) {
            const auto from = static_cast<std::size_t>(std::countr_zero(waiting));
            waiting &= waiting - 1;
            const Word found = children[from] & ~reached;
            reached |= found;
            waiting |= found;
        }
        set.words()[0] = reached;
        return;
    }
    waiting_.assign(1, node);
    while (!waiting_.empty()) {
        const std::size_t row = waiting_.back() * width;
        waiting_.pop_back();
        for (std::size_t w = 0; w < width; ++w) {
            Word found = children[row + w] & ~set.words()[w];
            set.words()[w] |= found;
            for (; found != 0; found &= found - 1)
                waiting_.push_back(64 * w + static_cast<std::size_t>(std::countr_zero(found)));
        }
    }
}

void WalkingDag::set_parents(std::size_t node, SetView parents) {
    SetSpan own = parents_[node];
    for (std::size_t w = 0; w < own.word_count(); ++w) {
        Word changed = own.words()[w] ^ parents.words()[w];
        own.words()[w] = parents.words()[w];
        for (; changed != 0; changed &= changed - 1)
            children_[64 * w + static_cast<std::size_t>(std::countr_zero(changed))].toggle(node);
    }
}

}  // namespace arcwise
