#include "src/steps/jobs/ready_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "schedules/notation/notation_error.hpp"
#include "src/steps/groups.hpp"
#include "src/steps/step_file.hpp"
#include "src/steps/step_run.hpp"

namespace tutti { inline namespace steps {

namespace {

std::string place_of(const JobFile& file, const JobRequest& job) {
  return fmt::format("{}: job {}", place_in_file(file.path, job.line), job.name);
}

// Returns the number of GPUs of a full node.
std::uint32_t gpus_of_node(const NcclOptions& gpus) {
  constexpr std::uint32_t kMostOfNode = 1024;
  const NcclJob smallest = gpus.job(2);
  return smallest.nodes_described ? smallest.nodes.gpus
         : gpus.graph             ? gpus.job(kMostOfNode).gpus_per_node
         : gpus.gpus_per_node     ? gpus.gpus_per_node->value
                                  : nccl_gpu_named(smallest.gpu)->machine.gpus_per_node;
}

// Returns the hosts of a job. There are `of_node` hosts on each node.
std::vector<std::uint32_t> hosts_of(const JobFile& file, const JobRequest& job,
                                    std::uint32_t of_node) {
  constexpr std::uint32_t kMostHosts = kMostStepRanks;
  const std::uint32_t each = job.on_nodes ? of_node : 1;
  std::vector<std::uint32_t> hosts;
  for (const std::uint32_t place : job.places) {
    if (place >= kMostHosts / each) {
      throw UserError(fmt::format("{}: {} {}: the number must be below {}", place_of(file, job),
                                  job.on_nodes ? "node" : "host", place, kMostHosts / each));
    }
    for (std::uint32_t i = 0; i < each; ++i) {
      hosts.push_back(place * each + i);
    }
  }
  return hosts;
}

// Throws UserError if a job has a host that the platform lacks, or that another job has.
void check_hosts(const JobFile& file, const std::vector<std::vector<std::uint32_t>>& hosts,
                 std::optional<std::uint32_t> there, const std::string& platform) {
  std::map<std::uint32_t, std::size_t> job_of_host;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (const std::uint32_t host : hosts[i]) {
      if (there && host >= *there) {
        throw UserError(fmt::format("{}: host {}: {} has the hosts 0 to {}",
                                    place_of(file, file.jobs[i]), host, platform, *there - 1));
      }
      const auto [found, is_new] = job_of_host.try_emplace(host, i);
      if (!is_new) {
        throw UserError(fmt::format(
            "{}: host {} already belongs to job {} (line {}); give each job its own hosts",
            place_of(file, file.jobs[i]), host, file.jobs[found->second].name,
            file.jobs[found->second].line));
      }
    }
  }
}

// Returns at most how many operations one run of the job has.
std::uint64_t most_ops(const ReadyJob& job) {
  const StepDescription& step = job.step;
  const auto part_of = [&](const StepAction& action) {
    return job.calls[action.what].part ? job.calls[action.what].part->schedule().size() : 0;
  };
  std::uint64_t ops = 2 * std::uint64_t{step.ranks};
  for (const StepAction& action : step.actions) {
    const std::uint64_t ranks =
        action.stage
            ? static_cast<std::uint64_t>(std::ranges::count(step.stage_of_rank, *action.stage))
            : step.ranks;
    if (action.kind == StepAction::Kind::compute) {
      ops += ranks * operations_of(action.picoseconds);
    } else if (action.calls()) {
      const StepGroup& group = step.groups[step.calls[action.what].group];
      const std::uint64_t communicators =
          action.kind == StepAction::Kind::handover ? group.members.size() : ranks / group.size();
      ops += 2 * ranks + communicators * part_of(action);
    } else {
      ops += ranks;
    }
  }
  return ops;
}

}  // namespace

ReadyJobs ready_jobs(JobFile file, OpenedMachine opened, const std::optional<NcclOptions>& gpus,
                     std::uint32_t ranks_per_host, std::uint32_t element_bytes) {
  const std::uint32_t of_node = gpus ? gpus_of_node(*gpus) : 1;
  std::vector<std::vector<std::uint32_t>> hosts;
  std::uint32_t used = 0;
  for (const JobRequest& job : file.jobs) {
    if (job.on_nodes && !gpus) {
      throw UserError(fmt::format(
          "{}: a node has several hosts only if the hosts are GPUs; write 'on hosts', or give a "
          "platform of 'tutti platform gpu', or $gpu without $platform",
          place_of(file, job)));
    }
    hosts.push_back(hosts_of(file, job, of_node));
    used = std::max(used, *std::ranges::max_element(hosts.back()) + 1);
  }
  std::optional<std::uint32_t> there;
  std::string platform;
  if (!opened.spec.made_on_the_fly()) {
    const PlatformFacts facts = describe(opened.machine(1, 1, element_bytes)).facts;
    there = facts.hosts;
    platform = facts.name;
  }
  check_hosts(file, hosts, there, platform);
  const std::uint32_t whole_nodes = (used + of_node - 1) / of_node * of_node;
  if (std::uint64_t{whole_nodes} * ranks_per_host > kMostStepRanks) {
    throw UserError(fmt::format("{}: host {} with $ranks_per_host {}: there can be up to {} ranks",
                                file.path, used - 1, ranks_per_host, kMostStepRanks));
  }
  ReadyJobs ready;
  ready.file = file.path;
  ready.machine = step_machine(std::move(opened), gpus, whole_nodes * ranks_per_host,
                               ranks_per_host, element_bytes);
  for (std::size_t i = 0; i < file.jobs.size(); ++i) {
    ReadyJob job;
    job.request = file.jobs[i];
    job.hosts = std::move(hosts[i]);
    for (const std::uint32_t host : job.hosts) {
      for (std::uint32_t k = 0; k < ranks_per_host; ++k) {
        job.members.push_back(host * ranks_per_host + k);
      }
    }
    try {
      job.step = read_step_file(job.request.path, static_cast<std::uint32_t>(job.members.size()));
      const StepMachine own = part_of_machine(ready.machine, job.members);
      check_slowdowns(job.step, own);
      job.choices = choose_algorithms(job.step, own);
      CallParts parts = parts_of(job.choices, own);
      job.places = all_places(job.step.ranks);
      job.calls = *placed_calls(job.step, job.places, parts);
    } catch (const NotationError& error) {
      throw NotationError(fmt::format("{}: {}", place_of(file, job.request), error.what()),
                          error.excerpt());
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}: {}", place_of(file, job.request), error.what()));
    }
    job.ops = most_ops(job);
    ready.jobs.push_back(std::move(job));
  }
  return ready;
}

}}  // namespace tutti::steps
