#include "ordered_pipeline.hpp"

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace arcwise;

namespace {

const auto never = [] { return false; };

}  // namespace

TEST(a_pipeline_consumes_all_items_in_order) {
    for (const std::size_t threads : {2, 3, 6}) {
        OrderedPipeline pipeline(threads);
        if (pipeline.workers() < 2) continue;  // the system gives no more threads
        for (const std::size_t items : {1, 5, 64, 1000}) {
            std::vector<std::vector<std::size_t>> slots(pipeline.slots());
            std::vector<std::size_t> consumed;
            const auto produce = [&](std::size_t worker, std::size_t slot, std::size_t begin,
                                     std::size_t end) {
                CHECK(worker < pipeline.workers());
                CHECK(begin < end && end <= items && end - begin <= 7);
                slots[slot].clear();
                for (std::size_t item = begin; item < end && item % 11 != 10; ++item)  // some have no room
                    slots[slot].push_back(item);
                return slots[slot].size();
            };
            const auto consume = [&](std::size_t slot, std::size_t begin, std::size_t produced,
                                     std::size_t end) {
                for (std::size_t item = begin; item < end; ++item)
                    consumed.push_back(item < produced ? slots[slot][item - begin] : item);
                return true;
            };
            CHECK(pipeline.run(items, 7, pipeline.workers(), produce, consume, never));
            CHECK(consumed.size() == items);
            for (std::size_t item = 0; item < consumed.size(); ++item) CHECK(consumed[item] == item);
        }
    }
}

TEST(a_pipeline_goes_on_after_a_failure_and_after_a_stop) {
    OrderedPipeline pipeline(3);
    if (pipeline.workers() < 2) return;
    const auto nothing = [](std::size_t, std::size_t, std::size_t, std::size_t) { return std::size_t{0}; };
    const auto fail = [](std::size_t, std::size_t, std::size_t, std::size_t) -> std::size_t {
        throw std::runtime_error("produce");
    };
    const auto fail_there = [](std::size_t, std::size_t begin, std::size_t, std::size_t) -> bool {
        if (begin < 50) return true;
        throw std::runtime_error("consume");
    };
    const auto up_to = [](std::size_t last) {
        return [last](std::size_t, std::size_t, std::size_t, std::size_t end) { return end <= last; };
    };
    const auto runs = [&](auto produce, auto consume) {
        try {
            return pipeline.run(200, 1, pipeline.workers(), produce, consume, never);
        } catch (const std::runtime_error&) {
            return false;
        }
    };
    for (int round = 0; round < 50; ++round) {
        // If the calling thread does every chunk itself, nobody produces anything.
        runs(fail, up_to(200));
        CHECK(!runs(nothing, fail_there));
        CHECK(!runs(nothing, up_to(100)));
        CHECK(runs(nothing, up_to(200)));
    }
}
