// Text output of runs on real MPI.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "schedules/collective.hpp"
#include "schedules/run_words.hpp"
#include "src/mpi/run_report.hpp"

namespace tutti::mpi {

namespace {

constexpr double kMicroseconds = 1e6;

std::string data_in_words(const JobFacts& job, Collective collective) {
  return fmt::format("{}{}", name(job.element.type),
                     reduces(collective) ? fmt::format(", {}", name(job.element.op)) : "");
}

std::string placement_in_words(const JobFacts& job) {
  return job.placement +
         (job.oversubscribed ? "; more ranks than cores, so times are unreliable" : "");
}

constexpr const char* kWhatDisturbs = "a rank started late, or the system used its core meanwhile";

std::string left_out_in_words(std::uint32_t left_out, std::uint32_t done) {
  return fmt::format("{} of {}: {}", left_out, counted(done, "run"), kWhatDisturbs);
}

// Describes times from which no conclusion can be drawn.
std::string disturbed_in_words(const CountedRuns& runs) {
  const Summary summary = summary_of(runs.times);
  return fmt::format("fastest {}, median {} of {}, {} of them disturbed",
                     human_time(summary.fastest_s), human_time(summary.median_s),
                     counted(runs.done, "run"), runs.disturbed);
}

void print_times_of_a_busy_machine(const RunReport& report, std::ostream& out) {
  out << fmt::format("  time      {}\n", disturbed_in_words(report.counted_ours));
  if (report.counted_library.done > 0) {
    out << fmt::format("  {} {}\n", report.library_call,
                       disturbed_in_words(report.counted_library));
  }
  out << fmt::format(
      "  TOO BUSY  too many runs were disturbed ({}):\n            no result; use a quieter "
      "machine, or a longer --budget\n",
      kWhatDisturbs);
}

void print_times(const JobFacts& job, const RunReport& report, std::ostream& out) {
  const Summary ours = summary_of(report.counted_ours.times);
  out << fmt::format(
      "  time      {} (median of {}, slowest rank; 95 % confidence: {} to {}; fastest {})\n",
      human_time(ours.median_s), ours.iterations, human_time(ours.low_s), human_time(ours.high_s),
      human_time(ours.fastest_s));
  if (job.ranks > 1) {
    out << fmt::format("  ranks     done after {} (first) to {} (last)\n",
                       human_time(ours.least_rank_s), human_time(ours.most_rank_s));
  }
  if (report.left_out() > 0) {
    out << fmt::format("  left out  {}\n", left_out_in_words(report.left_out(), report.done()));
  }
  const Summary library = summary_of(report.counted_library.times);
  if (library.iterations > 0) {
    out << fmt::format("  {} {} (fastest {}); ours takes {:.2f} times as long (fastest {:.2f})\n",
                       report.library_call, human_time(library.median_s),
                       human_time(library.fastest_s), ours.median_s / library.median_s,
                       ours.fastest_s / library.fastest_s);
  }
}

}  // namespace

void print_report(const JobFacts& job, const RunReport& report, std::ostream& out) {
  const Problem& problem = report.problem;
  const std::string what = fmt::format("{}/{}", name(problem.collective), report.algorithm);
  out << fmt::format("{} ({})\n", run_in_words(what, *report.facts, problem),
                     data_in_words(job, problem.collective));
  out << fmt::format("  MPI       {}\n", job.library);
  out << fmt::format("  placement {}\n", placement_in_words(job));
  out << fmt::format("  schedule  {}, {} sent, {}\n", counted(report.messages, "message"),
                     human_bytes(report.bytes_sent), counted(report.rounds, "round"));
  if (report.too_busy()) {
    print_times_of_a_busy_machine(report, out);
  } else {
    print_times(job, report, out);
  }
  if (report.wrong.empty()) {
    out << fmt::format("  check     {}\n", report.check_note);
  } else {
    out << fmt::format("  check     WRONG on {}\n", counted(report.wrong.size(), "rank"));
  }
}

void print_table(const JobFacts& job, const std::vector<RunReport>& reports, std::ostream& out) {
  std::size_t width = std::string_view("# algorithm").size();
  for (const RunReport& report : reports) {
    width = std::max(width, name(report.problem.collective).size() + 1 + report.algorithm.size());
  }
  const bool library = std::any_of(reports.begin(), reports.end(), [](const RunReport& report) {
    return !report.library_call.empty();
  });
  out << fmt::format("# MPI        {}\n# placement  {}\n# data       {}\n", job.library,
                     placement_in_words(job),
                     data_in_words(job, reports.front().problem.collective));
  out << "# median, with its 95 % confidence interval, of the slowest rank; first and last: "
         "medians of the\n# ranks that finish first and last; microseconds since the common start "
         "of all ranks\n";
  out << fmt::format("{:<{}} {:>10} {:>11} {:>11} {:>11} {:>11} {:>11} {:>6}{}  {}\n",
                     "# algorithm", width, "bytes", "median", "95% low", "95% high", "first",
                     "last", "runs", library ? fmt::format(" {:>11}", "library") : "", "check");
  std::uint32_t left_out = 0;
  std::uint32_t done = 0;
  bool too_busy = false;
  for (const RunReport& report : reports) {
    out << fmt::format("{:<{}} {:>10} ",
                       fmt::format("{}/{}", name(report.problem.collective), report.algorithm),
                       width, report.problem.bytes);
    if (report.refusal) {
      out << "refused: " << with_fields(report.refusal->text) << '\n';
      continue;
    }
    const Summary ours = summary_of(report.counted_ours.times);
    out << fmt::format("{:>11.2f} ", ours.median_s * kMicroseconds);
    for (const double seconds : {ours.low_s, ours.high_s, ours.least_rank_s, ours.most_rank_s}) {
      out << (report.too_busy() ? fmt::format("{:>11} ", "-")
                                : fmt::format("{:>11.2f} ", seconds * kMicroseconds));
    }
    out << fmt::format("{:>6}", ours.iterations);
    if (library) {
      out << fmt::format(" {:>11.2f}",
                         summary_of(report.counted_library.times).median_s * kMicroseconds);
    }
    out << (!report.wrong.empty() ? "  WRONG" : report.check == "none" ? "  none" : "  right");
    if (report.too_busy()) {
      out << fmt::format("  too busy: {} of {} disturbed, fastest {}", report.disturbed(),
                         counted(report.done(), "run"), human_time(ours.fastest_s));
      if (library) {
        out << fmt::format(" (library's {})",
                           human_time(summary_of(report.counted_library.times).fastest_s));
      }
    }
    out << '\n';
    too_busy |= report.too_busy();
    left_out += report.left_out();
    done += report.done();
  }
  if (left_out > 0) {
    out << "# left out   " << left_out_in_words(left_out, done) << '\n';
  }
  if (too_busy) {
    out << fmt::format(
        "# too busy   too many runs were disturbed ({})\n#            for a result; use a quieter "
        "machine, or a longer --budget\n",
        kWhatDisturbs);
  }
}

}  // namespace tutti::mpi
