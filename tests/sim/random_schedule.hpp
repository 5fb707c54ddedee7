// Makes random schedules with many ties, much contention, and operations without duration.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "schedules/assemble.hpp"
#include "tests/schedules/hand_made.hpp"

namespace tutti {

// Returns TUTTI_TEST_SEED if it is set, to repeat a failure or to try other seeds. The default is
// fixed, so that a test fails only because of a change of the code.
inline std::uint64_t test_seed() {
  const char* seed = std::getenv("TUTTI_TEST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20240229;
}

// Returns a schedule of `ops` operations on `ranks` ranks, with 0 to `max_bytes` bytes each.
inline Schedule random_schedule(std::mt19937_64& random, std::uint32_t ranks, std::uint32_t ops,
                                std::uint32_t max_bytes) {
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  HandMadeSchedule made(ranks);
  std::vector<std::vector<OpId>> of_rank(ranks);
  for (OpId id = 0; id < ops; ++id) {
    const Rank src = below(ranks);
    const bool is_comm = ranks > 1 && below(3) != 0;
    const Rank dst = is_comm ? (src + 1 + below(ranks - 1)) % ranks : src;
    std::vector<OpId> after;
    for (const Rank end : {src, dst}) {
      for (std::uint32_t i = below(3); i > 0 && !of_rank[end].empty(); --i) {
        // Picks a recent operation; otherwise most operations would be ready at the start.
        const auto count = static_cast<std::uint32_t>(of_rank[end].size());
        after.push_back(of_rank[end][count - 1 - below(std::min(count, 4U))]);
      }
    }
    const std::uint32_t bytes = below(max_bytes + 1);
    if (is_comm) {
      made.comm(src, dst, bytes, after);
    } else if (below(2) == 0) {
      made.reduce(src, bytes, after);
    } else {
      made.copy(src, bytes, after);
    }
    of_rank[src].push_back(id);
    if (dst != src) {
      of_rank[dst].push_back(id);
    }
  }
  return made.finish();
}

// Returns the schedule with random cores and network interfaces, of which each rank has up to four.
inline Schedule with_random_units(const Schedule& schedule, std::mt19937_64& random) {
  ScheduleParts parts = parts_of(schedule);
  const auto cores = static_cast<std::uint32_t>(1 + random() % 4);
  const auto nics = static_cast<std::uint32_t>(1 + random() % 4);
  const auto unit = [&](std::uint32_t count) {
    return static_cast<std::uint8_t>(random() % count);
  };
  for (const Op& op : parts.ops) {
    Units units{unit(cores), unit(cores), unit(nics), unit(nics)};
    if (!op.is_comm()) {
      units = {units.dst_core, units.dst_core, 0, 0};
    }
    parts.units.push_back(units);
  }
  return assemble(std::move(parts));
}

}  // namespace tutti
