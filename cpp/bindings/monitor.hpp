// Connects the core's Monitor with Python: signals are handled and the progress callback is called under the
// GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <limits>
#include <monitor.hpp>  // the core's: quotes would find this file
#include <utility>

namespace arcwise {

// The callback receives (done, total, incumbent, bound) and may be None. An exception in it, or Ctrl-C, stops
// the computation; Ctrl-C leaves no exception behind (the result's status says "interrupted"), any other
// exception is raised again by `rethrow` once the native call is over. A call whose result has no status ends
// with `rethrow_signal`: then only a KeyboardInterrupt of the callback, which knows of it, is left out.
class PythonMonitor final : public Monitor {
  public:
    explicit PythonMonitor(nanobind::object callback) : callback_(std::move(callback)) {}

    bool should_stop(const Progress& progress) override {
        const nanobind::gil_scoped_acquire gil;
        try {
            if (PyErr_CheckSignals() != 0) nanobind::raise_python_error();
        } catch (nanobind::python_error& error) {
            (error.matches(PyExc_KeyboardInterrupt) ? signal_ : error_) = std::current_exception();
            return true;
        }
        try {
            if (!callback_.is_none())
                callback_(progress.done, progress.total, progress.incumbent, progress.bound);
        } catch (nanobind::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) error_ = std::current_exception();
            return true;
        }
        return false;
    }

    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

    void rethrow_signal() const {
        rethrow();
        if (signal_) std::rethrow_exception(signal_);
    }

  private:
    nanobind::object callback_;
    std::exception_ptr error_, signal_;
};

// Runs compute() without the GIL.
template <class Compute>
auto unlocked(Compute&& compute) {
    const nanobind::gil_scoped_release release;
    return compute();
}

// Runs compute(ticker) without the GIL, under a time limit, with a progress callback.
template <class Compute>
auto monitored(double seconds, nanobind::object callback, Compute&& compute) {
    PythonMonitor monitor(std::move(callback));
    Ticker ticker(monitor, seconds);
    auto result = unlocked([&] { return compute(ticker); });
    monitor.rethrow();
    return result;
}

// For calls that are short nearly always: from a tenth of a second on, they ask now and then whether to stop.
// What they return holds all the same; who stopped them knows why.
template <class Compute>
auto watched(nanobind::object callback, Compute&& compute, double quiet = 0.1) {
    PythonMonitor monitor(std::move(callback));
    Ticker ticker(monitor, std::numeric_limits<double>::infinity(), quiet);
    auto result = unlocked([&] { return compute(ticker); });
    monitor.rethrow_signal();
    return result;
}

}  // namespace arcwise
