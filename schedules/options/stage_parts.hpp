// Which algorithms the stages of a hierarchy are by: --within and --across. What they come to:
// schedules/patterns/hierarchy.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/options/parts.hpp"

namespace tutti::inline schedules {

// What a stage does with the segments of a pipeline.
template <typename Part>
struct BySegment {
  Part first;                  // with the first segment, or with the whole vector
  std::optional<Part> others;  // with the others, if not the same
  std::optional<Part> last;    // with the last one, if not the same as with the others

  [[nodiscard]] const Part& of(std::uint32_t segment, std::uint32_t segments) const {
    if (segment == 0) {
      return first;
    }
    return last && segment + 1 == segments ? *last : others ? *others : first;
  }
  friend bool operator==(const BySegment&, const BySegment&) = default;
};
using StagePart = BySegment<OnePart>;

struct StageParts {
  // Of the smallest groups, of the groups of these, ...; the last one holds for all beyond. Each
  // has one for each of the level's collectives, in the order in which they run. None: nothing is
  // said.
  std::vector<std::vector<StagePart>> levels;

  [[nodiscard]] bool standard() const { return levels.empty(); }
  friend bool operator==(const StageParts&, const StageParts&) = default;
};

// NAME[:WORD...], where a word is a tree, a segment in bytes, radix=K, a fold or a library's cuts;
// "/" between the parts of a stage for the first segment, the others and the last one, "+" between
// the stages of a level, and "," between levels. Throws UserError for names that no algorithm of
// any collective has.
[[nodiscard]] StageParts parse_stage_parts(std::string_view what, std::string_view text);
[[nodiscard]] std::string to_text(const StagePart& part);
[[nodiscard]] std::string to_text(const StageParts& parts);

}  // namespace tutti::inline schedules
