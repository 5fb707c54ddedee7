// Description of a form of rule files. Each library's folder defines the descriptions of its forms
// in forms.cpp. A new form needs such a description, and a line in forms.def.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

struct RulesToWrite;

// A setting that makes a library load a rule file: a parameter of Open MPI's MCA, or, for all other
// libraries, an environment variable. Without a value, the setting is the path of the file.
struct FormSetting {
  std::string_view name;
  std::string_view value = "";
};

// Syntax of a text, without its comments.
enum class TextForm : std::uint8_t {
  json,     // the text begins with '{' or '['
  commas,   // a line with commas and words comes before any "rule-file-version"
  version,  // a line with "rule-file-version" comes first
  ucc,      // the text has a name of a setting of UCC
  plain,    // anything else
};

// A text of unknown form.
struct RuleText {
  std::string_view text;
  TextForm syntax = TextForm::plain;

  [[nodiscard]] bool has(std::string_view part) const { return text.find(part) != text.npos; }
};

// RuleForm::other_ranks of a form without rules that leave a call to the library.
inline constexpr std::string_view kAllOtherRanks =
    "all other numbers of ranks, which were not simulated, use the rules of the next lower one, or "
    "of the first";

struct RuleForm {
  std::string_view name;         // "ompi4"
  std::string_view description;  // "rules of Open MPI 4.1 to 5.0.6"
  // Releases that read the format, for the help of --export; empty if `name` already says this.
  std::string_view serves = "";

  // The library that reads the format, and the settings that make it load a file. Both are empty
  // for tutti's own format.
  std::string_view family = "";
  std::span<const FormSetting> load = {};
  // If the user names no release, files are read as this release reads them. Encoded as in
  // LibraryVersion.
  int release = 0;
  // The first and the last release that read the format. Written files must work for
  // `first_release` and for all later releases.
  int first_release = 0;
  int last_release = kLatest;
  bool names_algorithms = false;  // true if rules choose one of the library's algorithms
  // Which decision of the library the rules replace.
  std::string_view replaces = "the algorithm";
  std::string_view cuts = "";     // how the library splits vectors, as a value of --cuts
  bool cuts_as_it_likes = false;  // true if the library, and not a rule, chooses the segment size
  // True if the library itself decides calls for which no rule holds, so that a file need not cover
  // all calls.
  bool decides_the_rest = false;
  // True if a rule can leave a call to the library's own choice. Written files then do so for fewer
  // and for more ranks than were decided.
  bool leaves_calls = true;
  // True if rules can be for a number of ranks per node (RulesToWrite::ranks_per_node).
  bool counts_ranks_per_node = false;
  // Text for users: how the file treats numbers of ranks that were not decided.
  std::string_view other_ranks =
      "numbers of ranks in between use the rules of the next lower one, which were not simulated "
      "there; for fewer and for more ranks, the library decides itself";

  // True if the text has this form, and none of those above it in forms.def.
  bool (*recognises)(const RuleText& text);
  // Reads a file; see read_rules().
  RuleFile (*read)(std::string_view text, RuleFormat format, int release);
  // Writes a file; see write_rules(). Null if rules do not choose algorithms: other functions
  // write such files.
  void (*write)(std::span<const RulesToWrite> rules, RuleFormat format,
                std::ostream& out) = nullptr;
  // See decided_before(); null if nothing takes precedence over the rules.
  std::string (*decided_before)(RuleFormat format, int release,
                                std::span<const Collective> collectives) = nullptr;
};

[[nodiscard]] const RuleForm& rule_form(RuleFormat format);

namespace forms {
#define TUTTI_RULE_FORM(form) extern const RuleForm form;
#include "src/rule_files/forms.def"
#undef TUTTI_RULE_FORM
}  // namespace forms

}}  // namespace tutti::rule_files
