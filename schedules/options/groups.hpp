// Groups of ranks that are near each other, groups of such groups, and so on.
// schedules/patterns/hierarchy.hpp uses them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::inline schedules {

// One partition of all ranks into groups.
struct GroupLevel {
  enum class Kind : std::uint8_t {
    consecutive,  // `ranks` consecutive ranks each; the last group may have fewer
    listed,       // as in `group_of_rank`
    host,         // the ranks that the mapping places on one host
    leaf_switch,  // the ranks of all hosts at one switch
    group,        // the ranks of a group of a dragonfly
  };
  Kind kind = Kind::consecutive;
  std::uint32_t ranks = 1;  // per group, for Kind::consecutive
  // For Kind::listed. Groups are numbered in the order of their first ranks.
  std::vector<std::uint32_t> group_of_rank;

  // True if the groups are known without a platform.
  [[nodiscard]] bool known() const { return kind == Kind::consecutive || kind == Kind::listed; }
  // Returns the group of each of `all` ranks. The level must be known().
  [[nodiscard]] std::vector<std::uint32_t> of_ranks(std::uint32_t all) const;

  friend bool operator==(const GroupLevel&, const GroupLevel&) = default;
};
// The words for the kinds that only a platform knows, from Kind::host on.
inline constexpr std::array<std::string_view, 3> kGroupWords{"host", "switch", "group"};

struct Groups {
  std::vector<GroupLevel> levels;  // the smallest groups first; empty: as in --cores-per-node

  [[nodiscard]] bool known() const;
  friend bool operator==(const Groups&, const Groups&) = default;
};

// Groups ranks with equal ids; the ids themselves do not matter. The level is Kind::consecutive if
// all groups consist of consecutive ranks and have the same size (the last one may be smaller).
[[nodiscard]] GroupLevel group_level(const std::vector<std::uint32_t>& id_of_rank);

// Parses levels separated by commas. Each is a number of consecutive ranks ("8,32"), a word of
// kGroupWords, or a list of all groups: "0-3/4-7/8+9", "0-8:4/1-9:4/2-10:4/3-11:4". Throws
// UserError.
[[nodiscard]] Groups parse_groups(std::string_view what, std::string_view text);
[[nodiscard]] std::string to_text(const Groups& groups);

}  // namespace tutti::inline schedules
