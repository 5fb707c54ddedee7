// How long each allreduce takes on 16 ranks for 1 MiB, at 2 us a message and 0.8 ns a byte.
#include <cstdio>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"

int main() {
  const tutti::Problem problem{.ranks = 16, .bytes = 1 << 20};
  tutti::CriticalPathEngine engine({.alpha_s = 2e-6, .beta_s_per_byte = 0.8e-9});
  for (const tutti::Algorithm* algorithm : tutti::algorithms()) {
    if (algorithm->collective == problem.collective) {
      const tutti::Schedule schedule = tutti::make_schedule(*algorithm, problem);
      std::printf("%-30s %9.3f ms\n", algorithm->full_name().c_str(),
                  1e3 * engine.run(schedule, {}).total_s);
    }
  }
}
