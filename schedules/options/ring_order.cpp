// --ring-order: the order in which NCCL's rings pass the GPUs of a node.
#include "schedules/options/ring_order.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::ring_order, kRingOrderNames>(
      problem, [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType ring_order{
    .option = Option::ring_order,
    .word = "ring-order",
    .type_name = "WHICH",
    .help =
        [] {
          return std::string(
              "How NCCL's rings pass the GPUs of a node: own (down, and out over the card by which "
              "they came) [default], paired (odd rings go up), or crossed (out over a neighbour's "
              "card)");
        },
    .json_key = "ring_order",
    .words = kRingOrderNames,
    .parse = parse_word<&Problem::ring_order, kRingOrderNames>,
    .print = print_word<&Problem::ring_order, kRingOrderNames>,
    .is_default = is_default<&Problem::ring_order>,
    .copy = copy_member<&Problem::ring_order>,
    .value = word_value<&Problem::ring_order, kRingOrderNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options
