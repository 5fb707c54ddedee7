// Which ranks are near each other: groups, groups of groups, and so on. What is made of them:
// schedules/patterns/hierarchy.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::inline schedules {

// One way to part all ranks.
struct GroupLevel {
  enum class Kind : std::uint8_t {
    consecutive,  // so many ranks each, the last one what is left
    listed,       // `group_of_rank` says
    host,         // the ranks of a host; the platform and the mapping say which
    leaf_switch,  // those of the hosts at one switch
    group,        // those of a dragonfly's group
  };
  Kind kind = Kind::consecutive;
  std::uint32_t ranks = 1;                   // of Kind::consecutive
  std::vector<std::uint32_t> group_of_rank;  // of Kind::listed; in the order of their first ranks

  // Whether ranks alone say which groups these are.
  [[nodiscard]] bool known() const { return kind == Kind::consecutive || kind == Kind::listed; }
  // For so many ranks, of a level that is known.
  [[nodiscard]] std::vector<std::uint32_t> of_ranks(std::uint32_t all) const;

  friend bool operator==(const GroupLevel&, const GroupLevel&) = default;
};
// The kinds that only a platform knows, from Kind::host on.
inline constexpr std::array<std::string_view, 3> kGroupWords{"host", "switch", "group"};

struct Groups {
  std::vector<GroupLevel> levels;  // the smallest groups first; none: --cores-per-node

  [[nodiscard]] bool known() const;
  friend bool operator==(const Groups&, const Groups&) = default;
};

// Groups of such ids, whatever they are. Where they are all of consecutive ranks, and alike, they
// are said so.
[[nodiscard]] GroupLevel group_level(const std::vector<std::uint32_t>& id_of_rank);

// Levels with commas between them, each a number of consecutive ranks ("8,32"), a word of
// kGroupWords, or all groups in full: "0-3/4-7/8+9", "0-8:4/1-9:4/2-10:4/3-11:4". Throws UserError.
[[nodiscard]] Groups parse_groups(std::string_view what, std::string_view text);
[[nodiscard]] std::string to_text(const Groups& groups);

}  // namespace tutti::inline schedules
