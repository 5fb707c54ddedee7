// Places the nodes of a network in a drawing: hosts at the bottom and switches above them, level by
// level, or the hosts of a torus in a grid. If there are too many nodes of a level, several share a
// box.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/pictures/svg.hpp"

namespace tutti { inline namespace pictures {

struct NetworkBox {
  Point at;  // centre
  double width = 0;
  double height = 0;
  bool is_switch = false;
  std::string name;           // "hosts 0-15", "switch of hosts 0-15"
  std::string label;          // "" if it does not fit
  bool label_inside = false;  // true: in the box; false: below it
  std::vector<std::uint32_t> nodes;
};

// All links from one box to another.
struct NetworkLine {
  std::uint32_t from = 0;  // index of a box
  std::uint32_t to = 0;
  std::vector<std::uint32_t> links;
  // Direction of a short line at the first box. The links lead around the edge of a torus, or to
  // another slice of it, where a line to the second box would cross other boxes.
  std::optional<Point> stub = std::nullopt;
};

struct NetworkLayout {
  std::vector<NetworkBox> boxes;
  std::vector<NetworkLine> lines;
  double bottom = 0;
};

// `network` is an entry of `networks` in a tutti-bound/1 document. `marked` has an entry for each
// node. A box contains either marked nodes or other nodes, unless that needs too many boxes.
[[nodiscard]] NetworkLayout layout_of(const nlohmann::json& network,
                                      const std::vector<bool>& marked, double top, double width);

}}  // namespace tutti::pictures
