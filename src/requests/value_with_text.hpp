// A value of the command line with its text, for messages that quote what the user wrote.
#pragma once

#include <string>

namespace tutti { inline namespace requests {

template <typename T>
struct ValueWithText {
  T value{};
  std::string text;

  friend bool operator==(const ValueWithText&, const ValueWithText&) = default;
};

}}  // namespace tutti::requests
