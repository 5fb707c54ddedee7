#include "src/experiments/sweep/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/experiments/sweep/sha256.hpp"

namespace tutti::inline experiments {

namespace {

constexpr std::size_t kDigits = 32;

template <typename Visit>
void for_each_of(const CellRow& row, Visit&& visit) {
  for_each_column(row.key, visit);
  for_each_value(row, visit);
}

// It is the same on all machines: a double counts by its bits.
const std::string& digits(const std::string& text) { return text; }
std::string digits(std::int64_t number) { return std::to_string(number); }
std::string digits(CellStatus status) { return std::string(name(status)); }
std::string digits(const std::optional<double>& number) {
  return number ? fmt::format("{:016x}", std::bit_cast<std::uint64_t>(*number)) : "null";
}

struct Range {
  std::string_view column;
  std::int64_t least;
  std::int64_t most;
};
constexpr Range kRanges[] = {
    {"root", 0, kMostRanks - 1},
    {"ranks", 1, kMostRanks},
    {"bytes", 0, static_cast<std::int64_t>(kMaxMessageBytes)},
    {"element_bytes", 1, std::int64_t{1} << 20U},
    {"ports", 0, UINT32_MAX},
    {"ranks_per_host", 1, UINT32_MAX},
};

void look_at(std::string_view column, const std::string& text, std::string& fault) {
  // What controls a terminal is no reason to refuse a text; where it is shown, it is made harmless.
  if (!is_utf8(text)) {
    fault = fmt::format("{} is no text in UTF-8", column);
  }
}
void look_at(std::string_view /*column*/, CellStatus /*status*/, std::string& /*fault*/) {}
void look_at(std::string_view column, std::int64_t number, std::string& fault) {
  for (const Range& range : kRanges) {
    if (range.column == column && (number < range.least || number > range.most)) {
      fault = fmt::format("{} is {}; it can be {} to {}", column, number, range.least, range.most);
    }
  }
}
void look_at(std::string_view column, const std::optional<double>& number, std::string& fault) {
  if (number && !(*number >= 0)) {
    fault = fmt::format("{} is {}; a time is 0 or more", column, *number);
  }
}

}  // namespace

std::string checksum_of(const CellRow& row) {
  Sha256 hash;
  for_each_of(row, [&hash](std::string_view column, const auto& value) {
    const std::string& text = digits(value);
    hash.add(fmt::format("{}:{}:", column, text.size()));
    hash.add(text);
  });
  return hash.hex().substr(0, kDigits);
}

std::optional<std::string> fault_in(const CellRow& row) {
  std::string fault;
  for_each_of(row, [&fault](std::string_view column, const auto& value) {
    if (fault.empty()) {
      look_at(column, value, fault);
    }
  });
  const bool some_ties = row.ties_least_s || row.ties_median_s || row.ties_most_s;
  const bool all_ties = row.ties_least_s && row.ties_median_s && row.ties_most_s;
  if (fault.empty() && some_ties && !(all_ties && row.simulated_s)) {
    fault = "simulated_s, ties_least_s, ties_median_s and ties_most_s are set only in part";
  }
  return fault.empty() ? std::nullopt : std::optional(fault);
}

std::string cell_name(const CellKey& key) {
  constexpr std::size_t kMost = 100;
  return fmt::format("{}, p = {}, n = {}",
                     printable((key.collective + "/" + key.algorithm).substr(0, kMost)), key.ranks,
                     human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(key.bytes, 0))));
}

}  // namespace tutti::inline experiments
