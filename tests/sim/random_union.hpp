// Makes random unions: jobs on ranks of their own, with groups, computing, and collectives that run
// beside computing and beside each other.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "schedules/schedule_union.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti {

class RandomUnion {
 public:
  RandomUnion(std::uint64_t seed, std::uint32_t ranks)
      : random_(seed), made_(ranks), compute_(ranks, kNoOp), members_(ranks) {
    std::iota(members_.begin(), members_.end(), Rank{0});
    std::shuffle(members_.begin(), members_.end(), random_);
  }

  Schedule make() {
    for (auto left = static_cast<std::uint32_t>(members_.size()); left > 0;) {
      const std::uint32_t columns = 1 + below(std::min(left, 8U));
      const std::uint32_t rows = 1 + below(std::min(left / columns, 16U));
      left -= rows * columns;
      run_job(std::span(members_).subspan(left, std::size_t{rows} * columns), columns);
    }
    return made_.finish();
  }

 private:
  // The ranks of a job are a grid. A collective runs over all of its rows, all of its columns, or
  // all ranks.
  void run_job(std::span<const Rank> ranks, std::uint32_t columns) {
    const auto all = static_cast<std::uint32_t>(ranks.size());
    const std::uint32_t rows = all / columns;
    std::vector<std::vector<OpId>> streams(3, std::vector<OpId>(compute_.size(), kNoOp));
    for (std::uint32_t i = 2 + below(5); i > 0; --i) {
      if (below(3) == 0) {
        calculate(ranks);
        continue;
      }
      const std::uint32_t grouping = below(3);
      const std::uint32_t size = grouping == 0 ? columns : grouping == 1 ? rows : all;
      const std::uint32_t stride = grouping == 1 ? columns : 1;
      const std::optional<UnionPart> part = random_part(size);
      const bool beside = below(2) == 0;
      for (std::uint32_t group = 0; part && group < all / size; ++group) {
        std::vector<Rank> members;
        for (std::uint32_t member = 0; member < size; ++member) {
          members.push_back(ranks[grouping == 1 ? member * stride + group : group * size + member]);
        }
        append(*part, members, streams[grouping], beside);
      }
    }
  }

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  void calculate(std::span<const Rank> ranks) {
    const bool alike = below(2) == 0;
    const std::uint64_t same_ps = below(40'000'000);
    for (const Rank rank : ranks) {
      compute_[rank] = made_.calculate(rank, alike ? same_ps : below(40'000'000), compute_[rank]);
    }
  }

  void append(const UnionPart& part, const std::vector<Rank>& members, std::vector<OpId>& stream,
              bool beside) {
    std::vector<OpId> at;
    for (const Rank rank : members) {
      at.push_back(made_.join(rank, std::vector<OpId>{compute_[rank], stream[rank]}));
    }
    made_.append(part, members, at);
    for (std::size_t i = 0; i < members.size(); ++i) {
      stream[members[i]] = at[i];
      compute_[members[i]] = beside ? compute_[members[i]] : at[i];
    }
  }

  // Returns a collective on `size` ranks; nothing if the algorithm refuses it. Leaves out
  // algorithms with channels, whose times depend on near-ties (tests/sim/flow_against_simgrid.cpp).
  std::optional<UnionPart> random_part(std::uint32_t size) {
    const std::vector<const Algorithm*> all = host_algorithms();
    const Algorithm& algorithm = *all[below(static_cast<std::uint32_t>(all.size()))];
    const std::uint64_t elements =
        algorithm.collective == Collective::barrier ? 0 : 1 + below(20'000);
    const Problem problem = problem_of(algorithm.collective, size, elements);
    if (takes(algorithm, Option::channels) || refuses(algorithm, problem)) {
      return std::nullopt;
    }
    return UnionPart(make_schedule(algorithm, problem, Detail::times_only));
  }

  std::mt19937_64 random_;
  ScheduleUnion made_;
  std::vector<OpId> compute_;  // last operation of each rank's computing
  std::vector<Rank> members_;
};

}  // namespace tutti
