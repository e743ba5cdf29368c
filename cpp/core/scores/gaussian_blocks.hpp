// Scores of blocks of columns of one Gaussian matrix: every family is a ratio of determinants.
//
// A variable is a block of columns: a number is one column, or a few basis functions of it; a category its
// indicators less one. Of a set of variables S, C_SS is the matrix of cross products of its columns. Then
//   degenerate Gaussian BIC (Andrews, Ramsey & Cooper 2019): g(S) = -N/2 log|C_SS| - w d (d + 1) / 2,
//   BGe (Geiger & Heckerman 2002; Kuipers, Moffa & Heckerman 2014): its log marginal likelihood,
// with d columns in S, and the score of a family is g(P + v) - g(P). The Gaussian BIC of bnlearn divides the
// residual sum of squares by N - |P| - 1 and is no such difference.
// Rows are read once per vector of weights; a family then costs a few columns of a Cholesky factor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scores/data_score.hpp"

namespace arcwise {

struct GaussianBlocks {
    std::vector<double> rows;  // rows x columns, each column with mean 0 and variance 1 (weights count)
    std::vector<std::int32_t> widths;   // columns of each variable; 0: it says nothing
    std::vector<double> log_scales;     // of each column: the log of its variance in the units of the score
    std::vector<std::int64_t> weights;  // of each row; none: every row counts once
};

enum class GaussianLaw : std::int32_t { degenerate = 0, residual = 1, marginal = 2 };

struct GaussianTerms {
    GaussianLaw law = GaussianLaw::degenerate;
    double penalty = 1.0;     // times log N / 2: the price of a free parameter (degenerate, residual)
    double ridge = 0.0;       // added to the variance of every column (degenerate)
    double mean_cases = 1.0;  // alpha_mu: what the prior mean weighs (marginal) ..
    double freedom = 2.0;     // .. and alpha_w, less the number of columns
};

std::unique_ptr<LocalScore> make_gaussian(GaussianBlocks blocks, const GaussianTerms& terms);

}  // namespace arcwise
