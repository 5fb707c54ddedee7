// Draws a random algorithm, problem, placement and setup for a platform with a given number of
// hosts.
#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>

#include "platforms/platform.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "sim/engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti {

struct RandomCase {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Mapping mapping;
  RunSetup setup;
  double copy_s_per_byte = 0;

  [[nodiscard]] std::string in_words() const {
    std::string ports = setup.ports == kUnlimitedPorts ? "unlimited" : std::to_string(setup.ports);
    return fmt::format(
        "{} -p {} -n {} --root {} {} "
        "--ranks-per-host {} --placement {} --ports {} eager {} copy {} s/byte",
        algorithm->full_name(), problem.ranks, problem.bytes, problem.root,
        options_text(*algorithm, problem), mapping.ranks_per_host,
        mapping.placement == Placement::block ? "block" : "cyclic", ports, setup.eager_bytes,
        copy_s_per_byte);
  }
};

// Largest number of operations in a schedule; it is small because the judge is slow. In one of
// fifty attempts, up to eight times as many are allowed.
inline constexpr OpId kMostOpsJudged = 700;

inline RandomCase random_case(std::mt19937_64& random, std::uint32_t hosts,
                              std::uint32_t most_ranks = 16, OpId usual_ops = kMostOpsJudged) {
  const auto below = [&random](std::uint64_t bound) { return random() % bound; };
  static const std::vector<const Algorithm*> hosted = host_algorithms();
  while (true) {
    RandomCase made;
    made.algorithm = hosted[below(hosted.size())];
    made.mapping.ranks_per_host = static_cast<std::uint32_t>(below(2) == 0 ? 1 : 1 + below(4));
    const OpId most_ops = below(50) == 0 ? 8 * usual_ops : usual_ops;
    const auto most =
        std::min<std::uint64_t>(most_ranks, std::uint64_t{hosts} * made.mapping.ranks_per_host);
    made.mapping.ranks = static_cast<std::uint32_t>(2 + below(most - 1));
    made.mapping.placement = below(3) == 0 ? Placement::cyclic : Placement::block;
    const std::array<std::uint64_t, 8> counts{below(4),       1 + below(64),  1024,
                                              below(5000),    below(50000),   below(200000),
                                              16 * below(64), 1U << below(17)};
    const std::uint64_t elements =
        made.algorithm->collective == Collective::barrier ? 0 : counts[below(counts.size())];
    const Rank root =
        has_root(made.algorithm->collective) ? static_cast<Rank>(below(made.mapping.ranks)) : 0;
    const Problem plain =
        problem_of(made.algorithm->collective, made.mapping.ranks, elements, root);
    const std::vector<Problem> variants =
        option_variants(*made.algorithm, plain,
                        {1 + elements / (1 + below(40)), 1 + elements / (1 + below(10)), 128});
    made.problem = variants[below(variants.size())];
    made.setup.ports = std::array{1U, 1U, 2U, 3U, kUnlimitedPorts, kUnlimitedPorts}[below(6)];
    made.setup.eager_bytes =
        below(8) == 0 ? std::array<std::int64_t, 3>{0, 512, 1 << 20}[below(3)] : -1;
    made.copy_s_per_byte = std::array{0.0, 1e-9, 2.7e-10}[below(3)];
    if (refuses(*made.algorithm, made.problem)) {
      continue;
    }
    if (made.problem.ranks_per_node > made.problem.ranks) {
      continue;
    }
    const Schedule schedule = make_schedule(*made.algorithm, made.problem, Detail::times_only);
    if (schedule.size() > 0 && schedule.size() <= most_ops) {
      return made;
    }
  }
}

}  // namespace tutti
