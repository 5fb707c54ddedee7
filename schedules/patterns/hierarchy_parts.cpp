#include "schedules/patterns/hierarchy_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Returns the default algorithm of a stage: trees for small vectors, and load sharing for lanes.
std::string_view standard_part(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return "recursive_doubling";
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return "butterfly";  // keeps the order of ranks
    case Collective::allgather:
      return "circulant";
    case Collective::barrier:
      return "dissemination";
    case Collective::alltoall:
      return "pairwise";
    default:
      return "binomial";
  }
}

NamedPart named_part(std::string_view flag, const StageParts& all, const OnePart& part,
                     Collective collective) {
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("{} '{}': {}", flag, to_text(all), why));
  };
  const Algorithm* const algorithm = find_algorithm(collective, part.algorithm);
  if (algorithm == nullptr) {
    refuse(fmt::format("there is no {}/{}", name(collective), part.algorithm));
  } else if (part.tree && !takes(*algorithm, Option::tree)) {
    refuse(fmt::format("{} takes no tree", algorithm->full_name()));
  } else if (part.segment_bytes != 0 && !takes(*algorithm, Option::segment)) {
    refuse(fmt::format("{} takes no segment", algorithm->full_name()));
  } else if (part.radix != 0 && !takes(*algorithm, Option::radix)) {
    refuse(fmt::format("{} takes no radix", algorithm->full_name()));
  } else if (part.fold != Fold::neighbours && !takes(*algorithm, Option::fold)) {
    refuse(fmt::format("{} takes no fold", algorithm->full_name()));
  } else if (part.cuts != Cuts::even && !takes(*algorithm, Option::cuts)) {
    refuse(fmt::format("{} takes no cuts", algorithm->full_name()));
  }
  return {algorithm, part};
}

}  // namespace

std::vector<NamedStage> named_parts(std::string_view flag, const StageParts& all, std::size_t level,
                                    const std::vector<Collective>& collectives) {
  std::vector<NamedStage> found;
  if (all.standard()) {
    for (const Collective collective : collectives) {
      const std::string_view part = standard_part(collective);
      found.push_back({{find_algorithm(collective, part), {.algorithm = std::string(part)}},
                       std::nullopt,
                       std::nullopt});
    }
    return found;
  }
  const std::vector<StagePart>& parts = all.levels[std::min(level, all.levels.size() - 1)];
  if (parts.size() != collectives.size()) {
    std::string wanted;
    for (const Collective collective : collectives) {
      wanted += fmt::format("{}one for {}", wanted.empty() ? "" : ", then ", name(collective));
    }
    throw UserError(fmt::format("{} '{}': expected an algorithm for each stage: {}", flag,
                                to_text(all), wanted));
  }
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const auto named = [&](const std::optional<OnePart>& part) {
      return part ? std::optional(named_part(flag, all, *part, collectives[at])) : std::nullopt;
    };
    found.push_back({*named(parts[at].first), named(parts[at].others), named(parts[at].last)});
  }
  return found;
}

}}  // namespace tutti::schedules
