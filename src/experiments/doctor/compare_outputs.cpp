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

// Returns the name of the file, with the line if the other output is in a file of the same name.
std::string file_of(const Diagnosis& of, const Diagnosis& other) {
  const auto file_name = [](const Diagnosis& each) {
    return std::filesystem::path(each.curve.file).filename().string();
  };
  const std::string name = file_name(of);
  return name == file_name(other) ? fmt::format("'{}', line {}", name, of.curve.line)
                                  : fmt::format("'{}'", name);
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
                               file_of(after, before), file_of(before, after), with),
                   "",
                   "",
                   {}};
  }
  return Symptom{
      slower ? "slower_than_before" : "faster_than_before",
      slower ? Severity::slow : Severity::remark,
      Sureness::likely,
      fmt::format("in {}{}, {} of {} takes {} times {} in {}, the largest change of {}{}",
                  file_of(after, before), with, after.curve.call(),
                  human_bytes(after.curve.rows[change.now].bytes), human_factor(size),
                  slower ? "as long as" : "less than", file_of(before, after),
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

// Returns the rates of the runs at the largest size that all of them have; empty if there is none.
std::vector<double> rates_at_one_size(const std::vector<const Diagnosis*>& runs) {
  const std::vector<CurveRow>& first = runs.front()->curve.rows;
  for (std::size_t i = first.size(); i-- > 0;) {
    std::vector<double> rates;
    for (const Diagnosis* const each : runs) {
      const auto row = std::ranges::find(each->curve.rows, first[i].bytes, &CurveRow::bytes);
      if (row != each->curve.rows.end()) {
        rates.push_back(each->curve.busbw(*row));
      }
    }
    if (rates.size() == runs.size()) {
      return rates;
    }
  }
  return {};
}

// Looks for a host with which every run is slow. The runs are of the same call on as many ranks.
std::optional<Symptom> slow_host(const std::vector<const Diagnosis*>& runs) {
  const std::vector<double> rates = rates_at_one_size(runs);
  if (rates.empty()) {
    return std::nullopt;
  }
  const double best = *std::ranges::max_element(rates);
  constexpr double kSlow = 0.75;
  std::map<std::string, std::vector<double>> rates_with;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const std::string& host : runs[i]->curve.hosts) {
      rates_with[host].push_back(rates[i]);
    }
  }
  constexpr std::size_t kSeveral = 2;
  for (const auto& [host, with] : rates_with) {
    const double fastest = *std::ranges::max_element(with);
    if (with.size() >= kSeveral && with.size() < runs.size() && fastest < kSlow * best) {
      return Symptom{"slow_host",
                     Severity::slow,
                     Sureness::likely,
                     fmt::format("all {} with host '{}' are slow: at most {:.3g} GB/s, against "
                                 "{:.3g} GB/s without it",
                                 counted(with.size(), "run"), host, fastest, best),
                     "cards, links, PCIe width, BIOS settings and throttling of this host",
                     "",
                     {}};
    }
  }
  return std::nullopt;
}

// Looks for a number of nodes that is slower than both fewer and more nodes.
std::optional<Symptom> slow_between(std::vector<const Diagnosis*> runs) {
  std::erase_if(runs, [](const Diagnosis* run) { return !run->curve.nodes; });
  std::ranges::sort(runs, {}, [](const Diagnosis* run) { return *run->curve.nodes; });
  const std::vector<double> rates =
      runs.size() < 3 ? std::vector<double>() : rates_at_one_size(runs);
  constexpr double kSlow = 0.7;
  for (std::size_t i = 1; i + 1 < rates.size(); ++i) {
    if (rates[i] < kSlow * std::min(rates[i - 1], rates[i + 1])) {
      return Symptom{"slow_between",
                     Severity::slow,
                     Sureness::likely,
                     fmt::format("{} on {} reaches {:.3g} GB/s, but {:.3g} GB/s on {} nodes and "
                                 "{:.3g} GB/s on {}: the rings of this number of nodes do not fit "
                                 "the cards, or one node is slow",
                                 runs[i]->curve.call(), counted(*runs[i]->curve.nodes, "node"),
                                 rates[i], rates[i - 1], *runs[i - 1]->curve.nodes, rates[i + 1],
                                 *runs[i + 1]->curve.nodes),
                     "the rings in the log (NCCL_DEBUG_SUBSYS=GRAPH), NCCL_CROSS_NIC, and the "
                     "nodes in pairs",
                     "",
                     {}};
    }
  }
  return std::nullopt;
}

// Compares messages in both directions with those in one direction between as many ranks.
std::optional<Symptom> half_duplex(const std::vector<Diagnosis>& all) {
  for (const Diagnosis& both : all) {
    for (const Diagnosis& one : all) {
      if (!both.curve.pair || !one.curve.pair || both.curve.ranks != one.curve.ranks ||
          both.curve.pair->test != PairTest::both_ways ||
          one.curve.pair->test != PairTest::stream) {
        continue;
      }
      const std::vector<double> rates = rates_at_one_size({&both, &one});
      constexpr double kHalf = 0.65;
      if (!rates.empty() && rates[0] < kHalf * rates[1]) {
        return Symptom{
            "half_duplex",
            Severity::slow,
            Sureness::likely,
            fmt::format("{} carries {:.3g} GB/s in each direction, but {} {:.3g} GB/s in "
                        "one: both directions share something, such as PCIe or memory",
                        both.curve.call(), rates[0], one.curve.call(), rates[1]),
            "PCIe width and generation ('lspci -vv' for LnkSta), and the NUMA node of "
            "card and process",
            "",
            {}};
      }
    }
  }
  return std::nullopt;
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
    const std::string call =
        each.curve.call() + '/' + each.curve.algorithm_text + '/' + each.curve.elements;
    auto& same = of_call[{call, each.curve.ranks, each.expected.machine}];
    if (same.empty()) {
      of_collective[call].push_back(&each);
    }
    same.push_back(&each);
  }
  const auto add = [&](std::optional<Symptom> symptom) {
    const bool is_new = symptom.has_value();
    if (symptom) {
      found.push_back(std::move(*symptom));
    }
    return is_new;
  };
  add(half_duplex(diagnoses));
  for (const auto& [call, same] : of_call) {
    const bool other_hosts = same.size() > 2 && std::ranges::any_of(same, [&](const auto* each) {
                               return each->curve.hosts != same.front()->curve.hosts;
                             });
    if (other_hosts && add(slow_host(same))) {
      continue;
    }
    for (std::size_t i = 1; i < same.size(); ++i) {
      add(changed(*same.front(), *same[i]));
    }
  }
  for (const auto& [call, scales] : of_collective) {
    if (scales.size() > 1 && !add(slow_between(scales))) {
      add(growth(scales));
    }
  }
  std::ranges::stable_sort(found, std::greater(), &Symptom::severity);
  return found;
}

}}  // namespace tutti::experiments
