#include "src/built_in/built_in_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace built_in {

namespace {

std::span<const DecisionTable> built_in_tables(std::string_view file) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<DecisionTable>, std::less<>> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(file);
  if (found != known.end()) {
    return found->second;
  }
  RuleFile read = read_rules(built_in_table_text(file), RuleFormat::tutti);
  if (!read.sound()) {
    throw InvariantError(fmt::format("{}: line {}: {}", file, read.findings.front().line,
                                     read.findings.front().text));
  }
  return known.emplace(file, std::move(read.tables)).first->second;
}

}  // namespace

const DecisionTable* built_in_table(std::string_view file, Collective collective) {
  const auto tables = built_in_tables(file);
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const DecisionTable& table) {
    return table.collective == collective;
  });
  return found == tables.end() ? nullptr : &*found;
}

}}  // namespace tutti::built_in
