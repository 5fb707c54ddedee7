#include "src/built_in/installed_rules.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/formats/json_lines.hpp"

namespace tutti { inline namespace built_in {

void InstalledRules::add(const std::string& path, std::string_view text, RuleFile file,
                         const LibraryRelease& release) {
  if (release.line->family == "MPICH") {
    mpich.push_back({path, {file.format, release.release}, parse_json_lines(text, true)});
    return;
  }
  for (DecisionTable& table : file.tables) {
    table.source = path;
  }
  std::ranges::move(file.tables, std::back_inserter(file.format == RuleFormat::han ? han : tuned));
}

void InstalledRules::apply_to(LibraryCall& call) const {
  call.rules = tuned;
  call.han_rules = han;
  call.mpich_files = mpich;
}

}}  // namespace tutti::built_in
