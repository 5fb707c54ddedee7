#include "src/output/library_choice.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/registry.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::uint32_t kElementBytes = 8;  // default of --elem-bytes

// Formats a size without rounding, in a form that the command line accepts.
std::string exact_size(std::uint64_t bytes) {
  constexpr std::uint64_t kKib = 1024;
  if (bytes == 0 || bytes % kKib != 0) {
    return fmt::format("{}", bytes);
  }
  return bytes % (kKib * kKib) == 0 ? fmt::format("{}MiB", bytes / (kKib * kKib))
                                    : fmt::format("{}KiB", bytes / kKib);
}

std::string call_in_words(const LibraryCall& call) {
  std::string text = fmt::format("{} of {} on {}", name(call.collective),
                                 call_size_and_benchmark(call.collective, call.bytes, call.ranks),
                                 counted(call.ranks, "rank"));
  if (call.collective == Collective::barrier) {
    text = fmt::format("{} on {}", name(call.collective), counted(call.ranks, "rank"));
  }
  return text +
         fmt::format(", {} on each of {}", call.ranks_per_node, counted(call.nodes(), "node"));
}

}  // namespace

std::string simulate_command(const LibraryCall& call, const Choice& choice) {
  if (choice.algorithm.empty()) {
    return "";
  }
  const Algorithm* algorithm = find_algorithm(call.collective, choice.algorithm);
  TUTTI_INVARIANT(algorithm != nullptr);
  if (algorithm->in_network()) {  // such algorithms run only on platforms with switches that reduce
    return "";
  }
  std::string text = fmt::format("tutti simulate {} -p {}", algorithm->full_name(), call.ranks);
  if (call.collective != Collective::barrier) {
    text += fmt::format(" -n {}", exact_size(call.bytes));
    if (call.element_bytes != kElementBytes) {
      text += fmt::format(" {} {}", flag_of("elem_bytes"), call.element_bytes);
    }
  }
  for (const OptionType* type : choice_options()) {
    if (choice.options.has(type->option)) {
      text += fmt::format(" {} {}", type->flag(), choice.options.text(type->option));
    }
  }
  if (choice.segment_bytes > 0) {
    text += fmt::format(" {} {}", flag_of("segment"), exact_size(choice.segment_bytes));
  }
  if (call.ranks_per_node > 1) {
    text += fmt::format(" {} {}", flag_of("ranks_per_host"), call.ranks_per_node);
  }
  return text;
}

namespace {

// Prints what the choices of an Open MPI leave open: assumptions, the reasons why schedules are not
// known, and components that tutti does not model. Each sentence is printed once.
void print_remarks(std::span<const std::pair<LibraryCall, LibraryDecision>> chosen,
                   std::string_view library, std::size_t key, std::ostream& out) {
  std::vector<std::string> reasons;
  const auto say = [&](std::string_view what, const std::string& text) {
    if (!text.empty() && std::ranges::find(reasons, text) == reasons.end()) {
      reasons.push_back(text);
      print_field(out, kIndent, key, what, text);
    }
  };
  bool several = false;
  for (const auto& [call, decision] : chosen) {
    say("assumed", decision.assumed);
    several = several || call.nodes() > 1;
  }
  if (chosen.size() > 1) {
    constexpr std::size_t kMostReasons = 5;
    for (const auto& [call, decision] : chosen) {
      if (decision.choice.algorithm.empty() && reasons.size() < kMostReasons) {
        say("not known", with_fields(decision.lacking));
      }
    }
  }
  if (several && library.starts_with("Open MPI")) {
    say("not modelled", std::string(kOtherComponents));
  }
}

}  // namespace

void print_library_choice(std::string_view library, const LibraryCall& call,
                          const LibraryDecision& decision, std::ostream& out) {
  constexpr std::size_t kKey = 16;
  fmt::print(out, "{}: {}\n", printable(library), call_in_words(call));
  for (const LibraryLevel& level : decision.path) {
    const std::size_t indent = kIndent * (level.depth + 1);
    print_field(out, indent, kKey, level.decided_by, level.chosen);
    const auto more = [&](std::string_view key, std::string_view text) {
      if (!text.empty()) {
        print_field(out, indent, kKey, "", fmt::format("{} {}", key, text));
      }
    };
    more("for", level.ranks);
    more("because", level.because);
    more("in", level.where);
  }
  const bool none = decision.choice.algorithm.empty();
  print_field(
      out, kIndent, kKey, "schedule",
      none ? fmt::format("none: {}", with_fields(decision.lacking)) : in_words(decision.choice));
  // Prints the command on one line, so that users can copy it.
  if (const std::string command = simulate_command(call, decision.choice); !command.empty()) {
    fmt::print(out, "  {:<{}} {}\n", "to run it", kKey - 1, command);
  }
  const std::pair<LibraryCall, LibraryDecision> one{call, decision};
  print_remarks({&one, 1}, library, kKey, out);
}

void print_library_choices(std::string_view library, std::uint32_t ranks_per_host,
                           const std::vector<std::pair<LibraryCall, LibraryDecision>>& chosen,
                           bool has_tables, std::ostream& out) {
  const LibraryCall& first = chosen.front().first;
  fmt::print(out, "{}: {}, {}{} on each node\n\n", printable(library), name(first.collective),
             ranks_per_host > 1 ? "up to " : "", counted(ranks_per_host, "rank"));
  // Returns the last rule that decided, "tuned.conf, line 12"; "" if none did.
  const auto rule_of = [](const LibraryDecision& decision) {
    std::string rule;
    for (const LibraryLevel& level : decision.path) {
      rule = level.where.find(", line ") == std::string::npos ? rule : level.where;
    }
    return rule;
  };
  CallTable table(first.collective,
                  {{"decided by"}, {"choice"}, {"rule", false, 2, has_tables}, {"schedule"}}, true);
  for (const auto& [call, decision] : chosen) {
    // The last of the levels that decide for the whole call, and not only for some of its ranks.
    const LibraryLevel* last = &decision.path.front();
    for (const LibraryLevel& level : decision.path) {
      last = level.depth == 0 ? &level : last;
    }
    table.add(
        call.ranks, call.bytes,
        {last->decided_by, last->chosen, rule_of(decision),
         decision.choice.algorithm.empty() ? std::string("not known") : in_words(decision.choice)});
  }
  table.print(out);
  constexpr std::size_t kKey = 14;
  print_remarks(chosen, library, kKey, out);
}

}}  // namespace tutti::output
