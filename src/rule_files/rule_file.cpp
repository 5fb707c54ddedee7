#include "src/rule_files/rule_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "src/formats/json_lines.hpp"
#include "src/rule_files/served_ranks.hpp"

namespace tutti {

std::string_view name(RuleFormat format) {
  switch (format) {
    case RuleFormat::tutti:
      return "tutti";
    case RuleFormat::ompi4:
      return "ompi4";
    case RuleFormat::ompi5:
      return "ompi5";
    case RuleFormat::ompi6:
      return "ompi6";
    case RuleFormat::mpich:
      return "mpich";
    case RuleFormat::nccl:
      return "nccl";
  }
  return "";
}

std::string_view description(RuleFormat format) {
  switch (format) {
    case RuleFormat::tutti:
      return "decision table of tutti";
    case RuleFormat::ompi4:
      return "rules of Open MPI 4.1 to 5.0.6";
    case RuleFormat::ompi5:
      return "rules of Open MPI 5.0.7 and later";
    case RuleFormat::ompi6:
      return "JSON rules of Open MPI 6";
    case RuleFormat::mpich:
      return "JSON selection tree of MPICH 4.0";
    case RuleFormat::nccl:
      return "CSV of NCCL's example tuner";
  }
  return "";
}

bool RuleFile::sound() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const RuleFinding& finding) { return finding.serious; });
}

std::string read_text_file(const std::string& path) { return read_file(path, kRuleFile); }

RuleFormat sniff_format(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
    const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
    if (has("\"tutti-decisions/")) {
      return RuleFormat::tutti;
    }
    return has("\"collectives\"") || has("\"rule_file_version\"") ? RuleFormat::ompi6
                                                                  : RuleFormat::mpich;
  }
  // NCCL's lines have commas, and Open MPI's don't. Comments may have anything.
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::string_view content = line.substr(0, line.find('#'));
    if (content.find(',') != content.npos) {
      return RuleFormat::nccl;
    }
    if (content.find("rule-file-version") != content.npos) {
      return RuleFormat::ompi5;
    }
    begin = end + 1;
  }
  return RuleFormat::ompi4;
}

RuleFile read_rules(std::string_view text, RuleFormat format) {
  RuleFile file;
  switch (format) {
    case RuleFormat::tutti:
      file = read_tutti_rules(text);
      break;
    case RuleFormat::ompi4:
    case RuleFormat::ompi5:
      file = read_ompi_classic(text, format);
      break;
    case RuleFormat::ompi6:
      file = read_ompi_json(text);
      break;
    case RuleFormat::mpich:
      file = read_mpich_json(text);
      break;
    case RuleFormat::nccl:
      file = read_nccl_csv(text);
      break;
  }
  file.format = format;
  for (const DecisionTable& table : file.tables) {
    find_unserved(table.rules, file);
  }
  std::stable_sort(file.findings.begin(), file.findings.end(),
                   [](const RuleFinding& a, const RuleFinding& b) { return a.line < b.line; });
  return file;
}

std::vector<DecisionTable> read_tables(const std::string& path) {
  const std::string text = read_text_file(path);
  RuleFile file = read_rules(text, sniff_format(text));
  for (const RuleFinding& finding : file.findings) {
    if (finding.serious) {
      throw UserError(
          fmt::format("{}:{}: {} ('tutti lint' tells all)", path, finding.line, finding.text));
    }
  }
  return std::move(file.tables);
}

DecisionTable read_table(const std::string& path, Collective collective) {
  std::vector<std::string> there;
  for (const DecisionTable& table : read_tables(path)) {
    if (table.collective == collective) {
      return table;
    }
    there.emplace_back(name(table.collective));
  }
  throw UserError(
      fmt::format("'{}' has no table for {}; it has {}", path, name(collective),
                  there.empty() ? "none at all" : fmt::format("{}", fmt::join(there, ", "))));
}

}  // namespace tutti
