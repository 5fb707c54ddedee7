// Describes the objects of JSON documents: a list of fields, each with its name, type, limits and
// meaning, and the function that returns its value. The JSON that the program writes, the schema of
// the document and its table on the page on formats come from this list.
//
//   constexpr auto kRepeats = fields<Repeats>({
//       {"runs", member<&Repeats::runs>, at_least(2)},
//       {"seed", member<&Repeats::seed>, "Seed of the run that this document reports."},
//   });
//
// The type of a field follows from the type of its value: a bool, an integer, a double, a text, a
// list of these, or a map from names to these. std::optional, and a pointer to an object, is null
// if it is empty; an empty std::optional of these is a field that the object does not have. Numbers
// must not be negative, unless the limits say otherwise.
//
// The lists are constants, so that they need no code to be built. This header does not include
// nlohmann/json.hpp, and neither need sources with lists.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "src/formats/field_limits.hpp"

namespace tutti { inline namespace formats {

using JsonValue = nlohmann::ordered_json;

// Type of a field's value.
struct Shape {
  enum class Kind : std::uint8_t { object, text, truth, integer, number, number_or_word, null };
  Kind kind = Kind::object;
  std::uint8_t lists = 0;  // depth of lists: 1 for a list of texts
  bool map = false;        // an object whose keys are names, with values of this kind
  bool nullable = false;   // the value itself
  bool has_sign = false;   // negative values are accepted
  std::size_t items = 0;   // number of items; 0: any
  bool item_nullable = false;
  bool optional = false;  // the field may be absent
};

struct Field;
// A list of fields that was made by fields().
struct FieldView {
  const Field* begin = nullptr;
  std::size_t count = 0;
  std::string_view meaning = {};
};

// Name of a field that stands for all fields whose names are not in the list.
inline constexpr std::string_view kOtherNames = "*";

struct Field {
  std::string_view name;  // empty: the fields of `object` stand in place of this field
  std::string_view meaning;
  Shape shape;
  FieldLimits limits;
  // Stores the field's value of `object` in `out`, which is null, and returns true; false if the
  // object does not have the field. nullptr: the caller adds the field.
  bool (*write)(JsonValue& out, const void* object, const Field& field) = nullptr;
  FieldView object = {};               // the fields of an object, or of the items of a list
  FieldView (*elsewhere)() = nullptr;  // returns the same, if another file defines them
  const void* data = nullptr;          // for `write`

  [[nodiscard]] FieldView nested() const { return elsewhere == nullptr ? object : elsewhere(); }
};

// A list of fields of objects of type T which another file defines.
template <typename T>
struct FieldsOf {
  FieldView (*view)();
};

template <typename T, std::size_t kSize>
struct FieldList {
  using Type = T;
  std::array<Field, kSize> list;
  std::string_view meaning;

  [[nodiscard]] constexpr FieldView view() const { return {list.data(), kSize, meaning}; }
};

// A function object that returns a member.
template <auto kMember>
struct MemberOf {
  template <typename T>
  constexpr const auto& operator()(const T& object) const {
    return object.*kMember;
  }
};
template <auto kMember>
inline constexpr MemberOf<kMember> member{};  // NOLINT(readability-identifier-naming)

// A function object that calls a function, which cannot itself be a parameter of FieldOf.
template <auto kFunction>
struct CallOf {
  template <typename T>
  constexpr decltype(auto) operator()(const T& object) const {
    return kFunction(object);
  }
};
template <auto kFunction>
inline constexpr CallOf<kFunction> from{};  // NOLINT(readability-identifier-naming)

void put_value(JsonValue& out, bool value);
void put_value(JsonValue& out, std::uint64_t value);
void put_value(JsonValue& out, std::int64_t value);
void put_value(JsonValue& out, double value);
void put_value(JsonValue& out, std::string_view value);
void put_value(JsonValue& out, JsonValue&& value);
void put_object(JsonValue& out, const FieldView& fields, const void* object);
// Adds the fields that every object has, each with the value null.
void put_nulls(JsonValue& out, const FieldView& fields);
// make_list() turns `out` into an empty list, and add_item() adds a null. The same for objects.
void make_list(JsonValue& out);
JsonValue& add_item(JsonValue& out);
void make_object(JsonValue& out);
JsonValue& add_member(JsonValue& out, std::string_view name);

namespace field_types {

// The names are as in the standard library.
// NOLINTBEGIN(readability-identifier-naming)
template <typename V>
inline constexpr bool is_optional = false;
template <typename V>
inline constexpr bool is_optional<std::optional<V>> = true;
template <typename V>
inline constexpr bool is_text = std::is_convertible_v<const V&, std::string_view>;
template <typename V>
inline constexpr bool is_map = false;
template <typename V>
inline constexpr bool is_map<std::map<std::string, V>> = true;
template <typename V>
inline constexpr bool is_map<std::vector<std::pair<std::string, V>>> = true;
template <typename V>
inline constexpr bool is_map<std::vector<std::pair<std::string_view, V>>> = true;
template <typename V>
inline constexpr std::size_t items_of = 0;
template <typename V, std::size_t kSize>
inline constexpr std::size_t items_of<std::array<V, kSize>> = kSize;
template <typename V>
inline constexpr bool is_count_or_word = false;
template <typename N>
inline constexpr bool is_count_or_word<std::variant<N, std::string_view>> = true;
template <typename V>
inline constexpr bool may_be_absent = false;
template <typename V>
inline constexpr bool may_be_absent<std::optional<V>> =
    is_optional<V> || (std::is_pointer_v<V> && !is_text<V>);
// NOLINTEND(readability-identifier-naming)

// Calls put(slot, value) for what `value` holds: itself, the value of an optional or pointer, or
// each item of a list or map.
template <typename V, typename Put>
void for_each_slot(JsonValue& out, const V& value, const Put& put) {
  if constexpr (std::is_same_v<V, JsonValue>) {  // NOLINT(bugprone-branch-clone): it is a range
    put(out, value);
  } else if constexpr (is_optional<V> || (std::is_pointer_v<V> && !is_text<V>)) {
    if (value) {
      for_each_slot(out, *value, put);
    }
  } else if constexpr (is_map<V>) {
    make_object(out);
    for (const auto& [name, each] : value) {
      for_each_slot(add_member(out, name), each, put);
    }
  } else if constexpr (std::ranges::range<const V> && !is_text<V>) {
    make_list(out);
    for (const auto& each : value) {
      for_each_slot(add_item(out), each, put);
    }
  } else {
    put(out, value);
  }
}

template <typename V>
void put_scalar(JsonValue& out, const V& value) {
  if constexpr (is_count_or_word<V>) {
    std::visit([&](const auto& each) { put_scalar(out, each); }, value);
  } else if constexpr (std::is_same_v<V, JsonValue>) {
    put_value(out, JsonValue(value));
  } else if constexpr (is_text<V>) {
    put_value(out, std::string_view(value));
  } else if constexpr (std::is_same_v<V, bool>) {
    put_value(out, value);
  } else if constexpr (std::is_floating_point_v<V>) {
    put_value(out, static_cast<double>(value));
  } else if constexpr (std::is_signed_v<V>) {
    put_value(out, static_cast<std::int64_t>(value));
  } else {
    put_value(out, static_cast<std::uint64_t>(value));
  }
}

// Writes the value of a field; returns false if the object does not have the field.
template <typename V, typename Put>
bool put_field(JsonValue& out, const V& value, const Put& put) {
  if constexpr (may_be_absent<V>) {
    if (!value) {
      return false;
    }
  }
  for_each_slot(out, value, put);
  return true;
}

template <typename V>
constexpr Shape shape_of() {
  if constexpr (std::is_same_v<V, JsonValue>) {  // NOLINT(bugprone-branch-clone): it is a range
    return {};
  } else if constexpr (may_be_absent<V>) {
    Shape shape = shape_of<typename V::value_type>();
    shape.optional = true;
    return shape;
  } else if constexpr (is_optional<V>) {
    Shape shape = shape_of<typename V::value_type>();
    shape.nullable = true;
    return shape;
  } else if constexpr (std::is_pointer_v<V> && !is_text<V>) {
    Shape shape = shape_of<std::remove_cv_t<std::remove_pointer_t<V>>>();
    shape.nullable = true;
    return shape;
  } else if constexpr (is_map<V>) {
    Shape shape = shape_of<typename V::value_type::second_type>();
    shape.map = true;
    shape.item_nullable = shape.nullable;
    shape.nullable = false;
    return shape;
  } else if constexpr (is_count_or_word<V>) {
    return {.kind = Shape::Kind::number_or_word};
  } else if constexpr (is_text<V>) {
    return {.kind = Shape::Kind::text};
  } else if constexpr (std::is_same_v<V, bool>) {
    return {.kind = Shape::Kind::truth};
  } else if constexpr (std::is_integral_v<V>) {
    return {.kind = Shape::Kind::integer, .has_sign = std::is_signed_v<V>};
  } else if constexpr (std::is_floating_point_v<V>) {
    return {.kind = Shape::Kind::number};
  } else if constexpr (std::ranges::range<const V>) {
    Shape shape = shape_of<std::remove_cvref_t<std::ranges::range_value_t<V>>>();
    ++shape.lists;
    shape.items = items_of<V>;
    shape.item_nullable = shape.nullable && shape.kind != Shape::Kind::object;
    shape.nullable = false;
    return shape;
  } else {
    return {};
  }
}

}  // namespace field_types

// A field of an object of type T.
template <typename T>
struct FieldOf {
  Field made;

  template <typename Get>
  using ValueOf = std::remove_cvref_t<std::invoke_result_t<Get, const T&>>;
  // A pointer to a function has a value, which the type of `get` does not tell.
  template <typename Get>
  static constexpr bool kIsGetter = std::is_class_v<Get> && std::is_invocable_v<Get, const T&>;

  template <typename Get>
    requires kIsGetter<Get>
  constexpr FieldOf(std::string_view name, Get /*get*/, std::string_view meaning = {})
      : FieldOf(name, Get(), FieldLimits(), meaning) {}
  template <typename Get>
    requires kIsGetter<Get>
  constexpr FieldOf(std::string_view name, Get /*get*/, const FieldLimits& limits,
                    std::string_view meaning = {})
      : made{name, meaning, field_types::shape_of<ValueOf<Get>>(), limits,
             [](JsonValue& out, const void* object, const Field& /*field*/) {
               return field_types::put_field(out, Get()(*static_cast<const T*>(object)),
                                             [](JsonValue& slot, const auto& value) {
                                               field_types::put_scalar(slot, value);
                                             });
             }} {}

  // An object, or a list of objects, with their own fields.
  template <typename U, std::size_t kSize, typename Get>
  constexpr FieldOf(std::string_view name, const FieldList<U, kSize>& nested, Get /*get*/,
                    const FieldLimits& limits = {}, std::string_view meaning = {})
      : made{name,
             meaning,
             field_types::shape_of<ValueOf<Get>>(),
             limits,
             nested_writer<U, Get>(),
             nested.view()} {}
  template <typename U, std::size_t kSize, typename Get>
  constexpr FieldOf(std::string_view name, const FieldList<U, kSize>& nested, Get get,
                    std::string_view meaning)
      : FieldOf(name, nested, get, FieldLimits(), meaning) {}
  template <typename U, typename Get>
  constexpr FieldOf(std::string_view name, const FieldsOf<U>& nested, Get /*get*/,
                    const FieldLimits& limits = {}, std::string_view meaning = {})
      : made{name,
             meaning,
             field_types::shape_of<ValueOf<Get>>(),
             limits,
             nested_writer<U, Get>(),
             {},
             nested.view} {}
  template <typename U, typename Get>
  constexpr FieldOf(std::string_view name, const FieldsOf<U>& nested, Get get,
                    std::string_view meaning)
      : FieldOf(name, nested, get, FieldLimits(), meaning) {}

  // The fields of another list, in place of a field.
  template <std::size_t kSize>
  constexpr FieldOf(const FieldList<T, kSize>& others)  // NOLINT(google-explicit-constructor)
      : made{{}, {}, {}, {}, same_object, others.view()} {}
  constexpr FieldOf(const FieldsOf<T>& others)  // NOLINT(google-explicit-constructor)
      : made{{}, {}, {}, {}, same_object, {}, others.view} {}
  // The same for fields of a part of the object.
  template <typename U, std::size_t kSize, typename Get>
    requires kIsGetter<Get>
  constexpr FieldOf(const FieldList<U, kSize>& others, Get /*get*/)
      : made{{}, {}, {}, {}, nested_writer<U, Get>(), others.view()} {}
  template <typename U, typename Get>
    requires kIsGetter<Get>
  constexpr FieldOf(const FieldsOf<U>& others, Get /*get*/)
      : made{{}, {}, {}, {}, nested_writer<U, Get>(), {}, others.view} {}

  // A field that the caller of put_object() adds.
  constexpr FieldOf(std::string_view name, const Shape& shape, const FieldLimits& limits,
                    std::string_view meaning)
      : made{name, meaning, shape, limits.required ? limits : limits | absent} {}
  template <typename U, std::size_t kSize>
  constexpr FieldOf(std::string_view name, const FieldList<U, kSize>& nested,
                    const FieldLimits& limits, std::string_view meaning = {})
      : FieldOf(name, Shape{}, limits, meaning) {
    made.object = nested.view();
  }

 private:
  static bool same_object(JsonValue& out, const void* object, const Field& field) {
    put_object(out, field.nested(), object);
    return true;
  }
  template <typename U, typename Get>
  static constexpr auto nested_writer() {
    static_assert(kIsGetter<Get>);
    return [](JsonValue& out, const void* object, const Field& field) {
      return field_types::put_field(
          out, Get()(*static_cast<const T*>(object)), [&](JsonValue& slot, const auto& value) {
            static_assert(std::is_same_v<std::remove_cvref_t<decltype(value)>, U>);
            put_object(slot, field.nested(), &value);
          });
    };
  }
};

template <typename T, std::size_t kSize>
constexpr FieldList<T, kSize> fields(std::string_view meaning, const FieldOf<T> (&given)[kSize]) {
  FieldList<T, kSize> list{{}, meaning};
  for (std::size_t i = 0; i < kSize; ++i) {
    list.list[i] = given[i].made;
  }
  return list;
}
template <typename T, std::size_t kSize>
constexpr FieldList<T, kSize> fields(const FieldOf<T> (&given)[kSize]) {
  return fields<T, kSize>({}, given);
}

// Adds the objects to the list `out`.
template <typename T, std::size_t kSize>
void put_objects(JsonValue& out, const FieldList<T, kSize>& list, const std::vector<T>& objects) {
  make_list(out);
  for (const T& object : objects) {
    put_object(add_item(out), list.view(), &object);
  }
}

// An item of a list, with the object that it belongs to.
template <typename Whole, typename Item>
struct PartOf {
  const Whole& whole;
  const Item& part;
};
template <typename Whole, typename Items>
[[nodiscard]] auto parts_of(const Whole& whole, const Items& items) {
  std::vector<PartOf<Whole, std::ranges::range_value_t<Items>>> parts;
  for (const auto& item : items) {
    parts.push_back({whole, item});
  }
  return parts;
}

// The same for items that were made for the document.
template <typename Whole, typename Item>
struct OwnPartOf {
  const Whole& whole;
  Item part;
};
template <typename Whole, typename Item>
[[nodiscard]] std::vector<OwnPartOf<Whole, Item>> own_parts_of(const Whole& whole,
                                                               std::vector<Item> items) {
  std::vector<OwnPartOf<Whole, Item>> parts;
  for (Item& item : items) {
    parts.push_back({whole, std::move(item)});
  }
  return parts;
}

// Nothing if the value is not known, or does not apply.
template <typename Value>
[[nodiscard]] std::optional<Value> value_if(bool known, const Value& value) {
  return known ? std::make_optional(value) : std::nullopt;
}

}}  // namespace tutti::formats
