// A noticeable property of measured times, with its likely cause.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace experiments {

// How bad a symptom is, the least first.
enum class Severity : std::uint8_t {
  remark,   // explains a number that is right, or that may be
  low,      // less than a healthy machine, but not by much
  slow,     // far less
  invalid,  // the numbers do not measure what they seem to
  wrong,    // the results of the calls are wrong
};
[[nodiscard]] std::string_view name(Severity severity);

// How sure a symptom is.
enum class Sureness : std::uint8_t { possible, likely, sure };
[[nodiscard]] std::string_view name(Sureness sureness);

struct Symptom {
  std::string_view shape;  // "cards_missing"
  Severity severity = Severity::remark;
  Sureness sureness = Sureness::possible;
  std::string text;                            // what is seen, and the likely cause; a sentence
  std::string look_at;                         // what to look at; a sentence, or ""
  std::string command;                         // command that would confirm the cause; "" if none
  std::optional<std::uint64_t> from_bytes;     // the first size that shows it
  std::optional<std::uint64_t> to_bytes = {};  // the last one, if larger sizes do not show it
};

}}  // namespace tutti::experiments
