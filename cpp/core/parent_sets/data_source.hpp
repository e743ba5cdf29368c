// What the builder of tables sees of scores that hold their data (data_score.hpp): variables, and no counts.
#pragma once

#include <cstddef>
#include <memory>

#include "parent_sets/set_scorer.hpp"

namespace arcwise {

// All scores are then family scores that hold data of this many variables.
std::unique_ptr<CountSource> make_data_source(std::size_t variables);

}  // namespace arcwise
