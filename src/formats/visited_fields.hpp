// Makes a list of fields from a function that visits the members of an object. The function can
// also read the members, so that it remains the only list of them.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/formats/fields.hpp"

namespace tutti { inline namespace formats {

// Fields for FieldsOf<Members::Object>. Members::each(object, visit) calls
// visit(name, value, limits, meaning) for each member of an object, which may be const. The meaning
// may be left out. Enumerations are written as their names.
template <typename Members>
class VisitedFields {
 public:
  using Object = typename Members::Object;

  static FieldView view() {
    static const Field all{{}, {}, {}, {}, write, {}, members};
    return {&all, 1, {}};
  }

 private:
  VisitedFields() {
    const Object object{};
    Members::each(object, [this](std::string_view name, const auto& value,
                                 const FieldLimits& limits, std::string_view meaning = {}) {
      using Value = std::remove_cvref_t<decltype(value)>;
      Shape shape{.kind = Shape::Kind::text};
      if constexpr (!std::is_enum_v<Value>) {
        shape = field_types::shape_of<Value>();
      }
      list_.push_back({names_.emplace_back(name), meaning, shape, limits});
    });
  }

  static FieldView members() {
    static const VisitedFields fields;
    return {fields.list_.data(), fields.list_.size(), {}};
  }

  static bool write(JsonValue& out, const void* object, const Field& /*field*/) {
    Members::each(*static_cast<const Object*>(object),
                  [&out](std::string_view name, const auto& value, const auto&... /*limits*/) {
                    put(add_member(out, name), value);
                  });
    return true;
  }
  template <typename Value>
  static void put(JsonValue& out, const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      put_value(out, std::string_view(name(value)));
    } else {
      field_types::for_each_slot(out, value, [](JsonValue& slot, const auto& each) {
        field_types::put_scalar(slot, each);
      });
    }
  }

  std::deque<std::string> names_;
  std::vector<Field> list_;
};

}}  // namespace tutti::formats
