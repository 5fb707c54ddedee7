// libFuzzer target: no text may crash the reader of rule files in one format. CMakeLists.txt makes
// a target of each format, with the name of the format as TUTTI_FUZZ_FORM.
#include <string>

#include "src/rule_files/rule_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace fuzz { namespace {

// Reads `text` as a rule file in the given format, looks up rules in this file, and describes the
// chosen rules in words.
void read_as(const std::string& text, tutti::RuleFormat format) {
  (void)tutti::sniff_format(text);
  const tutti::RuleFile file = tutti::read_rules(text, format);
  for (const tutti::RuleFinding& finding : file.findings) {
    require(finding.text.find('\n') == std::string::npos, "a finding has more than one line");
  }
  if (!file.sound()) {
    return;
  }
  for (const tutti::DecisionTable& table : file.tables) {
    for (const std::uint32_t ranks : {1U, 2U, 7U, 8388608U}) {
      for (const std::uint64_t bytes :
           {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{1} << 43U}) {
        if (const auto choice = look_up(table, ranks, bytes, 8)) {
          (void)in_words(*choice->choice);
          for (const tutti::Rule* rule : choice->path) {
            (void)conditions_in_words(*rule, table.measure);
          }
        }
      }
    }
  }
}

}}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read_as(fuzz::text_of(data, size), tutti::RuleFormat::TUTTI_FUZZ_FORM);
  return 0;
}
