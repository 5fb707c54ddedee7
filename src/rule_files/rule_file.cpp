#include "src/rule_files/rule_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/line_reader.hpp"
#include "base/text_words.hpp"
#include "src/rule_files/other_files.hpp"
#include "src/rule_files/rule_checks.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// True if a line, without its comment, has the name of a setting of UCC.
bool sets_ucc(std::string_view text) {
  for (LineReader lines(text); lines.next();) {
    if (lines.without_comment().find("UCC_") != text.npos) {
      return true;
    }
  }
  return false;
}

TextForm form_of_text(std::string_view text) {
  text = without_byte_order_mark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const char begin = first == std::string_view::npos ? '\0' : text[first];
  // A file of UCC may begin with a section in brackets.
  if (begin != '{' && sets_ucc(text)) {
    return TextForm::ucc;
  }
  if (begin == '{' || begin == '[') {
    return TextForm::json;
  }
  for (LineReader lines(text); lines.next();) {
    const std::string_view content = lines.without_comment();
    // NCCL's rules have names. Numbers with commas between them are rules of Open MPI, which skips
    // the commas.
    if (content.find(',') != content.npos &&
        content.find_first_not_of("0123456789,;+- \t") != content.npos) {
      return TextForm::commas;
    }
    if (content.find("rule-file-version") != content.npos) {
      return TextForm::version;
    }
  }
  return TextForm::plain;
}

}  // namespace

std::string_view name(RuleFormat format) { return rule_form(format).name; }
std::string_view description(RuleFormat format) { return rule_form(format).description; }

bool RuleFile::sound() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const RuleFinding& finding) { return finding.serious; });
}

const RuleFinding* RuleFile::first_misread() const {
  const auto found = std::ranges::find_if(
      findings, [](const RuleFinding& finding) { return finding.serious && !finding.call_fails; });
  return found == findings.end() ? nullptr : &*found;
}

std::string read_text_file(const std::string& path) { return read_file(path, kRuleFile); }

RuleFormat sniff_format(std::string_view text) {
  const RuleText looked_at{text, form_of_text(text)};
  const auto found = std::ranges::find_if(
      kRuleFormats, [&](RuleFormat each) { return rule_form(each).recognises(looked_at); });
  TUTTI_INVARIANT(found != kRuleFormats.end());
  return *found;
}

RuleFile read_rules(std::string_view text, RuleFormat format, int release) {
  const RuleForm& form = rule_form(format);
  RuleFile file = form.read(text, format, release == 0 ? form.release : release);
  file.format = format;
  // A text with the keys of rules is a rule file, even if its JSON is damaged, or its end missing.
  const bool damaged = file.tables.empty() && !file.findings.empty() &&
                       file.findings.front().text.starts_with("syntax error");
  if (damaged && has_rules_in_json(text)) {
    file.rejected = true;
    file.cut_at = file.findings.front().line;
  }
  for (const DecisionTable& table : file.tables) {
    find_unserved(table.rules, file);
  }
  std::stable_sort(file.findings.begin(), file.findings.end(),
                   [](const RuleFinding& a, const RuleFinding& b) { return a.line < b.line; });
  return file;
}

RuleFile read_sound_rules(const std::string& path) {
  const std::string text = read_text_file(path);
  check_for_rules(fmt::format("'{}'", path), text);
  RuleFile file = read_rules(text, sniff_format(text));
  if (const RuleFinding* const found = file.first_misread()) {
    throw UserError(fmt::format("{}: {} ('tutti lint' lists all errors)",
                                place_in_file(path, found->line), found->text));
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

}}  // namespace tutti::rule_files
