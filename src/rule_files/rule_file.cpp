#include "src/rule_files/rule_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/served_ranks.hpp"

namespace tutti::inline rule_files {

std::string_view name(RuleFormat format) { return rule_form(format).name; }
std::string_view description(RuleFormat format) { return rule_form(format).description; }

bool RuleFile::sound() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const RuleFinding& finding) { return finding.serious; });
}

std::string read_text_file(const std::string& path) { return read_file(path, kRuleFile); }

RuleFormat sniff_format(std::string_view text) {
  const auto found =
      std::find_if(kRuleFormats.begin(), kRuleFormats.end(),
                   [text](RuleFormat each) { return rule_form(each).recognises(text); });
  TUTTI_INVARIANT(found != kRuleFormats.end());  // at least one format recognises any text
  return *found;
}

RuleFile read_rules(std::string_view text, RuleFormat format, int release) {
  const RuleForm& form = rule_form(format);
  RuleFile file = form.read(text, release == 0 ? form.release : release);
  file.format = format;
  for (const DecisionTable& table : file.tables) {
    find_unserved(table.rules, file);
  }
  std::stable_sort(file.findings.begin(), file.findings.end(),
                   [](const RuleFinding& a, const RuleFinding& b) { return a.line < b.line; });
  return file;
}

RuleFile read_sound_rules(const std::string& path) {
  const std::string text = read_text_file(path);
  RuleFile file = read_rules(text, sniff_format(text));
  for (const RuleFinding& finding : file.findings) {
    if (finding.serious) {
      throw UserError(fmt::format("{}:{}: {} ('tutti lint' lists all errors)", path, finding.line,
                                  finding.text));
    }
  }
  return file;
}

std::vector<DecisionTable> read_tables(const std::string& path) {
  return read_sound_rules(path).tables;
}

DecisionTable read_table(const std::string& path, Collective collective) {
  return table_of(read_sound_rules(path), path, collective);
}

const DecisionTable& table_of(const RuleFile& file, const std::string& path,
                              Collective collective) {
  std::vector<std::string> there;
  for (const DecisionTable& table : file.tables) {
    if (table.collective == collective) {
      return table;
    }
    there.emplace_back(name(table.collective));
  }
  throw UserError(fmt::format("'{}' has no table for {}; its tables: {}", path, name(collective),
                              there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))));
}

}  // namespace tutti::inline rule_files
