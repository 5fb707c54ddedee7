#include "src/pictures/network_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "platforms/link_place.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;
using Nodes = std::vector<std::uint32_t>;

constexpr double kLabelSize = 10;
constexpr double kMargin = 12;

struct Node {
  std::string name;
  std::optional<std::uint32_t> host;  // nothing for a switch
  std::uint32_t level = 0;
  std::uint32_t above = 0;  // a node one level up to which a link leads; otherwise the node itself
  std::int64_t group = -1;  // nodes that belong together; -1: none
};

struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

[[noreturn]] void damaged_network(std::string_view what) {
  throw UserError(fmt::format("the network {}; run 'tutti bound --json' again", what));
}

// In clusters of GPUs, the switch within a node is one row below its GPUs.
std::vector<Node> nodes_of(const Json& network) {
  const bool gpus = network.value("kind", "") == "gpus";
  std::vector<Node> nodes;
  for (const Json& json : network.at("nodes")) {
    const auto host = json.at("host").get<std::int64_t>();
    Node node{json.at("name").get<std::string>(), std::nullopt,
              json.at("level").get<std::uint32_t>(), static_cast<std::uint32_t>(nodes.size())};
    if (host >= 0) {
      node.host = static_cast<std::uint32_t>(host);
    }
    if (node.level >= network.at("nodes").size()) {
      damaged_network("has a level above the number of nodes");
    }
    if (gpus) {
      node.group = json.at("group").get<std::int64_t>();
      node.level = node.name.starts_with("switch of node") ? 0 : node.level + 1;
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<Link> links_of(const Json& network, std::vector<Node>& nodes) {
  std::vector<Link> links;
  for (const Json& json : network.at("links")) {
    const Link link{json.at("from").get<std::uint32_t>(), json.at("to").get<std::uint32_t>()};
    if (link.from >= nodes.size() || link.to >= nodes.size()) {
      damaged_network("has a link to an unknown node");
    }
    Node& from = nodes[link.from];
    from.above = nodes[link.to].level == from.level + 1 ? link.to : from.above;
    links.push_back(link);
  }
  return links;
}

// Splits a row of nodes into at most `most` piles of neighbours. If nodes must share piles, hosts
// of one switch, or nodes of one group, stay together where there are several. `marked` nodes share
// no pile with others, unless that needs more than twice as many piles.
std::vector<Nodes> piles_of(const Nodes& row, const std::vector<Node>& nodes,
                            const std::vector<bool>& marked, std::size_t most) {
  const auto size_for = [most](std::size_t units) { return (units - 1) / most + 1; };
  // By place in the row: number of the unit that is not split, which is a node or a switch's hosts.
  std::vector<std::size_t> unit(row.size());
  std::iota(unit.begin(), unit.end(), std::size_t{0});
  const bool grouped = nodes[row.front()].group >= 0;
  if (size_for(row.size()) > 1 && (nodes[row.front()].host || grouped)) {
    std::vector<std::size_t> of_switch(row.size());
    for (std::size_t i = 1; i < row.size(); ++i) {
      const Node& one = nodes[row[i - 1]];
      const Node& other = nodes[row[i]];
      const bool apart = grouped ? one.group != other.group : one.above != other.above;
      of_switch[i] = of_switch[i - 1] + (apart ? 1 : 0);
    }
    unit = of_switch.back() > 0 ? of_switch : unit;
  }
  const std::size_t size = size_for(unit.back() + 1);
  const auto split = [&](bool by_marks) {
    std::vector<Nodes> piles;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == 0 || unit[i] / size != unit[i - 1] / size ||
          (by_marks && marked[row[i]] != marked[row[i - 1]])) {
        piles.emplace_back();
      }
      piles.back().push_back(row[i]);
    }
    return piles;
  };
  std::vector<Nodes> apart = split(true);
  return apart.size() <= 2 * most ? apart : split(false);
}

NetworkBox box_of(const std::vector<Node>& nodes, Nodes in_box) {
  NetworkBox box;
  Nodes hosts;
  for (const std::uint32_t node : in_box) {
    if (nodes[node].host) {
      hosts.push_back(*nodes[node].host);
    }
  }
  std::sort(hosts.begin(), hosts.end());
  box.is_switch = hosts.empty();
  const std::string& first = nodes[in_box.front()].name;
  box.name = in_box.size() == 1 ? first
             : hosts.empty()    ? fmt::format("{} switches: {} to {}", in_box.size(), first,
                                              nodes[in_box.back()].name)
                                : hosts_in_words(hosts);
  if (hosts.empty()) {
    box.label = in_box.size() > 1 ? fmt::format("{}x", in_box.size()) : "";
    box.label_inside = true;
  } else {
    box.label = hosts.size() == 1 ? fmt::format("{}", hosts.front())
                                  : fmt::format("{}-{}", hosts.front(), hosts.back());
    box.label_inside = nodes[in_box.front()].group >= 0;  // below the box are lines
  }
  box.nodes = std::move(in_box);
  return box;
}

// Removes labels of hosts that would overlap: shows only every second, third, ... of them.
void thin_labels(std::vector<NetworkBox>& row, double step) {
  double longest = 0;
  for (const NetworkBox& box : row) {
    longest = std::max(longest, text_width(box.label, kLabelSize) + 4);
  }
  const auto every = static_cast<std::size_t>(std::ceil(longest / step));
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i % std::max<std::size_t>(every, 1) != 0) {
      row[i].label.clear();
    }
  }
}

// Puts the nodes of each level into a row, below the nodes of the next level.
std::vector<NetworkBox> in_levels(const std::vector<Node>& nodes, const std::vector<Link>& links,
                                  const std::vector<bool>& marked, double top, double width) {
  constexpr double kRow = 92;
  std::uint32_t levels = 0;
  for (const Node& node : nodes) {
    levels = std::max(levels, node.level);
  }
  // Arcs between nodes of the top level need room above it.
  const bool arcs = std::ranges::any_of(links, [&](const Link& link) {
    return nodes[link.from].level == levels && nodes[link.to].level == levels;
  });
  const double first_row = top + (arcs ? 76 : 16);
  std::vector<NetworkBox> boxes;
  std::vector<double> x(nodes.size());
  for (std::uint32_t level = 0; level <= levels; ++level) {
    Nodes row;
    std::vector<double> sum(nodes.size());
    std::vector<double> below(nodes.size());
    for (const auto& [from, to] : links) {
      if (nodes[to].level == level && nodes[from].level < level) {
        sum[to] += x[from];
        ++below[to];
      }
    }
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      if (nodes[node].level == level) {
        row.push_back(node);
        x[node] = nodes[node].host  ? *nodes[node].host
                  : below[node] > 0 ? sum[node] / below[node]
                                    : static_cast<double>(nodes[node].group);
      }
    }
    if (row.empty()) {
      continue;
    }
    std::stable_sort(row.begin(), row.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
    const auto most = static_cast<std::size_t>(width / (level == 0 ? 21 : 26));
    std::vector<NetworkBox> row_of_boxes;
    for (Nodes& pile : piles_of(row, nodes, marked, most)) {
      row_of_boxes.push_back(box_of(nodes, std::move(pile)));
    }
    const double step = (width - 2 * kMargin) / static_cast<double>(row_of_boxes.size());
    for (std::size_t i = 0; i < row_of_boxes.size(); ++i) {
      NetworkBox& box = row_of_boxes[i];
      box.at = {kMargin + (static_cast<double>(i) + 0.5) * step,
                first_row + kRow * (levels - level)};
      box.width = std::min(54.0, 0.8 * step);
      box.height = std::min(14.0, std::max(box.width, 6.0));
      if (box.label_inside && text_width(box.label, kLabelSize) > box.width) {
        box.label.clear();
      }
      for (const std::uint32_t node : box.nodes) {
        x[node] = box.at.x;
      }
    }
    thin_labels(row_of_boxes, step);
    std::move(row_of_boxes.begin(), row_of_boxes.end(), std::back_inserter(boxes));
  }
  return boxes;
}

// The hosts of a torus, slice by slice.
class Grid {
 public:
  Grid(std::vector<std::uint32_t> sides, double top, double width) : sides_(std::move(sides)) {
    const double columns = sides_[0];
    const double lines = sides_.size() > 1 ? sides_[1] : 1;
    const auto slices = static_cast<std::uint32_t>(
        std::accumulate(sides_.begin() + std::min<std::ptrdiff_t>(2, std::ssize(sides_)),
                        sides_.end(), 1.0, std::multiplies<>()));
    // The picture becomes about twice as wide as high, and no row of slices is partly filled.
    const double wished = std::sqrt(slices * lines * 1.9 / columns);
    for (std::uint32_t some = 1; some <= slices; ++some) {
      if (slices % some == 0 &&
          std::abs(std::log(some / wished)) < std::abs(std::log(per_row_ / wished))) {
        per_row_ = some;
      }
    }
    cell_ = std::clamp((width - 2 * kMargin) / (per_row_ * (columns + 0.9)), 5.0, 52.0);
    slice_ = {cell_ * (columns + 0.9), cell_ * (lines + 0.9)};
    begin_ = {(width - per_row_ * slice_.x) / 2, top};
    bottom_ = top + slice_.y * std::ceil(double{1} * slices / per_row_);
  }

  [[nodiscard]] std::vector<std::uint32_t> coordinates(std::uint32_t host) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t side : sides_) {
      found.push_back(host % side);
      host /= side;
    }
    return found;
  }
  [[nodiscard]] Point place(std::uint32_t host) const {
    const std::vector<std::uint32_t> at = coordinates(host);
    std::uint32_t slice = 0;
    for (std::size_t i = at.size(); i-- > 2;) {
      slice = slice * sides_[i] + at[i];
    }
    const double line = at.size() > 1 ? at[1] : 0;
    return {begin_.x + slice % per_row_ * slice_.x + (at[0] + 0.95) * cell_,
            begin_.y + std::floor(double{1} * slice / per_row_) * slice_.y + (line + 0.95) * cell_};
  }
  // Returns the direction of the stub for a link between two hosts; nothing if a line can connect
  // them.
  [[nodiscard]] std::optional<Point> stub(std::uint32_t from, std::uint32_t to) const {
    const auto a = coordinates(from);
    const auto b = coordinates(to);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (a[i] == b[i]) {
        continue;
      }
      const bool around = (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) > 1;
      const double sign = (a[i] < b[i]) != around ? 1 : -1;
      const double reach = 0.42 * cell_;
      if (i >= 2) {
        return Point{0.8 * sign * reach, -0.8 * sign * reach};
      }
      if (around) {
        return i == 0 ? Point{sign * reach, 0} : Point{0, sign * reach};
      }
      break;
    }
    return std::nullopt;
  }
  [[nodiscard]] double cell() const { return cell_; }
  [[nodiscard]] double bottom() const { return bottom_; }

 private:
  std::vector<std::uint32_t> sides_;
  std::uint32_t per_row_ = 1;
  double cell_ = 0;
  Point slice_;
  Point begin_;
  double bottom_ = 0;
};

}  // namespace

NetworkLayout layout_of(const Json& network, const std::vector<bool>& marked, double top,
                        double width) {
  std::vector<Node> nodes = nodes_of(network);
  const std::vector<Link> links = links_of(network, nodes);
  const auto sides = network.at("dimensions").get<std::vector<std::uint32_t>>();
  NetworkLayout layout;
  std::optional<Grid> grid;
  const bool small = std::accumulate(sides.begin(), sides.end(), 1.0, std::multiplies<>()) < 1e6;
  if (!sides.empty() && small &&
      std::ranges::all_of(nodes, [](const Node& node) { return !!node.host; })) {
    grid.emplace(sides, top, width);
    const double box_width = 0.45 * grid->cell();
    const bool labelled = text_width(fmt::format("{}", nodes.size() - 1), kLabelSize) <= box_width;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      NetworkBox box = box_of(nodes, {node});
      box.at = grid->place(*nodes[node].host);
      box.width = box.height = box_width;
      box.label_inside = true;
      box.label = labelled ? box.label : "";
      layout.boxes.push_back(std::move(box));
    }
    layout.bottom = grid->bottom() - 0.3 * grid->cell();
  } else {
    layout.boxes = in_levels(nodes, links, marked, top, width);
    layout.bottom = layout.boxes.empty() ? top : layout.boxes.front().at.y + 26;
  }
  std::vector<std::uint32_t> box_of_node(nodes.size());
  for (std::uint32_t box = 0; box < layout.boxes.size(); ++box) {
    for (const std::uint32_t node : layout.boxes[box].nodes) {
      box_of_node[node] = box;
    }
  }
  std::map<std::tuple<std::uint32_t, std::uint32_t, double, double>, std::size_t> known;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const auto [from, to] = links[i];
    const std::optional<Point> stub =
        grid ? grid->stub(*nodes[from].host, *nodes[to].host) : std::nullopt;
    const auto [at, is_new] = known.try_emplace(
        {box_of_node[from], box_of_node[to], stub ? stub->x : 0, stub ? stub->y : 0},
        layout.lines.size());
    if (is_new) {
      layout.lines.push_back({box_of_node[from], box_of_node[to], {}, stub});
    }
    layout.lines[at->second].links.push_back(i);
  }
  return layout;
}

}}  // namespace tutti::pictures
