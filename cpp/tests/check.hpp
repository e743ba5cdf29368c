// A test framework in one page: TEST registers a function, CHECK reports and counts.
#pragma once

#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace check {

struct Test {
    std::string name;
    std::function<void()> body;
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registration {
    Registration(const char* name, std::function<void()> body) { tests().push_back({name, std::move(body)}); }
};

}  // namespace check

#define TEST(name)                                                  \
    static void name();                                             \
    static const check::Registration register_##name(#name, &name); \
    static void name()

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            ++check::failures();                                                            \
            std::cerr << __FILE__ << ":" << __LINE__ << ": failed: " << #condition << "\n"; \
        }                                                                                   \
    } while (false)
