#include "src/experiments/decisions/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/median.hpp"
#include "base/quantities.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/measured_rows.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline experiments {

namespace {

template <typename Number>
Number number_of(const MeasuredRow& run, const std::string& key) {
  const std::string text = run.get(key);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // from_chars accepts "nan" and "inf" as real numbers.
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0 ||
      !std::isfinite(static_cast<double>(number))) {
    throw UserError(
        fmt::format("{}:{}: {} '{}': must be a number, 0 or more", run.path, run.line, key, text));
  }
  return number;
}

std::string algorithm_of(const MeasuredRow& run) {
  const std::string algorithm = run.get("algorithm");
  const auto slash = algorithm.find('/');
  return slash == std::string::npos ? algorithm : algorithm.substr(slash + 1);
}

bool is_known(Collective collective, const std::string& algorithm) {
  return std::ranges::any_of(algorithms(), [&](const Algorithm* each) {
    return each->collective == collective && each->name == algorithm;
  });
}

// Returns the candidate that `run` belongs to. An option that the run does not state has its
// default value: a pipeline without a tree is a chain. The option `cuts` is an exception: a run
// without it matches every value, because runs of a library itself do not state it.
std::optional<std::size_t> candidate_of(const Decision& decision, const MeasuredRow& run) {
  const std::string algorithm = algorithm_of(run);
  const auto same = [&](const Candidate& candidate, const OptionType& type) {
    const std::string standard = type.print(Problem{});
    const std::string key(type.json_key);
    const std::string theirs = run.get(key);
    const bool unsaid = type.option == Option::cuts && !run.fields.contains(key);
    return unsaid || !takes(*candidate.contender.algorithm, type.option) ||
           type.print(candidate.choice.options.values()) == (theirs.empty() ? standard : theirs);
  };
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const Candidate& candidate = decision.candidates[i];
    if (candidate.choice.algorithm == algorithm &&
        std::ranges::all_of(choice_options(),
                            [&](const OptionType* type) { return same(candidate, *type); })) {
      return i;
    }
  }
  return std::nullopt;
}

// Fills in what the user did not say about a benchmark's file. The collective is that of the
// decision, and so is the number of ranks, if the decision has only one.
void complete(MeasuredSource& source, const Decision& decision) {
  if (!source.algorithm.empty() && source.algorithm.find('/') == std::string::npos) {
    source.algorithm = fmt::format("{}/{}", name(decision.collective), source.algorithm);
  }
  if (!source.ranks && decision.ranks.size() == 1) {
    source.ranks = decision.ranks.front();
  }
}

// Fills in the times of the decision's cells from `rows`. `from` is the list of files as the user
// wrote it, for error messages.
void fill_in(const std::vector<MeasuredRow>& rows, const std::string& from, Decision& decision) {
  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      cell.times.assign(decision.candidates.size(), {});
    }
  }
  // Measured times by cell, and then by candidate and segment size, because a median must not mix
  // times with different segment sizes.
  std::map<TimedCell*, std::map<std::pair<std::size_t, std::uint64_t>, std::vector<double>>> times;
  for (const MeasuredRow& run : rows) {
    const std::string collective = run.get("collective");
    if (!collective.empty() && collective != name(decision.collective)) {
      continue;
    }
    const auto ranks = number_of<std::uint32_t>(run, "ranks");
    const auto bytes = number_of<std::uint64_t>(run, "bytes");
    if (run.get("too_busy") == "true") {
      ++decision.too_busy_runs;
      continue;
    }
    const std::string key = run.fields.contains("seconds") ? "seconds" : "median_s";
    if ((run.fields.contains("state") || run.fields.contains("refused")) && run.get(key).empty()) {
      continue;  // a refused run, in a file that tutti wrote
    }
    const auto seconds = number_of<double>(run, key);
    const auto candidate = candidate_of(decision, run);
    if (!candidate) {
      const std::string algorithm = algorithm_of(run);
      if (is_known(decision.collective, algorithm)) {
        continue;  // the user excluded the algorithm, or the library lacks it
      }
      throw UserError(fmt::format("{}:{}: tutti has no algorithm {}/{}", run.path, run.line,
                                  name(decision.collective), algorithm));
    }
    const std::uint64_t segment =
        run.get("segment_bytes").empty() ? 0 : number_of<std::uint64_t>(run, "segment_bytes");
    for (RankDecision& each : decision.decisions) {
      for (TimedCell& cell : each.cells) {
        if (each.ranks == ranks && cell.bytes == bytes) {
          times[&cell][{*candidate, segment}].push_back(seconds);
        }
      }
    }
  }
  if (times.empty()) {
    throw UserError(
        fmt::format("'{}' has no run of {} with these algorithms, numbers of ranks and sizes", from,
                    name(decision.collective)) +
        (decision.too_busy_runs == 0
             ? std::string()
             : fmt::format(", except {} on a machine too busy for reliable times; measure on a "
                           "quieter machine, or with a longer --budget",
                           counted(decision.too_busy_runs, "run"))));
  }
  for (auto& [cell, by_way] : times) {
    for (auto& [way, seconds] : by_way) {
      CandidateTime& time = cell->times[way.first];
      const double middle = median(seconds);
      if (!time.timed() || middle < time.seconds) {
        time.state = CandidateTime::State::timed;
        time.seconds = middle;
        time.segment_bytes = way.second;
      }
    }
  }
}

}  // namespace

void fill_in_measured(const std::string& sources, Decision& decision) {
  std::vector<MeasuredRow> rows;
  for (MeasuredSource& source : measured_sources("--by measured", sources)) {
    const std::string text = read_text_file(source.path);
    complete(source, decision);
    for (MeasuredRow& row : measured_rows(text, source)) {
      rows.push_back(std::move(row));
    }
  }
  fill_in(rows, sources, decision);
}

void fill_in_measured_text(const std::string& text, const std::string& path, Decision& decision) {
  MeasuredSource source{path, "", std::nullopt};
  complete(source, decision);
  fill_in(measured_rows(text, source), path, decision);
}

}  // namespace tutti::inline experiments
