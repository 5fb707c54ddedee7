#include "src/experiments/decisions/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/options/word_list.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/predictions.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich/names.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the values worth trying for an option that the user did not set; empty if the default
// suffices.
std::vector<Problem> values_worth_trying(const OptionType& type, const Problem& problem,
                                         std::optional<RuleFormat> library) {
  std::vector<Problem> values;
  for (OptionTrial& trial : type.trials(problem)) {
    if (trial.from == TriedFor::deciding || (library && trial.from == TriedFor::libraries)) {
      values.push_back(std::move(trial.problem));
    }
  }
  return values;
}

// Replaces each of `ways` (ways to run the algorithm) by several ways, one for each value to try
// for the option `type`: the values that the user listed or, if there is no list, the values worth
// trying. Does nothing if the algorithm does not take the option, or if the user gave a single
// value.
void try_values(const OptionType& type, const Algorithm& algorithm,
                std::optional<RuleFormat> library, std::vector<ProblemTemplate>& ways) {
  if (!takes(algorithm, type.option) || ways.front().options.has(type.option)) {
    return;
  }
  const DefaultedNumber* const own = defaulted_number(algorithm, type.option);
  std::vector<ProblemTemplate> more;
  for (const ProblemTemplate& way : ways) {
    // Some values are worth trying only with certain values of another option.
    Problem problem = way.options.values();
    problem.collective = algorithm.collective;
    const auto* const several = way.several(type.option);
    for (const Problem& value :
         several != nullptr ? *several : values_worth_trying(type, problem, library)) {
      // Skip an explicit value that always equals the algorithm's default.
      if (own != nullptr && own->is_redundant(value)) {
        continue;
      }
      more.push_back(way);
      more.back().give(type.option, value);
    }
  }
  if (!more.empty()) {
    ways = std::move(more);
  }
}

// Sets the options `cuts` (how a vector is cut into blocks) and `parts` (the algorithms of the two
// collectives that a composed algorithm runs) to the library's values, unless the user set these
// options.
void take_after(RuleFormat library, const Algorithm& algorithm, ProblemTemplate& way) {
  const auto cuts = named<Cuts>(kCutsNames, cuts_of(library));
  if (!cuts) {
    return;
  }
  Problem own;
  own.cuts = *cuts;
  own.parts.kind = TwoParts::Kind::open_mpi;
  if (takes(algorithm, Option::cuts) && !way.options.has(Option::cuts)) {
    way.give(Option::cuts, own);
  }
  if (takes(algorithm, Option::parts) && !way.options.has(Option::parts) &&
      cuts == Cuts::open_mpi) {
    way.give(Option::parts, own);
  }
}

// Returns the choice by which a decision table selects `algorithm` with the options of `way`.
Choice choice_of(const Algorithm& algorithm, const ProblemTemplate& way) {
  Choice choice;
  choice.algorithm = algorithm.name;
  for (const OptionType* type : choice_options()) {
    // Tables do not state the default fold, or a number that is the algorithm's default.
    const bool by_default = type->is_default(way.options.values());
    const bool given =
        !by_default || (type->option != Option::fold && !type->print(way.options.values()).empty());
    if (way.options.has(type->option) && given) {
      choice.options.give(type->option, way.options.values());
    }
  }
  return choice;
}

// Returns the candidate that cuts vectors as the algorithm of `candidate` does without --segment.
Candidate with_default_segments(const Candidate& candidate) {
  Candidate found = candidate;
  found.cuts = false;
  found.choice.default_segments = true;
  found.contender.problem_template.best_segment = false;
  found.contender.label = in_words(found.choice);
  return found;
}

void add_ways(const Algorithm& algorithm, const ProblemTemplate& problem_template,
              const CandidateFilter& who, Candidates& candidates) {
  const std::optional<RuleFormat> library = who.library;
  std::vector<ProblemTemplate> ways{problem_template.applicable_to(algorithm)};
  for (const OptionType* type : choice_options()) {
    try_values(*type, algorithm, library, ways);
  }
  bool any = false;
  for (ProblemTemplate& way : ways) {
    if (library) {
      take_after(*library, algorithm, way);
    }
    Candidate candidate;
    candidate.choice = choice_of(algorithm, way);
    if (takes(algorithm, Option::segment)) {
      // In an all-to-all, ranks forward nothing, so that shorter segments save no time. The search
      // would simulate every size on all pairs of ranks.
      candidate.cuts =
          !way.options.has(Option::segment) && algorithm.collective != Collective::alltoall;
      way.best_segment = candidate.cuts;
    }
    candidate.contender = {&algorithm, std::move(way), in_words(candidate.choice)};
    if (library) {
      const LibraryAlgorithm* known = find_for(*library, algorithm.collective, candidate.choice);
      if (known == nullptr || !has_algorithm(*library, *known, who.release)) {
        continue;
      }
      candidate.choice.library_algorithm = known->name;
      candidate.library = library;
      candidate.powers_of_two_only = known->powers_of_two_only;
      if (takes(algorithm, Option::segment) && !known->segments) {
        continue;  // the library does not segment this algorithm
      }
    }
    any = true;
    candidates.all.push_back(std::move(candidate));
    if (candidates.all.back().cuts && !library && cuts_by_count(algorithm)) {
      candidates.all.push_back(with_default_segments(candidates.all.back()));
    }
  }
  if (!any) {
    candidates.left_out.emplace_back(algorithm.name);
  }
}

}  // namespace

unsigned options_worth_trying(std::optional<RuleFormat> library) {
  unsigned options = 0;
  for (const OptionType* type : choice_options()) {
    options |= values_worth_trying(*type, Problem{}, library).empty() ? 0 : bit(type->option);
  }
  return options;
}

Candidates candidates_of(Collective collective, const ProblemTemplate& problem_template,
                         const CandidateFilter& who) {
  Candidates candidates;
  // Without a library, variants that only libraries use come last, so that among equal candidates
  // the other ones are the best.
  for (const bool forms : {false, true}) {
    for (const Algorithm* algorithm : algorithms()) {
      const bool named =
          who.only.empty() || std::ranges::find(who.only, algorithm) != who.only.end();
      // Rules cannot select in-network algorithms.
      if (algorithm->collective == collective && named && !algorithm->in_network() &&
          (!who.library && is_library_form(collective, algorithm->name)) == forms) {
        add_ways(*algorithm, problem_template, who, candidates);
      }
    }
  }
  for (const Algorithm* program : who.programs) {
    Candidate candidate;
    candidate.choice.algorithm = program->name;
    candidate.contender = {program, problem_template.applicable_to(*program),
                           std::string(program->name)};
    candidate.own = true;
    candidates.all.push_back(std::move(candidate));
  }
  if (candidates.all.empty() && who.library) {
    throw UserError(fmt::format("$export={}: the library has none of {}", name(*who.library),
                                who.only.empty()
                                    ? fmt::format("tutti's algorithms for {}", name(collective))
                                    : "the algorithms in $algorithms"));
  }
  if (candidates.all.empty()) {
    throw UserError(
        "$algorithms: rules cannot select algorithms that run in switches; use 'tutti compare' "
        "for them");
  }
  return candidates;
}

CaseRun first_look(const Candidate& candidate, std::uint32_t ranks, std::uint64_t bytes) {
  return candidate.baseline ? candidate.baseline(ranks, bytes)
                            : first_look(candidate.contender, ranks, bytes);
}

std::string in_words(const Candidate& candidate, std::uint64_t segment_bytes) {
  Choice choice = candidate.choice;
  choice.segment_bytes = segment_bytes;
  if (!candidate.library) {
    return in_words(choice);
  }
  const Algorithm* const algorithm = candidate.contender.algorithm;
  return algorithm == nullptr ? library_in_words(choice)
                              : in_both_words(*candidate.library, algorithm->collective, choice);
}

}}  // namespace tutti::experiments
