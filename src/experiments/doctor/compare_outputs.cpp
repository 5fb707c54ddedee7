#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <tuple>

#include "base/human.hpp"
#include "src/experiments/doctor/doctor_report.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Two runs on one machine differ by up to this factor without a cause.
constexpr double kSameRun = 1.1;

std::string file_of(const Diagnosis& of) {
  return '\'' + std::filesystem::path(of.curve.file).filename().string() + '\'';
}

// Returns what the two outputs say about the difference of their settings: "NCCL 2.20.5 instead of
// 2.19.3"; "" if they are the same.
std::string other_settings(const Diagnosis& before, const Diagnosis& after) {
  const LogFacts& old = before.curve.log;
  const LogFacts& now = after.curve.log;
  std::string text;
  if (!now.release.empty() && !old.release.empty() && now.release != old.release) {
    text = fmt::format("NCCL {} instead of {}", now.release, old.release);
  }
  for (const auto& [variable, value] : now.variables) {
    const auto found = old.variables.find(variable);
    if (found == old.variables.end() || found->second != value) {
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", variable, value);
    }
  }
  for (const auto& [variable, value] : old.variables) {
    if (now.variables.find(variable) == now.variables.end()) {
      text += fmt::format("{}no {}={}", text.empty() ? "" : ", ", variable, value);
    }
  }
  return text;
}

// Returns whether the library's choices explain the change of a size.
std::string explained(const Diagnosis& before, const Diagnosis& after, std::size_t old,
                      std::size_t now) {
  const auto& was = before.expected.rows[old];
  const auto& is = after.expected.rows[now];
  if (!was || !is) {
    return "";
  }
  if (was->choice == is->choice) {
    return fmt::format("; {} would choose {} as before, so its model does not explain it",
                       after.expected.by, is->choice);
  }
  return fmt::format("; {} would choose {}, not {}", after.expected.by, is->choice, was->choice);
}

// The size whose time changed most.
struct LargestChange {
  std::size_t old = 0;
  std::size_t now = 0;
  double factor = 1;
  std::size_t sizes = 0;   // that both outputs have
  std::size_t slower = 0;  // sizes that are slower by more than kSameRun
  std::size_t faster = 0;
};

LargestChange largest_change(const Diagnosis& before, const Diagnosis& after) {
  LargestChange found;
  for (std::size_t now = 0; now < after.curve.rows.size(); ++now) {
    const CurveRow& row = after.curve.rows[now];
    const auto old = std::ranges::find(before.curve.rows, row.bytes, &CurveRow::bytes);
    if (old == before.curve.rows.end()) {
      continue;
    }
    ++found.sizes;
    const double factor = row.time_s / old->time_s;
    found.slower += factor > kSameRun ? 1 : 0;
    found.faster += factor < 1 / kSameRun ? 1 : 0;
    if (std::abs(std::log(factor)) > std::abs(std::log(found.factor))) {
      found.factor = factor;
      found.now = now;
      found.old = static_cast<std::size_t>(old - before.curve.rows.begin());
    }
  }
  return found;
}

// Compares two outputs of the same call on as many ranks.
std::optional<Symptom> changed(const Diagnosis& before, const Diagnosis& after) {
  const LargestChange change = largest_change(before, after);
  if (change.sizes == 0) {
    return std::nullopt;
  }
  const std::string settings = other_settings(before, after);
  const std::string with = settings.empty() ? "" : fmt::format(" (with {})", settings);
  const bool slower = change.factor > 1;
  const double size = std::max(change.factor, 1 / change.factor);
  // A few sizes with a small change are noise.
  constexpr double kClear = 1.3;
  constexpr std::size_t kSeveral = 3;
  const std::size_t changed = slower ? change.slower : change.faster;
  if (size < kSameRun || (size < kClear && changed < std::min(kSeveral, change.sizes))) {
    return Symptom{"same",
                   Severity::remark,
                   Sureness::likely,
                   fmt::format("{} takes as long in {} as in {}{}", after.curve.call(),
                               file_of(after), file_of(before), with),
                   "",
                   "",
                   {}};
  }
  return Symptom{
      slower ? "slower_than_before" : "faster_than_before",
      slower ? Severity::slow : Severity::remark,
      Sureness::likely,
      fmt::format("in {}{}, {} of {} takes {} times {} in {}, the largest change of {}{}",
                  file_of(after), with, after.curve.call(),
                  human_bytes(after.curve.rows[change.now].bytes), human_factor(size),
                  slower ? "as long as" : "less than", file_of(before),
                  counted(change.sizes, "size"), explained(before, after, change.old, change.now)),
      slower ? "the release of the library and of the driver, settings, and the nodes of both runs"
             : "",
      "",
      after.curve.rows[change.now].bytes};
}

// Compares runs of the same call on different numbers of ranks with what is expected of them.
std::optional<Symptom> growth(const std::vector<const Diagnosis*>& runs) {
  const Diagnosis* worst = nullptr;
  double least = 1;
  double best = 0;
  for (const Diagnosis* const each : runs) {
    if (!each->plateau || each->plateau->of_lowest <= 0) {
      return std::nullopt;
    }
    best = std::max(best, each->plateau->of_lowest);
    if (worst == nullptr || each->plateau->of_lowest < least) {
      least = each->plateau->of_lowest;
      worst = each;
    }
  }
  constexpr double kFalls = 0.8;
  if (worst == nullptr || least > kFalls * best) {
    return Symptom{
        "scales",
        Severity::remark,
        Sureness::likely,
        fmt::format("{} changes with the number of ranks as expected", runs.front()->curve.call()),
        "",
        "",
        {}};
  }
  return Symptom{
      "growth",
      Severity::slow,
      Sureness::likely,
      fmt::format("{} on {} reaches {:.0f} % of the expected rate, but {:.0f} % on other numbers "
                  "of ranks; no algorithm of {} explains it",
                  worst->curve.call(), counted(worst->curve.ranks, "rank"), 100 * least, 100 * best,
                  worst->expected.by),
      "the nodes that only this run has, and links between switches that are shared or fewer than "
      "needed",
      "",
      {}};
}

}  // namespace

std::vector<Symptom> compare_outputs(const std::vector<Diagnosis>& diagnoses) {
  std::vector<Symptom> found;
  using Call = std::tuple<std::string, std::uint32_t, std::string>;
  std::map<Call, std::vector<const Diagnosis*>> of_call;
  std::map<std::string, std::vector<const Diagnosis*>> of_collective;
  for (const Diagnosis& each : diagnoses) {
    if (each.verdict == Health::invalid || each.verdict == Health::wrong) {
      continue;
    }
    const std::string call = each.curve.call() + '/' + each.curve.algorithm_text;
    auto& same = of_call[{call, each.curve.ranks, each.expected.machine}];
    if (same.empty()) {
      of_collective[call].push_back(&each);
    }
    same.push_back(&each);
  }
  for (const auto& [call, same] : of_call) {
    for (std::size_t i = 1; i < same.size(); ++i) {
      if (auto symptom = changed(*same.front(), *same[i])) {
        found.push_back(std::move(*symptom));
      }
    }
  }
  for (const auto& [call, scales] : of_collective) {
    if (scales.size() > 1) {
      if (auto symptom = growth(scales)) {
        found.push_back(std::move(*symptom));
      }
    }
  }
  std::ranges::stable_sort(found, std::greater(), &Symptom::severity);
  return found;
}

}}  // namespace tutti::experiments
