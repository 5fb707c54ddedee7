// What every form of rules says of itself: one struct per form, in one file per form in this
// folder. A new one is such a file, and a line in rule_forms.def.
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
  std::string_view serves = "";  // for the help of --export; "" where the name says it

  // The library that reads it, and how it is told to: "{}" stands for the file. Empty and "" for
  // tutti's own.
  std::string_view family = "";
  std::string_view load = "";
  // The release of the library that a file is read for where nobody says which; as MpichFile has
  // it.
  int release = 0;
  int first_release = 0;  // the first one that reads it: files are written for that, and later ones
  std::span<const LibraryAlgorithm> (*algorithms)() = nullptr;
  int major_version = 4;
  std::string_view cuts = "";     // how it rounds, as --cuts has it
  bool cuts_as_it_likes = false;  // rules say nothing of segments
  // The library decides where no rule holds, and a file need not be complete.
  bool decides_the_rest = false;
  // What a file says of numbers of ranks that nobody has looked at.
  std::string_view other_ranks = "numbers of ranks between these take those of the next lower one";

  bool (*recognises)(std::string_view text) = nullptr;
  RuleFile (*read)(std::string_view text, int release) = nullptr;
  // Null where rules say no algorithms, but who is to choose one.
  void (*write)(std::span<const RulesToWrite> rules, std::ostream& out) = nullptr;
};

[[nodiscard]] const RuleForm& rule_form(RuleFormat format);

// What a text begins with, to tell forms apart.
enum class TextLook : std::uint8_t {
  json,
  commas,   // the first line that says so has one, comments aside
  version,  // the first line that says so has "rule-file-version"
  plain,
};
[[nodiscard]] TextLook look_of_text(std::string_view text);

}  // namespace tutti::inline rule_files
