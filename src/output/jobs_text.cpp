#include "src/output/jobs_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/step_text.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kWidthOfKeys = 12;
constexpr std::size_t kMostLinks = 8;
constexpr std::size_t kMostCauses = 8;

std::string slowdown_in_words(double slowdown) {
  return std::abs(slowdown - 1) <= kNotSlower ? "1" : fmt::format("{:.4g}", slowdown);
}

// Returns the hosts as in a jobs file, such as "0..7,16"; in order.
std::string hosts_in_list(const std::vector<std::uint32_t>& hosts) {
  std::string text;
  for (std::size_t i = 0; i < hosts.size();) {
    std::size_t end = i + 1;
    while (end < hosts.size() && hosts[end] == hosts[end - 1] + 1) {
      ++end;
    }
    text += text.empty() ? "" : ",";
    text +=
        end - i == 1 ? std::to_string(hosts[i]) : fmt::format("{}..{}", hosts[i], hosts[end - 1]);
    i = end;
  }
  return text;
}

std::string steps_in_words(const JobTimes& times) {
  return times.counted == times.begun
             ? human_count(times.begun)
             : fmt::format("{} of {}", human_count(times.counted), human_count(times.begun));
}

void print_times(const JobsAnswer& answer, std::ostream& out) {
  const bool starts = std::ranges::any_of(
      answer.ready.jobs, [](const ReadyJob& job) { return job.request.start_ps > 0; });
  const bool repeats =
      std::ranges::any_of(answer.jobs, [](const JobAnswer& job) { return job.together.begun > 1; });
  Table table({{"job"},
               {"ranks", true},
               {"start", true, 0, starts},
               {"steps", true, 0, repeats},
               {"alone", true},
               {"together", true},
               {"slowdown", true},
               {"exposed alone", true, 1},
               {"exposed together", true, 1},
               {"hosts"}});
  for (std::size_t i = 0; i < answer.jobs.size(); ++i) {
    const ReadyJob& job = answer.ready.jobs[i];
    const auto& [alone, together] = answer.jobs[i];
    const auto exposed = [](const JobTimes& times) {
      return human_time(times.account.of_last.exposed_s / times.counted);
    };
    table.add({job.request.name, human_count(job.step.ranks), human_time(job.start_s()),
               steps_in_words(together), human_time(alone.step_s()), human_time(together.step_s()),
               slowdown_in_words(answer.jobs[i].slowdown()), exposed(alone), exposed(together),
               hosts_in_list(job.hosts)});
  }
  table.print(out, 2);
  const bool unfinished = std::ranges::any_of(
      answer.jobs, [](const JobAnswer& job) { return job.together.counted < job.together.begun; });
  if (repeats) {
    print_field(
        out, 2, 0, "",
        fmt::format("Times are those of a step, on average.{}",
                    unfinished ? " Steps that another job's end interrupts are carried out, "
                                 "but not counted."
                               : ""));
  }
}

void print_pairs(const JobsAnswer& answer, std::ostream& out) {
  if (answer.jobs.size() < 3 || answer.pairs.empty()) {
    return;
  }
  std::vector<std::vector<std::string>> lines{{"slowdown of"}};
  std::vector<bool> right{false};
  for (const ReadyJob& job : answer.ready.jobs) {
    lines.front().push_back("beside " + job.request.name);
    right.push_back(true);
  }
  lines.front().emplace_back("beside all");
  right.push_back(true);
  for (std::size_t i = 0; i < answer.jobs.size(); ++i) {
    std::vector<std::string> line{answer.ready.jobs[i].request.name};
    for (std::size_t j = 0; j < answer.jobs.size(); ++j) {
      const JobBeside* const pair = answer.pair(i, j);
      line.push_back(pair == nullptr ? "-" : slowdown_in_words(pair->slowdown));
    }
    line.push_back(slowdown_in_words(answer.jobs[i].slowdown()));
    lines.push_back(std::move(line));
  }
  out << '\n';
  print_bands(lines, right, 2, out);
}

void print_causes(const JobsAnswer& answer, std::ostream& out) {
  std::vector<const JobBeside*> causes;
  for (const JobBeside& pair : answer.pairs) {
    if (pair.slowdown > 1 + kNotSlower) {
      causes.push_back(&pair);
    }
  }
  std::ranges::stable_sort(causes, std::greater(), &JobBeside::slowdown);
  if (causes.empty()) {
    return;
  }
  out << '\n';
  for (std::size_t i = 0; i < std::min(causes.size(), kMostCauses); ++i) {
    const JobBeside& pair = *causes[i];
    const std::string& name = answer.ready.jobs[pair.job].request.name;
    std::string text = fmt::format("{} slows {}: a step takes {} times as long",
                                   answer.ready.jobs[pair.beside].request.name, name,
                                   slowdown_in_words(pair.slowdown));
    if (!pair.link.empty()) {
      text +=
          fmt::format(", mostly on {}, where messages of {} lose {} ({} alone)", pair.place.name,
                      name, human_time(pair.lost_s), human_time(pair.lost_alone_s));
    }
    print_field(out, 2, 0, "", text);
  }
  if (causes.size() > kMostCauses) {
    print_field(out, 2, 0, "",
                fmt::format("{} with smaller slowdowns",
                            counted(causes.size() - kMostCauses, "more pair")));
  }
}

void print_links(const JobsAnswer& answer, std::ostream& out) {
  if (answer.shared.empty()) {
    return;
  }
  out << '\n';
  Table table({{"shared link"}, {"job"}, {"bytes", true}, {"lost", true}, {"lost alone", true}});
  for (std::size_t i = 0; i < std::min(answer.shared.size(), kMostLinks); ++i) {
    const SharedLink& link = answer.shared[i];
    for (const SharedLink::Use& use : link.uses) {
      const bool first = &use == &link.uses.front();
      table.add({first ? link.place.name : "", answer.ready.jobs[use.job].request.name,
                 human_bytes(use.bytes), human_time(use.lost_s), human_time(use.lost_alone_s)});
    }
  }
  table.print(out, 2);
  if (answer.shared.size() > kMostLinks) {
    print_field(
        out, 2, 0, "",
        with_fields(fmt::format("{} where less time is lost; $json shows all",
                                counted(answer.shared.size() - kMostLinks, "more shared link"))));
  }
  print_field(out, 2, 0, "",
              "lost: time that messages lose because the link is shared, summed over the job's "
              "messages");
}

std::string meetings_in_words(const JobsAnswer& answer) {
  if (!answer.ready.machine.machine.engine->counts_links) {
    return "not known: only the engine flow shows on which links jobs meet";
  }
  return answer.shared.empty() ? std::string("no link carries messages of two jobs")
                               : fmt::format("{} carr{} messages of several jobs",
                                             counted(answer.shared.size(), "link"),
                                             answer.shared.size() == 1 ? "ies" : "y");
}

}  // namespace

void print_jobs(const JobsAnswer& answer, std::ostream& out) {
  std::size_t hosts = 0;
  for (const ReadyJob& job : answer.ready.jobs) {
    hosts += job.hosts.size();
  }
  print_heading(
      out, fmt::format("{} on {}", counted(answer.jobs.size(), "job"), counted(hosts, "host")));
  print_field(out, 2, kWidthOfKeys, "all end",
              fmt::format("after {}", human_time(answer.together.total_s)));
  if (answer.jobs.size() > 1) {
    if (answer.all_as_alone()) {
      print_field(out, 2, kWidthOfKeys, "slowdown",
                  "none: each job takes the time that it takes alone");
    }
    print_field(out, 2, kWidthOfKeys, "meetings", meetings_in_words(answer));
  }
  print_field(out, 2, kWidthOfKeys, "platform", answer.together.facts.facts.name);
  for (const std::string& note : answer.together.facts.facts.notes) {
    print_field(out, 2, kWidthOfKeys, "", with_fields(note));
  }
  for (const ReadyJob& job : answer.ready.jobs) {
    for (const std::string& note : job.step.notes) {
      print_field(out, 2, kWidthOfKeys, "note",
                  fmt::format("{}: {}", job.request.name, with_fields(note)));
    }
  }
  if (answer.comparison) {
    print_field(out, 2, kWidthOfKeys, "engines", step_engines_in_words(*answer.comparison));
  }
  out << '\n';
  print_times(answer, out);
  print_pairs(answer, out);
  print_causes(answer, out);
  print_links(answer, out);
}

}}  // namespace tutti::output
