#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/human.hpp"
#include "base/text_lines.hpp"
#include "src/experiments/doctor/shapes.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Largest difference between a rate and the one that a cause would give: cards deliver 92 to 97 %
// of their rate.
constexpr double kSameRate = 0.06;

// A low rate at large sizes, and the machine that has it.
struct LowRate {
  double busbw = 0;     // measured, in GB/s
  double expected = 0;  // in the middle of the expected range
  double share = 0;     // measured over expected
  double least = 0;     // measured over the highest expected rate
  double most = 0;      // measured over the lowest expected rate
  const MachineRates& machine;

  [[nodiscard]] bool between_nodes() const { return machine.nodes > 1; }
};

// Returns the rate of rings if NVLS is expected, but the measured rate is that of rings.
std::optional<double> rate_of_rings(const Diagnosis& of) {
  if (!of.plateau || !of.expected.without_nvls_s || of.plateau->of_highest >= kRightShare) {
    return std::nullopt;
  }
  const double ring =
      of.curve.bandwidths(of.curve.rows.back().bytes, *of.expected.without_nvls_s).busbw_gb_per_s;
  constexpr double kNear = 0.08;
  return std::abs(of.plateau->busbw_gb_per_s / ring - 1) < kNear ? std::optional(ring)
                                                                 : std::nullopt;
}

// True if smaller sizes reach the expected rate of large ones, so that links and cards are healthy.
bool reached_before(const Diagnosis& of) {
  const double expected = of.plateau->busbw_gb_per_s / of.plateau->of_lowest;
  return std::ranges::any_of(of.curve.rows, [&](const CurveRow& row) {
    return of.curve.busbw(row) >= kRightShare * expected;
  });
}

// Returns the rate at large sizes if it is low.
std::optional<LowRate> low_rate(const Diagnosis& of) {
  if (!of.plateau || !of.expected.rates || of.plateau->of_lowest <= 0 ||
      of.plateau->of_lowest >= kRightShare || rate_of_rings(of) || reached_before(of)) {
    return std::nullopt;
  }
  const double share = std::sqrt(of.plateau->of_lowest * of.plateau->of_highest);
  const double busbw = of.plateau->busbw_gb_per_s;
  return LowRate{busbw,
                 busbw / share,
                 share,
                 of.plateau->of_highest,
                 of.plateau->of_lowest,
                 *of.expected.rates};
}

// Returns a symptom on the rate at large sizes.
Symptom found(const Diagnosis& of, std::string_view shape, Sureness sureness, std::string text,
              std::string look_at, std::string command) {
  const Severity severity = of.plateau->of_lowest < kLowShare ? Severity::slow : Severity::low;
  if (sureness == Sureness::likely && !of.expected.unsure.empty()) {
    sureness = Sureness::possible;
  }
  return {shape,
          severity,
          sureness,
          std::move(text),
          std::move(look_at),
          std::move(command),
          of.curve.rows[of.plateau->first_row].bytes};
}

// Settings that make NCCL slower, which the log shows.
struct Setting {
  std::string_view variable;
  std::string_view value;  // in lower case
  std::string_view effect;
};
constexpr std::array kSettings{
    Setting{"NCCL_IB_DISABLE", "1", "sends through sockets between nodes"},
    Setting{"NCCL_NET", "socket", "sends through sockets between nodes"},
    Setting{"NCCL_P2P_DISABLE", "1", "sends through host memory within a node"},
    Setting{"NCCL_P2P_LEVEL", "loc", "sends through host memory within a node"},
    Setting{"NCCL_SHM_DISABLE", "1", "sends through the network within a node"},
    Setting{"NCCL_NET_GDR_LEVEL", "loc", "copies through host memory to the cards"},
    Setting{"NCCL_NET_GDR_LEVEL", "0", "copies through host memory to the cards"},
    Setting{"NCCL_MAX_NCHANNELS", "1", "uses a single channel"},
    Setting{"NCCL_MAX_NCHANNELS", "2", "uses two channels"},
    Setting{"NCCL_PXN_DISABLE", "1", "does not pass data to the GPU beside the right card"},
};

std::optional<Symptom> bad_setting(const Diagnosis& of) {
  if (!low_rate(of)) {
    return std::nullopt;
  }
  for (const Setting& each : kSettings) {
    if (of.curve.log.variable(each.variable) == each.value) {
      return found(of, "bad_setting", Sureness::likely,
                   fmt::format("the environment sets {}={}, so NCCL {}", each.variable, each.value,
                               each.effect),
                   "whether the setting is still needed",
                   again_with(of, "-u " + std::string(each.variable)));
    }
  }
  return std::nullopt;
}

std::optional<Symptom> sockets(const Diagnosis& of) {
  const auto low = low_rate(of);
  if (!low || !low->between_nodes()) {
    return std::nullopt;
  }
  constexpr double kSocketShare = 0.06;
  const bool logged = of.curve.log.sockets && !of.curve.log.rdma;
  if (!logged && low->share > kSocketShare) {
    return std::nullopt;
  }
  return found(of, "sockets", logged ? Sureness::sure : Sureness::likely,
               fmt::format("{} is what sockets carry: RDMA is not used{}", gb_per_s(low->busbw),
                           logged ? ", as the log says" : ", or packets are lost"),
               "the log for NET/Socket or NET/IB, the names in NCCL_IB_HCA and NCCL_SOCKET_IFNAME, "
               "the MTU of all ports, and counters of dropped packets",
               again_with(of, "NCCL_DEBUG=INFO"));
}

// Returns the number of cards that the measured rate fits; 0 if none.
std::uint32_t cards_that_fit(const LowRate& low) {
  std::uint32_t best = 0;
  double nearest = 1;
  for (std::uint32_t j = 1; j < low.machine.cards; ++j) {
    const double part = static_cast<double>(j) / low.machine.cards;
    const double off = std::abs(low.share / part - 1);
    if (part > (1 - kSameRate) * low.least && part < (1 + kSameRate) * low.most && off < nearest) {
      nearest = off;
      best = j;
    }
  }
  return best;
}

std::optional<Symptom> cards_missing(const Diagnosis& of) {
  const auto low = low_rate(of);
  if (!low || !low->between_nodes() || low->machine.cards < 2) {
    return std::nullopt;
  }
  const auto logged = static_cast<std::uint32_t>(of.curve.log.cards.size());
  const std::string hca = of.curve.log.variable("NCCL_IB_HCA");
  // "^" names the cards that are not used.
  const auto named = hca.empty() || hca.starts_with('^')
                         ? 0U
                         : static_cast<std::uint32_t>(std::ranges::count(hca, ',') + 1);
  const bool known =
      (logged > 0 && logged < low->machine.cards) || (named > 1 && named < low->machine.cards);
  std::uint32_t used = cards_that_fit(*low);
  const double card = low->machine.card_gb_per_s;
  if (used == 0 && low->busbw > 0.8 * card && low->busbw <= card) {
    used = 1;  // of schedules that send less than a ring
  }
  if (used == 0 && known) {
    used = logged > 0 ? logged : named;
  }
  if (used == 0) {
    return std::nullopt;
  }
  const bool agrees = known && used == (logged > 0 ? logged : named);
  return found(
      of, "cards_missing", agrees ? Sureness::sure : Sureness::likely,
      used == 1 ? fmt::format("{} is one card of the {} of a node", gb_per_s(low->busbw),
                              low->machine.cards)
                : fmt::format("{} is {} cards of the {} of a node", gb_per_s(low->busbw), used,
                              low->machine.cards),
      "NCCL_IB_HCA, cards that are down ('ibstat'), the topology file of a virtual machine, "
      "and how many cards the lines NET/IB of the log name",
      again_with(of, fmt::format("NCCL_DEBUG=INFO NCCL_TESTS_SPLIT='MOD {}'",
                                 low->machine.gpus_per_node)));
}

std::optional<Symptom> half_rate(const Diagnosis& of) {
  const auto low = low_rate(of);
  constexpr double kFrom = 0.42;
  constexpr double kTo = 0.57;
  if (!low || low->share < kFrom || low->share > kTo) {
    return std::nullopt;
  }
  if (!low->between_nodes()) {
    return found(of, "half_rate", Sureness::likely,
                 fmt::format("{} is half of what the links within a node carry: half of the links "
                             "are down, or only one direction is used at a time",
                             gb_per_s(low->busbw)),
                 "'nvidia-smi nvlink -s' and 'nvidia-smi topo -m', and clocks of the GPUs",
                 "nvbandwidth -t device_to_device_bidirectional_memcpy_read_ce");
  }
  return found(of, "half_rate", Sureness::likely,
               fmt::format("{} is half of what the cards carry: one port of a bond, PCIe at half "
                           "width or one generation low, or traffic between card and GPU that "
                           "crosses the CPU (ACS, IOMMU)",
                           gb_per_s(low->busbw)),
               "'lspci -vv' for LnkSta and ACSCtl, NCCL_IB_QPS_PER_CONNECTION=2 for bonds, and one "
               "node after the other in pairs",
               "ib_write_bw -d mlx5_0 -a");
}

std::optional<Symptom> gpudirect_off(const Diagnosis& of) {
  const auto low = low_rate(of);
  if (!low || !low->between_nodes()) {
    return std::nullopt;
  }
  const bool logged = of.curve.log.gpudirect_off && !of.curve.log.gpudirect;
  constexpr double kFrom = 0.15;
  constexpr double kTo = 0.57;
  if (!logged && (low->share < kFrom || low->share > kTo)) {
    return std::nullopt;
  }
  return found(
      of, "gpudirect_off", logged ? Sureness::sure : Sureness::possible,
      fmt::format("{} is {:.0f} % of the expected rate, as if GPUDirect were off, and data "
                  "were copied through host memory{}",
                  gb_per_s(low->busbw), 100 * low->share,
                  logged ? "; the log says that it is off" : ""),
      "whether nvidia_peermem or DMA-BUF is available, NCCL_NET_GDR_LEVEL, and the log for "
      "'GPU Direct RDMA Disabled' and '/GDRDMA'",
      again_with(of, "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH"));
}

std::optional<Symptom> nvls_off(const Diagnosis& of) {
  const auto ring = rate_of_rings(of);
  if (!ring) {
    return std::nullopt;
  }
  return Symptom{
      "nvls_off",
      Severity::remark,
      Sureness::likely,
      fmt::format("{} is right for a ring ({}), so the switch does not add numbers "
                  "(NVLS); with NVLS, {} would be right",
                  gb_per_s(of.plateau->busbw_gb_per_s), gb_per_s(*ring),
                  gb_per_s(of.plateau->busbw_gb_per_s / of.plateau->of_lowest)),
      "NCCL_NVLS_ENABLE, the fabric manager's multicast in virtual machines, and the log "
      "for NVLS",
      again_with(of, "NCCL_NVLS_ENABLE=1 NCCL_ALGO=NVLS"),
      {}};
}

std::optional<Symptom> nvlink_unused(const Diagnosis& of) {
  const auto low = low_rate(of);
  if (!low || low->between_nodes() || low->machine.pcie_gb_per_s <= 0) {
    return std::nullopt;
  }
  constexpr double kMore = 1.1;
  if (low->busbw > kMore * low->machine.pcie_gb_per_s) {
    return std::nullopt;
  }
  return found(
      of, "nvlink_unused", Sureness::likely,
      fmt::format("{} is not more than PCIe carries: NVLink is not used", gb_per_s(low->busbw)),
      "'nvidia-smi topo -m' and 'nvidia-smi nvlink -s', the fabric manager, "
      "NCCL_P2P_DISABLE and NCCL_P2P_LEVEL, and the log for 'via P2P' or 'via SHM'",
      again_with(of, "NCCL_DEBUG=INFO"));
}

// True if times are the longer one of the healthy time and that at the low rate, rather than their
// sum: then something limits the rate alone, as a cost of each step does.
bool is_capped(const Diagnosis& of, const LowRate& low) {
  std::size_t telling = 0;
  std::size_t capped = 0;
  for (std::size_t i = 0; i < of.curve.rows.size(); ++i) {
    const CurveRow& row = of.curve.rows[i];
    const auto& expected = of.expected.rows[i];
    if (!expected) {
      continue;
    }
    const double at_rate_s = of.curve.bandwidths(row.bytes, 1).busbw_gb_per_s / low.busbw;
    const double longer_s = std::max(at_rate_s, expected->high_s);
    constexpr double kApart = 1.2;
    constexpr double kSame = 0.08;
    if (at_rate_s > expected->high_s && at_rate_s + expected->startup_s > kApart * longer_s) {
      ++telling;
      capped += std::abs(row.time_s / longer_s - 1) < kSame ? 1 : 0;
    }
  }
  return telling > 0 && 2 * capped > telling;
}

std::optional<Symptom> step_cost(const Diagnosis& of) {
  const auto low = low_rate(of);
  constexpr double kLeast = 0.05;
  constexpr std::size_t kSeveral = 3;
  if (!low || of.plateau->of_lowest > kLowShare ||
      of.plateau->first_row + kSeveral > of.curve.rows.size()) {
    return std::nullopt;
  }
  const bool capped = is_capped(of, *low);
  if (!capped && (low->share < kLeast || cards_that_fit(*low) > 0)) {
    return std::nullopt;
  }
  return found(
      of, "step_cost", capped ? Sureness::likely : Sureness::possible,
      fmt::format("the rate stays at {} from {} on, whatever the size: each step may cost "
                  "a fixed time (proxy, completion, polling), with too little in flight",
                  gb_per_s(low->busbw), human_bytes(of.curve.rows[of.plateau->first_row].bytes)),
      "whether the rate follows the chunk: NCCL_BUFFSIZE and NCCL_P2P_NET_CHUNKSIZE; then "
      "channels (NCCL_MIN_NCHANNELS) and queue pairs (NCCL_IB_QPS_PER_CONNECTION)",
      again_with(of, "NCCL_BUFFSIZE=8388608"));
}

std::optional<Symptom> slow_node(const Diagnosis& of) {
  const auto low = low_rate(of);
  if (!low || !low->between_nodes()) {
    return std::nullopt;
  }
  return found(
      of, "slow_node", Sureness::possible,
      fmt::format("{} is {:.0f} % of the expected rate; the slowest node or link of the "
                  "ring sets the rate of all",
                  gb_per_s(low->busbw), 100 * low->share),
      "the nodes in pairs, each with one that is known to be good, until one is left; each "
      "rail alone",
      again_with(of, fmt::format("NCCL_TESTS_SPLIT='MOD {}'", low->machine.gpus_per_node)));
}

std::optional<Symptom> low_in_node(const Diagnosis& of) {
  const auto low = low_rate(of);
  if (!low || low->between_nodes()) {
    return std::nullopt;
  }
  return found(of, "slow_gpu", Sureness::possible,
               fmt::format("{} is {:.0f} % of the expected rate; the slowest GPU or link sets the "
                           "rate of all",
                           gb_per_s(low->busbw), 100 * low->share),
               "clocks and throttling ('nvidia-smi -q -d PERFORMANCE'), links ('nvidia-smi nvlink "
               "-s'), and other jobs on the node",
               "nvbandwidth -t device_to_device_memcpy_read_ce");
}

std::optional<Symptom> low_on_platform(const Diagnosis& of) {
  if (!of.plateau || of.expected.rates || of.curve.pair || of.plateau->of_lowest >= kRightShare) {
    return std::nullopt;
  }
  return found(
      of, "low_on_platform", Sureness::likely,
      fmt::format("the rate of large messages is {:.0f} % of the lowest one that is expected "
                  "of {}: another algorithm, copies through memory, or fewer links than the "
                  "platform has",
                  100 * of.plateau->of_lowest, of.expected.by),
      "which algorithm the library ran ($library names the library), rendezvous with "
      "registration at each call, and whether ranks of a node share its card as in the "
      "platform",
      fmt::format("tutti compare {} -p {} -n {}", of.curve.call(), of.curve.ranks,
                  of.curve.rows.back().bytes));
}

constexpr std::array<ShapeCheck, 11> kShapes{bad_setting, sockets,       cards_missing,  half_rate,
                                             nvls_off,    nvlink_unused, gpudirect_off,  step_cost,
                                             slow_node,   low_in_node,   low_on_platform};

}  // namespace

std::span<const ShapeCheck> plateau_shapes() { return kShapes; }

}}  // namespace tutti::experiments
