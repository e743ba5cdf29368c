// Structs of options that Python fills by name: Options(field=value, ...); the fields left out keep their
// defaults. A call then has a handful of arguments, and a number in the wrong place cannot pass for another.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace arcwise {

template <class Value>
constexpr bool holds_array = false;
template <class... Facts>
constexpr bool holds_array<nanobind::ndarray<Facts...>> = true;
template <class First, class Second>
constexpr bool holds_array<std::pair<First, Second>> = holds_array<First> || holds_array<Second>;

template <class Options>
class OptionsBinding {
  public:
    OptionsBinding(nanobind::module_& stage, const char* name) : fields_(std::make_shared<Fields>()) {
        nanobind::class_<Options>(stage, name)
            .def("__init__", [fields = fields_, name](Options* self, const nanobind::kwargs& given) {
                new (self) Options();
                for (const auto [key, value] : given) {
                    const std::string field = nanobind::borrow<nanobind::str>(key).c_str();
                    const auto found = fields->find(field);
                    if (found == fields->end() || !found->second(*self, value))
                        throw nanobind::type_error(
                            (std::string(name) + " takes no such field or value: " + field).c_str());
                }
            });
    }

    template <class Value>
    OptionsBinding& field(const char* name, Value Options::* member) {
        return field_from<Value>(
            name, [member](Options& options, Value&& value) { options.*member = std::move(value); });
    }

    // A field of another type than the struct's: assign(options, value).
    template <class Value, class Assign>
    OptionsBinding& field_from(const char* name, Assign assign) {
        fields_->emplace(name, [assign](Options& options, nanobind::handle given) {
            Value value{};
            // An array of another type or order is refused, not copied.
            const bool fits = nanobind::try_cast(given, value, !holds_array<Value>);
            if (fits) assign(options, std::move(value));
            return fits;
        });
        return *this;
    }

  private:
    using Fields = std::map<std::string, std::function<bool(Options&, nanobind::handle)>, std::less<>>;

    std::shared_ptr<Fields> fields_;
};

}  // namespace arcwise
