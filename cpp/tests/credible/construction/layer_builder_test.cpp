#include "credible/construction/layer_builder.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "check.hpp"

using namespace arcwise;

namespace {

// Node d chooses 0, 1 or 2, which costs as much, and the sum must not exceed `most`: a state is the sum so
// far. With `apart`, ways that chose 2 last are never joined with others.
class Sums {
  public:
    static constexpr bool keeps_ways = true;
    using Key = std::size_t;
    struct State {
        std::size_t sum = 0;
        bool apart = false;
    };
    using Hash = std::hash<std::size_t>;
    struct Way {
        bool apart;
    };

    explicit Sums(std::size_t most, bool apart = false, std::size_t tables = 0)
        : most_(most), apart_(apart), tables_(tables) {}
    std::size_t fixed_bytes() const { return tables_; }
    std::size_t copy_bytes() const { return tables_; }
    std::size_t state_bytes(const State&) const { return sizeof(State); }
    std::size_t key_bytes(Key) const { return 48; }
    State start() {
        CHECK(tables_ == 0);  // what does not fit is not made
        return {};
    }
    State make(Key sum, const Way& way) const { return {sum, way.apart}; }
    bool join(State& state, const Way& way) const { return state.apart == way.apart; }
    template <class Arrive>
    void expand(const State& state, std::size_t depth, Arrive&& arrive) {
        for (std::size_t choice = 0; choice < 3; ++choice)
            if (state.sum + choice <= most_)
                arrive(state.sum + choice, Way{apart_ && choice == 2}, 3 * depth + choice);
    }

  private:
    std::size_t most_;
    bool apart_;
    std::size_t tables_;
};

ComponentProblem<1> choices(std::size_t nodes) {
    ComponentProblem<1> component;
    component.nodes = nodes;
    for (std::size_t v = 0; v < nodes; ++v) {
        for (int choice = 0; choice < 3; ++choice)
            component.rows.push_back({{},
                                      static_cast<double>(-choice),
                                      static_cast<double>(choice),
                                      static_cast<std::int64_t>(component.rows.size())});
        component.offsets.push_back(component.rows.size());
    }
    return component;
}

// Paths of the diagram by what they lose.
std::map<int, std::size_t> paths(const NetworkDiagram& diagram) {
    std::map<int, std::size_t> found;
    const auto walk = [&](auto&& self, std::size_t state, double loss) -> void {
        if (state >= diagram.layer_begin[diagram.nodes]) ++found[static_cast<int>(loss + 0.5)];
        for (auto e = diagram.edge_begin[state]; e < diagram.edge_begin[state + 1]; ++e)
            if (loss + diagram.edge_detour[e] <= diagram.slack)
                self(self, diagram.edge_target[e], loss + diagram.edge_detour[e]);
    };
    walk(walk, 0, 0);
    return found;
}

constexpr LayerLimits plenty{std::size_t{1} << 30};

bool same(const NetworkDiagram& one, const NetworkDiagram& other) {
    return one.status == other.status && one.explored == other.explored &&
           one.layer_begin == other.layer_begin && one.edge_begin == other.edge_begin &&
           one.edge_target == other.edge_target && one.edge_row == other.edge_row &&
           one.edge_detour == other.edge_detour;
}

// Bytes that exist, and the most there were, of all that says so.
struct Gauge {
    static inline std::atomic<std::size_t> now{0}, most{0};
    static void begin() { most = now.load(); }
    static void add(std::size_t bytes) {
        const std::size_t sum = now += bytes;
        for (std::size_t seen = most; seen < sum && !most.compare_exchange_weak(seen, sum);) {
        }
    }
};

// Memory of a size that is only known when the program runs, as keys have it.
class Ballast {
  public:
    explicit Ballast(std::size_t bytes = 0) : bytes_(bytes) { Gauge::add(bytes_); }
    Ballast(const Ballast& other) : Ballast(other.bytes_) {}
    Ballast& operator=(const Ballast& other) {
        if (other.bytes_ > bytes_) {
            Gauge::add(other.bytes_ - bytes_);
            bytes_ = other.bytes_;
        }
        return *this;
    }
    ~Ballast() { Gauge::now -= bytes_; }

  private:
    std::size_t bytes_;
};

// As Sums, but with many choices for each node and with long keys. A copy takes memory, too.
class LongSums {
  public:
    static constexpr bool keeps_ways = true;
    struct Key {
        std::size_t sum;
        Ballast ballast;
        friend bool operator==(const Key& a, const Key& b) { return a.sum == b.sum; }
    };
    struct State {
        std::size_t sum = 0;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const { return key.sum; }
    };
    struct Way {};
    struct Size {
        std::size_t ways, key, copy;
    };

    // With `waits`, the first state that comes after 64 others is held back until a copy has expanded one.
    explicit LongSums(Size size, bool waits = false) : size_(size), own_(size.copy), waits_(waits) {
        has_help = false;
    }
    LongSums(const LongSums& other) : size_(other.size_), own_(other.own_), is_copy_(true) {}
    std::size_t fixed_bytes() const { return size_.copy; }
    std::size_t copy_bytes() const { return size_.copy; }
    std::size_t state_bytes(const State&) const { return sizeof(State); }
    std::size_t key_bytes(const Key&) const { return sizeof(Key) + size_.key + 48; }
    State start() { return {}; }
    State make(const Key& key, const Way&) const { return {key.sum}; }
    bool join(State&, const Way&) const { return true; }
    template <class Arrive>
    void expand(const State& state, std::size_t depth, Arrive&& arrive) {
        if (is_copy_) has_help = true;
        const auto begin = std::chrono::steady_clock::now();
        while (waits_ && state.sum >= 64 && !has_help) {
            std::this_thread::yield();
            waits_ = std::chrono::steady_clock::now() - begin < std::chrono::seconds(20);
        }
        for (std::size_t choice = 0; choice < size_.ways; ++choice)
            arrive(Key{state.sum + choice, Ballast(size_.key)}, Way{}, 3 * depth + choice % 3);
    }

    static inline std::atomic<bool> has_help{false};  // whether a copy has expanded a state

  private:
    Size size_;
    Ballast own_;
    bool waits_ = false, is_copy_ = false;
};

}  // namespace

TEST(the_loop_makes_the_diagram_of_any_problem) {
    const auto component = choices(4);
    SilentMonitor monitor;
    Ticker ticker(monitor);
    const auto diagram = build_layers(component, Sums(3), 8, plenty, ticker);
    // Words of four letters 0, 1, 2 with a sum of at most 3; states are the sums 0 .. 3 that can be reached.
    CHECK(diagram.status == Status::complete && diagram.optimum == 0);
    CHECK(diagram.explored == 1 + 3 + 4 + 4);
    CHECK((paths(diagram) == std::map<int, std::size_t>{{0, 1}, {1, 4}, {2, 10}, {3, 16}}));
}

TEST(states_are_joined_only_if_the_problem_lets_them) {
    const auto component = choices(4);
    SilentMonitor monitor;
    Ticker ticker(monitor);
    const auto joined = build_layers(component, Sums(8), 8, plenty, ticker);
    const auto apart = build_layers(component, Sums(8, true), 8, plenty, ticker);
    CHECK(joined.explored == 1 + 3 + 5 + 7);
    CHECK(apart.explored == 1 + 3 + 7 + 11);  // of the sums from 2 on that end in 2, one state each more
    CHECK(joined.edges() == 3 * joined.explored && apart.edges() == 3 * apart.explored);
    CHECK(paths(apart) == paths(joined) && paths(joined)[4] == 19);
}

TEST(the_loop_keeps_its_limits) {
    const auto component = choices(30);
    SilentMonitor silent;
    struct Impatient final : Monitor {
        bool should_stop(const Progress& progress) override { return progress.done >= 64; }
    } impatient;
    Ticker first(silent), second(silent), third(silent), fourth(impatient), fifth(silent, 0.0);
    CHECK(build_layers(component, Sums(60, false, 2048), 60, {2047}, first).status == Status::memory_limit);
    const auto few = build_layers(component, Sums(60), 60, {plenty.memory, 10}, second);
    CHECK(few.status == Status::count_limit && few.explored == 10);
    const auto small = build_layers(component, Sums(60), 60, {4096}, third);
    CHECK(small.status == Status::memory_limit && small.explored > 1 && small.edges() == 0);
    const auto told = build_layers(component, Sums(60), 60, plenty, fourth);
    CHECK(told.status == Status::interrupted && told.explored == 64);
    CHECK(build_layers(component, Sums(60), 60, plenty, fifth).status == Status::time_limit);
}

TEST(threads_change_neither_the_diagram_nor_where_it_is_stopped) {
    const auto component = choices(300);
    SilentMonitor silent;
    const std::vector<LayerLimits> all{plenty, {plenty.memory, 20'000}, {3'000'000}};
    for (const auto& limits : all)
        for (const bool apart : {false, true}) {
            Ticker ticker(silent);
            const auto alone = build_layers(component, Sums(600, apart), 30, limits, ticker);
            CHECK(alone.explored > 1'000 && (alone.status == Status::complete) == (&limits == &all[0]));
            for (const std::size_t threads : {2, 5}) {
                Ticker own(silent);
                auto shared = limits;
                shared.threads = threads;
                CHECK(same(alone, build_layers(component, Sums(600, apart), 30, shared, own)));
            }
        }
    struct Impatient final : Monitor {
        bool should_stop(const Progress& progress) override { return progress.done >= 64; }
    } impatient;
    Ticker told(impatient);
    CHECK(build_layers(component, Sums(600), 30, {plenty.memory, plenty.most_states, 3}, told).status ==
          Status::interrupted);
}

TEST(threads_take_no_more_memory_than_is_allowed) {
    const auto component = choices(6);
    SilentMonitor silent;
    // Many ways from a state; few; so many that those of one state alone are too much; problems that are
    // large themselves, all of them and all but two.
    struct Case {
        LongSums::Size size;
        std::size_t memory;
        bool is_shared;  // whether threads have room for problems of their own
    };
    constexpr std::size_t mega = 1 << 20;
    const std::vector<Case> cases{
        {{200, 1000, 0}, 8 * mega, true},       {{200, 1000, 0}, 2 * mega, true},
        {{40, 100, 0}, 8 * mega, true},         {{400, 4000, 0}, 16 * mega, true},
        {{40, 100, 6 * mega}, 8 * mega, false}, {{40, 100, mega / 2}, 8 * mega, true}};
    for (const auto& [size, memory, is_shared] : cases) {
        Gauge::begin();
        Ticker ticker(silent);
        const auto alone = build_layers(component, LongSums(size), 4, {memory}, ticker);
        CHECK(Gauge::most <= memory + size.copy);  // the problem is given as a copy
        for (const std::size_t threads : {2, 8}) {
            Gauge::begin();
            Ticker own(silent);
            const LayerLimits limits{memory, plenty.most_states, threads};
            const auto shared = build_layers(component, LongSums(size, is_shared), 4, limits, own);
            CHECK(same(alone, shared));
            CHECK(Gauge::most <= memory + size.copy);
            CHECK(LongSums::has_help == is_shared);
        }
    }
    CHECK(Gauge::now == 0);
}
