#include "src/mpi/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/collective.hpp"
#include "sim/mpi/byte_check.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/merged_timeline.hpp"
#include "sim/mpi/plan/admission.hpp"

namespace tutti::mpi {

namespace {

constexpr std::array<std::string_view, 4> kChecks{"none", "library", "replay", "full"};

CheckKind check_kind(const std::string& check, const Schedule& schedule, std::string& note) {
  auto kind =
      static_cast<CheckKind>(std::find(kChecks.begin(), kChecks.end(), check) - kChecks.begin());
  if (schedule.problem().collective == Collective::barrier) {
    note = "a barrier has no data; the proof shows that no rank leaves too early";
    return CheckKind::none;
  }
  // All ranks must make the same decision, so the limit is fixed and low enough for every machine.
  constexpr double kReplayBytes = 2147483648.0;
  const auto needed = static_cast<double>(serial_replay_bytes(schedule));
  if (kind == CheckKind::full && needed > kReplayBytes) {
    kind = CheckKind::library;
    note = fmt::format("; without the serial replay, which would need {} of memory on one rank",
                       human_bytes(static_cast<std::uint64_t>(needed)));
  }
  return kind;
}

std::string note_of(CheckKind kind, const Schedule& schedule, const Element& element,
                    const RunReport& report, const std::string& note) {
  if (kind == CheckKind::none) {
    return note.empty() ? "none requested" : note;
  }
  const double bound = relative_bound(element, schedule.ranks());
  return fmt::format(
      "all {} bytes correct after each of {}: {}{}{}{}", report.bytes_compared,
      counted(report.runs_compared, "run"),
      kind == CheckKind::replay ? "" : "as in the MPI library's own collective",
      kind != CheckKind::replay && reduces(schedule.problem().collective) && bound > 0
          ? fmt::format(" (relative error at most {:.2g})", bound)
          : "",
      kind == CheckKind::library ? ""
      : kind == CheckKind::full  ? ", and bitwise as in a serial replay"
                                 : "bitwise as in a serial replay",
      note);
}

// Returns rank 0's refusal on every rank; nothing if rank 0 does not refuse. Ignores `own` on all
// other ranks.
std::optional<Refusal> broadcast(const std::optional<Refusal>& own, const World& world) {
  const Refusal first = own.value_or(Refusal{});
  Refusal all;
  all.text = world.broadcast(first.text);
  if (all.text.empty()) {
    return std::nullopt;
  }
  all.kind = static_cast<RefusalKind>(world.broadcast({static_cast<char>(first.kind)}).at(0));
  return all;
}

// Repeats the run a few times, records every operation, and stores in `report` the times of the
// operations in the run with the median time. The recorded runs do not count for the reported
// times, because reading clocks takes time too.
void record(Executor& executor, const World& world, const Schedule& schedule,
            const MeasureOptions& how, RunReport& report) {
  constexpr int kRuns = 5;
  executor.record_times();
  const ClockReading before = read_clocks(world);
  std::vector<Record> records;
  std::vector<double> elapsed_s;
  for (int i = 0; i < kRuns; ++i) {
    executor.reset_buffers();
    world.barrier();
    executor.run();
    records.push_back(executor.record());
    if (how.after_run) {
      how.after_run(executor.work());
    }
  }
  const CommonClock clock(before, read_clocks(world));
  std::vector<Timeline> timelines;
  timelines.reserve(records.size());
  for (const Record& each : records) {
    timelines.push_back(merged_timeline(schedule, world, each, clock));
  }
  if (world.first()) {
    report.clock_error_s = clock.error_s();
    const auto middle = timelines.begin() + kRuns / 2;
    std::nth_element(timelines.begin(), middle, timelines.end(),
                     [](const Timeline& a, const Timeline& b) { return a.total_s < b.total_s; });
    report.timeline = std::move(*middle);
  }
}

}  // namespace

void check_known(const std::string& check) {
  if (std::find(kChecks.begin(), kChecks.end(), check) == kChecks.end()) {
    throw UserError(
        fmt::format("--check '{}': expected one of {}", check, fmt::join(kChecks, ", ")));
  }
}

RunReport run_cell(const Subject& subject, const Element& element, const CellOptions& options,
                   const World& world) {
  RunReport report;
  report.algorithm = subject.algorithm->name;
  report.facts = subject.algorithm;
  report.problem = subject.problem;
  if (!subject.refusal.empty()) {
    report.refusal = Refusal{RefusalKind::problem, subject.refusal};
    return report;
  }
  const auto schedule = subject.schedule();
  // Only rank 0 proves the schedule, because all ranks have the same schedule, and a proof takes
  // time and memory.
  if (world.first()) {
    report.refusal = refusal(*schedule, element);
  }
  report.refusal = broadcast(report.refusal, world);
  if (report.refusal) {
    return report;
  }
  std::string note;
  const CheckKind kind = check_kind(options.check, *schedule, note);
  const ElementHandles handles(element);
  std::unique_ptr<LibraryCollective> library;
  MeasureOptions how = options.measure;
  if (options.against_library) {
    library = std::make_unique<LibraryCollective>(*schedule, world, handles);
    how.library = library.get();
    report.library_call = library->call();
  }
  RunResults results(*schedule, world.rank());
  if (kind != CheckKind::none) {
    how.after_run = [&results](const std::byte* work) { results.add(work); };
  }
  Executor executor(*schedule, world, handles, options.tags);
  RunTimes measured = measure(executor, world, how);
  report.ours = std::move(measured.ours);
  report.library = std::move(measured.library);
  if (schedule->size() <= options.most_recorded_ops) {
    record(executor, world, *schedule, how, report);
  }
  // The check is created after the runs, so that its memory is not in use while the runs are timed.
  const ByteCheck bytes(*schedule, world, handles, kind);
  if (kind != CheckKind::none) {
    report.wrong = bytes.wrong_bytes(executor.work(), &results);
  }
  report.runs_compared = static_cast<std::uint32_t>(results.size());
  const std::vector<double> compared =
      world.gather({kind == CheckKind::none ? 0.0 : static_cast<double>(bytes.bytes_compared())});
  report.messages = schedule->messages();
  report.bytes_sent = schedule->bytes_sent();
  report.bytes_reduced = schedule->bytes_reduced();
  report.ops = schedule->size();
  report.dependencies = schedule->dependencies();
  report.rounds = schedule->rounds();
  report.check = kChecks[static_cast<std::size_t>(kind)];
  report.bytes_compared =
      static_cast<std::uint64_t>(std::accumulate(compared.begin(), compared.end(), 0.0));
  report.check_note = note_of(kind, *schedule, element, report, note);
  return report;
}

}  // namespace tutti::mpi
