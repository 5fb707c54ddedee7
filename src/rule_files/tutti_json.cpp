// Reads decision tables in tutti's own format, whose schema is
// src/formats/schemas/tutti-decisions-1.schema.json.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/nearest.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "src/formats/json_lines.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/json_text.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/rule_checks.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Kind = JsonLine::Kind;

class TuttiRulesReader {
 public:
  explicit TuttiRulesReader(RuleFile& file) : file_(file) {}

  void read_table(const JsonLine& json) {
    DecisionTable table;
    check_keys(json, {"schema", "collective", "name", "source", "bytes", "rules", "substitutes"});
    const JsonLine* schema = need(json, "schema", Kind::string);
    if (schema != nullptr && schema->text != "tutti-decisions/1") {
      file_.error(schema->line,
                  fmt::format("unknown schema '{}'; expected tutti-decisions/1", schema->text));
    }
    const JsonLine* collective = need(json, "collective", Kind::string);
    const JsonLine* rules = need(json, "rules", Kind::array);
    if (collective == nullptr || rules == nullptr) {
      return;
    }
    const auto known = collective_named(collective->text);
    if (!known) {
      file_.error(collective->line, fmt::format("unknown collective '{}'", collective->text));
      return;
    }
    table.collective = *known;
    table.name = text_of(json, "name");
    table.source = text_of(json, "source");
    const std::string measure = text_of(json, "bytes");
    if (measure == "block") {
      table.measure = SizeMeasure::block;
    } else if (!measure.empty() && measure != "vector") {
      file_.error(json.find("bytes")->line,
                  fmt::format("bytes '{}': expected vector or block", measure));
    }
    collective_ = table.collective;
    table.rules = read_rules(*rules);
    if (table.rules.empty()) {
      file_.error(rules->line, "no rules: nothing is ever chosen");
    }
    if (const JsonLine* substitutes = json.find("substitutes")) {
      read_substitutes(*substitutes, table);
    }
    find_unreachable(table.rules, file_);
    for (const DecisionTable& other : file_.tables) {
      if (other.collective == table.collective) {
        file_.error(json.line, fmt::format("a second table for {}; only the first is used",
                                           name(table.collective)));
      }
    }
    file_.tables.push_back(std::move(table));
  }

 private:
  const JsonLine* need(const JsonLine& json, std::string_view key, Kind kind) {
    const JsonLine* found = json.find(key);
    if (found == nullptr) {
      file_.error(json.line, fmt::format("\"{}\" is missing", key));
      return nullptr;
    }
    if (!found->is(kind)) {
      file_.error(found->line, fmt::format("\"{}\" is {}; expected {}", key,
                                           tutti::name(found->kind), tutti::name(kind)));
      return nullptr;
    }
    return found;
  }

  std::string text_of(const JsonLine& json, std::string_view key) {
    return json.find(key) == nullptr                  ? ""
           : need(json, key, Kind::string) == nullptr ? ""
                                                      : json.find(key)->text;
  }

  void check_keys(const JsonLine& json, const std::vector<std::string>& known) {
    for (std::size_t i = 0; i < json.children.size(); ++i) {
      const JsonLine& member = json.children[i];
      if (std::find(known.begin(), known.end(), member.key) == known.end()) {
        const std::string near = nearest(member.key, known);
        file_.error(member.line,
                    fmt::format("\"{}\" is not a known key{}", member.key,
                                near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
      }
      if (json.find(member.key) != &member) {
        file_.error(member.line, fmt::format("\"{}\" occurs a second time", member.key));
      }
    }
  }

  template <typename Number>
  void number_of(const JsonLine& json, std::string_view key, std::optional<Number>& into) {
    if (json.find(key) == nullptr) {
      return;
    }
    const JsonLine* value = need(json, key, Kind::integer);
    if (value == nullptr) {
      return;
    }
    if (value->number < 0 ||
        static_cast<std::uint64_t>(value->number) > std::numeric_limits<Number>::max()) {
      file_.error(value->line, fmt::format("\"{}\" is {}, but must be from 0 to {}", key,
                                           value->text, std::numeric_limits<Number>::max()));
      return;
    }
    into = static_cast<Number>(value->number);
  }

  std::vector<Rule> read_rules(const JsonLine& list) {
    std::vector<Rule> rules;
    for (const JsonLine& json : list.children) {
      if (!json.is(Kind::object)) {
        file_.error(json.line, "a rule must be an object");
        continue;
      }
      rules.push_back(read_rule(json));
    }
    return rules;
  }

  Rule read_rule(const JsonLine& json) {
    Rule rule;
    rule.line = json.line;
    std::vector<std::string> keys{"ranks_from",
                                  "ranks_below",
                                  "ranks",
                                  "nodes",
                                  "protocol",
                                  "nccl_channels",
                                  "bytes_from",
                                  "why",
                                  "bytes_below",
                                  "elements_below",
                                  "then",
                                  "algorithm",
                                  "library_algorithm",
                                  "segment_bytes",
                                  "default_segments"};
    for (const OptionType* type : choice_options()) {
      keys.emplace_back(type->json_key);
    }
    check_keys(json, keys);
    number_of(json, "ranks_from", rule.ranks_from);
    number_of(json, "ranks_below", rule.ranks_below);
    number_of(json, "nodes", rule.nodes);
    number_of(json, "bytes_from", rule.bytes_from);
    number_of(json, "bytes_below", rule.bytes_below);
    const std::string ranks = text_of(json, "ranks");
    rule.ranks_power_of_two = ranks == "power_of_two";
    if (!ranks.empty() && !rule.ranks_power_of_two) {
      file_.error(json.find("ranks")->line,
                  fmt::format("ranks '{}': expected power_of_two", ranks));
    }
    const std::string elements = text_of(json, "elements_below");
    if (elements == "ranks") {
      rule.elements_below = ElementsBelow::ranks;
    } else if (elements == "power_of_two") {
      rule.elements_below = ElementsBelow::power_of_two;
    } else if (!elements.empty()) {
      file_.error(json.find("elements_below")->line,
                  fmt::format("elements_below '{}': expected ranks or power_of_two", elements));
    }
    const JsonLine* then = json.find("then");
    const bool chooses =
        json.find("algorithm") != nullptr || json.find("library_algorithm") != nullptr;
    if ((then != nullptr) == chooses) {
      file_.error(json.line, "a rule must have either \"then\" or an algorithm");
    }
    if (then != nullptr && need(json, "then", Kind::array) != nullptr) {
      rule.then = read_rules(*then);
      if (rule.then.empty()) {
        file_.error(then->line, "\"then\" is empty: nothing is chosen here");
      }
    }
    if (rule.then.empty()) {
      rule.choice = read_choice(json);
      if (const JsonLine* why = json.find("why"); why != nullptr && why->kind == Kind::string) {
        rule.why = why->text;
      }
    }
    return rule;
  }

  Choice read_choice(const JsonLine& json) {
    Choice choice;
    choice.algorithm = text_of(json, "algorithm");
    choice.library_algorithm = text_of(json, "library_algorithm");
    choice.protocol = text_of(json, "protocol");
    std::optional<std::uint32_t> channels;
    number_of(json, "nccl_channels", channels);
    choice.channels = channels.value_or(0);
    std::optional<std::uint64_t> segment;
    number_of(json, "segment_bytes", segment);
    choice.segment_bytes = segment.value_or(0);
    if (!choice.algorithm.empty()) {
      check_algorithm(json, choice.algorithm);
    }
    const Algorithm* algorithm = find_algorithm(collective_, choice.algorithm);
    read_default_segments(json, algorithm, choice);
    for (const OptionType* type : choice_options()) {
      read_option(*type, json, algorithm, choice);
    }
    return choice;
  }

  void read_default_segments(const JsonLine& json, const Algorithm* algorithm, Choice& choice) {
    constexpr const char* kKey = "default_segments";
    const JsonLine* const value =
        json.find(kKey) == nullptr ? nullptr : need(json, kKey, Kind::boolean);
    choice.default_segments = value != nullptr && value->truth;
    if (choice.default_segments && choice.segment_bytes > 0) {
      file_.error(value->line, "a rule must have either \"segment_bytes\" or \"default_segments\"");
    }
    if (choice.default_segments && algorithm != nullptr && !takes(*algorithm, Option::segment)) {
      file_.error(value->line, fmt::format("\"default_segments\" is true, but {} takes no segments",
                                           algorithm->full_name()));
    }
  }

  // Reads one option of a choice. `algorithm` is null if tutti has no equivalent algorithm.
  void read_option(const OptionType& type, const JsonLine& json, const Algorithm* algorithm,
                   Choice& choice) {
    const JsonLine* value = json.find(type.json_key);
    if (value == nullptr) {
      return;
    }
    const bool word = std::holds_alternative<std::string>(type.value(Problem{}));
    if (need(json, type.json_key, word ? Kind::string : Kind::integer) == nullptr ||
        value->text.empty()) {
      return;
    }
    if (algorithm != nullptr && !takes(*algorithm, type.option)) {
      file_.error(value->line, fmt::format("\"{}\" is {}, but {} takes no {}", type.json_key,
                                           value->text, algorithm->full_name(), type.json_key));
      return;
    }
    // The value of --parts names algorithms for the parts of one collective, so it can be wrong for
    // the table's collective.
    if (type.option == Option::parts) {
      if (const auto fault = parts_fault(value->text, collective_)) {
        file_.error(value->line, with_fields(*fault));
        return;
      }
    }
    try {
      choice.options.parse(type, type.json_key, value->text, collective_);
    } catch (const UserError& error) {
      file_.error(value->line, with_fields(error.what()));
    }
  }

  void check_algorithm(const JsonLine& json, const std::string& algorithm) {
    if (find_algorithm(collective_, algorithm) != nullptr) {
      return;
    }
    std::vector<std::string> names;
    for (const Algorithm* each : algorithms()) {
      if (each->collective == collective_) {
        names.emplace_back(each->name);
      }
    }
    const std::string near = nearest(algorithm, names);
    file_.error(json.line,
                fmt::format("tutti has no {}/{}{}", name(collective_), algorithm,
                            near.empty() ? fmt::format("; it has {}", fmt::join(names, ", "))
                                         : fmt::format("; did you mean {}?", near)));
  }

  void read_substitutes(const JsonLine& json, DecisionTable& table) {
    if (!json.is(Kind::object)) {
      file_.error(json.line,
                  "\"substitutes\" must be an object that maps algorithms to replacements");
      return;
    }
    for (const JsonLine& member : json.children) {
      check_algorithm(member, member.key);
      if (!member.is(Kind::object)) {
        file_.error(member.line, "a replacement must be an object with an \"algorithm\"");
        continue;
      }
      table.substitutes.push_back({member.key, read_choice(member)});
    }
  }

  RuleFile& file_;
  Collective collective_ = Collective::allreduce;
};

// Returns the value to which a JSON pointer leads. If it does not exist, returns the last value on
// the pointer's path that exists.
const JsonLine& value_at(const JsonLine& root, std::string_view pointer) {
  const JsonLine* at = &root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    const JsonLine* next = at->find(step);
    if (std::size_t index = 0;
        at->is(Kind::array) &&
        std::from_chars(step.data(), step.data() + step.size(), index).ec == std::errc() &&
        index < at->children.size()) {
      next = &at->children[index];
    }
    if (next == nullptr) {
      break;
    }
    at = next;
  }
  return *at;
}

// If TuttiRulesReader has found no serious fault, checks the text against the schema, which also
// covers faults that the reader does not look for, such as a number out of range.
void check_schema(std::string_view text, const JsonLine& root, RuleFile& file) {
  if (!file.sound()) {
    return;
  }
  if (const auto fault = json_schema("tutti-decisions-1").fault_in(parse_json(text))) {
    file.error(value_at(root, fault->pointer).line, fault->sentence());
  }
}

// Writes the table of a single collective. read_tutti_rules() also accepts a list of tables.
void write_tutti_rules(std::span<const RulesToWrite> all, RuleFormat, std::ostream& out) {
  TUTTI_INVARIANT(all.size() == 1);
  const RulesToWrite& rules = all.front();
  DecisionTable table;
  table.collective = rules.collective;
  table.name = rules.made_by;
  table.source = "tutti decide";
  table.rules = rules_of(rules.steps);
  out << json_text(table_json(table), 2) << '\n';
}

RuleFile read_tutti_rules(std::string_view text, RuleFormat, int) {
  RuleFile file;
  const JsonText json = parse_json_lines(text);
  if (!json.value) {
    file.error(json.fault.line, json.fault.text);
    return file;
  }
  TuttiRulesReader reader(file);
  if (json.value->is(Kind::array)) {
    for (const JsonLine& table : json.value->children) {
      reader.read_table(table);
    }
  } else {
    reader.read_table(*json.value);
  }
  check_schema(text, *json.value, file);
  return file;
}

}  // namespace

// The schema is src/formats/schemas/tutti-decisions-1.schema.json.
constexpr RuleForm forms::tutti{
    .name = "tutti",
    .description = "decision table of tutti",
    .leaves_calls = false,
    .other_ranks = kAllOtherRanks,
    .recognises =
        [](const RuleText& text) {
          return text.syntax == TextForm::json && text.has("\"tutti-decisions/");
        },
    .read = read_tutti_rules,
    .write = write_tutti_rules,
};

}}  // namespace tutti::rule_files
