#include "src/report/winners_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/human.hpp"
#include "simulation/explain/why_first.hpp"
#include "src/formats/text_table.hpp"

namespace tutti {

double best_s(const Comparison& comparison, std::size_t rank, std::size_t size) {
  double best = -1;
  for (std::size_t i = 0; i < comparison.contenders.size(); ++i) {
    const RunResult* const result = comparison.run(rank, size, i).outcome.result();
    if (result != nullptr && (best < 0 || result->simulated_s < best)) {
      best = result->simulated_s;
    }
  }
  return best;
}

namespace {

std::vector<std::size_t> winners(const Comparison& comparison, std::size_t rank, std::size_t size) {
  std::vector<std::size_t> found;
  const double best = best_s(comparison, rank, size);
  for (std::size_t i = 0; i < comparison.contenders.size(); ++i) {
    const RunResult* const result = comparison.run(rank, size, i).outcome.result();
    if (result != nullptr && !differs(result->simulated_s, best)) {
      found.push_back(i);
    }
  }
  return found;
}

struct Reign {
  std::vector<std::size_t> who;
  std::uint64_t from_bytes = 0;
  std::size_t size = 0;  // the first
};

std::vector<Reign> reigns_of(const Comparison& comparison, std::size_t rank,
                             const std::vector<std::size_t>& sizes) {
  std::vector<Reign> reigns;
  for (const std::size_t size : sizes) {
    const std::vector<std::size_t> best = winners(comparison, rank, size);
    if (best.empty()) {
      continue;
    }
    std::vector<std::size_t> both;
    if (!reigns.empty()) {
      std::set_intersection(reigns.back().who.begin(), reigns.back().who.end(), best.begin(),
                            best.end(), std::back_inserter(both));
    }
    if (both.empty()) {
      reigns.push_back({best, comparison.sizes_bytes[size], size});
    } else {
      reigns.back().who = both;
    }
  }
  return reigns;
}

std::string winners_text(const Comparison& comparison, const std::vector<Reign>& reigns,
                         const std::vector<std::size_t>& sizes) {
  if (reigns.empty()) {
    return "none: nothing ran";
  }
  std::vector<std::string> texts;
  for (const Reign& reign : reigns) {
    std::vector<std::string> names;
    names.reserve(reign.who.size());
    for (const std::size_t i : reign.who) {
      names.push_back(comparison.contenders[i].label);
    }
    std::string text = fmt::format("{}", fmt::join(names, " = "));
    if (reigns.size() > 1) {
      text += fmt::format(" from {} on", human_bytes(reign.from_bytes));
    } else if (sizes.size() > 1) {
      text += " at every size";
    }
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// The first of a reign against the next that is not as good.
std::string why_text(const Comparison& comparison, std::size_t rank, const Reign& reign) {
  const auto run = [&](std::size_t i) {
    return comparison.run(rank, reign.size, i).outcome.result();
  };
  const RunResult* const best = run(reign.who.front());
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < comparison.contenders.size(); ++i) {
    const RunResult* const other = run(i);
    if (other != nullptr && differs(other->simulated_s, best->simulated_s) &&
        (!second || other->simulated_s < run(*second)->simulated_s)) {
      second = i;
    }
  }
  if (!second) {
    return "";
  }
  const std::string why =
      why_first({best->algorithm, best->problem, &best->machine},
                {run(*second)->algorithm, run(*second)->problem, &run(*second)->machine},
                comparison.contenders[*second].label);
  return why.empty() ? ""
                     : fmt::format("{}: {}", comparison.contenders[reign.who.front()].label, why);
}

}  // namespace

void print_winners(const Comparison& comparison, std::ostream& out) {
  if (comparison.contenders.size() < 2) {
    return;
  }
  out << "\nBest, by simulated time\n";
  std::vector<std::size_t> sizes(comparison.sizes_bytes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = i;
  }
  std::sort(sizes.begin(), sizes.end(), [&](std::size_t a, std::size_t b) {
    return comparison.sizes_bytes[a] < comparison.sizes_bytes[b];
  });
  for (std::size_t rank = 0; rank < comparison.ranks.size(); ++rank) {
    const std::vector<Reign> reigns = reigns_of(comparison, rank, sizes);
    print_field(out, 2, 10, fmt::format("p = {}", comparison.ranks[rank]),
                winners_text(comparison, reigns, sizes));
    for (const Reign& reign : reigns) {
      if (const std::string why = why_text(comparison, rank, reign); !why.empty()) {
        print_field(
            out, 2, 10, "",
            sizes.size() > 1 ? fmt::format("at {}, {}", human_bytes(reign.from_bytes), why) : why);
      }
    }
  }
}

}  // namespace tutti
