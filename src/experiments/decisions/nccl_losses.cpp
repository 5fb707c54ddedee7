#include "src/experiments/decisions/nccl_losses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/text_words.hpp"
#include "base/time_column.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Precedes the release and the machine in the comments of a file.
constexpr std::string_view kMachineOfRules = "NCCL's own choices: by the model of ";

// Losses up to this share are not worth a warning: boundaries between rules are often rounded.
constexpr double kNoLoss = 0.01;

// Precedes the percentage of --model-loss in the comments of a file.
constexpr std::string_view kAllowedLoss = "slower by NCCL's own model by at most ";

// Returns the loss that the comments of a file allow, or kNoLoss.
double allowed_loss(std::string_view text) {
  const std::size_t at = text.find(kAllowedLoss);
  double percent = 0;
  if (at != text.npos) {
    const std::string_view rest = text.substr(at + kAllowedLoss.size());
    std::from_chars(rest.data(), rest.data() + rest.size(), percent);
  }
  return std::max(kNoLoss, percent / 100 + 1e-6);
}

// The ranks and nodes of a call.
struct Shape {
  std::uint32_t ranks = 0;
  std::optional<std::uint32_t> nodes;  // unset: the nodes of the machine are full

  friend auto operator<=>(const Shape&, const Shape&) = default;
};

// NCCL's times for a rule, at the size where the rule loses most.
struct Loss {
  double times = 0;  // how many times as long as NCCL's own choice
  std::uint64_t bytes = 0;
  float own_us = 0;
  float rule_us = 0;
  NcclLine own;
  std::string machine;
  std::string release;  // "NCCL 2.29.7"
};

// NCCL on nodes of one kind of GPU, with its models for the shapes of rules.
class JudgingMachine {
 public:
  struct Job {
    std::optional<NcclModel> model;  // empty if the machine has no such nodes
    std::string machine;
    std::string refusal;  // why NCCL's model does not cover the shape; may be empty
  };

  explicit JudgingMachine(const NcclOptions& options) : options_(options) {}

  const Job& job(const Shape& shape) {
    const auto [at, is_new] = jobs_.try_emplace(shape);
    if (is_new) {
      make(shape, at->second);
    }
    return at->second;
  }

 private:
  void make(const Shape& shape, Job& job) const {
    if (shape.ranks < 2) {
      return;
    }
    NcclOptions options = options_;
    if (shape.nodes && !options.graph) {
      const std::uint32_t each = nodes_of(shape.ranks, *shape.nodes);
      options.gpus_per_node = {each, fmt::format("{}", each)};
    }
    try {
      NcclJob found = options.job(shape.ranks);
      if (!shape.nodes || found.cluster.nodes == *shape.nodes) {
        job.machine = std::move(found.machine);
        job.model.emplace(found.cluster);
      }
    } catch (const UserError& error) {
      job.refusal = error.what();
    }
  }

  const NcclOptions& options_;
  std::map<Shape, Job> jobs_;
};

// Returns sizes that the rule holds for: powers of two, and its ends.
std::vector<std::uint64_t> sizes_of(const Rule& rule) {
  constexpr std::uint64_t kLeast = 8;
  constexpr std::uint64_t kMost = std::uint64_t{16} << 30U;
  const std::uint64_t from = std::max(rule.bytes_from.value_or(0), kLeast);
  const std::uint64_t last = rule.bytes_below ? *rule.bytes_below - 1 : kMost;
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = kLeast; size <= kMost; size *= 2) {
    if (size >= from && size <= last) {
      sizes.push_back(size);
    }
  }
  if (from <= last) {
    sizes.push_back(from);
    sizes.push_back(last);
  }
  return sizes;
}

// Adds the largest loss of the rule on `job` to `most`. Only the calls count that no earlier rule
// decides.
void add_loss(const DecisionTable& table, const Rule& rule, const Shape& shape,
              const JudgingMachine::Job& job, Loss& most) {
  const NcclModel& model = *job.model;
  const NcclLine line{rule.choice->library_algorithm, rule.choice->protocol};
  for (const std::uint64_t bytes : sizes_of(rule)) {
    const auto chosen = look_up(table, shape.ranks, bytes, 1, model.cluster().nodes);
    if (!chosen || chosen->path.front() != &rule) {
      continue;
    }
    const auto own = model.choose(table.collective, bytes);
    const auto time_us = nccl_model_us(model, table.collective, line, bytes);
    if (own && time_us && *time_us / own->time_us > most.times) {
      most = {*time_us / own->time_us,
              bytes,
              own->time_us,
              *time_us,
              {name(own->algorithm), name(own->protocol)},
              job.machine,
              model.cluster().release->title()};
    }
  }
}

std::string in_words(const Rule& rule, const Loss& loss) {
  return fmt::format(
      "by the model of {} on {}, {} with {} takes {:.3g} times as long as NCCL's own choice "
      "at "
      "{}: {} against {} with {} with {}",
      loss.release, loss.machine, rule.choice->library_algorithm, rule.choice->protocol, loss.times,
      human_bytes(loss.bytes), brief_time(loss.rule_us / 1e6), brief_time(loss.own_us / 1e6),
      loss.own.algorithm, loss.own.protocol);
}

// Returns rules for the sizes of `rule` with NCCL's own choices, for the shape of the rule.
std::vector<Rule> own_choices(const DecisionTable& table, const Rule& rule,
                              const NcclModel& model) {
  const auto own = [&](std::uint64_t bytes) {
    const auto choice = model.choose(table.collective, bytes);
    return choice ? NcclLine{name(choice->algorithm), name(choice->protocol)} : NcclLine{};
  };
  std::vector<std::uint64_t> sizes = sizes_of(rule);
  sizes.push_back(rule.bytes_from.value_or(0));
  std::ranges::sort(sizes);
  std::vector<Rule> rules;
  const auto begin = [&](std::uint64_t bytes) {
    if (!rules.empty()) {
      rules.back().bytes_below = bytes;
    }
    Rule& next = rules.emplace_back(rule);
    next.bytes_from = bytes;
    next.choice->library_algorithm = own(bytes).algorithm;
    next.choice->protocol = own(bytes).protocol;
    next.choice->channels = 0;
  };
  begin(sizes.front());
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    // The first size of (least, most] at which the choice is that at `most`.
    std::uint64_t least = sizes[i - 1];
    std::uint64_t most = sizes[i];
    if (own(least) == own(most)) {
      continue;
    }
    while (most - least > 1) {
      const std::uint64_t middle = least + (most - least) / 2;
      (own(middle) == own(sizes[i]) ? most : least) = middle;
    }
    begin(most);
  }
  rules.back().bytes_below = rule.bytes_below;
  return rules;
}

}  // namespace

std::string allowed_by_model(double loss) {
  return loss > 0 ? fmt::format("{}{:g} %", kAllowedLoss, 100 * loss)
                  : "not slower by NCCL's own model";
}

LosingRules find_losing_rules(const NcclOptions& machine, std::string_view text,
                              const std::vector<std::uint32_t>& ranks, RuleFile& file) {
  JudgingMachine judging(machine);
  const double allowed = allowed_loss(text);
  LosingRules losing;
  std::size_t judged = 0;
  std::vector<std::size_t> of_any_ranks;
  std::map<std::size_t, std::string> not_compared;  // reasons, by line
  std::string refused;                              // a reason of NCCL's model; may be empty
  for (const DecisionTable& table : file.tables) {
    for (const Rule& rule : table.rules) {
      std::vector<std::uint32_t> on = ranks;
      if (rule.ranks_below) {
        on = {*rule.ranks_from};
      }
      if (on.empty()) {
        of_any_ranks.push_back(rule.line);
      }
      Loss most;
      const NcclModel* model = nullptr;
      for (const std::uint32_t count : on) {
        const Shape shape{count, rule.nodes};
        const JudgingMachine::Job& job = judging.job(shape);
        if (job.model) {
          add_loss(table, rule, shape, job, most);
          model = &*job.model;
        } else {
          refused = job.refusal;
          not_compared[rule.line] = refused.empty() ? "the machine has no such nodes" : refused;
        }
      }
      judged += most.times > 0 ? 1 : 0;
      if (most.times > 1 + allowed) {
        losing[rule.line] = on.size() == 1 ? own_choices(table, rule, *model) : std::vector<Rule>();
        file.warn(rule.line, in_words(rule, most));
      }
    }
  }
  if (judged == 0 && !refused.empty()) {
    throw UserError(refused);
  }
  for (const auto& [line, why] : not_compared) {
    file.note(line, fmt::format("not compared with NCCL's own choices: {}", with_fields(why)));
  }
  std::ranges::stable_sort(file.findings, {}, &RuleFinding::line);
  if (judged > 0) {
    file.note(0, with_fields(
                     fmt::format("{} {} compared with NCCL's own choices by the model of {} on "
                                 "nodes of {}{}; the model's times are for the channels that NCCL "
                                 "chooses.",
                                 counted(judged, "rule"), judged == 1 ? "was" : "were",
                                 machine.used_release().title(), machine.gpu.value_or("h100"),
                                 machine.gpu ? "" : " (the default; $gpu names another)")));
  }
  for (const std::size_t line : of_any_ranks) {
    file.note(line, with_fields("not compared with NCCL's own choices, because the rule is for any "
                                "number of ranks; $ranks names some"));
  }
  return losing;
}

std::string machine_of_rules(const NcclJob& job) {
  return fmt::format("{}{} on {}", kMachineOfRules, job.cluster.release->title(), job.machine);
}

void take_machine_of_rules(std::string_view text, NcclOptions& machine) {
  const std::size_t at = text.find(kMachineOfRules);
  if (at == text.npos) {
    return;
  }
  const std::string_view rest = text.substr(at + kMachineOfRules.size());
  const std::vector<std::string_view> words = words_in(rest.substr(0, rest.find('\n')));
  const NcclGpu* const gpu = words.size() < 2 ? nullptr : nccl_gpu_named(words.back());
  if (gpu == nullptr) {
    return;
  }
  const auto release = std::ranges::find_if(nccl_releases(), [&](const NcclRelease& each) {
    return each.library == words[0] && each.name == words[1];
  });
  const bool amd = !gpu->machine.amd_gpu.empty() && rccl_release().library == words[0];
  if (amd || release != nccl_releases().end()) {
    machine.release = amd ? nullptr : &*release;
    machine.gpu = words.back();
  }
}

}}  // namespace tutti::experiments
