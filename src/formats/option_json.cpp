#include "src/formats/option_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/error.hpp"

namespace tutti { inline namespace formats {

namespace {

nlohmann::ordered_json to_json(const OptionValue& value) {
  return std::visit([](const auto& each) { return nlohmann::ordered_json(each); }, value);
}

OptionValue value_of(const OptionType& type, const nlohmann::json& json) {
  if (json.is_string()) {
    return json.get<std::string>();
  }
  if (json.is_number_unsigned()) {
    return json.get<std::uint64_t>();
  }
  if (json.is_array() && std::all_of(json.begin(), json.end(),
                                     [](const auto& item) { return item.is_number_unsigned(); })) {
    return json.get<std::vector<std::uint64_t>>();
  }
  throw UserError(fmt::format(
      "{}: has the type {}; expected a string, a whole number or a list of whole numbers",
      type.json_key, json.type_name()));
}

bool has_column(const OptionType& type, const Problem& problem, RecordOf of) {
  return type.recorded == RecordPolicy::always ||
         (type.recorded == RecordPolicy::in_results &&
          (of == RecordOf::simulation || !type.is_default(problem)));
}

}  // namespace

void put_options(nlohmann::ordered_json& record, const Algorithm& algorithm, const Problem& problem,
                 RecordOf of) {
  for (const bool words : {true, false}) {
    for (const OptionType* type : option_types()) {
      const OptionValue value = type->value(problem);
      if (std::holds_alternative<std::string>(value) == words && has_column(*type, problem, of)) {
        record[std::string(type->json_key)] =
            takes(algorithm, type->option) ? to_json(value) : nlohmann::ordered_json();
      }
    }
  }
  std::vector<std::string> without_column;
  for (const OptionType* type : option_types()) {
    if (type->recorded == RecordPolicy::in_words && !type->is_default(problem)) {
      without_column.push_back(in_words(*type, problem));
    }
  }
  // Records of simulated runs already have all options in words.
  if (of == RecordOf::mpi && !without_column.empty()) {
    record["options"] = fmt::format("{}", fmt::join(without_column, " "));
  }
}

void put_option_lists(nlohmann::ordered_json& record, const Problem& problem) {
  for (const OptionType* type : option_types()) {
    if (type->recorded == RecordPolicy::as_list) {
      record[std::string(type->json_key)] = to_json(type->value(problem));
    }
  }
}

nlohmann::ordered_json option_json(const OptionType& type, const Problem& problem) {
  return to_json(type.value(problem));
}

FieldView option_fields() {
  static const std::vector<Field> list = [] {
    const auto write = [](JsonValue& out, const void* object, const Field& field) {
      const auto& type = *static_cast<const OptionType*>(field.data);
      const auto& problem = *static_cast<const Problem*>(object);
      if (!type.is_default(problem)) {
        out = option_json(type, problem);
      }
      return true;
    };
    std::vector<Field> all;
    for (const OptionType* type : option_types()) {
      const OptionValue standard = type->value(Problem());
      const bool text = std::holds_alternative<std::string>(standard);
      const std::uint8_t lists =
          std::holds_alternative<std::vector<std::uint64_t>>(standard) ? 1 : 0;
      all.push_back({type->json_key,
                     {},
                     {.kind = text ? Shape::Kind::text : Shape::Kind::integer, .lists = lists},
                     absent,
                     write,
                     {},
                     nullptr,
                     type});
    }
    return all;
  }();
  return {list.data(), list.size(), {}};
}

void read_options(const nlohmann::json& json, Problem& problem) {
  for (const OptionType* type : option_types()) {
    const auto found = json.find(type->json_key);
    if (found != json.end() && !found->is_null()) {
      set_option(*type, value_of(*type, *found), problem);
    }
  }
}

}}  // namespace tutti::formats
