// --segment: the size of the segments of a pipeline, in bytes.
#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "Segment size in bytes, for pipelined algorithms; auto chooses the best size according to "
         "the model [the algorithm's own, which 'tutti list' names, or not segmented]";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  const std::uint64_t bytes = parse_bytes(what, text);
  if (bytes == 0) {
    throw UserError(fmt::format("{} '{}': a segment must have at least one element", what, text));
  }
  into.segment_bytes = bytes;
}

std::string print(const Problem& problem) {
  return problem.segment_bytes == 0 ? "" : fmt::format("{}", problem.segment_bytes);
}

std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials;
  for (const std::uint64_t elements : {1U, 3U, 100U}) {
    trials.push_back({problem, TriedFor::tests});
    trials.back().problem.segment_bytes = elements * problem.element_bytes;
  }
  return trials;
}

}  // namespace

extern const OptionType segment{
    .option = Option::segment,
    .word = "segment",
    .type_name = "SIZE",
    .help = help,
    .json_key = "segment_bytes",
    .recorded = RecordPolicy::always,
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::segment_bytes>,
    .copy = copy_member<&Problem::segment_bytes>,
    .value = number_value<&Problem::segment_bytes>,
    .set = set_number<&Problem::segment_bytes>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options
