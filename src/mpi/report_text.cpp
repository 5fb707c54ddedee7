// Runs on real MPI for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "schedules/collective.hpp"
#include "src/human.hpp"
#include "src/mpi/run_report.hpp"

namespace tutti::mpi {

namespace {

constexpr double kMicroseconds = 1e6;

std::string data_in_words(const JobFacts& job, Collective collective) {
  return fmt::format("{}{}", name(job.element.type),
                     reduces(collective) ? fmt::format(", {}", name(job.element.op)) : "");
}

std::string placement_in_words(const JobFacts& job) {
  return job.placement + (job.oversubscribed ? "; more ranks than cores, so times say little" : "");
}

std::string left_out_in_words(const Measured& measured) {
  return fmt::format(
      "{} of {}: a rank came late to the start, or the system took its core meanwhile",
      measured.left_out, counted(measured.done, "run"));
}

}  // namespace

void print_report(const JobFacts& job, const RunReport& report, std::ostream& out) {
  const Problem& problem = report.problem;
  out << fmt::format("{}/{} on {}, {} ({})\n", name(problem.collective), report.algorithm,
                     counted(job.ranks, "rank"), human_bytes(problem.bytes),
                     data_in_words(job, problem.collective));
  out << fmt::format("  MPI       {}\n", job.library);
  out << fmt::format("  placement {}\n", placement_in_words(job));
  out << fmt::format("  schedule  {}, {} sent, {}\n", counted(report.messages, "message"),
                     human_bytes(report.bytes_sent), counted(report.rounds, "round"));
  const Summary ours = summary_of(report.measured.ours);
  out << fmt::format(
      "  time      {} (median of {}, slowest rank; 95 % sure: {} to {}; fastest {})\n",
      human_time(ours.median_s), ours.iterations, human_time(ours.low_s), human_time(ours.high_s),
      human_time(ours.fastest_s));
  if (job.ranks > 1) {
    out << fmt::format("  ranks     done after {} (first) to {} (last)\n",
                       human_time(ours.least_rank_s), human_time(ours.most_rank_s));
  }
  if (report.measured.left_out > 0) {
    out << fmt::format("  left out  {}\n", left_out_in_words(report.measured));
  }
  const Summary library = summary_of(report.measured.library);
  if (library.iterations > 0) {
    out << fmt::format("  {} {} (fastest {}); ours takes {:.2f} times as long (fastest {:.2f})\n",
                       report.library_call, human_time(library.median_s),
                       human_time(library.fastest_s), ours.median_s / library.median_s,
                       ours.fastest_s / library.fastest_s);
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
         "medians "
         "of the\n# ranks that are done first and last; microseconds since a start that all ranks "
         "share\n";
  out << fmt::format("{:<{}} {:>10} {:>11} {:>11} {:>11} {:>11} {:>11} {:>6}{}  {}\n",
                     "# algorithm", width, "bytes", "median", "95% low", "95% high", "first",
                     "last", "runs", library ? fmt::format(" {:>11}", "library") : "", "check");
  std::uint32_t left_out = 0;
  std::uint32_t done = 0;
  for (const RunReport& report : reports) {
    out << fmt::format("{:<{}} {:>10} ",
                       fmt::format("{}/{}", name(report.problem.collective), report.algorithm),
                       width, report.problem.bytes);
    if (!report.refusal.empty()) {
      out << "refused: " << report.refusal << '\n';
      continue;
    }
    const Summary ours = summary_of(report.measured.ours);
    for (const double seconds :
         {ours.median_s, ours.low_s, ours.high_s, ours.least_rank_s, ours.most_rank_s}) {
      out << fmt::format("{:>11.2f} ", seconds * kMicroseconds);
    }
    out << fmt::format("{:>6}", ours.iterations);
    if (library) {
      out << fmt::format(" {:>11.2f}",
                         summary_of(report.measured.library).median_s * kMicroseconds);
    }
    out << (!report.wrong.empty()    ? "  WRONG"
            : report.check == "none" ? "  none"
                                     : "  right")
        << '\n';
    left_out += report.measured.left_out;
    done += report.measured.done;
  }
  if (left_out > 0) {
    Measured all;
    all.left_out = left_out;
    all.done = done;
    out << "# left out   " << left_out_in_words(all) << '\n';
  }
}

}  // namespace tutti::mpi
