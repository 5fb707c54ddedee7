#include "cost_models/nccl/graph_file.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/printable.hpp"
#include "platforms/xml_text.hpp"

namespace tutti { inline namespace cost_models {

namespace {

// The five graphs and their ids in NCCL's file.
struct NumberedGraph {
  int id;
  const char* name;
  NcclGraph NcclGraphs::*graph;
};
constexpr std::array kNumbered{
    NumberedGraph{0, "the ring graph", &NcclGraphs::ring},
    NumberedGraph{1, "the tree graph", &NcclGraphs::tree},
    NumberedGraph{2, "the CollNet chain graph", &NcclGraphs::collnet_chain},
    NumberedGraph{3, "the NVLS graph", &NcclGraphs::nvls},
    NumberedGraph{4, "the CollNet direct graph", &NcclGraphs::collnet_direct},
};

class GraphReader {
 public:
  explicit GraphReader(const std::string& path) : path_(path) {}

  [[nodiscard]] NcclGraphFile read(const std::string& text) const {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = parse_xml(document, text);
    if (!parsed) {
      fail(fmt::format("not XML, or truncated: {} at byte {} of {}", parsed.description(),
                       parsed.offset, text.size()));
    }
    const pugi::xml_node head = document.child("graphs");
    if (!head) {
      fail("no <graphs> element; expected a file that NCCL wrote to NCCL_GRAPH_DUMP_FILE");
    }
    if (whole(head, "<graphs>", "version", 1000) != 1) {
      fail(fmt::format("<graphs> has version '{}'; NCCL reads only version 1",
                       shown(head.attribute("version").value())));
    }
    NcclGraphFile file;
    std::array<bool, kNumbered.size()> seen{};
    for (const pugi::xml_node node : head.children("graph")) {
      const auto id = static_cast<std::size_t>(whole(node, "<graph>", "id", kNumbered.size() - 1));
      const NumberedGraph& which = kNumbered[id];
      if (seen[id]) {
        fail(fmt::format("{}, id {}, appears twice", which.name, id));
      }
      seen[id] = true;
      file.graphs.*which.graph = graph(node, which.name);
      if (id == 0) {
        file.gpus_per_node = gpus(node);
        file.cards = cards(node);
      }
    }
    for (const std::size_t id : {0U, 1U}) {
      if ((file.graphs.*kNumbered[id].graph).channels == 0) {
        fail(fmt::format(
            "{}, id {}, is missing or has no channels; NCCL always writes this graph with channels",
            kNumbered[id].name, id));
      }
    }
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UserError(fmt::format("{}: {}", user_text(printable(path_)), shortened(why)));
  }

  // Truncates long values, whose beginning is enough for an error message. Valid values are short.
  [[nodiscard]] static std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 100;
    return text.size() <= kMost ? printable(text) : printable(text.substr(0, kMost)) + "...";
  }

  [[nodiscard]] std::string_view value(const pugi::xml_node& node, const char* where,
                                       const char* key) const {
    const pugi::xml_attribute attribute = node.attribute(key);
    if (!attribute) {
      fail(fmt::format("{} has no {}", where, key));
    }
    return attribute.value();
  }

  template <typename Number>
  [[nodiscard]] std::optional<Number> number(std::string_view text) const {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
      return std::nullopt;
    }
    return number;
  }

  [[nodiscard]] int whole(const pugi::xml_node& node, const char* where, const char* key,
                          int most) const {
    const std::string_view text = value(node, where, key);
    const auto found = number<int>(text);
    if (!found || *found < 0 || *found > most) {
      fail(fmt::format("{} '{}' of {}: must be a number from 0 to {}", key, shown(text), where,
                       most));
    }
    return *found;
  }

  [[nodiscard]] float rate(std::string_view text, const char* where, const char* key) const {
    constexpr float kMost = 1e6;
    const auto found = number<float>(text);
    if (!found || !std::isfinite(*found) || *found < 0 || *found > kMost) {
      fail(fmt::format("{} '{}' of {}: must be a number from 0 to {}", key, shown(text), where,
                       kMost));
    }
    return *found;
  }

  [[nodiscard]] NcclPath worst(const pugi::xml_node& node, const char* where,
                               const char* key) const {
    const std::string_view text = value(node, where, key);
    const auto found = nccl_path_named(text);
    if (!found) {
      fail(
          fmt::format("{} '{}' of {}: expected LOC, NVL, NVB, C2C, PIX, PXB, P2C, PXN, PHB, "
                      "SYS, NET or DIS",
                      key, shown(text), where));
    }
    return *found;
  }

  [[nodiscard]] NcclGraph graph(const pugi::xml_node& node, const char* where) const {
    constexpr int kMostPattern = 6;
    NcclGraph graph;
    graph.pattern = whole(node, where, "pattern", kMostPattern);
    graph.channels = whole(node, where, "nchannels", kNcclMostChannels);
    graph.intra_gb_per_s = rate(value(node, where, "speedintra"), where, "speedintra");
    graph.inter_gb_per_s = rate(value(node, where, "speedinter"), where, "speedinter");
    // Older versions of NCCL do not write this attribute. If it is missing, NCCL assumes 0.
    const pugi::xml_attribute latency = node.attribute("latencyinter");
    graph.inter_latency_us = latency ? rate(latency.value(), where, "latencyinter") : 0;
    graph.intra = worst(node, where, "typeintra");
    graph.inter = worst(node, where, "typeinter");
    graph.same_channels = whole(node, where, "samechannels", 1) == 1;
    constexpr int kMostCrossing = 2;
    graph.crosses_cards = node.attribute("crossnic") &&
                          whole(node, where, "crossnic", kMostCrossing) == kMostCrossing;
    int written = 0;
    for (const pugi::xml_node channel : node.children("channel")) {
      (void)channel;
      ++written;
    }
    if (written != graph.channels) {
      fail(fmt::format("{} has nchannels {}, but {} <channel> elements", where, graph.channels,
                       written));
    }
    return graph;
  }

  // Returns the number of different cards through which the channels enter and leave a node.
  [[nodiscard]] static std::uint32_t cards(const pugi::xml_node& ring) {
    std::set<std::string_view> found;
    for (const pugi::xml_node channel : ring.children("channel")) {
      for (const pugi::xml_node card : channel.children("net")) {
        found.insert(card.attribute("dev").value());
      }
    }
    return static_cast<std::uint32_t>(found.size());
  }

  [[nodiscard]] std::uint32_t gpus(const pugi::xml_node& ring) const {
    std::optional<std::uint32_t> first;
    for (const pugi::xml_node channel : ring.children("channel")) {
      std::uint32_t gpus = 0;
      for (const pugi::xml_node gpu : channel.children("gpu")) {
        (void)gpu;
        ++gpus;
      }
      if (gpus == 0 || (first && *first != gpus)) {
        fail(
            fmt::format("a channel of the ring has {} GPUs{}; all channels must have the same "
                        "number, at least 1",
                        gpus, first ? fmt::format(", but the first has {}", *first) : ""));
      }
      first = gpus;
    }
    return first.value_or(1);
  }

  const std::string& path_;
};

}  // namespace

NcclGraphFile read_nccl_graphs(const std::string& text, const std::string& path) {
  return GraphReader(path).read(text);
}

}}  // namespace tutti::cost_models
