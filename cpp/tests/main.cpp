#include "check.hpp"

int main() {
    int failed = 0;
    for (const auto& test : check::tests()) {
        const int before = check::failures();
        test.body();
        if (check::failures() != before) {
            ++failed;
            std::cerr << "FAILED " << test.name << "\n";
        }
    }
    std::cout << "core: " << check::tests().size() - static_cast<std::size_t>(failed) << " passed, " << failed
              << " failed\n";
    return failed == 0 ? 0 : 1;
}
