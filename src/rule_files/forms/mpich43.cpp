#include <algorithm>

#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::rule_forms {

namespace {

// By what 4.0 would not know: its names of algorithms are a part of the later ones'.
bool recognises(std::string_view text) {
  const auto all = mpich_algorithms();
  return look_of_text(text) == TextLook::json && text.find("\"collective=") != text.npos &&
         std::any_of(all.begin(), all.end(), [text](const LibraryAlgorithm& algorithm) {
           return algorithm.since > 4 && text.find(algorithm.name) != text.npos;
         });
}

RuleFile read(std::string_view text) { return read_mpich_json(text, RuleFormat::mpich43); }

void write(const RulesToWrite& rules, std::ostream& out) {
  write_mpich_json(rules, RuleFormat::mpich43, out);
}

}  // namespace

// 4.3 and 5.0. Versions 4.1 and 4.2 read the same, but for names that came later.
extern const RuleForm mpich43{
    .name = "mpich43",
    .description = "JSON selection tree of MPICH 4.1 and later",
    .serves = "4.3 and later",
    .algorithms = mpich_algorithms,
    .major_version = 6,
    .cuts = "mpich",
    .recognises = recognises,
    .read = read,
    .write = write,
};

}  // namespace tutti::rule_forms
