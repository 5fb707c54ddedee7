#include "src/built_in/decided_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "schedules/registry.hpp"

namespace tutti {

namespace {

constexpr std::string_view kHierarchical = "hierarchical";

// Whether the library's rounding of blocks is that of the even split.
bool cut_evenly(const PartCall& call, const Choice& choice) {
  const std::uint64_t elements = call.bytes / call.element_bytes;
  if (choice.algorithm == "pipeline" || choice.algorithm == "in_order_binary") {
    const std::uint64_t segment = choice.segment_bytes;
    // Not cut at all, or into segments that are all whole.
    return segment == 0 || (call.bytes % segment == 0 && segment % call.element_bytes == 0);
  }
  if (choice.algorithm == "rabenseifner") {
    return elements % std::bit_floor(call.ranks) == 0;
  }
  return (choice.algorithm == "scatter_doubling" || choice.algorithm == "scatter_allgather") &&
         elements % call.ranks == 0;
}

// Whether the algorithm has that number by itself.
bool said_in_vain(Collective collective, const Choice& choice, Option option) {
  const Algorithm* algorithm = find_algorithm(collective, choice.algorithm);
  TUTTI_INVARIANT(algorithm != nullptr);
  return std::any_of(
      algorithm->own_numbers.begin(), algorithm->own_numbers.end(), [&](const OwnNumber& number) {
        return number.option == option && number.is_said_in_vain(choice.options.values());
      });
}

// What a stage's words cannot say of a choice; nothing where they say all.
std::optional<std::string> unsaid(const PartCall& call, const Choice& choice) {
  for (const OptionType* type : choice_options()) {
    if (!choice.options.has(type->option) || type->option == Option::tree) {
      continue;
    }
    const bool same = (type->option == Option::fold && std::has_single_bit(call.ranks)) ||
                      (type->option == Option::radix && call.ranks == 2) ||
                      said_in_vain(call.collective, choice, type->option) ||
                      (type->option == Option::cuts && cut_evenly(call, choice));
    if (!same) {
      return fmt::format("{} {}", type->flag, choice.options.text(type->option));
    }
  }
  return std::nullopt;
}

// On two ranks, in one piece, they do the same as linear.
bool any_tree(const OnePart& part) {
  return part.segment_bytes == 0 && (part.algorithm == "pipeline" || part.algorithm == "binomial" ||
                                     part.algorithm == "linear");
}

OnePart part_of(const PartCall& call, const Choice& choice) {
  OnePart part{choice.algorithm, std::nullopt, choice.segment_bytes};
  const Algorithm* algorithm = find_algorithm(call.collective, choice.algorithm);
  TUTTI_INVARIANT(algorithm != nullptr);
  if (takes(*algorithm, Option::tree) && choice.options.has(Option::tree)) {
    part.tree = choice.options.values().tree;
  }
  return call.ranks == 2 && any_tree(part) ? OnePart{"linear", std::nullopt, 0} : part;
}

}  // namespace

void DecidedStages::add(const PartCall& call, bool between, const LibraryDecision& decision) {
  if (!lacking_.empty()) {
    return;
  }
  if (decision.choice.algorithm.empty()) {
    lacking_ = fmt::format("tutti has no {} like that of {}", name(call.collective), call.whom);
    return;
  }
  Choice choice = decision.choice;
  if (choice.segment_bytes >= call.bytes) {
    choice.segment_bytes = 0;  // one segment is none
  }
  if (const auto option = unsaid(call, choice)) {
    lacking_ = fmt::format("of {}: {}, which no stage of a hierarchy can have", call.whom, *option);
    return;
  }
  const OnePart part = part_of(call, choice);
  const bool free = call.ranks == 2 && any_tree(part);
  const auto before = std::find_if(stages_.begin(), stages_.end(), [&](const Stage& stage) {
    return stage.collective == call.collective && stage.between == between;
  });
  if (before == stages_.end()) {
    stages_.push_back({call.collective, between, part, free});
  } else if (before->part == part || (before->any_tree && any_tree(part))) {
    before->part = part;
    before->any_tree = before->any_tree && free;
  } else if (!free || !any_tree(before->part)) {
    lacking_ =
        fmt::format("a hierarchy has one algorithm for each stage; the {} {} is {}, but {} for {}",
                    name(call.collective), between ? "between nodes" : "on nodes",
                    to_text(before->part), to_text(part), call.whom);
  }
}

void DecidedStages::put_together(const LibraryCall& call, HierarchyForm form,
                                 std::uint64_t segment_bytes, LibraryDecision& decision) const {
  decision.lacking = lacking_;
  const Algorithm* algorithm = find_algorithm(call.collective, kHierarchical);
  if (algorithm == nullptr) {
    decision.lacking = fmt::format("tutti has no {} in stages", name(call.collective));
  }
  if (!decision.lacking.empty()) {
    return;
  }
  std::string within;
  std::string across;
  for (const Stage& stage : stages_) {
    std::string& text = stage.between ? across : within;
    text += fmt::format("{}{}", text.empty() ? "" : "+", to_text(stage.part));
  }
  if (across.empty()) {
    decision.lacking = "all ranks are on one node, and tutti has no hierarchy of one group";
    return;
  }
  Choice choice;
  choice.algorithm = kHierarchical;
  choice.segment_bytes = segment_bytes;
  const auto give = [&](Option option, const std::string& text) {
    const OptionType& type = option_type(option);
    choice.options.parse(type, type.flag, text, call.collective);
  };
  give(Option::groups, fmt::format("{}", call.ranks_per_node));
  give(Option::within, within);
  give(Option::across, across);
  if (form != HierarchyForm::han) {
    give(Option::composition, std::string(name(form)));
  }
  Problem problem;
  problem.collective = call.collective;
  problem.ranks = call.ranks;
  problem.element_bytes = call.element_bytes;
  problem.bytes = call.bytes - call.bytes % call.element_bytes;
  problem.segment_bytes = segment_bytes;
  choice.options.copy_into(problem);
  if (segment_bytes > 0 && problem.bytes / segment_bytes > 2) {
    // All but the last are alike. To check laid out thousands of them on hundreds of nodes takes
    // seconds.
    problem.bytes = 2 * segment_bytes + problem.bytes % segment_bytes;
  }
  try {
    check(*algorithm, problem);
  } catch (const UserError& error) {
    decision.lacking = error.what();
    return;
  }
  decision.choice = std::move(choice);
}

}  // namespace tutti
