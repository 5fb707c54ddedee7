// Rule files of MPI libraries and of tutti: reading them back as the library would, with what is
// wrong with them and what the library would swallow in silence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti::inline rule_files {

// What each is: src/rule_files/forms.
enum class RuleFormat : std::uint8_t {
#define TUTTI_RULE_FORM(form) form,
#include "src/rule_files/forms/rule_forms.def"
#undef TUTTI_RULE_FORM
};
inline constexpr std::array kRuleFormats{
#define TUTTI_RULE_FORM(form) RuleFormat::form,
#include "src/rule_files/forms/rule_forms.def"
#undef TUTTI_RULE_FORM
};
[[nodiscard]] std::string_view name(RuleFormat format);         // "ompi4"
[[nodiscard]] std::string_view description(RuleFormat format);  // "rules of Open MPI 4.1 ..."

struct RuleFinding {
  std::size_t line = 0;
  bool serious = true;  // the library does something else than the file seems to say
  std::string text;
};

// Of a line, or of the whole file: 0.
struct RuleNote {
  std::size_t line = 0;
  std::string text;
};

struct RuleFile {
  RuleFormat format = RuleFormat::tutti;
  std::vector<RuleFinding> findings;  // by line
  std::vector<DecisionTable> tables;  // of the collectives that tutti has
  std::vector<std::string> others;    // other collectives that the file has rules for
  std::vector<RuleNote> notes;        // what is worth knowing, and no fault of the file

  // Texts may quote the file.
  void error(std::size_t line, std::string_view text) {
    findings.push_back({line, true, printable(text)});
  }
  void warn(std::size_t line, std::string_view text) {
    findings.push_back({line, false, printable(text)});
  }
  void note(std::size_t line, std::string_view text) { notes.push_back({line, printable(text)}); }
  [[nodiscard]] bool sound() const;
};

// The whole text of a file. Throws UserError when it cannot be read.
[[nodiscard]] std::string read_text_file(const std::string& path);

// What the text looks like.
[[nodiscard]] RuleFormat sniff_format(std::string_view text);
// Throws nothing for a bad file: that is what findings are for. `release`, as MpichFile has it, is
// of the form's library; 0 where nobody says.
[[nodiscard]] RuleFile read_rules(std::string_view text, RuleFormat format, int release = 0);

// A file of any format. Throws UserError if it cannot be read, or is not sound (naming the first
// finding).
[[nodiscard]] RuleFile read_sound_rules(const std::string& path);
// Its table of one collective. Throws UserError that names `path` if there is none.
[[nodiscard]] const DecisionTable& table_of(const RuleFile& file, const std::string& path,
                                            Collective collective);
// All tables, of any format. Throws UserError for a file that cannot be read, or that is not sound
// (naming the first finding).
[[nodiscard]] std::vector<DecisionTable> read_tables(const std::string& path);
// The table of one collective, of any format. Throws UserError for a file that cannot be read, that
// is not sound (naming the first finding), or that has no table for this collective.
[[nodiscard]] DecisionTable read_table(const std::string& path, Collective collective);

// One for each format, for read_rules().
[[nodiscard]] RuleFile read_tutti_rules(std::string_view text);
[[nodiscard]] RuleFile read_ompi_classic(std::string_view text, RuleFormat version);
[[nodiscard]] RuleFile read_ompi_json(std::string_view text);
[[nodiscard]] RuleFile read_nccl_csv(std::string_view text);

}  // namespace tutti::inline rule_files
