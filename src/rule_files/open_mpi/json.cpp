// Reads Open MPI 6's rules as ompi/mca/coll/tuned/coll_tuned_dynamic_file.c does (main, August
// 2026). Open MPI uses the first communicator rule that holds, and, inside this rule, the first
// message rule that holds. If no such rule holds, the built-in decision applies. If the file has an
// error, Open MPI ignores the whole file, and reports this only if its verbosity is at least 1.
// Open MPI ignores unknown keys.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "src/formats/json_lines.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/open_mpi/collectives.hpp"
#include "src/rule_files/open_mpi/files.hpp"
#include "src/rule_files/rule_checks.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Kind = JsonLine::Kind;

constexpr const char* kRejected = "Open MPI then silently ignores the whole file";
constexpr RuleFormat kVersion = RuleFormat::ompi6;

class OmpiJsonReader {
 public:
  explicit OmpiJsonReader(RuleFile& file) : file_(file) {}

  void read(const JsonLine& root) {
    check_keys(root, {"rule_file_version", "module", "collectives"});
    const JsonLine* version = root.find("rule_file_version");
    if (version == nullptr) {
      file_.warn(root.line, "\"rule_file_version\" is missing; in Open MPI 6, it is 3");
    } else if (version->number != 3) {
      file_.error(version->line, fmt::format("rule_file_version {}: must be 3; Open MPI 6 does not "
                                             "check it, and reads the file as 3",
                                             version->text));
    }
    const JsonLine* collectives = root.find("collectives");
    if (collectives == nullptr || !collectives->is(Kind::object)) {
      file_.error(
          collectives == nullptr ? root.line : collectives->line,
          fmt::format("\"collectives\" must be an object with the rules of each collective; {}",
                      kRejected));
      return;
    }
    for (const JsonLine& collective : collectives->children) {
      read_collective(collective);
    }
  }

 private:
  void check_keys(const JsonLine& json, const std::vector<std::string>& known) {
    for (const JsonLine& member : json.children) {
      if (std::find(known.begin(), known.end(), member.key) == known.end()) {
        const std::string near = nearest(member.key, known);
        file_.error(member.line,
                    fmt::format("\"{}\" is ignored{}", member.key,
                                near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
      }
    }
  }

  void read_collective(const JsonLine& json) {
    const auto id = ompi_collective_id(json.key);
    if (!id) {
      file_.error(
          json.line,
          fmt::format("unknown collective '{}'{}; {}", json.key,
                      json.key == "reducescatter" ? " (write reduce_scatter)" : "", kRejected));
      return;
    }
    if (!json.is(Kind::array)) {
      file_.error(json.line,
                  fmt::format("the rules of {} must be a list; {}", json.key, kRejected));
      return;
    }
    const auto ours = collective_named(json.key);
    if (!ours) {
      file_.others.push_back(json.key);
    }
    DecisionTable table;
    table.collective = ours.value_or(Collective::allreduce);
    table.name = std::string(description(kVersion));
    for (const JsonLine& comm : json.children) {
      table.rules.push_back(read_comm(comm, ours));
    }
    find_unreachable(table.rules, file_);
    if (ours) {
      table.substitutes = library_substitutes(kVersion, *ours);
      check_sizes(table, file_);
      file_.tables.push_back(std::move(table));
    }
  }

  // Returns the number at `key`; nothing if the key is missing or its value is "inf".
  std::optional<std::uint64_t> size_of(const JsonLine& json, std::string_view key) {
    const JsonLine* value = json.find(key);
    if (value == nullptr) {
      return std::nullopt;
    }
    if (value->is(Kind::string) &&
        (value->text.starts_with("inf") || value->text.starts_with("Inf") ||
         value->text.starts_with("INF"))) {
      return std::nullopt;
    }
    if (!value->is(Kind::integer) || value->number < 0) {
      file_.error(value->line,
                  fmt::format("\"{}\" is {}, but must be a number from 0 on, or \"inf\"; {}", key,
                              value->text, kRejected));
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(value->number);
  }

  // Reads the values of the keys `least` and `most`, which limit an inclusive range, into `from`
  // and `below`. Reports an empty range.
  template <typename Number>
  void range_of(const JsonLine& json, std::string_view least, std::string_view most,
                std::optional<Number>& from, std::optional<Number>& below) {
    constexpr std::uint64_t kMost = std::numeric_limits<Number>::max() - 1;
    const auto first = size_of(json, least);
    const auto last = size_of(json, most);
    if (first && last && *first > *last) {
      file_.error(json.find(most)->line,
                  fmt::format("\"{}\" {} is below \"{}\" {}, so the rule never holds", most, *last,
                              least, *first));
    }
    if (first && *first > 0) {
      from = static_cast<Number>(std::min(*first, kMost));
    }
    if (last && *last < kMost) {
      below = static_cast<Number>(*last + 1);
    }
  }

  Rule read_comm(const JsonLine& json, std::optional<Collective> collective) {
    Rule rule;
    rule.line = json.line;
    check_keys(json, {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"});
    range_of(json, "comm_size_min", "comm_size_max", rule.ranks_from, rule.ranks_below);
    if (const JsonLine* distribution = json.find("comm_rank_distribution")) {
      const std::string& how = distribution->text;
      if (how != "any" && how != "single-node" && how != "one-per-node") {
        file_.error(distribution->line, fmt::format("comm_rank_distribution '{}' is read as any; "
                                                    "write any, single-node or one-per-node",
                                                    how));
      } else if (how != "any") {
        file_.warn(
            distribution->line,
            fmt::format("tutti ignores the condition {}, and assumes that the rule holds", how));
      }
    }
    const JsonLine* rules = json.find("rules");
    if (rules == nullptr || !rules->is(Kind::array)) {
      file_.error(rules == nullptr ? json.line : rules->line,
                  fmt::format("\"rules\" must be a list; {}", kRejected));
      return rule;
    }
    for (const JsonLine& message : rules->children) {
      if (auto inner = read_message(message, collective)) {
        rule.then.push_back(std::move(*inner));
      }
    }
    if (rule.then.empty()) {
      file_.warn(rules->line, "no rules: the built-in decision is used here");
      rule.choice = choice_left_to_library();
    }
    return rule;
  }

  std::optional<Rule> read_message(const JsonLine& json, std::optional<Collective> collective) {
    Rule rule;
    rule.line = json.line;
    check_keys(json, {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs"});
    range_of(json, "msg_size_min", "msg_size_max", rule.bytes_from, rule.bytes_below);
    const auto fan = static_cast<std::int64_t>(size_of(json, "faninout").value_or(0));
    const auto requests = static_cast<std::int64_t>(size_of(json, "reqs").value_or(0));
    const std::uint64_t segment = size_of(json, "seg_size").value_or(0);
    const JsonLine* algorithm = json.find("alg");
    if (algorithm == nullptr || !(algorithm->is(Kind::string) || algorithm->is(Kind::integer))) {
      file_.error(algorithm == nullptr ? json.line : algorithm->line,
                  "\"alg\" must be an algorithm's name or number; without it, the rule uses the "
                  "built-in decision");
      return std::nullopt;
    }
    rule.choice = Choice{};
    if (!collective) {
      return rule;
    }
    if (algorithm->text == "0" || algorithm->text == "ignore") {
      rule.choice = choice_left_to_library();
      return rule;
    }
    const LibraryAlgorithm* known = algorithm->is(Kind::string)
                                        ? find_by_name(kVersion, *collective, algorithm->text)
                                        : find_by_id(kVersion, *collective, algorithm->number);
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const LibraryAlgorithm& each : library_algorithms(kVersion)) {
        if (each.collective == *collective && each.in_release(rule_form(kVersion).first_release)) {
          names.emplace_back(each.name);
        }
      }
      file_.error(algorithm->line,
                  fmt::format("{} has no algorithm '{}', so the rule is ignored; it has {}",
                              name(*collective), algorithm->text, fmt::join(names, ", ")));
      return std::nullopt;
    }
    if (fan < known->fan) {
      file_.error(algorithm->line,
                  fmt::format("{} needs a \"faninout\" of at least {}: with {} the call never ends",
                              known->name, known->fan, fan));
    }
    if (const JsonLine* const fan_out = json.find("faninout")) {
      check_fan_out(*known, fan, "\"seg_size\"", fan_out->line, file_);
    }
    rule.choice = choice_of(kVersion, *known, segment, fan, requests);
    return rule;
  }

  RuleFile& file_;
};

}  // namespace

RuleFile read_ompi_json(std::string_view text) {
  RuleFile file;
  file.format = kVersion;
  const JsonText json = parse_json_lines(text);
  if (!json.value) {
    file.error(json.fault.line,
               fmt::format("{}; Open MPI then reads it as classic rules, and silently ignores it",
                           json.fault.text));
  } else if (!json.value->is(Kind::object)) {
    file.error(json.value->line, fmt::format("the file must be an object; {}", kRejected));
  } else {
    OmpiJsonReader(file).read(*json.value);
  }
  return file;
}

}}  // namespace tutti::rule_files
