// Reads rule files of MPI libraries and of tutti. Reads a library's file as the library itself
// does, and reports the faults in the file, including those that the library silently ignores.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti { inline namespace rule_files {

// Formats of rule files. rule_form() describes them.
enum class RuleFormat : std::uint8_t {
#define TUTTI_RULE_FORM(form) form,
#include "src/rule_files/forms.def"
#undef TUTTI_RULE_FORM
};
inline constexpr std::array kRuleFormats{
#define TUTTI_RULE_FORM(form) RuleFormat::form,
#include "src/rule_files/forms.def"
#undef TUTTI_RULE_FORM
};
[[nodiscard]] std::string_view name(RuleFormat format);         // "ompi4"
[[nodiscard]] std::string_view description(RuleFormat format);  // "rules of Open MPI 4.1 ..."

struct RuleFinding {
  std::size_t line = 0;
  bool serious = true;  // true for an error, false for a warning
  std::string text;
  // True if the library reads the rule as it is written, but calls for which it holds fail. All
  // other errors mean that the library does something other than the file seems to say.
  bool call_fails = false;
};

// A note about a line, or about the whole file (line 0).
struct RuleNote {
  std::size_t line = 0;
  std::string text;
};

struct RuleFile {
  RuleFormat format = RuleFormat::tutti;
  std::vector<RuleFinding> findings;  // ordered by line
  std::vector<DecisionTable> tables;  // one for each collective of the file that tutti knows
  // Collectives of the file whose rules are not in `tables`: tutti does not have them, or does not
  // model the library's algorithms for them.
  std::vector<std::string> others;
  std::vector<RuleNote> notes;  // information that is not a fault of the file
  // True if the text has the form of rules, but the library ignores all of it because of an error.
  bool rejected = false;
  // The line up to which the library reads the file as it is written; 0 if it does so to the end.
  // Set for files with wrong counts, and for files that end too early.
  std::size_t cut_at = 0;

  // These functions make the text printable, because it may quote the file.
  void error(std::size_t line, std::string_view text) {
    findings.push_back({line, true, printable(text)});
  }
  void warn(std::size_t line, std::string_view text) {
    findings.push_back({line, false, printable(text)});
  }
  void fails(std::size_t line, std::string_view text) {
    findings.push_back({line, true, printable(text), true});
  }
  void note(std::size_t line, std::string_view text) { notes.push_back({line, printable(text)}); }
  [[nodiscard]] bool sound() const;  // true if there are no serious findings
  // The first error because of which the library does something other than the file says; null if
  // there is none.
  [[nodiscard]] const RuleFinding* first_misread() const;
};

// Returns the whole text of a file. Throws UserError if the file cannot be read.
[[nodiscard]] std::string read_text_file(const std::string& path);

// Guesses the format from the text.
[[nodiscard]] RuleFormat sniff_format(std::string_view text);
// Reads rules as the given release of the library does. Reports faults as findings and does not
// throw. `release` is encoded as in LibraryVersion; 0 stands for RuleForm::release.
[[nodiscard]] RuleFile read_rules(std::string_view text, RuleFormat format, int release = 0);

// Reads a file of any format. Throws UserError if the file cannot be read. If there are serious
// findings, throws a UserError that quotes the first one.
[[nodiscard]] RuleFile read_sound_rules(const std::string& path);
// Returns the file's table for a collective. Throws a UserError that names `path` if there is none.
[[nodiscard]] const DecisionTable& table_of(const RuleFile& file, const std::string& path,
                                            Collective collective);
// Reads all tables of a file of any format. Throws UserError like read_sound_rules().
[[nodiscard]] std::vector<DecisionTable> read_tables(const std::string& path);
// Reads the table of one collective from a file of any format. Throws UserError like
// read_sound_rules() and table_of().
[[nodiscard]] DecisionTable read_table(const std::string& path, Collective collective);

}}  // namespace tutti::rule_files
