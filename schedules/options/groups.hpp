// Groups of ranks that are near each other, groups of such groups, and so on.
// schedules/patterns/hierarchy.hpp uses these groups.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

// One partition of all ranks into groups.
struct GroupLevel {
  enum class Kind : std::uint8_t {
    // Each group has `ranks` consecutive ranks; the last group may have fewer.
    consecutive,
    // `group_of_rank` lists the group of each rank.
    listed,
    // A group has the ranks that the mapping places on one host.
    host,
    // A group has the ranks of all hosts at one leaf switch.
    leaf_switch,
    // A group has the ranks of all hosts in one group of a dragonfly network, or of all GPUs in one
    // unit of a cluster of GPUs.
    group,
    // A group has the ranks of all GPUs of a node, where hosts are GPUs; otherwise those of a host.
    node,
  };
  Kind kind = Kind::consecutive;
  // Number of ranks per group; only for Kind::consecutive.
  std::uint32_t ranks = 1;
  // Group number of each rank; only for Kind::listed. Groups are numbered in the order of their
  // first ranks.
  std::vector<std::uint32_t> group_of_rank;

  // True if the groups are known without a platform.
  [[nodiscard]] bool known() const { return kind == Kind::consecutive || kind == Kind::listed; }
  // Returns the group number of each rank, for `all` ranks. known() must be true.
  [[nodiscard]] std::vector<std::uint32_t> of_ranks(std::uint32_t all) const;

  friend bool operator==(const GroupLevel&, const GroupLevel&) = default;
};
// The words on the command line for Kind::host, leaf_switch, group and node, which are known only
// with a platform.
inline constexpr std::array<std::string_view, 4> kGroupWords{"host", "switch", "group", "node"};

struct Groups {
  // The level with the smallest groups is first. If empty, the groups are the nodes, as
  // --cores-per-node sets them.
  std::vector<GroupLevel> levels;

  [[nodiscard]] bool known() const;
  friend bool operator==(const Groups&, const Groups&) = default;
};

// Returns the level on which ranks with equal ids form a group; the ids themselves do not matter.
// The kind is Kind::consecutive if all groups consist of consecutive ranks and have the same size
// (the last one may be smaller), otherwise Kind::listed.
[[nodiscard]] GroupLevel group_level(const std::vector<std::uint32_t>& id_of_rank);

// Parses levels separated by commas. Each is a number of consecutive ranks ("8,32"), a word of
// kGroupWords, or a list of all groups: "0-3/4-7/8+9", "0-8:4/1-9:4/2-10:4/3-11:4". Throws
// UserError.
[[nodiscard]] Groups parse_groups(std::string_view what, std::string_view text);
[[nodiscard]] std::string to_text(const Groups& groups);

}}  // namespace tutti::schedules
