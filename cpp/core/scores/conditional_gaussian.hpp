// The conditional Gaussian BIC as R's package bnlearn has it ("bic-cg"), and what it is of categories whose
// parents are numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scores/data_score.hpp"

namespace arcwise {

struct MixedRows {
    std::vector<double> values;         // variables x rows: numbers, or codes
    std::vector<std::int32_t> arities;  // of each variable; 0: it is a number
    std::vector<double>
        log_scales;  // of each variable: the log of the variance that its values were divided by
    std::vector<std::int64_t> weights;  // of each row; none: every row counts once
};

// A category with categories as parents has a multinomial distribution for each of their configurations, a
// number a linear regression on its parents that are numbers; a category has no numbers as parents. BIC
// counts one mean, one coefficient for each parent and one variance for every configuration, seen or not, and
// the variance of a regression is the residual sum of squares over n - |P| - 1. A family with a configuration
// that has cases, but too few for a variance, has the score minus infinity. `penalty` is what log N / 2 is
// multiplied with. `joint`: a category may have numbers as parents, and the score of such a family is what
// makes equivalent networks score the same, g(P + v) - g(P), with g(S) the score of a complete network of S.
std::unique_ptr<LocalScore> make_conditional_gaussian(MixedRows rows, double penalty, bool joint);

}  // namespace arcwise
