// tutti platform gpu: writes clusters of nodes with several GPUs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "platforms/gpu_platform.hpp"
#include "platforms/gpu_presets.hpp"
#include "platforms/torus.hpp"
#include "src/commands/platform_kind.hpp"
#include "src/requests/command_table.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr double kGiga = 1e9;

// Parses a share such as 1:2, and returns it as a number, 0.5.
double parse_taper(std::string_view from, const std::string& text) {
  constexpr double kMost = 1000;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto part = plain_number(text.substr(0, colon));
  const auto of = colon < text.size() ? plain_number(text.substr(colon + 1)) : 1.0;
  if (!part || !of || !(*part > 0) || !(*of > 0) || !(*part / *of <= kMost)) {
    throw UserError(fmt::format(
        "{} '{}': write the bandwidth upwards as a share of that of the cards below, such as 1:2",
        from, text));
  }
  return *part / *of;
}

double parse_detours(std::string_view from, const std::string& text) {
  const double detours = parse_plain_number(from, text);
  if (!(detours >= 1)) {
    throw UserError(
        fmt::format("{} '{}': it must be 1 (no detours) or more, such as 2", from, text));
  }
  return detours;
}

// Returns whether the sides of a slice of TPUs wrap around. A side of a slice does if it is a
// multiple of 4, and no side is shorter than 4. Source: docs.cloud.google.com/tpu/docs/v5p.
bool wraps_around(const std::vector<std::uint32_t>& sides) {
  constexpr std::uint32_t kCube = 4;
  if (std::ranges::min(sides) < kCube) {
    return false;
  }
  const auto odd =
      std::ranges::find_if(sides, [](std::uint32_t side) { return side % kCube != 0; });
  if (odd != sides.end()) {
    throw UserError(fmt::format(
        "gpu: $dims: a slice of TPUs has sides that are multiples of {0}, or a side below {0}; {1} "
        "is none of the two",
        kCube, *odd));
  }
  return true;
}

class GpuKind : public PlatformKind {
 public:
  void add_to(Command& command) override {
    Command& own =
        subcommand(command, "gpu", "Nodes of several GPUs, with a network card for each");
    own.add_examples({"tutti platform gpu --nodes 64 --gpu h100 -o h100.xml",
                      "tutti platform gpu --nodes 16 --gpu mi300x --unit 4 --spine 1:2"});
    own.add_note(
        "A GPU is a host of the file, which one rank uses. The GPUs of a node have consecutive\n"
        "numbers. --groups node and --placement switch know the nodes, and --groups group the\n"
        "units if there are several.");
    option("--nodes", nodes_, "COUNT", "Number of nodes", AsCount());
    option("--gpu", gpu_, "NAME", "GPU that sets the defaults of the other options [h100]",
           AsWord<gpu_names>());
    option("--dims", dims_, "LIST",
           "Instead of --nodes, for TPUs: chips in each dimension of their torus, such as 8,8,16",
           AsCounts());
    option("--gpus", gpus_, "COUNT", "Number of GPUs in each node [by --gpu]", AsCount());
    option("--inner", inner_, "HOW",
           "How the GPUs of a node are joined: switch; mesh, a link between each two; or pairs of "
           "GPUs with their number of cables, such as 0-1*4,0-2 [by --gpu]");
    option("--cards", cards_, "COUNT",
           "Number of network cards of a node, which its GPUs share evenly [by --gpu]", AsCount());
    option(
        "--fabric", fabric_, "HOW",
        "rail: cards with the same number share leaf switches; tree: all cards of a node are at "
        "one leaf switch; dragonfly: as tree, and each two units are joined by cables [by --gpu]",
        AsWord<fabrics>());
    option("--rail", rail_, "WHOSE",
           "Rail of data between GPUs on different rails: receiver: they cross the sender's node "
           "first, as NCCL's PXN does; sender: they cross the receiver's node [receiver]",
           AsWord<rails>());
    option(
        "--unit", unit_, "COUNT",
        "Number of nodes at the same leaf switches [the largest up to 32 (b300: 64; gb200, gb300: "
        "8) that divides --nodes or --pod]",
        AsCount());
    option("--spine", spine_, "SHARE",
           "Bandwidth from a leaf switch to the switches above, as a share of that of its cards, "
           "such as 1:2 [1:1]",
           parse_taper);
    option("--pod", pod_, "COUNT",
           "Number of nodes below the same spine switches; a further level of switches joins the "
           "pods (islands) [no pods]",
           AsCount());
    option("--pod-spine", pod_spine_, "SHARE",
           "Bandwidth out of a pod, as a share of that of its cards, such as 1:7 [1:1]",
           parse_taper);
    option("--detours", detours_, "RATIO",
           "With --fabric dragonfly: bandwidth between two units, as a multiple of that of the "
           "cables between them, because of detours over other units [1]",
           parse_detours);
    option("--planes", planes_, "COUNT",
           "Number of separate networks over which each card spreads its data evenly [1]",
           AsCount());
    option("--lost-planes", lost_planes_, "COUNT",
           "Number of planes that have failed; each takes its share of the bandwidth [0]",
           AsCount());
    add_figures();
    add_output();
  }

  [[nodiscard]] std::string xml() const override {
    const GpuPreset& preset = chosen_preset();
    if (preset.torus) {
      return torus_xml(preset);
    }
    refuse_without_effect();
    if (dims_) {
      throw UserError(fmt::format(
          "gpu: $dims has no effect with $gpu {}, whose nodes are not a torus; give $nodes", gpu_));
    }
    const GpuPlatform made = platform(preset);
    return to_xml(made, describe(made, preset), note());
  }

  [[nodiscard]] std::string warning() const override {
    for (const auto& [share, field] :
         {std::pair{spine_, "$spine"}, std::pair{pod_spine_, "$pod_spine"}}) {
      if (share.value_or(1) > 1) {
        return fmt::format(
            "{}: the bandwidth upwards is {:g} times that of the cards below; write 1:{:g} if the "
            "cards below have {:g} times the bandwidth upwards",
            field, *share, *share, *share);
      }
    }
    return {};
  }

 private:
  static std::vector<std::string_view> gpu_names() {
    std::vector<std::string_view> names;
    for (const GpuPreset& preset : gpu_presets()) {
      names.push_back(preset.name);
    }
    return names;
  }
  static std::array<std::string_view, 3> fabrics() { return {"rail", "tree", "dragonfly"}; }
  static std::array<std::string_view, 2> rails() { return {"receiver", "sender"}; }

  void add_figures() {
    const OptionGroup figures = numbers();
    figures.add("--inner-bw", inner_bytes_per_s_, "RATE",
                "Bandwidth of a GPU at the switch of its node, or of a cable between two GPUs, in "
                "each direction [by --gpu: what a ring reaches]",
                AsRate());
    figures.add("--inner-lat", inner_s_, "TIME", "Latency between two GPUs of a node [1us]",
                AsTime());
    figures.add("--card-bw", card_bytes_per_s_, "RATE",
                "Bandwidth of a network card in each direction [by --gpu]", AsRate());
    figures.add("--card-lat", card_s_, "TIME",
                "Latency of a card, with the way from the GPU to it [0.5us]", AsTime());
    figures.add("--pcie-bw", pcie_bytes_per_s_, "RATE",
                "Bandwidth between a GPU and its card in each direction [by --gpu]", AsRate());
    figures.add("--switch-lat", switch_s_, "TIME", "Latency of a switch between nodes [0.13us]",
                AsTime());
    figures.add("--group-lat", group_s_, "TIME",
                "With --fabric dragonfly: latency of the cables between two units [0.15us]",
                AsTime());
    figures.add("--memory-bw", memory_bytes_per_s_, "RATE",
                "Bandwidth of a GPU's memory, for reading and writing together [by --gpu]",
                AsRate());
    add_speed("a GPU", "one element for each 12 bytes of its memory's bandwidth");
    add_in_network();
  }

  [[nodiscard]] const GpuPreset& chosen_preset() const {
    const std::string_view wanted = gpu_;
    return *std::ranges::find(gpu_presets(), wanted, &GpuPreset::name);
  }

  [[nodiscard]] std::string torus_xml(const GpuPreset& preset) const {
    if (nodes_ || gpus_ || inner_ || cards_ || fabric_ || rail_ || unit_ || pod_ || planes_ ||
        !in_network().empty()) {
      throw UserError(fmt::format(
          "gpu: $gpu {} is a torus without nodes, cards and switches; give only $dims and figures",
          gpu_));
    }
    for (const auto& [given, field] :
         {std::pair{spine_.has_value(), "$spine"}, std::pair{pod_spine_.has_value(), "$pod_spine"},
          std::pair{detours_.has_value(), "$detours"},
          std::pair{lost_planes_.has_value(), "$lost_planes"},
          std::pair{card_bytes_per_s_.has_value(), "$card_bw"},
          std::pair{card_s_.has_value(), "$card_lat"},
          std::pair{pcie_bytes_per_s_.has_value(), "$pcie_bw"},
          std::pair{switch_s_.has_value(), "$switch_lat"},
          std::pair{group_s_.has_value(), "$group_lat"}}) {
      if (given) {
        throw UserError(
            fmt::format("gpu: {} has no effect on a torus, which has no switches and "
                        "cards; leave it out",
                        field));
      }
    }
    if (!dims_) {
      throw UserError(
          "gpu: the chips in each dimension are missing; give $dims, such as $dims 8,8,16");
    }
    Torus torus;
    torus.dims = *dims_;
    std::erase(torus.dims, 1U);
    if (torus.dims.empty() || std::ranges::min(torus.dims) == 0) {
      throw UserError(fmt::format(
          "gpu: $dims {}: a slice has at least two chips, and at least 1 in each dimension",
          fmt::join(*dims_, ",")));
    }
    torus.link = {inner_s_.value_or(usual_platform(preset, 1).inner_s),
                  inner_bytes_per_s_.value_or(preset.inner_bytes_per_s)};
    torus.node.speed_flops_per_s =
        speed(summing_speed(memory_bytes_per_s_.value_or(preset.memory_bytes_per_s)));
    torus.note = note();
    return wraps_around(torus.dims) ? to_xml(torus) : mesh_to_xml(torus);
  }

  [[nodiscard]] GpuPlatform platform(const GpuPreset& preset) const {
    if (!nodes_) {
      throw UserError("gpu: the number of nodes is missing; give $nodes, such as $nodes 64");
    }
    if (pod_ == 0U) {
      throw UserError(
          fmt::format("gpu: $pod 0: the {} nodes cannot be divided into pods of 0 nodes", *nodes_));
    }
    if (const bool pairs = preset.inner != "switch" && preset.inner != "mesh";
        pairs && !inner_ && gpus_.value_or(preset.gpus) != preset.gpus) {
      throw UserError(
          fmt::format("gpu: the links of {} are those between {} GPUs; give $inner for $gpus {}",
                      gpu_, preset.gpus, *gpus_));
    }
    GpuPlatform made = usual_platform(preset, *nodes_);
    made.gpus = gpus_.value_or(made.gpus);
    made.cards = cards_.value_or(default_cards(preset, made.gpus));
    made.inner = inner_.value_or(made.inner);
    made.inner_bytes_per_s = inner_bytes_per_s_.value_or(made.inner_bytes_per_s);
    made.inner_s = inner_s_.value_or(made.inner_s);
    const double memory = memory_bytes_per_s_.value_or(preset.memory_bytes_per_s);
    made.memory_bytes_per_s = memory / 2;  // a copy reads and writes each byte
    made.pcie_bytes_per_s = pcie_bytes_per_s_.value_or(made.pcie_bytes_per_s);
    made.card_bytes_per_s = card_bytes_per_s_.value_or(made.card_bytes_per_s);
    made.card_s = card_s_.value_or(made.card_s);
    made.switch_s = switch_s_.value_or(made.switch_s);
    const bool rails = fabric_ ? fabric_->value == "rail" : preset.rails && made.cards > 0;
    made.fabric = rails                                      ? GpuFabric::rail
                  : fabric_ && fabric_->value == "dragonfly" ? GpuFabric::dragonfly
                                                             : GpuFabric::tree;
    made.rail_of_receiver = !rail_ || rail_->value == "receiver";
    refuse_without_rails(made);
    made.unit = unit_.value_or(default_unit(preset));
    made.planes = planes_.value_or(1);
    made.lost_planes = lost_planes_.value_or(0);
    if ((spine_ || detours_) && made.nodes == made.unit) {
      throw UserError(
          fmt::format("gpu: {} has no effect, because all nodes are one unit; give $unit, the "
                      "number of nodes of a unit",
                      spine_ ? "$spine" : "$detours"));
    }
    if (pod_spine_ && pod_ == made.nodes) {
      throw UserError(
          "gpu: $pod_spine has no effect, because all nodes are one pod; give $pod, the number of "
          "nodes of a pod");
    }
    put_spines(made);
    made.speed_flops_per_s = speed(summing_speed(memory));
    made.in_network = in_network();
    return made;
  }

  void put_spines(GpuPlatform& made) const {
    const double of_node =
        made.card_bytes_per_s * std::max(made.cards / std::max(made.leaves_of_unit(), 1U), 1U);
    made.trunk_bytes_per_s = spine_.value_or(1) * made.unit * of_node;
    if (pod_) {
      made.pod = *pod_ == made.nodes ? 0 : *pod_;
      made.pod_bytes_per_s = pod_spine_.value_or(1) * made.pod * of_node;
    }
    if (made.has_pairs()) {
      // Detours do not carry more than all cables that leave a unit.
      const double cables = made.trunk_bytes_per_s / (made.units() - 1);
      made.pair_bytes_per_s = std::min(detours_.value_or(1) * cables, made.trunk_bytes_per_s);
      made.pair_s = group_s_.value_or(kGroupLatency);
    }
  }

  // Keeps the number of GPUs of a card if the user gives another number of GPUs.
  static std::uint32_t default_cards(const GpuPreset& preset, std::uint32_t gpus) {
    const std::uint32_t each = preset.gpus / preset.cards;
    return gpus % each == 0 ? gpus / each : gpus;
  }

  // Throws UserError if even units would have far fewer nodes than those of the reference design.
  // Most data would then cross the switches above, which is rarely intended.
  [[nodiscard]] std::uint32_t default_unit(const GpuPreset& preset) const {
    const std::uint32_t nodes = std::max(1U, pod_.value_or(*nodes_));
    const std::uint32_t most = std::max(1U, std::min(preset.unit, nodes));
    std::uint32_t unit = most;
    while (nodes % unit != 0) {
      --unit;
    }
    constexpr std::uint32_t kFewest = 4;
    const std::uint64_t all = std::uint64_t{*nodes_} * gpus_.value_or(preset.gpus);
    if (all <= kMostGpus && unit * kFewest < most) {
      throw UserError(fmt::format(
          "gpu: {} {}: units of up to {} nodes would have only {}; give $unit, such as $unit {}",
          pod_ ? "$pod" : "$nodes", nodes, most, number_of(unit, "node"), nodes));
    }
    return unit;
  }

  void refuse_without_effect() const {
    if (pod_spine_ && !pod_) {
      throw UserError("gpu: $pod_spine has no effect without pods; give $pod");
    }
    if ((detours_ || group_s_) && !(fabric_ && fabric_->value == "dragonfly")) {
      throw UserError(fmt::format("gpu: {} has no effect without $fabric dragonfly",
                                  detours_ ? "$detours" : "$group_lat"));
    }
    if (lost_planes_ && !planes_) {
      throw UserError("gpu: $lost_planes has no effect without planes; give $planes");
    }
  }

  void refuse_without_rails(const GpuPlatform& made) const {
    if (fabric_ && made.has_rails() && made.cards == 0) {
      throw UserError(
          "gpu: $fabric rail: a rail joins the cards of nodes, but $cards is 0; give $cards 1 or "
          "more");
    }
    if (rail_ && !made.has_rails()) {
      throw UserError(fmt::format("gpu: $rail '{}' has no effect without rails; give $fabric rail",
                                  rail_->text));
    }
  }

  [[nodiscard]] static std::vector<std::string> describe(const GpuPlatform& made,
                                                         const GpuPreset& preset) {
    std::vector<std::string> lines{
        fmt::format("{} of {}, defaults of the {}.", number_of(made.nodes, "node"),
                    number_of(made.gpus, "GPU"), preset.node),
        fmt::format("In a node: {} {:g} GB/s in each direction{}.",
                    made.inner == "switch" ? "a switch, which each GPU reaches with"
                    : made.inner == "mesh" ? "a link between each two GPUs with"
                                           : "links between pairs of GPUs, each cable with",
                    made.inner_bytes_per_s / kGiga,
                    made.inner_bytes_per_s == preset.inner_bytes_per_s
                        ? fmt::format(" (the wire has {:g})", preset.wire_bytes_per_s / kGiga)
                        : std::string())};
    if (made.reduces()) {
      lines.emplace_back("The switch of a node can reduce and multicast.");
    }
    if (made.nodes == 1) {
      return lines;
    }
    lines.push_back(fmt::format("Between nodes: {} of {:g} GB/s each for a node. {}",
                                number_of(made.cards, "card"), working(made, made.card_bytes_per_s),
                                made.has_rails() ? "Cards with the same number are a rail."
                                                 : "All cards of a node are at one leaf switch."));
    if (made.has_rails()) {
      lines.emplace_back(made.rail_of_receiver
                             ? "Data change to the receiver's rail within the sender's node (PXN)."
                             : "Data change to the receiver's GPU within the receiver's node.");
    }
    add_levels(made, lines);
    return lines;
  }

  // Returns GB/s without those of lost planes.
  static double working(const GpuPlatform& made, double bytes_per_s) {
    return made.working_share() * bytes_per_s / kGiga;
  }

  static void add_levels(const GpuPlatform& made, std::vector<std::string>& lines) {
    if (made.has_units()) {
      lines.push_back(fmt::format("{} of {}. {} with {:g} GB/s, as one link.",
                                  number_of(made.units(), "unit"), number_of(made.unit, "node"),
                                  made.has_pairs() ? "A unit reaches the other units"
                                                   : "A leaf switch reaches the switches above",
                                  working(made, made.trunk_bytes_per_s)));
    }
    if (made.has_pods()) {
      lines.push_back(fmt::format("{} of {}. {} leaves a pod with {:g} GB/s, as one link.",
                                  number_of(made.pods(), "pod"), number_of(made.pod, "node"),
                                  made.has_rails() ? "Each rail" : "Traffic",
                                  working(made, made.pod_bytes_per_s)));
    }
    if (made.has_pairs()) {
      lines.push_back(
          fmt::format("A dragonfly: each unit is a group, and a link of {:g} GB/s joins each two.",
                      working(made, made.pair_bytes_per_s)));
    }
    if (made.planes > 1) {
      lines.push_back(fmt::format(
          "{} carry equal shares of all data, so one link stands for all of them.{}",
          number_of(made.planes, "plane"),
          made.lost_planes > 0
              ? fmt::format(" {} lost, so these are the rates of the others.", made.lost_planes)
              : std::string()));
    }
  }

  static constexpr double kGroupLatency = 0.15e-6;

  std::optional<std::uint32_t> nodes_;
  std::string gpu_ = "h100";
  std::optional<std::vector<std::uint32_t>> dims_;
  std::optional<std::uint32_t> gpus_;
  std::optional<std::string> inner_;
  std::optional<std::uint32_t> cards_;
  std::optional<ValueWithText<std::string>> fabric_;
  std::optional<ValueWithText<std::string>> rail_;
  std::optional<std::uint32_t> unit_;
  std::optional<double> spine_;
  std::optional<std::uint32_t> pod_;
  std::optional<double> pod_spine_;
  std::optional<double> detours_;
  std::optional<std::uint32_t> planes_;
  std::optional<std::uint32_t> lost_planes_;
  std::optional<double> group_s_;
  std::optional<double> inner_bytes_per_s_;
  std::optional<double> inner_s_;
  std::optional<double> card_bytes_per_s_;
  std::optional<double> card_s_;
  std::optional<double> pcie_bytes_per_s_;
  std::optional<double> switch_s_;
  std::optional<double> memory_bytes_per_s_;
};

}  // namespace

std::unique_ptr<PlatformKind> gpu_kind() { return std::make_unique<GpuKind>(); }

}}  // namespace tutti::commands
