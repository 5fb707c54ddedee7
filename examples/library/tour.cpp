// A tour of the library: lists algorithms, builds a schedule, proves it correct, simulates it on a
// fat tree, reads its timeline, compares algorithms, and decides between them.
#include <tutti/tutti.hpp>

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

constexpr std::uint32_t kRanks = 32;
constexpr std::uint64_t kBytes = 1 << 20;

void tour(const tutti::Machine& machine) {
  std::printf("tutti %s knows\n", tutti::version().c_str());
  for (const tutti::Algorithm& known : tutti::algorithms(tutti::Collective::allreduce)) {
    std::printf("  %-32s %s\n", known.full_name.c_str(),
                known.cost.empty() ? "(no closed form)" : known.cost.c_str());
  }

  const tutti::Schedule schedule("allreduce/rabenseifner", {.ranks = kRanks, .bytes = kBytes});
  std::printf("\n%s: %u operations, %llu messages in %u rounds\n", schedule.algorithm().c_str(),
              schedule.size(), static_cast<unsigned long long>(schedule.messages()),
              schedule.rounds());

  const tutti::Proof proof = tutti::prove(schedule);
  std::printf("%s; operands %s rank order\n", proof.proved ? "proved" : "WRONG",
              proof.in_rank_order ? "in" : "not in");
  for (const tutti::Finding& finding : proof.findings) {
    std::printf("  %s: %s\n", finding.kind.c_str(), finding.text.c_str());
  }

  const tutti::Run run = tutti::simulate(schedule, machine);
  std::printf("%.3f us by the engine %s", 1e6 * run.total_s, run.engine.c_str());
  if (run.exact_s) {
    std::printf(", %.3f us by its closed form", 1e6 * *run.exact_s);
  }
  for (const tutti::Formula& formula : run.published) {
    std::printf(", %.3f us by %s", 1e6 * formula.seconds, formula.source.c_str());
  }
  const auto last = std::max_element(run.end_s.begin(), run.end_s.end()) - run.end_s.begin();
  const tutti::Operation end = schedule.operation(static_cast<std::uint32_t>(last));
  std::printf("\nthe last to end is %u -> %u in round %u, from %.3f us on\n", end.src, end.dst,
              end.level, 1e6 * run.start_s[static_cast<std::size_t>(last)]);

  // A placement as a batch scheduler might choose it: each rank on a host of its own, far apart.
  tutti::Machine placed = machine;
  placed.ranks_per_host = 1;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    placed.host_of_rank.push_back("node-" + std::to_string(4 * rank));
  }
  std::printf("%.3f us on every fourth host\n", 1e6 * tutti::simulate(schedule, placed).total_s);

  const tutti::Grid grid{.collective = tutti::Collective::allreduce,
                         .ranks = {kRanks},
                         .bytes = {1024, 65536, kBytes},
                         .machine = machine};
  std::printf("\nallreduce on %u ranks\n", kRanks);
  for (const tutti::Timed& timed : tutti::compare(grid)) {
    if (timed.seconds) {
      std::printf("  %8llu bytes  %-32s %12.3f us\n", static_cast<unsigned long long>(timed.bytes),
                  timed.algorithm.c_str(), 1e6 * *timed.seconds);
    }
  }

  std::printf("\nso\n");
  for (const tutti::Rule& rule : tutti::decide(grid)) {
    std::printf("  from %8llu bytes: %s", static_cast<unsigned long long>(rule.from_bytes),
                rule.algorithm.c_str());
    for (const auto& [option, value] : rule.options) {
      std::printf(" --%s %s", option.c_str(), value.c_str());
    }
    std::printf("\n");
  }

  const tutti::CommandOutput bound = tutti::run_command(
      {"bound", "allreduce", "-p", "32", "-n", "1MiB", "--platform", machine.platform});
  std::printf("\n%s", bound.out.c_str());
  for (const tutti::Message& message : bound.messages) {
    std::printf("%s\n", message.text.c_str());
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fprintf(stderr, "usage: tour FAT_TREE.xml\n");
    return 2;
  }
  tour({.platform = arguments[1], .ranks_per_host = 2});
} catch (const tutti::Error& error) {
  std::fprintf(stderr, "tour: %s\n", error.what());
  return 2;
}
