// Stores the texts of an option in a variable, as the value that they mean.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/requests/option_parsers.hpp"
#include "src/requests/value_with_text.hpp"

namespace tutti { inline namespace requests {

// A variable and the parser of its values, without their types.
struct OptionStore {
  void* variable = nullptr;
  // A parser that is a pointer to a function; null for parsers without state.
  void (*parser)() = nullptr;
  void (*store)(const OptionStore& to, std::string_view from,
                const std::vector<std::string>& texts) = nullptr;
  bool is_flag = false;
  bool takes_many = false;  // the variable is a list with a value for each text
};

namespace option_store {

template <typename Parser, typename Text>
using Result = decltype(std::declval<const Parser&>()(std::string_view(), std::declval<Text>()));

// The parser reads all texts of the option at once.
template <typename Parser>
concept ReadsAll = std::invocable<const Parser&, std::string_view, const std::vector<std::string>&>;

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

template <typename Variable, typename Parser>
constexpr bool takes_many() {
  if constexpr (!kIsVector<Variable>) {
    return false;
  } else if constexpr (ReadsAll<Parser>) {
    return true;
  } else {
    return !std::convertible_to<Result<Parser, const std::string&>, Variable>;
  }
}

template <typename T, typename Value>
void assign(T& variable, Value&& value, const std::string& /*text*/) {
  variable = std::forward<Value>(value);
}
template <typename T, typename Value>
void assign(ValueWithText<T>& variable, Value&& value, const std::string& text) {
  variable = {std::forward<Value>(value), text};
}
template <typename T, typename Value>
void assign(std::optional<ValueWithText<T>>& variable, Value&& value, const std::string& text) {
  variable = ValueWithText<T>{std::forward<Value>(value), text};
}

template <typename Variable, typename Parser>
void store(const OptionStore& to, std::string_view from, const std::vector<std::string>& texts) {
  Variable& variable = *static_cast<Variable*>(to.variable);
  const Parser parser = []([[maybe_unused]] auto function) {
    if constexpr (std::is_pointer_v<Parser>) {
      return reinterpret_cast<Parser>(function);  // NOLINT(*-reinterpret-cast)
    } else {
      static_assert(std::is_empty_v<Parser>);
      return Parser{};
    }
  }(to.parser);
  if constexpr (ReadsAll<Parser>) {
    assign(variable, parser(from, texts), texts.front());
  } else if constexpr (takes_many<Variable, Parser>()) {
    variable.clear();
    for (const std::string& text : texts) {
      assign(variable.emplace_back(), parser(from, text), text);
    }
  } else {
    assign(variable, parser(from, texts.front()), texts.front());
  }
}

}  // namespace option_store

template <typename Variable, typename Parser>
OptionStore store_in(Variable& variable, Parser parser) {
  OptionStore to{.variable = &variable,
                 .store = &option_store::store<Variable, Parser>,
                 .takes_many = option_store::takes_many<Variable, Parser>()};
  if constexpr (std::is_pointer_v<Parser>) {
    to.parser = reinterpret_cast<void (*)()>(parser);  // NOLINT(*-reinterpret-cast)
  }
  return to;
}

inline OptionStore store_in(bool& flag) {
  return {.variable = &flag,
          .store =
              [](const OptionStore& to, std::string_view /*from*/,
                 const std::vector<std::string>& /*texts*/) {
                *static_cast<bool*>(to.variable) = true;
              },
          .is_flag = true};
}

}}  // namespace tutti::requests
