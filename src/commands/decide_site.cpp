#include "src/commands/decide_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "src/built_in/built_in.hpp"
#include "src/experiments/decisions/decide.hpp"
#include "src/experiments/sites/site.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/interrupts.hpp"
#include "src/report/site_files.hpp"
#include "src/report/site_report.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::inline commands {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAll = "all";
// Schedules that simulate within seconds, unless --messages-at-most says otherwise.
constexpr std::uint64_t kUsualMessages = 2'200'000;

std::optional<std::uint64_t> messages_asked(const DecideOptions& options) {
  if (!options.messages_at_most) {
    return std::nullopt;
  }
  const std::uint64_t most = parse_count("--messages-at-most", *options.messages_at_most);
  if (most == 0) {
    throw UserError("--messages-at-most '0': at least 1");
  }
  return most;
}

// Options that say something of one collective, or of a table that there is.
void refuse_others(const DecideOptions& options) {
  const auto refuse = [](const char* what, const OptionText& text, const char* why) {
    if (text) {
      throw UserError(fmt::format("{} '{}' beside --library: {}", what, *text, why));
    }
  };
  refuse("--export", options.export_format, "the library's version says which files it reads");
  refuse("--against", options.against, "rules are held against what that version has built in");
  refuse("--profile", options.profile, "rules of a site are for all sizes alike");
  refuse("--placements", options.placements, "rules of a site are for ranks in blocks");
  refuse("--hosts", options.machine.hosts, "it knows several numbers of ranks on a host");
  if (options.machine.placement == "cyclic") {
    refuse("--placement", options.machine.placement,
           "what a library has built in is known for ranks in blocks");
  }
  if (const std::string flag = options.nccl.given(); !flag.empty()) {
    throw UserError(
        fmt::format("{} beside --library: it is of the machine of --against {}, and of "
                    "--export nccl",
                    flag, kAgainstNccl));
  }
  if (options.everything) {
    throw UserError("--all beside --library: gains.csv of -o FOLDER has every cell");
  }
  if (options.results.json || options.results.csv) {
    throw UserError(
        "decide --library writes no page, JSON or CSV; the folder of -o has README.md and "
        "gains.csv "
        "with every cell");
  }
  if (!options.contenders.with.empty()) {
    throw UserError(fmt::format("--with '{}' beside --library: no library has a program of yours",
                                options.contenders.with.front()));
  }
  if (!options.by.empty() && options.by.front() == "measured") {
    throw UserError(
        "--by 'measured' beside --library: measured times are of one collective; "
        "leave one of them out");
  }
  if (!options.by.empty() && options.by.front() == "exact" && options.messages_at_most) {
    throw UserError(
        fmt::format("--messages-at-most '{}': closed forms, of --by exact, need no "
                    "schedule",
                    *options.messages_at_most));
  }
}

std::vector<Collective> collectives_asked(const DecideOptions& options, Site& site) {
  std::vector<Collective> known = site_collectives(site.form);
  if (options.collective == kAll) {
    return known;
  }
  const Collective asked = parse_collective(options.collective);
  if (std::ranges::find(known, asked) == known.end()) {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const Collective each : known) {
      names.push_back(name(each));
    }
    throw UserError(
        fmt::format("--library '{}': tutti has none of its algorithms for {}; it has "
                    "some for {}",
                    site.release.name, name(asked), fmt::join(names, ", ")));
  }
  return {asked};
}

// Of the platform; nothing for a crossbar of as many as there are ranks.
std::optional<std::uint32_t> hosts_of(const OpenedMachine& machine) {
  if (machine.spec.made_on_the_fly()) {
    return std::nullopt;
  }
  return describe(machine.machine(1, 1, Problem{}.element_bytes)).facts.hosts;
}

// Each four times the one before, and all that there is room for; and those of one host, which are
// a part of whatever a library puts together of hosts.
std::vector<std::uint32_t> usual_ranks(std::uint32_t room, std::uint32_t ranks_per_host) {
  constexpr std::uint32_t kFirst = 4;
  std::set<std::uint32_t> ranks{room};
  for (std::uint64_t each = kFirst; each < room; each *= 4) {
    ranks.insert(static_cast<std::uint32_t>(each));
  }
  if (ranks_per_host > 1 && ranks_per_host < room) {
    ranks.insert(ranks_per_host);
  }
  return {ranks.begin(), ranks.end()};
}

// Those for which there is no room are added to `without_room`.
std::vector<std::uint32_t> ranks_on(std::vector<std::uint32_t> ranks,
                                    std::optional<std::uint32_t> hosts,
                                    std::uint32_t ranks_per_host,
                                    std::set<std::uint32_t>& without_room) {
  if (ranks.empty() && !hosts) {
    throw UserError("how many ranks? Give -p/--ranks, such as -p 4..256*4, or a --platform");
  }
  const std::string asked = fmt::format("{}", fmt::join(ranks, ","));
  if (hosts) {
    const std::uint64_t room = std::uint64_t{*hosts} * ranks_per_host;
    if (ranks.empty()) {
      ranks = usual_ranks(static_cast<std::uint32_t>(std::min<std::uint64_t>(room, 1U << 30)),
                          ranks_per_host);
    }
    std::erase_if(ranks, [&](std::uint32_t each) {
      if (each > room) {
        without_room.insert(each);
      }
      return each > room;
    });
    if (ranks.empty()) {
      throw UserError(fmt::format("-p/--ranks '{}': with {} on a host there is room for {}",
                                  asked, ranks_per_host, room));
    }
  }
  return ranks;
}

// Each eight times the one before; blocks end at 1 MiB, vectors at 2 MiB.
std::vector<std::uint64_t> usual_sizes(bool blocks) {
  std::vector<std::uint64_t> sizes;
  constexpr std::uint64_t kMost = 1U << 18U;
  for (std::uint64_t each = 8; each <= kMost; each *= 8) {
    sizes.push_back(each);
  }
  sizes.push_back(blocks ? 1U << 20U : 1U << 21U);
  return sizes;
}

std::vector<std::uint32_t> per_host_asked(const DecideOptions& options) {
  std::vector<std::uint32_t> counts =
      parse_counts("--ranks-per-host", options.problem.ranks_per_host.value_or("1"));
  if (std::ranges::find(counts, 0U) != counts.end()) {
    throw UserError("--ranks-per-host '0': a host holds at least 1 rank");
  }
  std::ranges::sort(counts);
  const auto [first, last] = std::ranges::unique(counts);
  counts.erase(first, last);
  return counts;
}

// Drops the cells in which some ranks have nothing to send or to get.
void leave_out_empty_blocks(Decision& decision) {
  for (RankDecision& each : decision.decisions) {
    std::erase_if(each.cells, [&](const TimedCell& cell) {
      return owns_parts(decision.collective) &&
             cell.bytes < std::uint64_t{each.ranks} * decision.element_bytes;
    });
  }
}

std::string why_undecided(const Decision& decision) {
  if (!decision.too_many_ranks.empty()) {
    return fmt::format("{} on {} ranks", too_many_messages(decision),
                       decision.too_many_ranks.front());
  }
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      for (const CandidateTime& time : cell.times) {
        if (!time.refusal.empty()) {
          return time.refusal;
        }
      }
    }
  }
  return owns_parts(decision.collective) ? "these sizes leave ranks without data" : "nothing runs";
}

// Throws UserError unless the folder is empty or can be made.
void check_folder(const OptionText& output) {
  if (!output) {
    throw UserError(
        "-o/--output is missing: name a new folder for the rules and what they gain, such as "
        "-o rules");
  }
  const std::string& folder = *output;
  if (folder == "-") {
    throw UserError("-o/--output '-': there are several files; name a folder");
  }
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status) && !fs::is_empty(folder, error)) {
    throw UserError(
        fmt::format("-o/--output '{}': the folder has files in it; name a new one", folder));
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UserError(fmt::format("-o/--output '{}': a file is there; name a folder", folder));
  }
  if (fs::exists(status) && fs::equivalent(folder, ".", error)) {
    throw UserError(
        fmt::format("-o/--output '{}': this is the current folder; name a new one", folder));
  }
  const fs::path parent = fs::absolute(fs::path(folder) / "..").lexically_normal();
  if (!fs::is_directory(parent, error)) {
    throw UserError(fmt::format("-o/--output '{}': there is no folder to make it in", folder));
  }
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    throw UserError(fmt::format("-o/--output '{}': cannot write to '{}': {}", folder,
                                parent.string(), std::strerror(errno)));
  }
}

// A folder beside the one that is asked for, which takes that one's name once it is complete.
class NewFolder {
 public:
  explicit NewFolder(const std::string& asked)
      : asked_(asked), target_(fs::weakly_canonical(asked)) {
    target_ = target_.has_filename() ? target_ : target_.parent_path();
    part_ =
        target_.parent_path() / fmt::format(".{}.{}.part", target_.filename().string(), ::getpid());
    try_to([&](std::error_code& error) { fs::create_directory(part_, error); });
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code error;
    fs::remove_all(part_, error);
  }

  void write(const std::string& name, std::string_view text) const {
    const fs::path path = part_ / name;
    try_to([&](std::error_code& error) { fs::create_directories(path.parent_path(), error); });
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    if (!(file << text << std::flush)) {
      refuse(std::strerror(errno));
    }
  }
  // An empty folder of that name gives way.
  void take_name() const {
    try_to([&](std::error_code& error) { fs::rename(part_, target_, error); });
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(fmt::format("-o/--output '{}': {}", asked_, why));
  }
  template <typename Work>
  void try_to(Work&& work) const {
    std::error_code error;
    work(error);
    if (error) {
      refuse(error.message());
    }
  }

  std::string asked_;
  fs::path target_;
  fs::path part_;
};

// An interrupt leaves nothing behind.
void write_folder(const Site& site, const std::string& folder) {
  const std::vector<SiteFile> files = site_files(site);
  std::ostringstream readme;
  std::ostringstream gains;
  write_site_readme(site, files, readme);
  write_site_csv(site, gains);
  const WhenInterrupted nothing_is_kept([] { return std::string(); },
                                        WhenInterrupted::End::by_itself);
  const NewFolder written(folder);
  for (const SiteFile& file : files) {
    written.write(file.name, file.text);
  }
  written.write("README.md", readme.str());
  written.write("gains.csv", gains.str());
  nothing_is_kept.stop_if_interrupted();
  written.take_name();
}

struct OnHosts {
  const DecideOptions& options;
  const OpenedMachine& machine;
  const std::vector<Collective>& collectives;
  std::optional<std::uint32_t> hosts;  // of the platform
  std::uint32_t ranks_per_host = 1;
  std::optional<std::uint64_t> most_messages;
  std::size_t jobs = 1;
  bool known = true;  // what the library has built in
};

// Adds the parts for one number of ranks on a host. True where a run was lost.
bool decide_on_hosts(const OnHosts& asked, Site& site, std::ostream& err) {
  std::vector<ProblemTemplate> decided;  // by part that is added: it may have to be timed anew
  const std::size_t first = site.parts.size();
  bool lost = false;
  for (const Collective collective : asked.collectives) {
    DecisionRequest request = asked_decision(asked.options, asked.machine, collective, site.form,
                                             site.release.release)
                                  .request;
    ProblemRequest& problems = request.problems;
    problems.each.ranks_per_host = asked.ranks_per_host;
    problems.ranks = ranks_on(std::move(problems.ranks), asked.hosts, asked.ranks_per_host,
                              site.without_room[asked.ranks_per_host]);
    if (collective == Collective::barrier) {
      problems.bytes.clear();
    } else if (problems.bytes.empty()) {
      request.sizes_are_blocks = benchmarks_count_blocks(collective);
      problems.bytes = usual_sizes(request.sizes_are_blocks);
    }
    PreparedDecision prepared = prepare(asked.options, std::move(request));
    Decision& decision = prepared.decision;
    leave_out_empty_blocks(decision);
    if (asked.known) {
      add_baseline(site.release, prepared.asked, decision);
    }
    decision.most_messages = asked.most_messages.value_or(kUsualMessages);
    const auto runner = runner_of(asked.options, decision, asked.jobs, err);
    carry_out(decision, runner.get(), asked.jobs, false);
    const bool runs = something_runs(decision);
    if (runs && asked.known) {
      decision.judgement =
          judge(decision, built_in_rival(*site.release.line, prepared.asked), runner.get());
    }
    lost = (runner && runner->sum_up()) || lost;
    if (!runs) {
      site.undecided.push_back({collective, asked.ranks_per_host, why_undecided(decision)});
      continue;
    }
    SitePart part;
    part.ranks_per_host = asked.ranks_per_host;
    part.decision = std::move(decision);
    site.parts.push_back(std::move(part));
    decided.push_back(std::move(prepared.asked));
  }
  const bool reached = asked.known && asked.ranks_per_host > 1 && rules_reach_parts(site.release);
  std::vector<DecisionTable> rules;
  do {
    if (reached) {
      rules = rules_in_force(site, asked.ranks_per_host);
    }
    for (std::size_t i = 0; i < decided.size(); ++i) {
      SitePart& part = site.parts[first + i];
      if (reached) {
        const auto runner = runner_of(asked.options, part.decision, asked.jobs, err);
        judge_composed(site.release, decided[i], rules, runner.get(), part);
        lost = (runner && runner->sum_up()) || lost;
      }
      find_levels(site.release, part);
    }
  } while (take_back_losing(site, asked.ranks_per_host, rules));
  return lost;
}

}  // namespace

int decide_site(const DecideOptions& options, Streams streams) {
  const std::size_t jobs = parse_jobs(options.jobs);
  refuse_others(options);
  const std::optional<std::uint64_t> most_messages = messages_asked(options);
  Site site;
  site.release = library_release_named("--library", *options.library);
  site.form = form_written_for(site.release);
  if (site.form == RuleFormat::nccl) {
    throw UserError(
        fmt::format("--library '{}': its rules are of one collective and of a machine; "
                    "take decide COLLECTIVE --export nccl, with --gpu",
                    *options.library));
  }
  check_folder(options.output);
  const std::vector<Collective> collectives = collectives_asked(options, site);
  const std::vector<std::uint32_t> per_host = per_host_asked(options);
  DecideOptions on_each = options;
  on_each.problem.ranks_per_host.reset();
  const OpenedMachine machine = open_machine(options);
  const auto hosts = hosts_of(machine);
  const auto decided = versions_with_decisions();
  const bool known = std::ranges::find(decided, site.release.line->name) != decided.end();
  bool lost = false;
  for (const std::uint32_t ranks_per_host : per_host) {
    lost =
        decide_on_hosts({on_each, machine, collectives, hosts, ranks_per_host, most_messages, jobs, known},
                        site, streams.err) ||
        lost;
  }
  if (site.parts.empty()) {
    throw UserError(fmt::format("--library '{}': {}: {}", *options.library,
                                name(site.undecided.front().collective),
                                site.undecided.front().why));
  }
  write_folder(site, *options.output);
  print_site(site, *options.output, streams.out);
  return lost ? kExitCheckFailed : kExitOk;
}

}  // namespace tutti::inline commands
