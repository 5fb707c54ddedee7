// Which algorithms the stages of a hierarchy are by: --within and --across. What they come to:
// schedules/patterns/hierarchy.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedules/options/parts.hpp"

namespace tutti {

struct StageParts {
  // Of the smallest groups, of the groups of these, ...; the last one holds for all beyond. Each
  // has one for each of the level's collectives, in the order in which they run. None: nothing is
  // said.
  std::vector<std::vector<OnePart>> levels;

  [[nodiscard]] bool standard() const { return levels.empty(); }
  friend bool operator==(const StageParts&, const StageParts&) = default;
};

// NAME[:TREE][:SEGMENT], "+" between those of a level, and "," between levels. Throws UserError for
// names that no algorithm of any collective has.
[[nodiscard]] StageParts parse_stage_parts(std::string_view what, std::string_view text);
[[nodiscard]] std::string to_text(const StageParts& parts);

}  // namespace tutti
