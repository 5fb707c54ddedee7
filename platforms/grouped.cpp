#include "platforms/grouped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/single_switch.hpp"

namespace tutti { inline namespace platforms {

namespace {

// The common prefix and the numbers of host names. For lrdn0013 and lrdn0014, these are "lrdn00"
// and "13-14".
struct NumberedNames {
  std::string prefix;
  std::string radical;  // in SimGrid's format for lists of numbers
};

// Splits names into a common prefix and numbers without leading zeros; returns nothing if that is
// impossible.
std::optional<NumberedNames> numbered(const std::vector<std::string>& names) {
  constexpr std::size_t kMostDigits = 9;
  NumberedNames found;
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names) {
    // Length of the part before the digits at the end.
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::size_t first = name.find_first_not_of('0', digits);
    const std::size_t number =
        first == std::string::npos && digits < name.size() ? name.size() - 1 : first;
    if (number == std::string::npos || name.size() - number > kMostDigits ||
        (!numbers.empty() && name.substr(0, number) != found.prefix)) {
      return std::nullopt;
    }
    found.prefix = name.substr(0, number);
    numbers.push_back(static_cast<std::uint32_t>(std::stoul(name.substr(number))));
  }
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    found.radical += found.radical.empty() ? "" : ",";
    found.radical +=
        last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return found;
}

class GroupedWriter {
 public:
  explicit GroupedWriter(const GroupedPlatform& platform) : platform_(platform) {}

  std::string write() {
    text_ =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM "
        "\"https://simgrid.org/simgrid.dtd\">\n";
    text_ += platform_comment(platform_.kind, platform_.description, platform_.note);
    text_ += "<platform version=\"4.1\">\n<zone id=\"world\" routing=\"Full\">\n";
    for (const GroupOfLeaves& group : platform_.groups) {
      write_group(group);
    }
    write_between();
    text_ += "</zone>\n</platform>\n";
    return std::move(text_);
  }

 private:
  static std::string id_of(const GroupOfLeaves& group) { return "group-" + group.name; }
  static std::string id_of(const GroupOfLeaves& group, const LeafOfHosts& leaf) {
    return id_of(group) + "_leaf-" + leaf.name;
  }

  template <typename... Values>
  void put(fmt::format_string<Values...> line, Values&&... values) {
    text_ += fmt::format(line, std::forward<Values>(values)...);
    text_ += '\n';
  }
  void put_link(const std::string& id, const LinkFigures& figures, std::string_view policy) {
    put(R"(<link id="{}" bandwidth="{}" latency="{}" sharing_policy="{}"/>)", id,
        bandwidth_text(figures.bandwidth_bytes_per_s), latency_text(figures.latency_s), policy);
  }

  void write_group(const GroupOfLeaves& group) {
    const std::string id = id_of(group);
    put(R"(<zone id="{0}" routing="Floyd">)", id);
    put(R"(<zone id="{0}_core" routing="Full"><router id="{0}_spines"/></zone>)", id);
    for (const LeafOfHosts& leaf : group.leaves) {
      write_leaf(id_of(group, leaf), leaf.hosts);
    }
    for (const LeafOfHosts& leaf : group.leaves) {
      put_link(id_of(group, leaf) + "_trunk", platform_.trunk, "SPLITDUPLEX");
    }
    for (const LeafOfHosts& leaf : group.leaves) {
      put(R"(<zoneRoute src="{0}" dst="{1}_core" gw_src="{0}_switch" gw_dst="{1}_spines" symmetrical="NO"><link_ctn id="{0}_trunk" direction="UP"/></zoneRoute>)",
          id_of(group, leaf), id);
      put(R"(<zoneRoute src="{1}_core" dst="{0}" gw_src="{1}_spines" gw_dst="{0}_switch" symmetrical="NO"><link_ctn id="{0}_trunk" direction="DOWN"/></zoneRoute>)",
          id_of(group, leaf), id);
    }
    put("</zone>");
  }

  void write_leaf(const std::string& id, const std::vector<std::string>& hosts) {
    const NodeFigures& node = platform_.node;
    const LinkFigures loopback = node.loopback.value_or(kSharedMemory);
    if (const auto names = numbered(hosts)) {
      put(R"(<cluster id="{0}" prefix="{1}" radical="{2}" suffix="" speed="{3}" core="{4}" bw="{5}" lat="{6}" sharing_policy="SPLITDUPLEX" loopback_bw="{7}" loopback_lat="{8}" router_id="{0}_switch"/>)",
          id, names->prefix, names->radical, speed_text(node.speed_flops_per_s), node.cores,
          bandwidth_text(platform_.cable.bandwidth_bytes_per_s),
          latency_text(platform_.cable.latency_s), bandwidth_text(loopback.bandwidth_bytes_per_s),
          latency_text(loopback.latency_s));
      return;
    }
    put(R"(<zone id="{}" routing="Floyd">)", id);
    for (const std::string& host : hosts) {
      put(R"(<host id="{}" speed="{}" core="{}"/>)", host, speed_text(node.speed_flops_per_s),
          node.cores);
    }
    put(R"(<router id="{}_switch"/>)", id);
    for (const std::string& host : hosts) {
      put_link(host + "_link", platform_.cable, "SPLITDUPLEX");
      put_link(host + "_link_loopback", loopback, "FATPIPE");
    }
    for (const std::string& host : hosts) {
      put(R"(<route src="{0}" dst="{1}_switch" symmetrical="NO"><link_ctn id="{0}_link" direction="UP"/></route>)",
          host, id);
      put(R"(<route src="{1}_switch" dst="{0}" symmetrical="NO"><link_ctn id="{0}_link" direction="DOWN"/></route>)",
          host, id);
      put(R"(<route src="{0}" dst="{0}" symmetrical="NO"><link_ctn id="{0}_link_loopback"/></route>)",
          host);
    }
    put("</zone>");
  }

  void write_between() {
    const auto& groups = platform_.groups;
    if (groups.size() == 1) {
      return;
    }
    for (const GroupOfLeaves& group : groups) {
      if (platform_.out) {
        put_link(id_of(group) + "_out", *platform_.out, "SPLITDUPLEX");
      }
    }
    const auto for_pairs = [&groups](auto&& action) {
      for (std::size_t a = 0; a < groups.size(); ++a) {
        for (std::size_t b = a + 1; b < groups.size(); ++b) {
          action(id_of(groups[a]), id_of(groups[b]));
        }
      }
    };
    for_pairs([this](const std::string& a, const std::string& b) {
      if (platform_.pair) {
        put_link(fmt::format("{}_{}", a, b), *platform_.pair, "SPLITDUPLEX");
      }
    });
    for_pairs([this](const std::string& a, const std::string& b) {
      write_route(a, b, fmt::format("{}_{}", a, b), "UP");
      write_route(b, a, fmt::format("{}_{}", a, b), "DOWN");
    });
  }

  void write_route(const std::string& from, const std::string& to, const std::string& pair,
                   std::string_view direction) {
    std::string links;
    if (platform_.out) {
      links += fmt::format(R"(<link_ctn id="{}_out" direction="UP"/>)", from);
    }
    if (platform_.pair) {
      links += fmt::format(R"(<link_ctn id="{}" direction="{}"/>)", pair, direction);
    }
    if (platform_.out) {
      links += fmt::format(R"(<link_ctn id="{}_out" direction="DOWN"/>)", to);
    }
    put(R"(<zoneRoute src="{0}" dst="{1}" gw_src="{0}_spines" gw_dst="{1}_spines" symmetrical="NO">{2}</zoneRoute>)",
        from, to, links);
  }

  const GroupedPlatform& platform_;
  std::string text_;
};

// Accepts only characters that need no escaping in XML, in lists of hosts and on the command line.
void check_name(const std::string& kind, std::string_view what, const std::string& name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.").find(c) != std::string_view::npos;
  });
  if (!plain) {
    throw UserError(
        fmt::format("{}: the {} '{}' may have only letters, digits, hyphens, underscores and dots",
                    kind, what, name));
  }
}

void check(const GroupedPlatform& platform) {
  std::uint64_t hosts = 0;
  std::set<std::string_view> names;
  for (const GroupOfLeaves& group : platform.groups) {
    check_name(platform.kind, "group", group.name);
    for (const LeafOfHosts& leaf : group.leaves) {
      check_name(platform.kind, "leaf", leaf.name);
      hosts += leaf.hosts.size();
      for (const std::string& host : leaf.hosts) {
        check_name(platform.kind, "host", host);
        if (!names.insert(host).second) {
          throw UserError(fmt::format("{}: host '{}' appears twice", platform.kind, host));
        }
      }
    }
  }
  check_hosts(platform.kind, hosts);
  const std::uint64_t groups = platform.groups.size();
  if (platform.pair && groups * (groups - 1) / 2 > kMaxPlatformCables) {
    throw UserError(fmt::format("{}: {} groups have more than {} pairs; use fewer groups",
                                platform.kind, groups, kMaxPlatformCables));
  }
  check_link(platform.kind, platform.cable);
  check_link(platform.kind, platform.trunk);
  check_node(platform.kind, platform.node);
}

}  // namespace

std::vector<GroupOfLeaves> numbered_groups(const std::string& kind, std::uint32_t groups,
                                           std::uint32_t leaves, std::uint32_t nodes) {
  const std::uint64_t most = kMaxPlatformHosts + 1;
  const std::uint64_t in_group = std::min(std::uint64_t{leaves} * nodes, most);
  check_hosts(kind, std::min(in_group * groups, most));
  std::vector<GroupOfLeaves> made;
  std::uint32_t host = 0;
  for (std::uint32_t group = 0; group < groups; ++group) {
    made.push_back({fmt::format("{}", group), {}});
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      made.back().leaves.push_back({fmt::format("{}", leaf), {}});
      for (std::uint32_t node = 0; node < nodes; ++node) {
        made.back().leaves.back().hosts.push_back(fmt::format("node-{}", host++));
      }
    }
  }
  return made;
}

std::string to_xml(const GroupedPlatform& platform) {
  check(platform);
  std::string xml = GroupedWriter(platform).write();
  if (read_cluster_text(xml, platform.kind) == nullptr) {
    throw UserError(
        fmt::format("{}: a host has the name of a switch or group of this platform (group-NAME or "
                    "group-NAME_leaf-NAME); give the hosts other names",
                    platform.kind));
  }
  return xml;
}

}}  // namespace tutti::platforms
