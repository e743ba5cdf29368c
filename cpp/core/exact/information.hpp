// Cuts that know the data: what parents tell about their children, and how much there is to be told.
//
// Let P be any distribution of the variables, I(v; S) the information that S gives about v under P. In an
// acyclic network the parents of v are among its predecessors, so for every set C of variables
//
//     sum over v in C of I(v; S_v & C)  <=  sum over v in C of I(v; predecessors in C)
//                                        =  sum over v in C of H(v) - H(C),
//
// the total correlation of C. This holds because entropy is submodular: every submodular function gives a cut
// (Studeny 2015, "How matroids occur in the context of learning Bayesian network structure", UAI, shows that
// the extreme ones give facets), and a cluster (C, k) is the cut of the rank function min(|A|, k).
//
// Why they matter. With many cases a score is nearly N times an information, less a penalty that hardly
// grows, and the relaxation must learn from its cuts that no network tells more than the data have. Clusters
// put that together one matroid at a time: alarm with 20,000 cases had 257 nats to go after 100 seconds of
// them. Under the P of a good network, with C everything, one cut says all of it; what is left is about
// penalties.
//
// P is the network of the incumbent with the frequencies of the data. It need not be right: the cut holds for
// any. What makes it useful is that its entropies can be computed: v depends on C - v only through its
// boundary there, the members that are reached from v in the moral graph of the ancestors of C without
// passing another member (Lauritzen and Spiegelhalter 1988), so the total correlation of a large C is a sum
// of terms of a few variables each.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "bitset.hpp"
#include "exact/lp_point.hpp"
#include "parent_sets/candidate_sets.hpp"

namespace arcwise {

// The joint distributions of some families of variables, one after the other.
struct FamilyTables {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> members;  // of each family, the first varying slowest
    std::span<const double> probabilities;
};

struct InformationCut {
    LongSet members;
    double side;
    double violation;
};

class Information {
  public:
    explicit Information(std::span<const std::int32_t> arities);

    std::size_t variables() const { return arities_.size(); }
    std::size_t size() const { return entropies_.size(); }
    // Takes the entropies of all sets of variables that lie within one of these families.
    void learn(const FamilyTables& families);
    // Of sets within a family that was learned.
    double entropy(SetView set) const;
    double mutual(std::size_t node, SetView parents) const;  // information, I(node; parents)

    // The network P, by its parent sets, which are families that were learned.
    void set_model(std::span<const Word> parents);
    // The total correlation of all variables.
    double total() const;
    // For each row of `sets` its number in the cut of `members`.
    std::vector<double> coefficients(const CandidateSets& sets, SetView members) const;

    // The most violated cuts of some walks, up to `limit` that differ from each other, with a violation above
    // `threshold`. A walk starts with all variables, or with those near one that the point has not decided,
    // and leaves out the variable that leaves the largest violation until two are left. It cannot leave out
    // variables whose boundary was not learned: these are wanted() then, unless they are too large.
    std::vector<InformationCut> separate(const CandidateSets& sets, const LpPoint& point, std::size_t limit,
                                         double threshold);
    // Sets that walks asked for in vain since the last call.
    BitRows take_wanted();

  private:
    struct Hash {
        std::size_t operator()(const std::vector<Word>& words) const {
            return static_cast<std::size_t>(SetView(words).hash());
        }
    };

    class Walk;

    double mutual_within(std::size_t node, SetView parents, SetView members, LongSet& scratch) const;
    void learn_family(std::span<const std::int32_t> members, std::span<const double> probabilities);

    std::vector<std::int32_t> arities_;
    std::unordered_map<std::vector<Word>, double, Hash> entropies_;
    BitRows model_;
    double total_ = 0;
    std::unordered_map<std::vector<Word>, bool, Hash> asked_;
    BitRows wanted_;
};

}  // namespace arcwise
