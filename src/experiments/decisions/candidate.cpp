#include "src/experiments/decisions/candidate.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "schedules/options/tree.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/registry.hpp"
#include "src/rule_files/library_algorithms.hpp"

namespace tutti {

namespace {

constexpr std::array<std::string_view, 2> kFolds{"neighbours", "far"};

bool takes(const Algorithm& algorithm, Option option) {
  return (algorithm.options & static_cast<unsigned>(option)) != 0;
}

std::vector<std::string> values(bool taken, const OptionText& given,
                                std::span<const std::string_view> all) {
  if (!taken) {
    return {""};
  }
  if (given && given != "all") {
    return {*given};
  }
  return {all.begin(), all.end()};
}

void add_ways(const Algorithm& algorithm, const ProblemOptions& options, Candidates& candidates,
              std::optional<RuleFormat> library) {
  const auto trees =
      values(takes(algorithm, Option::tree), options.tree,
             std::span(kTreeNames).first(library ? kTreeNames.size() : kCommonTrees));
  const auto folds = values(library && takes(algorithm, Option::fold), options.fold, kFolds);
  const auto skips = values(takes(algorithm, Option::skips), options.skips, kSkipSchemes);
  bool any = false;
  const auto add = [&](const std::string& tree, const std::string& scheme,
                       const std::string& fold) {
    Candidate candidate;
    candidate.contender = {&algorithm, options.applicable_to(algorithm), ""};
    ProblemOptions& own = candidate.contender.options;
    candidate.choice.algorithm = algorithm.name;
    if (!tree.empty()) {
      own.tree = candidate.choice.tree = tree;
    }
    if (!scheme.empty()) {
      own.skips = candidate.choice.skips = scheme;
    }
    if (!fold.empty()) {
      own.fold = fold;
    }
    if (own.fold == "far") {
      candidate.choice.fold = *own.fold;
    }
    if (takes(algorithm, Option::cuts)) {
      if (library && !own.cuts && !cuts_of(*library).empty()) {
        own.cuts = cuts_of(*library);
      }
      candidate.choice.cuts = own.cuts.value_or("");
    }
    if (takes(algorithm, Option::parts)) {
      if (library && !own.parts && cuts_of(*library) == name(Cuts::open_mpi)) {
        own.parts = cuts_of(*library);
      }
      candidate.choice.parts = own.parts.value_or("");
    }
    if (takes(algorithm, Option::segment)) {
      candidate.cuts = !own.segment || own.segment == "auto";
      own.segment = own.segment.value_or("auto");
    }
    candidate.contender.label = in_words(candidate.choice);
    if (library) {
      const LibraryAlgorithm* known = find_for(*library, algorithm.collective, candidate.choice);
      if (known == nullptr) {
        return;
      }
      candidate.choice.library_algorithm = known->name;
      candidate.powers_of_two_only = known->powers_of_two_only;
      if (takes(algorithm, Option::segment) && !known->segments) {
        return;  // what cuts here does not cut there
      }
    }
    any = true;
    candidates.all.push_back(std::move(candidate));
  };
  for (const std::string& tree : trees) {
    for (const std::string& scheme : skips) {
      for (const std::string& fold : folds) {
        add(tree, scheme, fold);
      }
    }
  }
  if (!any) {
    candidates.left_out.emplace_back(algorithm.name);
  }
}

}  // namespace

Candidates candidates_of(Collective collective, const ProblemOptions& options,
                         std::optional<RuleFormat> library) {
  Candidates candidates;
  for (const Algorithm* algorithm : algorithms()) {
    const bool is_form = is_library_form(collective, algorithm->name);
    if (algorithm->collective == collective && (library || !is_form)) {
      add_ways(*algorithm, options, candidates, library);
    }
  }
  if (candidates.all.empty()) {
    throw UserError(fmt::format("--export {}: none of tutti's algorithms for {} is one of its own",
                                name(*library), name(collective)));
  }
  return candidates;
}

}  // namespace tutti
