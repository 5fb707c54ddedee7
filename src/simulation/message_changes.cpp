#include "src/simulation/message_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "platforms/rank_places.hpp"
#include "src/simulation/message_setup.hpp"

namespace tutti { inline namespace simulation {

namespace {

using Model = MessageModel;
using Values = std::initializer_list<double Model::*>;

void scale(Model& model, Values values, double factor) {
  for (double Model::*const value : values) {
    model.*value *= factor;
  }
}

// True if the change is one of single links, or of links between switches, which are not those for
// which the message model has parameters.
bool scales_no_parameter(const LinkChange& change) {
  return !means_link(change.which, "", {"", kHostLinks}) &&
         !means_link(change.which, "", {"", kLoopbacks});
}

// Returns the message model with the values of the machine's kinds of jobs.
Model model_of_job(const Machine& machine) {
  Model model = *machine.files.messages;
  for (const JobKind* kind : job_kinds(machine)) {
    model = with_values_of(*kind, model);
  }
  return model;
}

// Returns the parameters whose values differ, each as "NAME VALUE -> VALUE".
std::vector<std::string> differences(const Model& before, const Model& after) {
  std::vector<std::string> found;
  for (const MessageParameter& each : message_parameters()) {
    if (before.*each.value != after.*each.value) {
      found.push_back(fmt::format("{} {} -> {}", each.name,
                                  parameter_in_words(each, before.*each.value),
                                  parameter_in_words(each, after.*each.value)));
    }
  }
  return found;
}

}  // namespace

LinkFactors class_factors(const PlatformChanges& changes, std::string_view link_class) {
  LinkFactors factors;
  for (const LinkChange& change : changes.links) {
    if (means_link(change.which, "", {"", std::string(link_class)})) {
      factors.bandwidth *= change.bandwidth;
      factors.latency *= change.latency;
    }
  }
  return factors;
}

MessageModel message_model(const MessageModel& model, const MachineSpec& spec) {
  Model changed = model;
  const LinkFactors hosts = class_factors(spec.changes, kHostLinks);
  const LinkFactors own = class_factors(spec.changes, kLoopbacks);
  scale(changed,
        {&Model::rank_bytes_per_s, &Model::host_bytes_per_s, &Model::medium_bytes_per_s,
         &Model::long_bytes_per_s},
        hosts.bandwidth);
  scale(changed, {&Model::node_rank_bytes_per_s, &Model::node_bytes_per_s}, own.bandwidth);
  scale(changed, {&Model::latency_s}, hosts.latency);
  scale(changed, {&Model::node_latency_s}, own.latency);
  scale(changed, {&Model::reduce_s_per_byte, &Model::reduce_memory_s_per_byte}, spec.changes.gamma);
  scale(changed, {&Model::copy_s_per_byte, &Model::copy_memory_s_per_byte}, spec.copy.times);
  for (const ParameterChange& change : spec.parameter_changes) {
    double& value = changed.*change.parameter->value;
    value = change.value.value_or(value) * change.factor;
  }
  return changed;
}

std::vector<const JobKind*> job_kinds(const Machine& machine) {
  std::vector<const JobKind*> found;
  if (machine.files.job_kinds.empty()) {
    return found;
  }
  const double per_node = ranks_per_host(hosts_of_ranks(machine.mapping));
  const double nodes = std::round(machine.mapping.ranks / per_node);
  for (const JobKind& kind : machine.files.job_kinds) {
    if (kind.includes(nodes, per_node)) {
      found.push_back(&kind);
    }
  }
  return found;
}

MessageModel message_model(const Machine& machine) {
  return message_model(model_of_job(machine), machine.spec);
}

void use_messages(Machine& machine) {
  const Model model = message_model(machine);
  if (model.inline_bytes > model.eager_bytes) {
    throw UserError(fmt::format(
        "$parameters '{}': with the changes for this job, inline_bytes is {:g}; it must be at most "
        "eager_bytes, which is {:g}",
        printable(machine.spec.parameters), model.inline_bytes, model.eager_bytes));
  }
  machine.setup.eager_bytes = static_cast<std::int64_t>(model.eager_bytes);
  machine.setup.ports = machine.spec.ports.value_or(static_cast<std::uint32_t>(model.under_way));
}

std::string parameter_in_words(const MessageParameter& parameter, double value) {
  if (!std::isfinite(value)) {
    return "unlimited";
  }
  return parameter.unit == "s"     ? human_time(value)
         : parameter.unit == "B"   ? human_bytes(static_cast<std::uint64_t>(value))
         : parameter.unit == "B/s" ? human_rate(value)
         : parameter.unit == "s/B" ? human_time(value) + " per byte"
                                   : fmt::format("{:g}", value);
}

std::string what_ifs_in_words(const Machine& machine) {
  const MachineSpec& spec = machine.spec;
  std::string text = fmt::format("{}", fmt::join(spec.what_ifs, "; "));
  if (spec.what_ifs.empty() || !machine.files.messages) {
    return text;
  }
  const std::vector<std::string> changed =
      differences(model_of_job(machine), message_model(machine));
  const bool only_platform = std::ranges::any_of(spec.changes.links, scales_no_parameter);
  if (!changed.empty()) {
    text +=
        with_fields(fmt::format("; this changes, in $parameters: {}", fmt::join(changed, ", ")));
  }
  if (only_platform) {
    const MessageParameter& rate = *find_message_parameter("rank_bytes_per_s");
    text += with_fields(fmt::format(
        "; links other than those of all hosts change on the platform only, and rank_bytes_per_s "
        "in $parameters is {}",
        parameter_in_words(rate, message_model(machine).rank_bytes_per_s)));
  }
  return text;
}

void note_slow_ranks(const Machine& machine, PlatformFacts& facts) {
  constexpr double kMuch = 1.5;
  const Model model = message_model(machine);
  const double of_ranks = model.rank_bytes_per_s * ranks_per_host(hosts_of_ranks(machine.mapping));
  const bool by_host = model.host_bytes_per_s < of_ranks;
  const MessageParameter& rate =
      *find_message_parameter(by_host ? "host_bytes_per_s" : "rank_bytes_per_s");
  const bool changed =
      std::ranges::any_of(machine.spec.parameter_changes,
                          [&](const ParameterChange& each) { return each.parameter == &rate; });
  if (changed || facts.hosts_used < 2 ||
      !(std::min(of_ranks, model.host_bytes_per_s) * kMuch < facts.bandwidth_bytes_per_s)) {
    return;
  }
  facts.notes.push_back(fmt::format(
      "each {} sends at most {} ({} in {}), and all links in use have at least {}; if the file "
      "describes a slower network than the platform, change {} too",
      by_host ? "host" : "rank", human_rate(model.*rate.value), rate.name,
      std::filesystem::path(machine.spec.parameters).filename().string(),
      human_rate(facts.bandwidth_bytes_per_s), rate.name));
}

}}  // namespace tutti::simulation
