#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/human.hpp"
#include "src/experiments/doctor/shapes.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Measured over expected rate at large sizes, if it is low.
std::optional<double> low_share(const Diagnosis& of) {
  if (!of.curve.pair || !of.plateau || of.plateau->of_lowest >= kRightShare) {
    return std::nullopt;
  }
  return of.plateau->of_lowest;
}

// Returns a symptom on the rate at large sizes.
Symptom low_between_pairs(const Diagnosis& of, std::string_view shape, Sureness sureness,
                          std::string text, std::string look_at) {
  const bool slow = of.plateau->of_lowest < kLowShare;
  return {shape,
          slow ? Severity::slow : Severity::low,
          sureness,
          std::move(text),
          std::move(look_at),
          "ib_write_bw -a",
          of.curve.rows[of.plateau->first_row].bytes};
}

std::optional<Symptom> half_of_link(const Diagnosis& of) {
  const auto share = low_share(of);
  constexpr double kFrom = 0.42;
  constexpr double kTo = 0.58;
  if (!share || *share < kFrom || *share > kTo) {
    return std::nullopt;
  }
  const std::string rate = gb_per_s(of.plateau->busbw_gb_per_s);
  if (of.curve.pair->test == PairTest::both_ways) {
    return low_between_pairs(
        of, "half_duplex", Sureness::likely,
        fmt::format("{} in each direction is half of what one direction carries: both "
                    "directions share something, such as PCIe or memory",
                    rate),
        "the rate in one direction (osu_bw), the NUMA node of card and process, and PCIe "
        "width and generation ('lspci -vv' for LnkSta)");
  }
  return low_between_pairs(
      of, "half_rate", Sureness::likely,
      fmt::format("{} is half of what the link carries: PCIe at half width or one "
                  "generation low, one port of two, or a link at a lower rate",
                  rate),
      "'ibstat' or 'ethtool' for the rate of the link, 'lspci -vv' for LnkSta, and how "
      "many cards and ports the library uses (UCX_NET_DEVICES, UCX_MAX_RNDV_RAILS)");
}

std::optional<Symptom> one_at_a_time(const Diagnosis& of) {
  const auto share = low_share(of);
  constexpr double kMost = 0.42;
  if (!share || *share > kMost) {
    return std::nullopt;
  }
  return low_between_pairs(
      of, "one_at_a_time", Sureness::possible,
      fmt::format("{} is {:.0f} % of what the link carries: large messages are copied, "
                  "registered at each call, or sent one after another, or they pass "
                  "sockets in place of RDMA",
                  gb_per_s(of.plateau->busbw_gb_per_s), 100 * *share),
      of.curve.pair->on_device
          ? "the transports that the library chose (UCX_LOG_LEVEL=info, UCX_TLS, "
            "FI_PROVIDER), GPUDirect RDMA (nvidia_peermem, DMA-BUF; ib_write_bw has an option for "
            "memory of GPUs), and the card beside the GPU"
          : "the transports that the library chose (UCX_LOG_LEVEL=info, UCX_TLS, "
            "FI_PROVIDER, OMPI_MCA_pml_base_verbose=10), and the cache of registered memory");
}

std::optional<Symptom> slow_link(const Diagnosis& of) {
  const auto share = low_share(of);
  if (!share) {
    return std::nullopt;
  }
  return low_between_pairs(
      of, "slow_link", Sureness::possible,
      fmt::format("{} is {:.0f} % of what the link carries", gb_per_s(of.plateau->busbw_gb_per_s),
                  100 * *share),
      "whether process, memory and card are on one NUMA node, other traffic on the link, "
      "and the same test between other nodes");
}

// A place where a message takes longer for its size than a shorter one.
std::optional<Symptom> rendezvous_step(const Diagnosis& of) {
  if (!of.curve.pair) {
    return std::nullopt;
  }
  constexpr double kClear = 1.12;
  const CurveRow* before = nullptr;
  const CurveRow* step = nullptr;
  double worst = kClear;
  for (std::size_t i = 1; i < of.curve.rows.size() && of.curve.rows[i].bytes <= kLargestStep; ++i) {
    const CurveRow& row = of.curve.rows[i];
    const double falls = of.curve.busbw(of.curve.rows[i - 1]) / of.curve.busbw(row);
    if (row.bytes > kSmallestStep && falls > worst && falls < kBadStep) {
      worst = falls;
      before = &of.curve.rows[i - 1];
      step = &row;
    }
  }
  if (step == nullptr) {
    return std::nullopt;
  }
  return Symptom{
      "rendezvous_step",
      Severity::remark,
      Sureness::likely,
      fmt::format("{} takes {} times as long as {}: the switch from eager to rendezvous messages; "
                  "a higher threshold would be faster at this size",
                  human_bytes(step->bytes), human_factor(step->time_s / before->time_s),
                  human_bytes(before->bytes)),
      "UCX_RNDV_THRESH, the eager limit of the btl (Open MPI), or I_MPI_EAGER_THRESHOLD",
      "",
      step->bytes};
}

// Returns the rate of the last rows in GB/s, if it hardly depends on the size.
std::optional<double> flat_rate(const MeasuredCurve& curve) {
  constexpr std::size_t kLast = 3;
  constexpr double kFlat = 1.15;
  if (curve.rows.size() < kLast) {
    return std::nullopt;
  }
  std::array<double, kLast> rates{};
  for (std::size_t i = 0; i < kLast; ++i) {
    rates[i] = curve.busbw(curve.rows[curve.rows.size() - kLast + i]);
  }
  std::ranges::sort(rates);
  return rates.back() < kFlat * rates.front() ? std::optional(rates[1]) : std::nullopt;
}

// Compares the rate with those of common links if no other is known.
std::optional<Symptom> usual_rate(const Diagnosis& of) {
  const bool alone = !of.curve.is_nccl && of.expected.by.empty();
  const auto rate = alone ? flat_rate(of.curve) : std::nullopt;
  if (!rate) {
    return std::nullopt;
  }
  std::string text =
      fmt::format("the rate at large sizes is {} {}", gb_per_s(*rate),
                  of.curve.pair ? "in one direction" : "(busbw), that of the links if rings ran");
  constexpr std::array<double, 10> kUsual_gbps{1, 10, 25, 40, 50, 56, 100, 200, 400, 800};
  constexpr double kLeast = 0.85;
  for (const double link : kUsual_gbps) {
    const double share = *rate * 8 / link;
    if (share >= kLeast && share <= 1) {
      text += fmt::format(", {:.0f} % of {:g} Gb/s: right for such a link, low for a faster one",
                          100 * share, link);
      break;
    }
  }
  return Symptom{"usual_rate", Severity::remark, Sureness::likely, std::move(text), "", "", {}};
}

constexpr std::array<ShapeCheck, 5> kPairShapes{half_of_link, one_at_a_time, slow_link, usual_rate,
                                                rendezvous_step};

}  // namespace

std::span<const ShapeCheck> pair_shapes() { return kPairShapes; }

}}  // namespace tutti::experiments
