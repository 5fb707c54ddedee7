// Sources of the lines: Open MPI v4.1.4, v5.0.9 and main of August 2026:
// ompi/mca/coll/base/coll_base_comm_select.c (mca_coll_base_comm_select), and
// ompi/runtime/ompi_mpi_params.c (ompi_show_all_mca_params); main also:
// ompi/mca/coll/tuned/coll_tuned_dynamic_rules.c. MPICH: pull request 7547. NCCL:
// 73cf1122 (2.30.7): src/enqueue.cc (scheduleCollTasksToPlan), src/init.cc (ncclCommInitRankFunc)
// and plugins/tuner/example/plugin.c.
#include "src/experiments/ran/run_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "schedules/problem.hpp"
#include "src/experiments/profiles/profile.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr InputKind kLogFile{
    "the output of a run", std::uint64_t{4} << 30U, true, {FileContent::benchmark}};

constexpr std::string_view kSelecting = "coll:base:comm_select: selecting ";
constexpr std::string_view kNew = "coll:base:comm_select: new communicator: ";
constexpr std::string_view kWorld = "MPI_COMM_WORLD";
constexpr std::string_view kDynamic = "coll:tuned:dynamic";
constexpr std::string_view kCounters = "==== Dump collective algorithm counters ====";
constexpr std::string_view kCountersEnd = "==== END collective algorithm counters ====";
constexpr std::string_view kNccl = " NCCL INFO ";
constexpr std::string_view kNcclRan = " Bytes -> ";
constexpr std::string_view kTunerApplied = "TUNER/ExamplePlugin: Applied config";

// Returns the text between `before` and `after`, or nothing if one of them is missing.
std::optional<std::string_view> between(std::string_view line, std::string_view before,
                                        std::string_view after) {
  const std::size_t from = line.find(before);
  if (from == line.npos) {
    return std::nullopt;
  }
  const std::size_t begin = from + before.size();
  const std::size_t end = line.find(after, begin);
  return end == line.npos ? std::nullopt : std::optional(line.substr(begin, end - begin));
}

// Reads lines such as "[host:1234] coll:base:comm_select: selecting       tuned, priority  30,
// Enabled".
class OpenMpiLines {
 public:
  void read(std::string_view line) {
    const auto process = between(line, "[", "] ");
    const std::size_t colon = process ? process->rfind(':') : std::string_view::npos;
    if (colon == std::string_view::npos) {
      return;
    }
    // mpirun may begin a line with the rank that printed it: "[1,0]<stderr>:[host:1234] ...".
    const std::string_view who = *process;
    if (who.find(">:[") != who.npos) {
      read(line.substr(line.find(">:[") + 2));
      return;
    }
    const std::string_view rest = line.substr(line.find(who) + who.size() + 2);
    if (const std::size_t at = rest.find(kNew); at != rest.npos) {
      const std::string_view name = trimmed(rest.substr(at + kNew.size()));
      processes_[std::string(who)].emplace_back(std::string(name),
                                                std::vector<ObservedComponent>{});
      return;
    }
    if (const std::size_t at = rest.find(kSelecting); at != rest.npos) {
      selecting(std::string(who), rest.substr(at + kSelecting.size()));
      return;
    }
    if (rest.find(kDynamic) != rest.npos) {
      looked_up(std::string(who), rest);
      return;
    }
    setting(rest);
  }

  void put(RunLog& log) const {
    // The processes of each communicator, by its name and components. mpirun may mix the lines of
    // several processes, so that the components of MPI_COMM_WORLD are those of most processes.
    const std::vector<ObservedComponent> of_world = most_name_of_world();
    std::map<std::pair<std::string, std::vector<ObservedComponent>>, std::vector<std::string>>
        found;
    for (const auto& [who, communicators] : processes_) {
      for (const auto& communicator : communicators) {
        const bool world = communicator.first.starts_with(kWorld);
        found[world ? std::pair(communicator.first, of_world) : communicator].push_back(who);
      }
    }
    for (const auto& [key, who] : found) {
      if (key.first.starts_with("MPI_COMM_SELF")) {
        continue;
      }
      ObservedCommunicator made;
      made.name = key.first.substr(0, key.first.find(" (cid"));
      made.components = key.second;
      std::map<std::string, std::uint32_t> on_host;
      for (const std::string& each : who) {
        ++on_host[each.substr(0, each.rfind(':'))];
      }
      made.hosts = static_cast<std::uint32_t>(on_host.size());
      for (const auto& [host, ranks] : on_host) {
        made.most_on_host = std::max(made.most_on_host, ranks);
        made.even = made.even && ranks == on_host.begin()->second;
      }
      made.ranks = made.name == kWorld ? static_cast<std::uint32_t>(who.size()) : 0;
      log.communicators.push_back(std::move(made));
    }
    log.settings.insert(settings_.begin(), settings_.end());
    // Every rank of a communicator prints each call, so that the largest count of a process is that
    // of all calls.
    std::map<std::tuple<Collective, std::uint32_t, std::uint64_t>, double> calls;
    for (const auto& [key, count] : looked_up_) {
      const auto& [who, collective, bytes] = key;
      const auto sizes = sizes_.find({who, collective});
      const bool known = sizes != sizes_.end() && sizes->second.size() == 1;
      double& of = calls[{collective, known ? *sizes->second.begin() : 0, bytes}];
      of = std::max(of, count);
    }
    for (const auto& [key, count] : calls) {
      const auto& [collective, ranks, bytes] = key;
      // Open MPI looks up the size of a block for allgatherv, and n for the other collectives.
      const bool of_block = collective == Collective::allgatherv && ranks > 0;
      log.calls.push_back(
          {collective, ranks, bytes * (of_block ? ranks : 1), count, std::string(kLookedUp), ""});
    }
  }

 private:
  // Returns the components that more than half of the processes name for MPI_COMM_WORLD.
  [[nodiscard]] std::vector<ObservedComponent> most_name_of_world() const {
    std::map<ObservedComponent, std::size_t> named;
    std::size_t processes = 0;
    std::vector<ObservedComponent> longest;
    for (const auto& [who, communicators] : processes_) {
      for (const auto& [name, components] : communicators) {
        if (name.starts_with(kWorld)) {
          ++processes;
          longest = components.size() > longest.size() ? components : longest;
          for (const ObservedComponent& each : components) {
            ++named[each];
          }
        }
      }
    }
    std::erase_if(longest,
                  [&](const ObservedComponent& each) { return 2 * named.at(each) <= processes; });
    return longest;
  }

  void selecting(const std::string& who, std::string_view text) {
    const auto found = processes_.find(who);
    const std::vector<std::string_view> parts = split(text, ',');
    if (found == processes_.end() || parts.size() != 3 || trimmed(parts[2]) != "Enabled") {
      return;
    }
    std::string_view priority = trimmed(parts[1]);
    constexpr std::string_view kPriority = "priority";
    if (!priority.starts_with(kPriority)) {
      return;
    }
    const auto value = parsed_number<int>(trimmed(priority.substr(kPriority.size())));
    if (value) {
      found->second.back().second.push_back({std::string(trimmed(parts[0])), *value});
    }
  }

  // Reads a line of Open MPI 6, such as "coll:tuned:dynamic For bcast with msg_size=64: selected
  // rule number 1:", or, for a communicator, "coll:tuned:dynamic: For bcast with communicator size
  // 4 selected rule number 1".
  void looked_up(const std::string& who, std::string_view text) {
    const auto collective = collective_named(between(text, "For ", " with ").value_or(""));
    if (!collective) {
      return;
    }
    if (const auto size = between(text, "with communicator size ", " ")) {
      if (const auto ranks = parsed_number<std::uint32_t>(*size)) {
        sizes_[{who, *collective}].insert(*ranks);
      }
    } else if (const auto bytes = between(text, "with msg_size=", ":")) {
      if (const auto value = parsed_number<std::uint64_t>(*bytes)) {
        ++looked_up_[{who, *collective, *value}];
      }
    }
  }

  // Reads a line such as "coll_tuned_use_dynamic_rules=true (environment)".
  void setting(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::size_t source = text.rfind(" (");
    if (!text.starts_with("coll_") || equals == text.npos || source == text.npos ||
        source < equals || !trimmed(text).ends_with(')')) {
      return;
    }
    settings_[std::string(text.substr(0, equals))] =
        std::string(text.substr(equals + 1, source - equals - 1));
  }

  // The communicators of each process, which has the name "host:1234", with their components.
  std::map<std::string, std::vector<std::pair<std::string, std::vector<ObservedComponent>>>>
      processes_;
  std::map<std::string, std::string> settings_;
  // Calls for which a process looked up rules, and the sizes of its communicators.
  std::map<std::tuple<std::string, Collective, std::uint64_t>, double> looked_up_;
  std::map<std::pair<std::string, Collective>, std::set<std::uint32_t>> sizes_;
};

// Reads the counters of one process: lines such as "         16  MPIR_Bcast_intra_binomial".
class MpichCounters {
 public:
  void read(std::string_view line) {
    if (line.find(kCounters) != line.npos) {
      inside_ = true;
    } else if (line.find(kCountersEnd) != line.npos) {
      inside_ = false;
    } else if (inside_) {
      std::string_view text = trimmed(line);
      if (text.starts_with('[')) {  // mpiexec -l begins a line with the rank that printed it
        text = trimmed(text.substr(std::min(text.find(']'), text.size() - 1) + 1));
      }
      const std::size_t blank = text.find(' ');
      const auto count = parsed_number<std::uint64_t>(text.substr(0, blank));
      if (count && blank != text.npos) {
        counters_[std::string(trimmed(text.substr(blank)))] += static_cast<double>(*count);
      }
    }
  }

  void put(RunLog& log) const { log.counters.insert(counters_.begin(), counters_.end()); }

 private:
  bool inside_ = false;
  std::map<std::string, double> counters_;
};

// Reads lines such as "host:1:2 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo RING proto LL
// channel{Lo..Hi}={0..1}", which rank 0 of a communicator prints for each call.
class NcclLines {
 public:
  void read(std::string_view line) {
    const std::size_t info = line.find(kNccl);
    if (line.find(kTunerApplied) != line.npos) {
      applied_ = true;
    }
    if (info == line.npos) {
      return;
    }
    const std::string who(trimmed(line.substr(0, info)));
    std::string_view text = line.substr(info + kNccl.size());
    if (const auto ranks = between(text, " nranks ", " ")) {
      if (const auto value = parsed_number<std::uint32_t>(*ranks)) {
        ranks_[who].insert(*value);
      }
    }
    if (const auto nodes = between(text, " nNodes ", " ")) {
      if (const auto value = parsed_number<std::uint32_t>(*nodes)) {
        nodes_[who].insert(*value);
      }
    }
    const std::size_t arrow = text.find(kNcclRan);
    const std::size_t colon = text.find(": ");
    if (arrow == text.npos || colon == text.npos || colon > arrow) {
      return;
    }
    const auto collective = collective_of(text.substr(0, colon));
    const auto bytes = parsed_number<std::uint64_t>(text.substr(colon + 2, arrow - colon - 2));
    const auto algorithm = between(text, "Algo ", " ");
    const auto protocol = between(text, "proto ", " ");
    if (!collective || !bytes || !algorithm || !protocol) {
      ++calls_without_algorithm_;  // such as copies by the copy engine
      return;
    }
    ++calls_[{who, *collective, *bytes, lower_case(*algorithm), lower_case(*protocol)}];
  }

  void put(RunLog& log) const {
    for (const auto& [key, count] : calls_) {
      const auto& [who, collective, bytes, algorithm, protocol] = key;
      const std::uint32_t p = only_one(ranks_, who);
      // NCCL prints the bytes that a rank contributes or receives.
      const bool of_block =
          collective == Collective::allgather || collective == Collective::reduce_scatter;
      log.calls.push_back({collective, p, bytes * (of_block && p > 0 ? p : 1), count, algorithm,
                           protocol, only_one(nodes_, who)});
    }
    if (calls_without_algorithm_ > 0) {
      log.assumed.push_back(fmt::format(
          "{} ran without an algorithm that a tuner chooses, and {} left out",
          counted(calls_without_algorithm_, "call"), calls_without_algorithm_ == 1 ? "is" : "are"));
    }
    log.tuner_applied = applied_;
  }

 private:
  using Numbers = std::map<std::string, std::set<std::uint32_t>>;  // of each process

  // Returns the number of a process; 0 if it has none, or several.
  static std::uint32_t only_one(const Numbers& numbers, const std::string& who) {
    const auto found = numbers.find(who);
    return found != numbers.end() && found->second.size() == 1 ? *found->second.begin() : 0;
  }

  static std::optional<Collective> collective_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, Collective>, 5> kNames{
        {{"AllReduce", Collective::allreduce},
         {"AllGather", Collective::allgather},
         {"ReduceScatter", Collective::reduce_scatter},
         {"Broadcast", Collective::bcast},
         {"Reduce", Collective::reduce}}};
    const auto found = std::ranges::find(kNames, name, &decltype(kNames)::value_type::first);
    return found == kNames.end() ? std::nullopt : std::optional(found->second);
  }

  Numbers ranks_;
  Numbers nodes_;
  std::map<std::tuple<std::string, Collective, std::uint64_t, std::string, std::string>, double>
      calls_;
  std::uint64_t calls_without_algorithm_ = 0;
  bool applied_ = false;
};

// Returns the library that printed the text; empty if no library did.
std::string family_of(std::string_view text) {
  const auto has = [&](std::string_view what) { return text.find(what) != text.npos; };
  return has("coll:base:comm_select") || has("coll_tuned_use_dynamic_rules=") || has(kDynamic)
             ? "Open MPI"
         : has(kCounters) ? "MPICH"
         : has(kNccl)     ? "NCCL"
                          : "";
}

void add_profile(std::string_view text, const std::string& path, RunLog& log) {
  std::optional<Profile> profile;
  try {
    profile = profile_from_text(text, path);
  } catch (const UserError& error) {
    throw UserError(
        fmt::format("$ran '{}': no lines of Open MPI (--mca coll_base_verbose 10), MPICH 5.1 "
                    "(MPIR_CVAR_DUMP_COLL_ALGO_COUNTERS=0) or NCCL (NCCL_DEBUG=INFO "
                    "NCCL_DEBUG_SUBSYS=INIT,TUNING), and not a profile of calls: {}",
                    shortened(printable(path)), error.what()));
  }
  for (const ProfileCalls& each : profile->calls) {
    log.calls.push_back({each.collective, each.ranks, each.bytes, each.calls, "", ""});
  }
  log.assumed.insert(log.assumed.end(), profile->assumed.begin(), profile->assumed.end());
}

}  // namespace

RunLog read_run_logs(std::span<const std::string> paths) {
  RunLog log;
  OpenMpiLines open_mpi;
  MpichCounters mpich;
  NcclLines nccl;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    if (std::ranges::find(paths.first(i), path) != paths.first(i).end()) {
      throw UserError(
          fmt::format("$ran '{}': the file is given twice", shortened(printable(path))));
    }
    const FileText file(path, kLogFile);
    const std::string family = family_of(file.view());
    if (family.empty()) {
      add_profile(file.view(), path, log);
      continue;
    }
    if (!log.family.empty() && log.family != family) {
      throw UserError(fmt::format("$ran '{}': output of {}, but an earlier file is of {}",
                                  shortened(printable(path)), family, log.family));
    }
    log.family = family;
    for (const std::string_view line : split(file.view(), '\n')) {
      open_mpi.read(line);
      mpich.read(line);
      nccl.read(line);
    }
  }
  open_mpi.put(log);
  mpich.put(log);
  nccl.put(log);
  return log;
}

}}  // namespace tutti::experiments
