#include "platforms/xml_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>
#include <strings.h>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/printable.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/gpu_file.hpp"
#include "platforms/platform_files.hpp"
#include "platforms/platform_settings.hpp"
#include "platforms/platform_text.hpp"
#include "platforms/profile_check.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace platforms {

namespace {

// A numeric attribute of any element, such as a link's bandwidth or a host's speed.
struct Quantity {
  std::string_view attribute;
  std::string_view in_words;
  bool may_be_zero;
};

constexpr std::array kQuantities{
    Quantity{"speed", "speed", false},
    Quantity{"bw", "bandwidth", false},
    Quantity{"bandwidth", "bandwidth", false},
    Quantity{"bw_in", "bandwidth", false},
    Quantity{"bw_out", "bandwidth", false},
    Quantity{"bb_bw", "bandwidth", false},
    Quantity{"loopback_bw", "bandwidth", false},
    Quantity{"limiter_link", "bandwidth", false},
    Quantity{"lat", "latency", true},
    Quantity{"latency", "latency", true},
    Quantity{"bb_lat", "latency", true},
    Quantity{"loopback_lat", "latency", true},
};

// Limits of numbers. kLargest remains finite after multiplication by any unit. kLeast is large
// enough that SimGrid does not treat it as 0; at 1e-15 bytes per second, SimGrid's times are wrong.
constexpr double kLargest = 1e100;
constexpr double kLeast = 1e-9;

struct Feature {
  std::string_view name;
  std::string_view in_words;
};

// Features that only SimGrid simulates.
constexpr std::array kChangingAttributes{
    Feature{"bandwidth_file", "a profile of its bandwidth"},
    Feature{"latency_file", "a profile of its latency"},
    Feature{"availability_file", "a profile of its speed"},
    Feature{"speed_file", "a profile of its speed"},
    Feature{"state_file", "a trace of its failures"},
};
constexpr std::array kChangingTags{
    Feature{"trace", "a trace of changes over time"},
    Feature{"trace_connect", "a trace of changes over time"},
};

// The network model of hockney, as SimGrid calls it, with settings that tutti replaces.
constexpr std::array kModels{
    Feature{"CM02", "hockney"},
    Feature{"LV08", "lv08"},
    Feature{"SMPI", "smpi"},
    Feature{"IB", "ib"},
};

class Checker : public pugi::xml_tree_walker {
 public:
  Checker(const std::string& file, std::string_view text, const std::string& network_model)
      : file_(file), text_(text), network_model_(network_model) {}

  bool for_each(pugi::xml_node& node) override {
    const std::string_view tag = node.name();
    // <peer> and <cabinet> create hosts too.
    has_hosts_ |= tag == "host" || tag == "cluster" || tag == "cabinet" || tag == "peer";
    for (const Quantity& quantity : kQuantities) {
      if (const pugi::xml_attribute attribute = node.attribute(quantity.attribute.data())) {
        check(node, quantity, attribute.value());
      }
    }
    if (tag == "cluster") {
      check_cluster(node);
    } else if (tag == "zone" || tag == "AS" || tag == "link") {
      check_wifi(node);
    } else if (tag == "config") {
      check_settings(node);
    } else if (tag == "prop" && node.attribute("id").value() == kInNetworkProperty) {
      check_in_network(node);
    } else if (tag == "include") {
      fail(node, "<include> is not supported; put the whole platform into one file");
    }
    if (tag == "zone" || tag == "AS") {
      check_routing(node);
      keep_routes(node);
    }
    check_attributes(node);
    check_profiles(node);
    if (const std::string fault = fault_in_profiles(node, file_); !fault.empty()) {
      fail(node, fmt::format("<{}>: {}", node.name(), fault));
    }
    find_changes(node);
    return true;
  }

  void found_hosts(bool any) { has_hosts_ |= any; }
  [[nodiscard]] bool has_hosts() const { return has_hosts_; }
  [[nodiscard]] const std::string& unmodelled() const { return unmodelled_; }

  // Removes the settings that SimGrid must not get. Offsets of the other elements stay the same.
  void remove_ignored() {
    for (pugi::xml_node setting : ignored_) {
      pugi::xml_node config = setting.parent();
      config.remove_child(setting);
      if (config.select_node("*").node().empty()) {
        config.parent().remove_child(config);
      }
    }
  }

  // Returns what the user must know about the settings of the file.
  [[nodiscard]] std::vector<std::string> notes() const {
    constexpr std::size_t kMostNames = 12;
    std::vector<std::string> notes;
    if (!ignored_names_.empty()) {
      const std::size_t shown = std::min(kMostNames, ignored_names_.size());
      const std::span<const std::string> names(ignored_names_.data(), shown);
      notes.push_back(fmt::format(
          "ignored, because they cannot change a time under the network model {}: <config>'s {}{}",
          network_model_, fmt::join(names, ", "),
          ignored_names_.size() == shown
              ? std::string()
              : fmt::format(" and {} more", ignored_names_.size() - shown)));
    }
    if (!other_model_.empty()) {
      notes.push_back(other_model_);
    }
    return notes;
  }

 private:
  // `values` is one value, or several separated by commas: one speed per power state, of which only
  // that of the initial state is used.
  void check(const pugi::xml_node& node, const Quantity& quantity,
             const std::string& values) const {
    const unsigned used = node.attribute("pstate").as_uint();
    unsigned state = 0;
    // No stream is used here, because a stream treats an allocation failure as the end of the text.
    for (std::size_t begin = 0, comma = 0; begin < values.size(); begin = comma + 1, ++state) {
      comma = std::min(values.find(',', begin), values.size());
      const bool several = comma < values.size() || begin > 0;
      if (several && state != used) {
        continue;
      }
      const std::string value = values.substr(begin, comma - begin);
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (end == value.c_str()) {
        continue;  // SimGrid reports that this is not a number
      }
      if (!(quantity.may_be_zero ? number >= 0 : number > 0)) {
        fail(node, fmt::format("<{}> has {}=\"{}\": a {} must be {}", node.name(),
                               quantity.attribute, values, quantity.in_words,
                               quantity.may_be_zero ? "0 or more" : "above 0"));
      }
      if (number > kLargest || (number < kLeast && !quantity.may_be_zero)) {
        fail(node, fmt::format("<{}> has {}=\"{}\": a {} must be {} to {:g} in the given unit",
                               node.name(), quantity.attribute, values, quantity.in_words,
                               quantity.may_be_zero ? "0" : fmt::format("{:g}", kLeast), kLargest));
      }
    }
  }

  // Profiles must be regular files, because SimGrid reads them to the end, and other files may have
  // no end.
  void check_profiles(const pugi::xml_node& node) const {
    for (const char* attribute : kFileAttributes) {
      const std::string name = node.attribute(attribute).value();
      if (name.empty()) {
        continue;
      }
      const std::filesystem::path beside = std::filesystem::path(file_).parent_path() / name;
      for (const std::filesystem::path& path : {std::filesystem::path(name), beside}) {
        std::error_code error;
        if (std::filesystem::exists(path, error) &&
            !std::filesystem::is_regular_file(path, error)) {
          fail(node, fmt::format("<{}> has {}=\"{}\", which is not a regular file", node.name(),
                                 attribute, name));
        }
      }
    }
  }

  // SimGrid stops at the first message over WiFi, because it does not know the rates of hosts. A
  // platform file cannot specify these rates; only a program can, with Link::set_host_rate().
  void check_wifi(const pugi::xml_node& node) const {
    if (std::string_view(node.attribute("sharing_policy").value()) == "WIFI" ||
        std::string_view(node.attribute("routing").value()) == "Wifi") {
      fail(node, fmt::format("a WiFi <{}>: SimGrid cannot simulate it from a platform file, which "
                             "cannot say how fast each host sends",
                             node.name()));
    }
  }

  // SimGrid 3.32 aborts on other words, such as Star, which only programs can use.
  void check_routing(const pugi::xml_node& zone) const {
    static constexpr std::array<std::string_view, 7> kRoutings{
        "Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "Vivaldi", "None"};
    const char* const routing = zone.attribute("routing").as_string("None");
    if (std::ranges::none_of(kRoutings, [&](std::string_view known) {
          return strcasecmp(known.data(), routing) == 0;
        })) {
      fail(zone, fmt::format("<{}> has routing=\"{}\"; a platform file can have {}", zone.name(),
                             printable(routing), fmt::join(kRoutings, ", ")));
    }
    if (strcasecmp(routing, "None") == 0 && zone.child("host").next_sibling("host") &&
        std::string_view(zone.parent().name()) == "platform") {
      fail(zone, fmt::format("<{}> has no routing, so that there is no route from host to host; "
                             "write routing=\"Full\" and a <route> for each two hosts",
                             zone.name()));
    }
  }

  void check_settings(const pugi::xml_node& config) {
    for (const pugi::xml_node& setting : config.children("prop")) {
      const char* const name = setting.attribute("id").value();
      const char* const value = setting.attribute("value").value();
      const SettingUse use = use_of_setting(name, value, network_model_);
      if (!use.refusal.empty()) {
        fail(setting, fmt::format("<config> sets '{}'{}", name, use.refusal));
      }
      if (use.name == "network/model") {
        compare_model(value);
      } else if (use.ignored) {
        std::string shown = printable(name);
        if (std::ranges::find(ignored_names_, shown) == ignored_names_.end()) {
          ignored_names_.push_back(std::move(shown));
        }
      }
      if (use.ignored) {
        ignored_.push_back(setting);
      } else {
        pugi::xml_node(setting).attribute("id").set_value(use.name.c_str());
        only_simgrid(setting, fmt::format("the setting {} in <config>", use.name));
      }
    }
  }

  // The option for the network model overrides the file, so the file's model is not used.
  void compare_model(std::string_view model) {
    const auto* const known = std::ranges::find(kModels, model, &Feature::name);
    if (known != kModels.end() && known->in_words != network_model_) {
      other_model_ = with_fields(
          fmt::format("<config> asks for the network model {}, but {} is used; $network_model {} "
                      "uses that of the file",
                      model, network_model_, known->in_words));
    }
  }

  // Without a cache, SimGrid searches the whole zone again for each route between two hosts. With
  // the cache, it searches once for each host that sends.
  static void keep_routes(pugi::xml_node& zone) {
    constexpr std::ptrdiff_t kMostCachedPoints = 8192;  // 8 bytes for each pair of points
    pugi::xml_attribute routing = zone.attribute("routing");
    if (std::string_view(routing.value()) == "Dijkstra") {
      const auto points = std::ranges::count_if(zone.children(), [](const pugi::xml_node& child) {
        const std::string_view tag = child.name();
        return tag == "host" || tag == "router" || tag == "zone" || tag == "AS" ||
               tag == "cluster" || tag == "peer" || tag == "cabinet";
      });
      if (points <= kMostCachedPoints) {
        routing.set_value("DijkstraCache");
      }
    }
  }

  // SimGrid 3.32 aborts on these files.
  void check_changes(const pugi::xml_node& node) const {
    const std::string_view tag = node.name();
    const std::string_view kind = node.attribute("kind").value();
    if (tag == "trace_connect" &&
        (kind == "BANDWIDTH" || kind == "LATENCY" || kind == "LINK_AVAIL")) {
      fail(node, fmt::format("SimGrid cannot connect a <trace> to a link (kind=\"{}\"); give the "
                             "<link> a bandwidth_file, latency_file or state_file",
                             kind));
    }
    if (tag == "link" && node.attribute("state_file") &&
        std::string_view(node.attribute("sharing_policy").value()) == "SPLITDUPLEX") {
      fail(node,
           "SimGrid cannot switch off a SPLITDUPLEX <link> (state_file); write a link for each "
           "direction");
    }
  }

  void find_changes(const pugi::xml_node& node) {
    const std::string_view tag = node.name();
    check_changes(node);
    for (const Feature& known : kChangingTags) {
      if (tag == known.name) {
        only_simgrid(node, fmt::format("<{}>, {}", tag, known.in_words));
      }
    }
    for (const Feature& known : kChangingAttributes) {
      if (const auto attribute = node.attribute(known.name.data())) {
        only_simgrid(node, fmt::format("<{}> with {}=\"{}\", {}", tag, known.name,
                                       attribute.value(), known.in_words));
      }
    }
  }

  // Keeps the description of the first feature that only SimGrid simulates.
  void only_simgrid(const pugi::xml_node& node, std::string_view feature) {
    if (unmodelled_.empty()) {
      unmodelled_ = fmt::format("{} (line {})", feature, line_of(node.offset_debug()));
    }
  }

  // Refuses duplicate attributes, since tutti might use one of the values and SimGrid another.
  void check_attributes(const pugi::xml_node& node) const {
    std::vector<std::string_view> names;
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      names.emplace_back(attribute.name());
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
      fail(node, fmt::format("<{}> has {} twice", node.name(), *twice));
    }
  }

  void check_cluster(const pugi::xml_node& node) const {
    if (std::string_view(node.attribute("sharing_policy").value()) == "FATPIPE") {
      fail(node,
           "<cluster> has sharing_policy=\"FATPIPE\", which SimGrid silently treats as SHARED; "
           "write SPLITDUPLEX or SHARED");
    }
    // If only the latency is given, SimGrid creates a link of bandwidth 0. SimGrid treats empty
    // attributes as missing.
    for (const auto& [latency, bandwidth] :
         {std::pair{"bb_lat", "bb_bw"}, std::pair{"loopback_lat", "loopback_bw"}}) {
      if (*node.attribute(latency).value() != '\0' && *node.attribute(bandwidth).value() == '\0') {
        fail(node, fmt::format("<cluster> has {} without {}; give both", latency, bandwidth));
      }
    }
  }

  // kInNetworkProperty is valid only for topologies whose switches, and the links to them, are
  // known.
  void check_in_network(const pugi::xml_node& node) const {
    const pugi::xml_node cluster = node.parent();
    const std::string_view topology = cluster.attribute("topology").value();
    const bool star = topology.empty() || topology == "FLAT";
    if (std::string_view(cluster.name()) != "cluster" || (!star && topology != "FAT_TREE") ||
        cluster.attribute("bb_bw") || cluster.attribute("bb_lat")) {
      fail(node, fmt::format("'{}' declares switches that reduce; it must be in a <cluster> of one "
                             "switch without a backbone, or of the topology FAT_TREE",
                             kInNetworkProperty));
    }
    const char* const value = node.attribute("value").value();
    if (!in_network_of(value)) {
      fail(node,
           fmt::format(
               "'{}' is '{}'; write yes, or the rate at which a switch reduces, such as 50GBps",
               kInNetworkProperty, value));
    }
  }

  [[noreturn]] void fail(const pugi::xml_node& node, std::string_view what) const {
    throw UserError(
        fmt::format("{}: {}", place_in_file(file_, line_of(node.offset_debug())), what));
  }

  [[nodiscard]] std::uint64_t line_of(std::ptrdiff_t offset) const {
    return 1 + static_cast<std::uint64_t>(std::count(text_.begin(), text_.begin() + offset, '\n'));
  }

  const std::string& file_;
  std::string_view text_;
  const std::string& network_model_;
  bool has_hosts_ = false;
  std::string unmodelled_;
  std::vector<pugi::xml_node> ignored_;
  std::vector<std::string> ignored_names_;
  std::string other_model_;  // note on a network model that is not used
};

}  // namespace

CheckedPlatform check_platform_file(const std::string& file, const std::string& network_model) {
  const std::string text = read_file(file, kPlatformFile);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw UserError(fmt::format("{}: the platform file is empty", user_text(file)));
  }
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = parse_xml(document, text);
  if (!parsed) {
    const auto end = text.begin() + std::min<std::ptrdiff_t>(parsed.offset, std::ssize(text));
    throw UserError(fmt::format(
        "{}: not well-formed XML: {}",
        place_in_file(file, 1 + static_cast<std::uint64_t>(std::count(text.begin(), end, '\n'))),
        parsed.description()));
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "platform") {
    throw UserError(
        fmt::format("{}: not a SimGrid platform: the root element is <{}>, not <platform>",
                    user_text(file), root.name()));
  }
  Checker checker(file, text, network_model);
  document.traverse(checker);
  try {
    checker.found_hosts(gpu_description(root).has_value());
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", user_text(file), error.what()));
  }
  if (!checker.has_hosts()) {
    throw UserError(
        fmt::format("{}: the platform has no hosts: no <host> and no <cluster>", user_text(file)));
  }
  checker.remove_ignored();
  return {platform_text(document, text), checker.notes(), checker.unmodelled()};
}

}}  // namespace tutti::platforms
