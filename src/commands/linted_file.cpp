#include "src/commands/linted_file.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "src/experiments/decisions/nccl_losses.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/rules_ran_output.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

namespace {

void print_rules(RuleFormat format, const DecisionTable& table, const std::vector<Rule>& rules,
                 std::size_t indent, std::ostream& out) {
  for (const Rule& rule : rules) {
    const std::string when = conditions_in_words(rule, table.measure);
    if (rule.choice) {
      print_field(
          out, indent, 0, "",
          fmt::format("{}: {}", when, in_both_words(format, table.collective, *rule.choice)));
    } else {
      print_field(out, indent, 0, "", when);
      print_rules(format, table, rule.then, indent + 2, out);
    }
  }
}

// Returns "line 4", "lines 4 and 9", "lines 4, 9 and 12" or, with more lines than `most`, "lines 4,
// 9, 12 and 37 more".
std::string lines_in_words(const std::vector<std::size_t>& lines, std::size_t most) {
  if (lines.size() == 1) {
    return fmt::format("line {}", lines.front());
  }
  const std::size_t shown = lines.size() > most + 1 ? most : lines.size() - 1;  // before the "and"
  return fmt::format("lines {} and {}", fmt::join(std::span(lines).first(shown), ", "),
                     lines.size() - shown == 1 ? fmt::format("{}", lines.back())
                                               : fmt::format("{} more", lines.size() - shown));
}

// Calls `print` with each text that `text_of` returns for the entries, once, and with the lines of
// the entries that have this text.
template <typename Entries, typename TextOf, typename Print>
void for_each_text(const Entries& entries, const TextOf& text_of, const Print& print) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::size_t>> lines;
  for (const auto& each : entries) {
    std::string text = text_of(each);
    std::vector<std::size_t>& of = lines[text];
    if (of.empty()) {
      texts.push_back(std::move(text));
    }
    if (of.empty() || of.back() != each.line) {
      of.push_back(each.line);
    }
  }
  for (const std::string& text : texts) {
    print(lines.at(text), text);
  }
}

// Prints each finding once, with all lines that it concerns.
void print_findings(std::span<const RuleFinding> findings, std::ostream& out) {
  for_each_text(
      findings,
      [](const RuleFinding& each) {
        return fmt::format("{}: {}", each.serious ? "error" : "warning", each.text);
      },
      [&](const std::vector<std::size_t>& lines, const std::string& text) {
        print_field(out, 2, 0, "",
                    fmt::format("{}: {}", lines_in_words(lines, lines.size()), text));
      });
}

// Prints each note once, with the lines that it concerns; line 0 is the whole file.
void print_notes(const std::vector<RuleNote>& notes, std::ostream& out) {
  constexpr std::size_t kMostLines = 3;
  for_each_text(
      notes, [](const RuleNote& each) { return each.text; },
      [&](const std::vector<std::size_t>& lines, const std::string& text) {
        print_field(out, 2, 0, "",
                    lines.front() == 0
                        ? text
                        : fmt::format("{}: {}", lines_in_words(lines, kMostLines), text));
      });
}

// Prints the collectives whose rules are not shown.
void print_others(const RuleFile& file, std::ostream& out) {
  std::vector<std::string_view> unmodelled;
  std::vector<std::string_view> unknown;
  for (const std::string& each : file.others) {
    (collective_named(each) ? unmodelled : unknown).push_back(each);
  }
  if (!file.others.empty()) {
    out << '\n';
  }
  if (!unmodelled.empty()) {
    print_field(out, 0, 0, "",
                fmt::format("and rules for {}: tutti does not model {}'s algorithms for {}",
                            fmt::join(unmodelled, ", "), rule_form(file.format).family,
                            unmodelled.size() == 1 ? "it" : "them"));
  }
  if (!unknown.empty()) {
    print_field(out, 0, 0, "",
                fmt::format("and rules for collectives that tutti does not have: {}",
                            fmt::join(unknown, ", ")));
  }
}

}  // namespace

void print_linted_file(const LintedFile& linted, std::ostream& out) {
  constexpr std::size_t kShownOfOther = 5;
  const RuleFile& file = linted.rules;
  print_heading(
      out,
      linted.is_rule_file
          ? fmt::format("{}: {}{}", linted.path, description(file.format),
                        file.cut_at == 0 ? "" : fmt::format(", cut short at line {}", file.cut_at))
          : fmt::format("{}: this is not a rule file", linted.path));
  if (!linted.is_rule_file) {
    print_field(
        out, 2, 0, "",
        fmt::format(
            "It was read as {}, but contains {}; name its format with --format or --library",
            description(file.format),
            file.tables.empty() && file.others.empty() ? "no rules" : "more errors than rules"));
  }
  const std::size_t shown =
      linted.is_rule_file ? file.findings.size() : std::min(file.findings.size(), kShownOfOther);
  print_findings(std::span(file.findings).first(shown), out);
  if (shown < file.findings.size()) {
    print_field(out, 2, 0, "", fmt::format("and {} more", file.findings.size() - shown));
  }
  if (file.findings.empty()) {
    fmt::print(out, "  no errors or warnings\n");
  }
  print_notes(file.notes, out);
  if (!linted.decided_before.empty()) {
    print_field(out, 2, 0, "", linted.decided_before);
  }
  if (!linted.is_rule_file) {
    return;
  }
  for (const DecisionTable& table : file.tables) {
    out << '\n';
    print_heading(out, fmt::format("{}{}", name(table.collective),
                                   table.name.empty() || table.name == description(file.format)
                                       ? ""
                                       : fmt::format(", {}", table.name)));
    print_rules(file.format, table, table.rules, 2, out);
  }
  print_others(file, out);
  if (linted.ran) {
    out << '\n';
    print_rules_ran(*linted.ran, file.format, out);
  }
}

void compare_with_nccl(const std::optional<LibraryRelease>& library, NcclOptions machine,
                       const std::vector<std::uint32_t>& ranks, LintedFile& file) {
  if (library) {
    const int minor = library->release % 100;
    const auto newest = std::find_if(nccl_releases().rbegin(), nccl_releases().rend(),
                                     [&](const NcclRelease& each) { return each.minor == minor; });
    if (newest == nccl_releases().rend()) {
      file.rules.note(0,
                      fmt::format("not compared with NCCL's own choices: tutti does not have the "
                                  "cost model of {}",
                                  library->name));
      return;
    }
    machine.release = &*newest;
  } else if (!machine.gpu && !machine.graph) {
    take_machine_of_rules(file.text, machine);
  }
  file.losing = find_losing_rules(machine, file.text, ranks, file.rules);
  file.gpu_is_assumed = !machine.gpu && !machine.graph;
}

}}  // namespace tutti::commands
