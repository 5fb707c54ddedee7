#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/human.hpp"
#include "src/experiments/doctor/shapes.hpp"

namespace tutti { inline namespace experiments {

namespace {

Symptom remark(std::string_view shape, std::string text, std::string command = "") {
  return {shape, Severity::remark, Sureness::likely, std::move(text), "", std::move(command), {}};
}

std::optional<Symptom> above_the_cards(const Diagnosis& of) {
  const auto& rates = of.expected.rates;
  if (!of.plateau || !rates || rates->nodes < 2 || of.curve.collective != Collective::allreduce ||
      of.plateau->busbw_gb_per_s <= rates->cards_gb_per_s()) {
    return std::nullopt;
  }
  return remark(
      "above_the_cards",
      fmt::format("{:.4g} GB/s is more than the {:g} GB/s of a node's cards, and {}",
                  of.plateau->busbw_gb_per_s, rates->cards_gb_per_s(),
                  rates->nodes == 2
                      ? "right: trees on 2 nodes send less than a ring, but busbw counts as if a "
                        "ring ran; to test the cards, force the ring"
                      : "possible only if switches of the network add numbers (SHARP), or if a "
                        "node has more or faster cards"),
      again_with(of, "NCCL_ALGO=Ring"));
}

std::optional<Symptom> above_the_links(const Diagnosis& of) {
  const auto& rates = of.expected.rates;
  if (!of.plateau || !rates || rates->nodes > 1 || !rates->switch_reduces ||
      of.plateau->busbw_gb_per_s <= rates->wire_gb_per_s) {
    return std::nullopt;
  }
  return remark("above_the_links",
                fmt::format("{:.4g} GB/s is more than the {:g} GB/s of a GPU's links, and right: "
                            "the switch adds numbers (NVLS), and busbw counts bytes that are not "
                            "sent",
                            of.plateau->busbw_gb_per_s, rates->wire_gb_per_s),
                again_with(of, "NCCL_NVLS_ENABLE=0"));
}

std::optional<Symptom> late_ramp(const Diagnosis& of) {
  const bool large_right =
      of.plateau ? of.plateau->of_lowest >= kRightShare : of.rows.back().verdict == Health::right;
  if (!of.curve.is_nccl || !large_right) {
    return std::nullopt;
  }
  const std::size_t end = of.plateau ? of.plateau->first_row : of.rows.size();
  const CurveRow* first = nullptr;
  const CurveRow* last = nullptr;
  double most = 1;
  for (std::size_t i = 0; i < end; ++i) {
    const auto& expected = of.expected.rows[i];
    if (expected && of.rows[i].verdict == Health::slow &&
        expected->high_s > 2 * expected->startup_s) {
      first = first == nullptr ? &of.curve.rows[i] : first;
      last = &of.curve.rows[i];
      most = std::max(most, of.rows[i].ratio.value_or(1));
    }
  }
  if (first == nullptr) {
    return std::nullopt;
  }
  const std::string sizes =
      first == last ? human_bytes(first->bytes)
                    : fmt::format("{} to {}", human_bytes(first->bytes), human_bytes(last->bytes));
  return remark("late_ramp",
                fmt::format("{} takes up to {} times as long as expected, though large sizes are "
                            "right: usual for networks other than InfiniBand",
                            sizes, human_factor(most)));
}

std::optional<Symptom> too_small(const Diagnosis& of) {
  if (of.plateau || !of.expected.rates) {
    return std::nullopt;
  }
  const std::uint64_t last = of.curve.rows.back().bytes;
  std::uint64_t needed = of.expected.rates->nodes > 1 ? std::uint64_t{8} << 30U : 1U << 30U;
  while (needed <= last) {
    needed *= 4;
  }
  return remark("too_small",
                fmt::format("{} is too small to show the rate of large messages; measure up to {}",
                            human_bytes(last), human_bytes(needed)),
                again_with(of, "", fmt::format("-b 8 -e {}G", needed >> 30U)));
}

std::optional<Symptom> faster_than_expected(const Diagnosis& of) {
  constexpr double kFaster = 1.25;
  if (!of.plateau || of.plateau->of_highest < kFaster) {
    return std::nullopt;
  }
  return remark("faster_than_expected",
                fmt::format("{:.4g} GB/s is {} times what is expected of {}: the machine may have "
                            "more or faster cards or links",
                            of.plateau->busbw_gb_per_s, human_factor(of.plateau->of_highest),
                            of.expected.machine));
}

std::optional<Symptom> few_calls(const Diagnosis& of) {
  const LogFacts& log = of.curve.log;
  const bool cold = log.warm_ups == 0U;
  if (!cold && log.iterations.value_or(2) > 1) {
    return std::nullopt;
  }
  return remark("few_calls",
                cold ? "there was no call before the timed ones, so times have set-up in them"
                     : "each time is that of a single call",
                again_with(of, "", "-b 8 -e 8G -w 5 -n 20"));
}

std::optional<Symptom> averages(const Diagnosis& of) {
  if (!of.curve.is_average) {
    return std::nullopt;
  }
  return remark("averages",
                "the times are means over the ranks, which hide ranks that are late; OSU "
                "benchmarks print the slowest rank with -f");
}

constexpr std::array<ShapeCheck, 7> kShapes{above_the_cards, above_the_links,      late_ramp,
                                            too_small,       faster_than_expected, few_calls,
                                            averages};

}  // namespace

std::span<const ShapeCheck> remark_shapes() { return kShapes; }

}}  // namespace tutti::experiments
