// Description of a rule-file format. Each format is one struct in its own file in this folder. To
// add a format, add such a file and a line in rule_forms.def.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::inline rule_files {

struct RuleForm {
  std::string_view name;         // "ompi4"
  std::string_view description;  // "rules of Open MPI 4.1 to 5.0.6"
  std::string_view serves = "";  // releases that read the format, for the help of --export; empty
                                 // if `name` tells them

  // The library that reads the format, and the command that loads a file, where "{}" stands for the
  // file's name. Both are empty for tutti's own format.
  std::string_view family = "";
  std::string_view load = "";
  // The release assumed when a file is read and the user names none, encoded as in MpichFile.
  int release = 0;
  // The first release that reads the format. Written files must work for it and for all later
  // releases.
  int first_release = 0;
  std::span<const LibraryAlgorithm> (*algorithms)() = nullptr;
  int major_version = 4;
  std::string_view cuts = "";     // how the library splits vectors, as a value of --cuts
  bool cuts_as_it_likes = false;  // the library chooses segments; rules cannot
  // The library decides if no rule holds, so a file need not be complete.
  bool decides_the_rest = false;
  // Text for users: how the file treats numbers of ranks that were not evaluated.
  std::string_view other_ranks = "numbers of ranks in between use the rules of the next lower one";

  bool (*recognises)(std::string_view text) = nullptr;
  RuleFile (*read)(std::string_view text, int release) = nullptr;
  // Null if the rules do not choose one of `algorithms`. Such files are written by
  // write_han_rules(), write_compositions() and write_posix_rules().
  void (*write)(std::span<const RulesToWrite> rules, std::ostream& out) = nullptr;
};

[[nodiscard]] const RuleForm& rule_form(RuleFormat format);

// Appearance of a text, by which formats are recognised.
enum class TextLook : std::uint8_t {
  json,
  commas,   // a comma, outside of comments, precedes any "rule-file-version"
  version,  // "rule-file-version" precedes any comma
  plain,
};
[[nodiscard]] TextLook look_of_text(std::string_view text);

}  // namespace tutti::inline rule_files
