#include "local/row_partition.hpp"

#include <new>
#include <numeric>

#include "check.hpp"
#include "local/sample.hpp"

using namespace local_support;

TEST(segments_are_added_in_stretches_to_the_same_sums) {
    for (int weighting = 0; weighting < 2; ++weighting) {
        const Sample sample = make_sample(500, {2, 3, 4, 5}, 7, weighting);
        const StateBlocks blocks(sample.columns());
        const RowWeights weights(sample.rows, sample.weights);
        RowPartition partition;
        RowSorter(blocks, weights).sort(1, std::vector<std::int32_t>{0}, partition);
        const std::size_t cells = partition.ends.size() * StateBlocks::width;
        std::vector<std::uint32_t> whole(cells, 0);
        blocks.add_segments(0, partition.order, partition.bytes, 0, partition.ends, whole.data());
        for (const std::size_t stretch : {1, 7, 1000}) {
            std::vector<std::int64_t> sums(cells, 0);
            blocks.add_segments(0, partition.order, partition.bytes, 0, partition.ends, sums.data(), stretch);
            CHECK(std::equal(sums.begin(), sums.end(), whole.begin()));
        }
    }
}

TEST(more_cells_than_keys_can_number_are_refused) {
    // Two columns of 70,000 states each: 4.9e9 pairs.
    constexpr std::size_t rows = 70'000;
    std::vector<std::uint32_t> codes(2 * rows);
    std::iota(codes.begin(), codes.begin() + rows, 0U);
    std::iota(codes.begin() + rows, codes.end(), 0U);
    const std::vector<std::int32_t> arities(2, rows);
    const StateBlocks blocks(Columns<std::uint32_t>{codes.data(), 2, rows, arities.data(), nullptr});
    const RowWeights weights(rows, {});
    RowSorter sorter(blocks, weights);
    const auto is_refused = [](auto&& call) {
        try {
            call();
        } catch (const std::bad_alloc&) {
            return true;
        }
        return false;
    };
    const std::vector<std::int32_t> first{0}, three{0, 1, 0};
    std::vector<std::uint32_t> keys;
    RowPartition partition;
    CHECK(is_refused([&] { sorter.sort(1, first, partition); }));
    sorter.sort(0, {}, partition);
    CHECK(partition.count() == rows);
    Segments pairs;  // as if each row were a configuration of three parents
    pairs.parents = 3;
    for (std::uint32_t row = 0; row < rows; ++row) {
        pairs.config_ends.push_back(row + 1);
        for (int k = 0; k < 3; ++k) pairs.codes.push_back(row);
    }
    CHECK(is_refused([&] { sorter.number_without(pairs, three, 2, keys); }));
}
