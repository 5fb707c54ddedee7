#include "platforms/platform_size.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/machine_memory.hpp"
#include "base/text_lines.hpp"
#include "platforms/platform_text.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace platforms {

namespace {

// Measured with SimGrid 3.32: loading a cluster of 262,144 hosts with two links each took 16 s and
// 704 MiB, which is 2.8 KiB for a host and its two links.
constexpr double kBytesOfHost = 1200;
constexpr double kBytesOfLink = 900;
constexpr double kMostElements = 1U << 22U;

// Numbers of hosts (including routers and switches) and of links, as doubles, so that no product
// overflows.
struct Size {
  double hosts = 0;
  double links = 0;
};

// Parses a number. Returns 1 for invalid text, since SimGrid reports that error later.
double number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() || !(value > 0) ? 1 : value;
}

std::vector<double> numbers(std::string_view text) {
  std::vector<double> all;
  for (const std::string_view part : split(text, ',')) {
    all.push_back(number(part));
  }
  return all;
}

// Returns the number of hosts in a radical: 5 for "0-3,7".
double hosts_of_radical(std::string_view radical) {
  double hosts = 0;
  for (const std::string_view part : split(radical, ',')) {
    const std::size_t dash = part.find('-', 1);
    const auto value = [](std::string_view text) {
      return std::strtod(std::string(text).c_str(), nullptr);
    };
    hosts += dash == part.npos
                 ? 1
                 : std::max(0.0, value(part.substr(dash + 1)) - value(part.substr(0, dash)) + 1);
  }
  return hosts;
}

// Returns the size of a torus, where each host has a link in every dimension.
Size torus(std::string_view parameters) {
  Size size{1, 0};
  const std::vector<double> dimensions = numbers(parameters);
  for (const double dimension : dimensions) {
    size.hosts *= dimension;
  }
  size.links = size.hosts * static_cast<double>(dimensions.size());
  return size;
}

// Returns the size of a fat tree. `parameters` are "levels;children;parents;links". The number of
// nodes of a level is the product of the children of all levels above it and of the parents of all
// levels up to it.
Size fat_tree(const std::vector<std::string_view>& parameters) {
  const std::vector<double> children = numbers(parameters[1]);
  const std::vector<double> parents = numbers(parameters[2]);
  const std::vector<double> links = numbers(parameters[3]);
  const std::size_t levels = std::min({children.size(), parents.size(), links.size()});
  Size size{1, 0};
  for (std::size_t i = 0; i < levels; ++i) {
    size.hosts *= children[i];
  }
  double below = size.hosts;
  double switches = 0;
  for (std::size_t i = 0; i < levels; ++i) {
    size.links += below * parents[i] * links[i];
    below = below / children[i] * parents[i];
    switches += below;
  }
  size.hosts += switches;
  return size;
}

// Returns the size of a dragonfly. `parameters` are
// "groups,links;chassis,links;routers,links;nodes". There are links between all groups, between all
// chassis of a group, and between all routers of a chassis.
Size dragonfly(const std::vector<std::string_view>& parameters) {
  std::vector<double> count;
  std::vector<double> links;
  for (const std::string_view part : parameters) {
    const std::vector<double> both = numbers(part);
    count.push_back(both.front());
    links.push_back(both.size() > 1 ? both[1] : 1);
  }
  const auto pairs = [](double of) { return of * (of - 1) / 2; };
  const double groups = count[0];
  const double chassis = count[1];
  const double routers = count[2];
  const double all_routers = groups * chassis * routers;
  return {all_routers * (1 + count[3]),
          pairs(groups) * links[0] + groups * routers * pairs(chassis) * links[1] +
              groups * chassis * pairs(routers) * links[2] + all_routers * count[3] * links[3]};
}

Size size_of(const pugi::xml_node& cluster) {
  Size size{hosts_of_radical(cluster.attribute("radical").value()), 0};
  const std::string_view topology = cluster.attribute("topology").value();
  const std::string_view text = cluster.attribute("topo_parameters").value();
  const std::vector<std::string_view> parameters = split(text, ';');
  Size shape;
  constexpr std::size_t kParts = 4;
  if (topology == "TORUS") {
    shape = torus(text);
  } else if (topology == "FAT_TREE" && parameters.size() == kParts) {
    shape = fat_tree(parameters);
  } else if (topology == "DRAGONFLY" && parameters.size() == kParts) {
    shape = dragonfly(parameters);
  }
  size.hosts = std::max(size.hosts, shape.hosts);
  // Counts the links between switches, and each host's link to the network, loopback and limiter.
  size.links = 2 * std::max(size.hosts, shape.links);
  size.links += cluster.attribute("loopback_bw") ? size.hosts : 0;
  size.links += cluster.attribute("limiter_link") ? size.hosts : 0;
  return size;
}

// Returns what `size` has, needs and may have; nothing if it is within the limits.
std::optional<std::string> excess(const Size& size) {
  const double bytes = size.hosts * kBytesOfHost + size.links * kBytesOfLink;
  const auto memory = static_cast<double>(usable_memory_bytes());
  if (bytes <= memory / 2 && size.hosts + size.links <= kMostElements) {
    return std::nullopt;
  }
  constexpr double kGibi = 1U << 30U;
  return fmt::format(
      "{:.0f} hosts and routers and {:.0f} links, which need about {:.0f} GiB; the limits are "
      "{:.0f} hosts, routers and links, and half of the {:.0f} GiB of memory that may be used",
      size.hosts, size.links, bytes / kGibi, kMostElements, memory / kGibi);
}

class Counter : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& node) override {
    const std::string_view tag = node.name();
    if (tag != "cluster" && tag != "cabinet") {
      return true;
    }
    const Size more = size_of(node);
    all_.hosts += more.hosts;
    all_.links += more.links;
    const std::optional<std::string> too_many = excess(all_);
    if (!too_many) {
      return true;
    }
    found = {node.offset_debug(),
             fmt::format("with this <{}> the platform has {}", tag, *too_many)};
    return false;
  }

  std::optional<PlatformTooLarge> found;

 private:
  Size all_;
};

}  // namespace

std::optional<PlatformTooLarge> too_large(pugi::xml_document& platform) {
  Counter counter;
  platform.traverse(counter);
  return counter.found;
}

void check_size(const std::string& xml, const std::string& file) {
  pugi::xml_document document;
  if (!parse_xml(document, xml)) {
    return;
  }
  if (const auto found = too_large(document)) {
    throw UserError(fmt::format(
        "{}: {}", place_in_file(file, LineCounter(xml).line_of(found->offset)), found->what));
  }
}

void check_size(std::uint32_t hosts, std::uint32_t links, const std::string& file) {
  const Size size{static_cast<double>(hosts), static_cast<double>(links)};
  if (const auto too_many = excess(size)) {
    throw UserError(fmt::format("{}: SimGrid would have {}; use $engine=flow", file, *too_many));
  }
}

}}  // namespace tutti::platforms
