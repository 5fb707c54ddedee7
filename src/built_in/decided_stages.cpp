#include "src/built_in/decided_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace built_in {

namespace {

constexpr std::string_view kHierarchical = "hierarchical";

// Returns the first option of the choice, with its value, that --within and --across cannot
// express; nothing if they can express all options of the choice.
std::optional<std::string> inexpressible_option(const Choice& choice) {
  constexpr std::array kInText{Option::tree, Option::radix, Option::fold, Option::cuts};
  for (const OptionType* type : choice_options()) {
    if (choice.options.has(type->option) &&
        std::ranges::find(kInText, type->option) == kInText.end()) {
      return fmt::format("{} {}", type->flag(), choice.options.text(type->option));
    }
  }
  return std::nullopt;
}

// True if the part is an unsegmented tree. On two ranks, all such trees send the same messages as
// the algorithm "linear".
bool any_tree(const OnePart& part) {
  return part.segment_bytes == 0 && (part.algorithm == "pipeline" || part.algorithm == "binomial" ||
                                     part.algorithm == "linear");
}

OnePart part_of(const PartCall& call, const Choice& choice) {
  OnePart part{.algorithm = choice.algorithm, .segment_bytes = choice.segment_bytes};
  const Algorithm* algorithm = find_algorithm(call.collective, choice.algorithm);
  TUTTI_INVARIANT(algorithm != nullptr);
  if (takes(*algorithm, Option::tree) && choice.options.has(Option::tree)) {
    part.tree = choice.options.values().tree;
  }
  part.cuts = choice.options.values().cuts;
  const DefaultedNumber* const own_radix = defaulted_number(*algorithm, Option::radix);
  if (call.ranks > 2 &&
      (own_radix == nullptr || !own_radix->is_redundant(choice.options.values()))) {
    part.radix = choice.options.values().radix;
  }
  if (!std::has_single_bit(call.ranks)) {
    part.fold = choice.options.values().fold;
  }
  return call.ranks == 2 && any_tree(part) ? OnePart{.algorithm = "linear"} : part;
}

}  // namespace

void DecidedStages::add(const PartCall& call, bool between, Segments segments,
                        const LibraryDecision& decision) {
  if (!lacking_.empty()) {
    return;
  }
  if (decision.choice.algorithm.empty()) {
    lacking_ = fmt::format("tutti has no {} equivalent to the library's for {}",
                           name(call.collective), call.whom);
    return;
  }
  Choice choice = decision.choice;
  if (choice.segment_bytes >= call.bytes) {
    choice.segment_bytes = 0;  // one segment means no segmentation
  }
  if (const auto option = inexpressible_option(choice)) {
    lacking_ =
        fmt::format("for {}: a stage of a hierarchy does not support {}", call.whom, *option);
    return;
  }
  const OnePart part = part_of(call, choice);
  const bool free = call.ranks == 2 && any_tree(part);
  auto stage = std::ranges::find_if(stages_, [&](const Stage& each) {
    return each.collective == call.collective && each.between == between;
  });
  if (stage == stages_.end()) {
    stage = stages_.insert(stages_.end(), {call.collective, between, {}});
  }
  std::optional<StageDecision>& before = stage->parts[static_cast<std::size_t>(segments)];
  if (!before) {
    before = StageDecision{part, free};
  } else if (before->part == part || (before->any_tree && any_tree(part))) {
    before->part = part;
    before->any_tree = before->any_tree && free;
  } else if (!free || !any_tree(before->part)) {
    lacking_ = fmt::format(
        "all groups of a stage of a hierarchy must have the same algorithm; the {} {} is {}, but "
        "{} for {}",
        name(call.collective), between ? "between nodes" : "on nodes", to_text(before->part),
        to_text(part), call.whom);
  }
}

StagePart DecidedStages::Stage::by_segment() const {
  const auto part = [this](Segments segments) -> const std::optional<StageDecision>& {
    return parts[static_cast<std::size_t>(segments)];
  };
  const std::optional<StageDecision>& others = part(Segments::others);
  const std::optional<StageDecision>& last = part(Segments::last);
  const StageDecision& first = part(Segments::first) ? *part(Segments::first)
                               : others              ? *others
                                                     : *last;
  StagePart stage{first.part, std::nullopt, std::nullopt};
  if (others && others->part != first.part) {
    stage.others = others->part;
  }
  if (last && last->part != (others ? others->part : first.part)) {
    (others ? stage.last : stage.others) = last->part;
  }
  return stage;
}

void DecidedStages::put_together(const LibraryCall& call, HierarchyForm form,
                                 std::uint64_t segment_bytes, LibraryDecision& decision) const {
  decision.lacking = lacking_;
  const Algorithm* algorithm = find_algorithm(call.collective, kHierarchical);
  if (algorithm == nullptr) {
    decision.lacking = fmt::format("tutti has no hierarchical {}", name(call.collective));
  }
  if (!decision.lacking.empty()) {
    return;
  }
  std::string within;
  std::string across;
  for (const Stage& stage : stages_) {
    std::string& text = stage.between ? across : within;
    text += fmt::format("{}{}", text.empty() ? "" : "+", to_text(stage.by_segment()));
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
    choice.options.parse(type, type.flag(), text, call.collective);
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
    // Checks a vector of at most three segments. This suffices, because all segments but the last
    // are alike, and it saves time: checking thousands of segments on hundreds of nodes takes
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

}}  // namespace tutti::built_in
