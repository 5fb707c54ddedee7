// --tree: the tree of a pipelined algorithm.
#include "schedules/options/tree.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules {

Tree tree_named(std::string_view text) {
  const auto tree = named<Tree>(kTreeNames, text);
  if (!tree) {
    const std::vector<std::string> words(std::begin(kTreeNames), std::end(kTreeNames));
    throw UserError(fmt::format("'{}' is not a tree; use {}{}", text, alternatives(kTreeNames),
                                did_you_mean(text, words)));
  }
  return *tree;
}

namespace options {

namespace {

std::string help() {
  return fmt::format("Tree of pipelined algorithms: {} [default], {}", kTreeNames.front(),
                     alternatives(std::span(kTreeNames).subspan(1)));
}

void parse(std::string_view, std::string_view text, Problem& into) { into.tree = tree_named(text); }

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::tree, kTreeNames>(problem, [](std::size_t tree) {
    return tree < kCommonTrees ? TriedFor::deciding : TriedFor::libraries;
  });
}

}  // namespace

extern const OptionType tree{
    .option = Option::tree,
    .word = "tree",
    .type_name = "NAME",
    .help = help,
    .json_key = "tree",
    .recorded = RecordPolicy::always,
    .shown_by_default = true,
    .words = kTreeNames,
    .parse = parse,
    .print = print_word<&Problem::tree, kTreeNames>,
    .is_default = is_default<&Problem::tree>,
    .copy = copy_member<&Problem::tree>,
    .value = word_value<&Problem::tree, kTreeNames>,
    .trials = trials,
};

}  // namespace options

}}  // namespace tutti::schedules
