// How a long computation reports its progress to its caller, and how the caller stops it.
//
// The core knows neither Python nor signals: it reports through this interface, and stops when told to. The
// binding's implementation takes the GIL, lets Python handle signals (Ctrl-C) and calls the user's progress
// callback. A computation that was stopped returns what it has with a status; it never throws for that.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace arcwise {

struct Progress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0: not known
    double incumbent = -std::numeric_limits<double>::infinity();
    double bound = std::numeric_limits<double>::infinity();
};

class Monitor {
  public:
    virtual ~Monitor() = default;
    // Returns true if the computation should stop. Called from one thread at a time.
    virtual bool should_stop(const Progress& progress) = 0;
};

// Reports nothing and never stops: for tests and for short calls.
class SilentMonitor final : public Monitor {
  public:
    bool should_stop(const Progress&) override { return false; }
};

// Why a computation ended. The Python enumeration arcwise.limits.Status has the same members.
enum class Status : std::int32_t {
    complete = 0,
    time_limit = 1,
    memory_limit = 2,
    count_limit = 3,
    interrupted = 4
};

// Asks the monitor at most every 50 ms, and reads the clock only every 1,024th call, so that `poll` may stand
// in an inner loop. Also keeps the time limit. Once stopped, it stays stopped.
class Ticker {
  public:
    // The first report comes after `quiet` seconds: a call that is over by then reports nothing.
    explicit Ticker(Monitor& monitor, double seconds = std::numeric_limits<double>::infinity(),
                    double quiet = 0)
        : monitor_(monitor),
          start_(Clock::now()),
          next_report_(start_ +
                       std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(quiet))),
          seconds_(seconds) {}

    // True if the computation should stop; `reason()` says why.
    bool poll(const Progress& progress) {
        if (reason_ != Status::complete) return true;
        if (++calls_ % 1024 != 0) return false;
        return poll_now(progress);
    }

    bool poll_now(const Progress& progress) {
        if (reason_ != Status::complete) return true;
        const auto now = Clock::now();
        if (std::chrono::duration<double>(now - start_).count() > seconds_) {
            reason_ = Status::time_limit;
            return true;
        }
        if (now >= next_report_) {
            next_report_ = now + std::chrono::milliseconds(50);
            if (monitor_.should_stop(progress)) reason_ = Status::interrupted;
        }
        return reason_ != Status::complete;
    }

    // For a loop with short and long steps: `work` is what the last one took, in units of a few nanoseconds.
    bool poll_after(std::uint64_t work, const Progress& progress = {}) {
        if (reason_ != Status::complete) return true;
        work_ += work;
        if (work_ < work_between_polls) return false;
        work_ = 0;
        return poll_now(progress);
    }

    void stop(Status reason) { reason_ = reason; }
    Status reason() const { return reason_; }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    double remaining() const { return seconds_ - elapsed(); }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t work_between_polls = std::uint64_t{1} << 20;
    Monitor& monitor_;
    Clock::time_point start_;
    Clock::time_point next_report_;
    double seconds_;
    std::uint64_t calls_ = 0, work_ = 0;
    Status reason_ = Status::complete;
};

}  // namespace arcwise
