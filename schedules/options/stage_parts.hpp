// The algorithms that --within and --across choose for the stages of a hierarchy.
// schedules/patterns/hierarchy.hpp uses these algorithms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/options/parts.hpp"

namespace tutti { inline namespace schedules {

// For each segment of a pipeline: the part (an algorithm with its options) that a stage uses.
template <typename Part>
struct BySegment {
  // For the first segment, or for the whole vector if it is not segmented.
  Part first;
  std::optional<Part> others;  // for the other segments, if it differs from `first`
  std::optional<Part> last;    // for the last segment, if it differs from `others`

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
  // One entry per level: the first for the smallest groups, the second for groups of such groups,
  // and so on. The last entry is also used for all further levels. Each entry has one part for each
  // of the level's collectives, in the order in which they run. Empty if the option is not given.
  std::vector<std::vector<StagePart>> levels;

  [[nodiscard]] bool standard() const { return levels.empty(); }
  friend bool operator==(const StageParts&, const StageParts&) = default;
};

// Parses parts of the form NAME[:WORD...], where a word is a tree, a segment in bytes, radix=K, a
// fold or a library's cuts. "," separates levels. "+" separates the stages of a level. "/"
// separates the parts of a stage for the first segment, for the others, and for the last one.
// Throws UserError for invalid words, and for names that no algorithm of any collective has.
[[nodiscard]] StageParts parse_stage_parts(std::string_view what, std::string_view text);
[[nodiscard]] std::string to_text(const StagePart& part);
[[nodiscard]] std::string to_text(const StageParts& parts);

}}  // namespace tutti::schedules
