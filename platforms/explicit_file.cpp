#include "platforms/explicit_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file_text.hpp"
#include "base/human.hpp"
#include "platforms/floyd_routes.hpp"
#include "platforms/grouped_parts.hpp"
#include "platforms/xml_numbers.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace platforms {

namespace {

constexpr std::size_t kMostPoints = 1024;      // the table of routes has an entry for each pair
constexpr std::size_t kMostFloydPoints = 512;  // the search for routes takes their number cubed
constexpr std::size_t kMostFloydLinks = 1U << 22U;  // of all routes

// SimGrid adds this link to a platform. Hosts without a route to themselves use it. The figures are
// those of SimGrid 3.32.
constexpr const char* kAddedLoopback = "__loopback__";
constexpr ClusterLinkFigures kAddedLoopbackFigures{
    .bandwidth_bytes_per_s = 1e10, .latency_s = 0, .fatpipe = true};

// True if the node has only these attributes, with plain values. SimGrid refuses empty ones.
bool filled_attributes(const pugi::xml_node& node, std::initializer_list<std::string_view> known) {
  return plain_attributes(node, known) &&
         std::ranges::none_of(node.attributes(), [](const pugi::xml_attribute& attribute) {
           return std::string_view(attribute.value()).empty();
         });
}

// Each step returns false if the file does not match the format.
class ExplicitReader : private GroupedParts {
 public:
  explicit ExplicitReader(bool floyd) : floyd_(floyd) {}

  std::optional<Cluster> read(const pugi::xml_node& platform) {
    const pugi::xml_node node = platform.first_child();
    if (!is_tag(platform, "platform") || !filled_attributes(platform, {"version"}) ||
        text_of(platform, "version") != "4.1" || !zone(node, floyd_ ? "Floyd" : "Full") ||
        node.next_sibling()) {
      return std::nullopt;
    }
    pugi::xml_node child = node.first_child();
    for (; child && !is_tag(child, "route"); child = child.next_sibling()) {
      if (is_tag(child, "link")) {
        if (!any_link(child)) {
          return std::nullopt;
        }
        continue;
      }
      if (is_tag(child, "host") ? !host(child) : !is_tag(child, "router") || !router(child)) {
        return std::nullopt;
      }
      numbers_of_points_.emplace(text_of(child, "id"), points_++);
      if (points_ > (floyd_ ? kMostFloydPoints : kMostPoints)) {
        return std::nullopt;
      }
    }
    if (of_each_.empty()) {
      return std::nullopt;
    }
    given_.resize(std::size_t{points_} * points_);
    for (; is_tag(child, "route"); child = child.next_sibling()) {
      if (!route(child)) {
        return std::nullopt;
      }
    }
    add_loopback();
    if (child || !between_hosts() || !names_differ() || lists_.link_names.size() > Hop::kMaxLinks) {
      return std::nullopt;
    }
    // The parts are created before the cluster, as in grouped_file.cpp.
    ClusterNames names;
    names.of_hosts = std::move(hosts_);
    ClusterRoutes routes = ExplicitRoutes(std::move(lists_));
    Cluster cluster{
        .names = std::move(names), .routes = std::move(routes), .figures = {}, .host = of_each_[0]};
    cluster.figures_of_link = std::move(figures_of_link_);
    cluster.host_of_each = std::move(of_each_);
    return cluster;
  }

 private:
  using NumbersById = std::unordered_map<std::string, std::uint32_t>;
  enum class Direction : std::uint8_t { none, up, down };

  bool host(const pugi::xml_node& node) {
    const std::optional<NetworkHost> figures = host_of(node);
    if (!figures || !filled_attributes(node, {"id", "speed", "core"}) || node.first_child() ||
        !name_point(text_of(node, "id"))) {
      return false;
    }
    host_points_.push_back(points_);
    hosts_.push_back(text_of(node, "id"));
    of_each_.push_back(*figures);
    return true;
  }

  bool any_link(const pugi::xml_node& node) {
    const std::string id = text_of(node, "id");
    const std::string policy = text_of(node, "sharing_policy");
    const bool split = policy == "SPLITDUPLEX";
    const auto figures = figures_of(node, "bandwidth", "latency", policy == "FATPIPE");
    if (!figures || node.first_child() || id == kAddedLoopback ||
        !filled_attributes(node, {"id", "bandwidth", "latency", "sharing_policy"}) ||
        (!split && !policy.empty() && policy != "SHARED" && policy != "FATPIPE") ||
        !name_link(id)) {
      return false;
    }
    if (!split) {
      add_link(id, *figures);
      return true;
    }
    number_of_id(Direction::up).emplace(id, add_link(id + "_UP", *figures));
    number_of_id(Direction::down).emplace(id, add_link(id + "_DOWN", *figures));
    return name_link(id + "_UP") && name_link(id + "_DOWN");
  }

  // A <link_ctn> may also name one direction of a split-duplex link directly, such as l_UP.
  std::uint32_t add_link(const std::string& name, const ClusterLinkFigures& figures) {
    const auto number = static_cast<std::uint32_t>(lists_.link_names.size());
    number_of_id(Direction::none).emplace(name, number);
    lists_.link_names.push_back(name);
    figures_of_link_.push_back(figures);
    return number;
  }

  NumbersById& number_of_id(Direction direction) {
    return numbers_[static_cast<std::size_t>(direction)];
  }

  bool route(const pugi::xml_node& node) {
    const std::string symmetrical = text_of(node, "symmetrical");
    const auto from = numbers_of_points_.find(text_of(node, "src"));
    const auto to = numbers_of_points_.find(text_of(node, "dst"));
    if (!filled_attributes(node, {"src", "dst", "symmetrical"}) ||
        from == numbers_of_points_.end() || to == numbers_of_points_.end() ||
        (!symmetrical.empty() && symmetrical != "YES" && symmetrical != "NO")) {
      return false;
    }
    std::vector<std::uint32_t> there;
    std::vector<std::uint32_t> back;
    for (const pugi::xml_node& crossed : node.children()) {
      if (!crossing(crossed, there, back)) {
        return false;
      }
    }
    std::reverse(back.begin(), back.end());
    // In a Full zone, a symmetrical route from a host to itself is one route. In a Floyd zone it is
    // two, which SimGrid refuses.
    return !there.empty() && keep(from->second, to->second, std::move(there)) &&
           (symmetrical == "NO" || (from == to && !floyd_) ||
            keep(to->second, from->second, std::move(back)));
  }

  // Adds the link of a <link_ctn> to a route, and the link in the other direction to its reverse.
  bool crossing(const pugi::xml_node& node, std::vector<std::uint32_t>& there,
                std::vector<std::uint32_t>& back) const {
    const std::string text = text_of(node, "direction");
    const Direction direction = text == "UP"     ? Direction::up
                                : text == "DOWN" ? Direction::down
                                                 : Direction::none;
    const NumbersById& links = numbers_[static_cast<std::size_t>(direction)];
    const auto at = links.find(text_of(node, "id"));
    if (!is_tag(node, "link_ctn") || node.first_child() ||
        !filled_attributes(node, {"id", "direction"}) || at == links.end() ||
        (direction == Direction::none && !text.empty() && text != "NONE")) {
      return false;
    }
    there.push_back(at->second);
    back.push_back(direction == Direction::up     ? at->second + 1
                   : direction == Direction::down ? at->second - 1
                                                  : at->second);
    return true;
  }

  // Returns false if the route is already known. SimGrid refuses such a file.
  bool keep(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t> links) {
    std::vector<std::uint32_t>& own = given_[std::size_t{from} * points_ + to];
    const bool is_new = own.empty();
    own = std::move(links);
    return is_new;
  }

  void add_loopback() {
    const auto link = static_cast<std::uint32_t>(lists_.link_names.size());
    for (const std::size_t host : host_points_) {
      std::vector<std::uint32_t>& own = given_[host * points_ + host];
      if (own.empty()) {
        own.push_back(link);
        lists_.added_loopback = true;
      }
    }
    if (lists_.added_loopback) {
      lists_.link_names.emplace_back(kAddedLoopback);
      figures_of_link_.push_back(kAddedLoopbackFigures);
    }
  }

  // Finds the routes between hosts. Returns false if one is missing, or has too many links.
  bool between_hosts() {
    lists_.hosts = static_cast<std::uint32_t>(host_points_.size());
    if (floyd_) {
      auto found = floyd_routes(given_, points_, host_points_, kMostFloydLinks);
      if (!found) {
        return false;
      }
      lists_.links = std::move(*found);
    } else {
      for (const std::size_t from : host_points_) {
        for (const std::size_t to : host_points_) {
          lists_.links.push_back(std::move(given_[from * points_ + to]));
        }
      }
    }
    return std::all_of(lists_.links.begin(), lists_.links.end(), [](const auto& links) {
      return !links.empty() && links.size() <= Hop::kMostCrossings;
    });
  }

  bool floyd_;
  std::uint32_t points_ = 0;  // number of hosts and routers
  NumbersById numbers_of_points_;
  std::vector<std::uint32_t> host_points_;  // number of each host among the points
  RouteTable given_;                        // routes in the file, between points
  std::vector<NetworkHost> of_each_;
  std::vector<ClusterLinkFigures> figures_of_link_;
  RouteLists lists_;
  std::array<NumbersById, 3> numbers_;  // of links by id, for each Direction
};

}  // namespace

std::optional<Cluster> read_explicit(const pugi::xml_node& platform) {
  const std::string routing = text_of(platform.first_child(), "routing");
  return ExplicitReader(routing == "Floyd").read(platform);
}

std::optional<std::string> too_many_points(const std::string& file) {
  const std::string text = read_file(file, kPlatformFile);
  pugi::xml_document document;
  if (!parse_xml(document, text)) {
    return std::nullopt;
  }
  const pugi::xml_node zone = document.document_element().child("zone");
  const std::string routing = zone.attribute("routing").value();
  const std::size_t most = routing == "Floyd"  ? kMostFloydPoints
                           : routing == "Full" ? kMostPoints
                                               : 0;
  const auto points = std::ranges::count_if(zone.children(), [](const pugi::xml_node& node) {
    return std::string_view(node.name()) == "host" || std::string_view(node.name()) == "router";
  });
  if (most == 0 || static_cast<std::size_t>(points) <= most) {
    return std::nullopt;
  }
  return fmt::format("its {} zone has {} hosts and routers, more than {}", routing,
                     human_count(static_cast<std::uint64_t>(points)), most);
}

}}  // namespace tutti::platforms
