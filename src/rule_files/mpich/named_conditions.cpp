#include "src/rule_files/mpich/named_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/characters.hpp"
#include "base/nearest.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::array kPlain{
    PlainCondition{"inplace", "is_sendbuf_inplace=yes", "is_sendbuf_inplace=no"},
    PlainCondition{"pof2", "comm_size=pow2"},
    PlainCondition{"commutative", "is_commutative=yes", "is_commutative=no"},
    PlainCondition{"builtin_op", "is_op_built_in=yes", "is_op_built_in=no"},
    PlainCondition{"hierarchical", "comm_hierarchy=parent", "comm_hierarchy=flat"},
    PlainCondition{"node_consecutive", "is_node_consecutive=yes", "is_node_consecutive=no"},
    PlainCondition{"node_regular"},
    PlainCondition{"count_ge_pof2", "", "count<pow2"},
    PlainCondition{"displs_ordered"},
    PlainCondition{"block_regular", "is_block_regular=yes", "is_block_regular=no"},
    PlainCondition{"MPIDI_CH4_release_gather"},
};
constexpr std::array<std::string_view, 3> kSizes{"comm_size", "avg_msg_size", "total_msg_size"};

// Converts digits as atoi() does: the number before the first other character, or 0.
std::int64_t as_atoi(std::string_view text) {
  std::int64_t value = 0;
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  for (const char c : text) {
    if (!is_digit(c)) {
      break;
    }
    value = std::min(kMost, value * 10 + (c - '0'));
  }
  return value;
}

void check_number(const JsonLine& member, std::string_view digits, std::int64_t number,
                  RuleFile& file) {
  constexpr std::int64_t kMost = 2147483647;
  if (digits.empty() || !has_only_digits(digits)) {
    file.error(member.line, fmt::format("'{}': '{}' is not a number; MPICH reads it as {}",
                                        member.key, digits, number));
  } else if (number > kMost) {
    file.error(member.line, fmt::format("'{}': {} does not fit an int, so that the result of atoi "
                                        "is undefined; the largest is {}",
                                        member.key, digits, kMost));
  }
}

}  // namespace

std::optional<NamedCondition> named_condition_in(const JsonLine& member, bool report,
                                                 RuleFile& file) {
  NamedCondition condition;
  std::string_view key = member.key;
  condition.negated = key.starts_with('!');
  key.remove_prefix(condition.negated ? 1 : 0);
  for (const PlainCondition& each : kPlain) {
    if (key == each.name) {
      condition.plain = &each;
      return condition;
    }
  }
  const auto size =
      std::ranges::find_if(kSizes, [&](std::string_view each) { return key.starts_with(each); });
  if (size == kSizes.end()) {
    if (report) {
      std::vector<std::string> names(kSizes.begin(), kSizes.end());
      for (const PlainCondition& each : kPlain) {
        names.emplace_back(each.name);
      }
      const std::string near = nearest(key, names);
      report_abort(member.line, fmt::format("unknown condition '{}'", member.key),
                   near.empty() ? "" : fmt::format("did you mean {}?", near), file);
    }
    return std::nullopt;
  }
  condition.size = *size;
  const std::string_view rest = key.substr(size->size());
  const bool brackets = rest.starts_with('(');
  const bool less = rest.starts_with('<');
  const bool more = rest.starts_with('>');
  if (!brackets && !less && !more) {
    if (report) {
      report_abort(member.line,
                   fmt::format("'{}': expected {}<=N, <N, >N, >=N or (N)", member.key, *size),
                   rest == "=any"    ? "write \"any\""
                   : rest == "=pow2" ? "write \"pof2\""
                                     : "",
                   file);
    }
    return std::nullopt;
  }
  const bool equal = rest.substr(1).starts_with('=') && !brackets;
  const std::string_view digits = rest.substr(equal ? 2 : 1);
  const std::int64_t number = as_atoi(digits);
  condition.at_most = number - ((less && !equal) || (more && equal) ? 1 : 0);
  if (report) {
    check_number(member, brackets ? digits.substr(0, digits.find(')')) : digits, number, file);
    if (more && condition.negated) {
      file.error(member.line, fmt::format("MPICH ignores the ! of '{}'", member.key));
    }
  }
  condition.negated |= more;
  return condition;
}

void report_abort(std::size_t line, std::string_view text, std::string_view hint, RuleFile& file) {
  file.error(line, fmt::format("{}; every program then aborts in MPI_Init{}{}", text,
                               hint.empty() ? "" : "; ", hint));
  file.rejected = true;
}

}}  // namespace tutti::rule_files
