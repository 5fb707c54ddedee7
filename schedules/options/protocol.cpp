// --protocol: NCCL's protocol, which determines how the data of a channel are cut.
#include "schedules/options/protocol.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::protocol, kProtocolNames>(
      problem, [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType protocol{
    .option = Option::protocol,
    .word = "protocol",
    .type_name = "WHICH",
    .help =
        [] {
          return std::string(
              "NCCL's protocol, which determines the pieces of a channel: simple [default], ll or "
              "ll128");
        },
    .json_key = "nccl_protocol",
    .words = kProtocolNames,
    .parse = parse_word<&Problem::protocol, kProtocolNames>,
    .print = print_word<&Problem::protocol, kProtocolNames>,
    .is_default = is_default<&Problem::protocol>,
    .copy = copy_member<&Problem::protocol>,
    .value = word_value<&Problem::protocol, kProtocolNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options
