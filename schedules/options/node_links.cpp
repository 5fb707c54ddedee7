// --node-links: the GPUs of a node that exchange messages with other nodes in NCCL's trees.
#include "schedules/options/node_links.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::node_links, kNodeLinksNames>(
      problem, [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType node_links{
    .option = Option::node_links,
    .word = "node-links",
    .type_name = "WHICH",
    .help =
        [] {
          return std::string(
              "GPUs of a node that talk to other nodes in NCCL's trees: plain (the first of the "
              "chain) "
              "[default], balanced (the second GPU talks to one child), or split (to both)");
        },
    .json_key = "node_links",
    .words = kNodeLinksNames,
    .parse = parse_word<&Problem::node_links, kNodeLinksNames>,
    .print = print_word<&Problem::node_links, kNodeLinksNames>,
    .is_default = is_default<&Problem::node_links>,
    .copy = copy_member<&Problem::node_links>,
    .value = word_value<&Problem::node_links, kNodeLinksNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options
