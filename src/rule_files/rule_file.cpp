#include "src/rule_files/rule_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/text_lines.hpp"
#include "src/rule_files/mpich/json.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"
#include "src/rule_files/other_files.hpp"
#include "src/rule_files/rule_checks.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// The look of a text, without its comments.
enum class TextLook : std::uint8_t {
  json,     // the text begins with '{' or '['
  commas,   // the first line that tells is a row of comma-separated values with a name
  version,  // the first line that tells has "rule-file-version", and no comma
  ucc,      // the text has a name of a setting of UCC
  plain,    // anything else
};

// True if a line, without its comment, has the name of a setting of UCC.
bool sets_ucc(std::string_view text) {
  std::string_view line;
  while (next_line(text, line)) {
    if (line.substr(0, line.find('#')).find("UCC_") != line.npos) {
      return true;
    }
  }
  return false;
}

TextLook look_of_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const char begin = first == std::string_view::npos ? '\0' : text[first];
  // A file of UCC may begin with a section in brackets.
  if (begin != '{' && sets_ucc(text)) {
    return TextLook::ucc;
  }
  if (begin == '{' || begin == '[') {
    return TextLook::json;
  }
  std::string_view line;
  while (next_line(text, line)) {
    const std::string_view content = line.substr(0, line.find('#'));
    // NCCL's rules have names. Numbers with commas between them are rules of Open MPI, which skips
    // the commas.
    if (content.find(',') != content.npos &&
        content.find_first_not_of("0123456789,;+- \t") != content.npos) {
      return TextLook::commas;
    }
    if (content.find("rule-file-version") != content.npos) {
      return TextLook::version;
    }
  }
  return TextLook::plain;
}

// True if the first type of a tree in the text is a number.
bool names_trees_by_number(std::string_view text) {
  constexpr std::string_view kTree = "\"tree_type=";
  const std::size_t tree = text.find(kTree);
  const std::string_view type = tree == text.npos ? "" : text.substr(tree + kTree.size());
  return !type.empty() && type.front() >= '0' && type.front() <= '9';
}

RuleFormat json_format(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  if (has("\"tutti-decisions/")) {
    return RuleFormat::tutti;
  }
  if (has("\"collectives\"") || has("\"rule_file_version\"")) {
    return RuleFormat::ompi6;
  }
  if (has("\"composition=")) {
    return RuleFormat::mpich_ch4;
  }
  if (has("\"name=") || has("\"any\"") || has("-intra\"")) {
    return RuleFormat::mpich51;
  }
  if (has("=MPIDI_POSIX_")) {
    return RuleFormat::mpich_posix;
  }
  // Releases after 4.0 know all names of 4.0, so a text without newer names does not show its
  // release. A text with newer names, but without types of trees, has the same meaning in mpich41
  // and in mpich43.
  if (has_mpich_name_after(text, 400)) {
    if (names_trees_by_number(text)) {
      return RuleFormat::mpich41;
    }
    if (has("\"collective=")) {
      return RuleFormat::mpich43;
    }
  }
  return RuleFormat::mpich;
}

RuleFile read_as(std::string_view text, RuleFormat format, int release) {
  switch (format) {
    case RuleFormat::tutti:
      return read_tutti_rules(text);
    case RuleFormat::han:
      return read_han_rules(text, release);
    case RuleFormat::ompi4:
    case RuleFormat::ompi5:
      return read_ompi_classic(text, format);
    case RuleFormat::ompi6:
      return read_ompi_json(text);
    case RuleFormat::mpich_ch4:
      return read_mpich_json(text, {format, MpichLevel::composition, release});
    case RuleFormat::mpich_posix:
      return read_mpich_json(text, {format, MpichLevel::posix, release});
    case RuleFormat::mpich41:
    case RuleFormat::mpich43:
    case RuleFormat::mpich:
      return read_mpich_json(text, {format, MpichLevel::coll, release});
    case RuleFormat::mpich51:
      return read_mpich_named_trees(text);
    case RuleFormat::ucc:
      return read_ucc_conf(text);
    case RuleFormat::nccl:
    case RuleFormat::rccl:
      break;
  }
  return read_nccl_csv(text, format);
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
  switch (look_of_text(text)) {
    case TextLook::json:
      return json_format(text);
    case TextLook::commas:
      // Both tuners read the same lines. Files that tutti wrote for RCCL name it in a comment.
      return text.find("RCCL") == text.npos ? RuleFormat::nccl : RuleFormat::rccl;
    case TextLook::version:
      return RuleFormat::ompi5;
    case TextLook::ucc:
      return RuleFormat::ucc;
    case TextLook::plain:
      break;
  }
  return names_a_component(text) ? RuleFormat::han : RuleFormat::ompi4;
}

RuleFile read_rules(std::string_view text, RuleFormat format, int release) {
  RuleFile file = read_as(text, format, release == 0 ? rule_form(format).release : release);
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
    throw UserError(
        fmt::format("{}:{}: {} ('tutti lint' lists all errors)", path, found->line, found->text));
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
