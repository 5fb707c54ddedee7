// Description of each rule-file format. read_rules(), write_rules() and sniff_format() call the
// code of a format.
#pragma once

#include <span>
#include <string_view>

#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// A setting that makes a library load a rule file: a parameter of Open MPI's MCA, or, for all other
// libraries, an environment variable. Without a value, the setting is the path of the file.
struct FormSetting {
  std::string_view name;
  std::string_view value = "";
};

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
  // MpichFile.
  int release = 0;
  // The first release that reads the format. Written files must work for it and for all later
  // releases.
  int first_release = 0;
  bool names_algorithms = false;  // true if rules choose one of the library's algorithms
  std::string_view cuts = "";     // how the library splits vectors, as a value of --cuts
  bool cuts_as_it_likes = false;  // true if the library, and not a rule, chooses the segment size
  // True if the library itself decides calls for which no rule holds, so that a file need not cover
  // all calls.
  bool decides_the_rest = false;
  // True if a rule can leave a call to the library's own choice. Written files then do so for fewer
  // and for more ranks than were decided.
  bool leaves_calls = true;
  // Text for users: how the file treats numbers of ranks that were not decided.
  std::string_view other_ranks =
      "numbers of ranks in between use the rules of the next lower one, which were not simulated "
      "there; for fewer and for more ranks, the library decides itself";
};

[[nodiscard]] const RuleForm& rule_form(RuleFormat format);

}}  // namespace tutti::rule_files
