// Connects the core's Monitor with Python: signals are handled and the progress callback is called under the
// GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <monitor.hpp>  // the core's: quotes would find this file

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

}  // namespace arcwise
