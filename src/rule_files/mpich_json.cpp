// MPICH's selection tree, read as src/mpi/coll/src/csel.c reads it: the keys of an object are
// conditions, tried in order, and its values what to do where they hold; a leaf is
// {"algorithm=NAME": {}}, from 4.1 on with parameters for children (mpich_parameters.hpp). The file
// replaces the built-in tree. What MPICH asserts ends the program.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/nearest.hpp"
#include "src/formats/json_lines.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich_parameters.hpp"
#include "src/rule_files/mpich_tree.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti {

namespace {

using Kind = JsonLine::Kind;

constexpr const char* kAborts = "MPICH then ends the program";

enum class Holds : std::uint8_t { yes, no, depends };

// What a condition says; of those that tables don't have, whether it holds in the usual case: an
// intra-communicator, a built-in operator that commutes, not in place, blocks of one size.
struct Condition {
  Rule rule;  // its ranks, bytes and elements
  Holds holds = Holds::depends;
  bool any = false;      // nothing may follow
  bool numbers = false;  // ranks or sizes, which must end in "any"
  std::string family;    // "comm_size", "avg_msg_size"
};

class Reader {
 public:
  Reader(RuleFile& file, RuleFormat version) : file_(file), version_(version) {}

  void read(const JsonLine& root) {
    check_twice(root);
    for (const JsonLine& member : root.children) {
      const std::string key = squeezed(member.key);
      constexpr std::string_view kCollective = "collective=";
      if (!key.starts_with(kCollective)) {
        file_.error(member.line, fmt::format("'{}' stands outside of any collective; accepted is "
                                             "\"collective=NAME\" first",
                                             member.key));
        continue;
      }
      read_collective(member, key.substr(kCollective.size()));
    }
    for (const std::string_view collective : mpich_collectives()) {
      if (!seen_.contains(std::string(collective))) {
        missing_.emplace_back(collective);
      }
    }
    if (!missing_.empty()) {
      file_.error(root.line,
                  fmt::format("no rules for {}: the file replaces the built-in tree, and a call of "
                              "what it leaves out ends the program",
                              fmt::join(missing_, ", ")));
    }
  }

 private:
  // MPICH drops blanks from keys.
  static std::string squeezed(std::string text) {
    std::erase(text, ' ');
    return text;
  }

  void check_twice(const JsonLine& json) {
    for (const JsonLine& member : json.children) {
      if (json.find(member.key) != &member) {
        file_.error(member.line, fmt::format("'{}' stands here a second time; only the last counts",
                                             member.key));
      }
    }
  }

  void read_collective(const JsonLine& json, const std::string& collective) {
    const auto known = mpich_collectives();
    if (std::find(known.begin(), known.end(), collective) == known.end()) {
      file_.error(json.line, fmt::format("unknown collective '{}'; {}", collective, kAborts));
      return;
    }
    seen_.insert(collective);
    collective_ = collective_named(collective);
    collective_name_ = collective;
    size_family_.clear();
    measure_ = SizeMeasure::vector;
    std::vector<Rule> rules = read_below(json, "comm_");
    if (!collective_) {
      file_.others.push_back(collective);
      return;
    }
    DecisionTable table;
    table.collective = *collective_;
    table.name = std::string(description(version_));
    if (collective_ == Collective::alltoall) {
      table.measure = measure_;
    }
    table.rules = std::move(rules);
    file_.tables.push_back(std::move(table));
  }

  // What stands under a condition that was read already.
  std::vector<Rule> read_below(const JsonLine& member, const std::string& key) {
    const int groups = key == "comm_type=inter" ? 1 : 0;
    // MPICH resolves what it can when it makes a communicator, down to the first condition on
    // calls.
    const int call = key.starts_with("comm_") || key.starts_with("is_node_consecutive") ? 0 : 1;
    between_groups_ += groups;
    below_call_ += call;
    std::vector<Rule> rules = read_node(member);
    between_groups_ -= groups;
    below_call_ -= call;
    if (rules.size() == 1 && !rules.front().conditional() && !rules.front().choice) {
      std::vector<Rule> inner = std::move(rules.front().then);
      return inner;
    }
    return rules;
  }

  std::vector<Rule> read_node(const JsonLine& json) {
    std::vector<Rule> rules;
    if (!json.is(Kind::object)) {
      file_.error(json.line,
                  fmt::format("what follows '{}' must be an object; {}", json.key, kAborts));
      return rules;
    }
    if (json.children.empty()) {
      file_.error(json.line, fmt::format("nothing is chosen under '{}'; {}", json.key, kAborts));
      return rules;
    }
    check_twice(json);
    bool ended = false;  // by one that always holds
    const JsonLine* last_number = nullptr;
    for (const JsonLine& member : json.children) {
      const std::string key = squeezed(member.key);
      if (key.starts_with("algorithm=") || key.starts_with("composition=")) {
        if (json.children.size() > 1 && &member != &json.children.front()) {
          file_.error(member.line, fmt::format("an algorithm beside conditions; {}", kAborts));
        }
        Rule leaf;
        leaf.line = member.line;
        leaf.choice = read_algorithm(member, key.substr(key.find('=') + 1));
        rules.push_back(std::move(leaf));
        return rules;
      }
      if (ended) {
        file_.error(member.line,
                    fmt::format("'{}' after one that always holds; {}", member.key, kAborts));
        break;
      }
      std::optional<Condition> condition = read_condition(member, key);
      if (!condition) {
        continue;
      }
      ended = condition->any;
      last_number = condition->numbers && !condition->any ? &member : nullptr;
      std::vector<Rule> inner = read_below(member, key);
      if (condition->holds == Holds::no) {
        continue;
      }
      Rule rule = condition->rule;
      rule.line = member.line;
      if (inner.size() == 1 && !inner.front().conditional() && inner.front().choice) {
        rule.choice = inner.front().choice;
      } else {
        rule.then = std::move(inner);
      }
      const auto before = std::find_if(rules.begin(), rules.end(), [&](const Rule& earlier) {
        return earlier.conditional() && hides(earlier, rule);
      });
      if (before != rules.end()) {
        file_.error(member.line,
                    fmt::format("'{}' is never reached: line {} holds whenever it does", member.key,
                                before->line));
      }
      // Where a condition on the call holds in the usual case, what follows it is the other case.
      const bool always = !rule.conditional();
      rules.push_back(std::move(rule));
      if (always && condition->holds == Holds::yes) {
        check_rest(json, member);
        break;
      }
    }
    if (last_number != nullptr) {
      file_.error(last_number->line,
                  fmt::format("'{}' is the last of its conditions, and must be followed by one "
                              "with =any; {}",
                              last_number->key, kAborts));
    }
    return rules;
  }

  // What is left out of the table is looked at all the same.
  void check_rest(const JsonLine& json, const JsonLine& after) {
    for (const JsonLine* each = &after + 1; each != json.children.data() + json.children.size();
         ++each) {
      const std::string key = squeezed(each->key);
      if (read_condition(*each, key)) {
        (void)read_below(*each, key);
      }
    }
  }

  static bool hides(const Rule& earlier, const Rule& later) {
    const auto below = [](const auto& a, const auto& b) { return !a || (b && *b <= *a); };
    return below(earlier.ranks_below, later.ranks_below) &&
           below(earlier.bytes_below, later.bytes_below) &&
           (!earlier.ranks_power_of_two || later.ranks_power_of_two) &&
           earlier.elements_below == later.elements_below && later.conditional();
  }

  std::optional<Condition> read_condition(const JsonLine& member, const std::string& key) {
    Condition condition;
    const std::size_t sign = key.find_first_of("<=>");
    condition.family = key.substr(0, sign);
    const std::string rest = sign == key.npos ? "" : key.substr(sign);
    condition.any = rest == "=any";
    const bool sizes = condition.family == "avg_msg_size" || condition.family == "total_msg_size";
    condition.numbers = sizes || condition.family == "comm_size" || condition.family == "count" ||
                        condition.family == "comm_avg_ppn";
    if (condition.family == "comm_hierarchy") {
      condition.any = false;
    }
    static const std::set<std::string, std::less<>> kYes{
        "comm_type=intra",       "is_commutative=yes",   "is_op_built_in=yes",
        "is_sendbuf_inplace=no", "is_block_regular=yes", "comm_hierarchy=any",
        "comm_hierarchy=flat",   "is_multi_threaded=no", "is_node_consecutive=yes"};
    static const std::set<std::string, std::less<>> kNo{
        "comm_type=inter",        "is_commutative=no",         "is_op_built_in=no",
        "is_sendbuf_inplace=yes", "is_block_regular=no",       "comm_hierarchy=parent",
        "comm_hierarchy=node",    "comm_hierarchy=node_roots", "is_multi_threaded=yes",
        "is_node_consecutive=no", "comm_size=node_comm_size"};
    if (kYes.contains(key)) {
      condition.holds = Holds::yes;
      return condition;
    }
    if (kNo.contains(key)) {
      condition.holds = Holds::no;
      condition.numbers = condition.family == "comm_size";
      return condition;
    }
    if (sizes) {
      check_size_family(member, condition.family);
    }
    if (condition.any && condition.numbers && condition.family != "comm_avg_ppn") {
      condition.holds = Holds::yes;
      return condition;
    }
    if (condition.any && version_ != RuleFormat::mpich) {  // of whatever there is
      condition.holds = Holds::yes;
      return condition;
    }
    if (key == "comm_size=pow2") {
      condition.rule.ranks_power_of_two = true;
      return condition;
    }
    if (key == "count<pow2") {
      condition.rule.elements_below = ElementsBelow::power_of_two;
      return condition;
    }
    const bool at_most = rest.starts_with("<=");
    const bool less = !at_most && rest.starts_with("<") && condition.family != "count" &&
                      (condition.family != "comm_avg_ppn" || version_ != RuleFormat::mpich);
    if (!condition.numbers || !(at_most || less)) {
      file_.error(member.line, fmt::format("unknown condition '{}'; {}{}", member.key, kAborts,
                                           rest.starts_with(">") ? " (it has < and <= only)" : ""));
      return std::nullopt;
    }
    read_bound(member, rest.substr(at_most ? 2 : 1), at_most, condition);
    return condition;
  }

  void read_bound(const JsonLine& member, std::string_view digits, bool at_most,
                  Condition& condition) {
    std::int64_t bound = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bound);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
      file_.error(member.line, fmt::format("'{}': '{}' is read by atoi, as {}", member.key, digits,
                                           error == std::errc() ? bound : 0));
    } else if (bound > std::numeric_limits<std::int32_t>::max() || bound < 0) {
      file_.error(member.line,
                  fmt::format("'{}': {} does not fit an int, and what atoi makes of it "
                              "is anybody's guess; the largest is 2147483647",
                              member.key, digits));
    }
    const bool less_is_at_most = condition.family == "comm_size" && below_call_ > 0;
    const auto below = static_cast<std::uint64_t>(std::max<std::int64_t>(bound, 0)) +
                       (at_most || less_is_at_most ? 1 : 0);
    if (condition.family == "comm_size") {
      condition.rule.ranks_below = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(below, std::numeric_limits<std::uint32_t>::max()));
      if (!at_most && less_is_at_most) {
        file_.warn(member.line,
                   fmt::format("'{}' stands below a condition on the call, where MPICH "
                               "takes it for comm_size<={}; write comm_size<={}",
                               member.key, bound, bound - 1));
      }
    } else if (condition.family == "avg_msg_size" || condition.family == "total_msg_size") {
      condition.rule.bytes_below = below;
    } else {
      condition.holds = Holds::depends;
      file_.warn(member.line, fmt::format("'{}' is taken to hold here", member.key));
    }
  }

  // MPICH has sizes of some collectives only, and some are not what their names say.
  void check_size_family(const JsonLine& member, const std::string& family) {
    if (between_groups_ > 0) {
      return;  // tables have no communicators between groups
    }
    const bool average = family == "avg_msg_size";
    static const std::set<std::string, std::less<>> kAverage{
        "allreduce", "iallreduce", "bcast", "ibcast", "reduce", "ireduce", "alltoall", "ialltoall"};
    static const std::set<std::string, std::less<>> kNone{
        "barrier", "ibarrier", "scan",     "iscan",    "exscan",
        "iexscan", "gatherv",  "igatherv", "scatterv", "iscatterv"};
    if (kNone.contains(collective_name_)) {
      file_.error(member.line,
                  fmt::format("{} has no message size; {}", collective_name_, kAborts));
    } else if (average && !kAverage.contains(collective_name_)) {
      file_.error(member.line, fmt::format("{} has no avg_msg_size, only total_msg_size; {}",
                                           collective_name_, kAborts));
    } else if (!average && (collective_name_ == "allreduce" || collective_name_ == "bcast" ||
                            collective_name_ == "reduce")) {
      file_.error(member.line, fmt::format("total_msg_size of {} is the vector times the ranks; "
                                           "write avg_msg_size",
                                           collective_name_));
    } else if (!average && (collective_name_ == "gather" || collective_name_ == "scatter")) {
      file_.error(member.line,
                  fmt::format("total_msg_size of {} is in elements times ranks, not in "
                              "bytes, in MPICH",
                              collective_name_));
    }
    if (!size_family_.empty() && size_family_ != family) {
      file_.error(member.line, fmt::format("{} and {} in one tree; tutti reads one of them",
                                           size_family_, family));
    }
    size_family_ = family;
    measure_ =
        average && collective_ == Collective::alltoall ? SizeMeasure::block : SizeMeasure::vector;
  }

  Choice read_algorithm(const JsonLine& member, const std::string& algorithm) {
    Choice choice;
    choice.library_algorithm = algorithm;
    if (!collective_) {
      return choice;
    }
    const LibraryAlgorithm* known = find_by_name(version_, *collective_, algorithm);
    if (known != nullptr) {
      const MpichParameters given = read_mpich_parameters(member, algorithm, file_);
      return choice_of(version_, *known, given.chunk_bytes, given.k, 0, given.tree);
    }
    if (algorithm.find("_inter_") == std::string::npos) {
      std::vector<std::string> names;
      for (const LibraryAlgorithm& each : library_algorithms(version_)) {
        if (each.collective == *collective_ && each.in_version(major_version(version_))) {
          names.emplace_back(each.name);
        }
      }
      if (names.empty()) {
        return choice;  // of a collective of which none is known here
      }
      const std::string near = nearest(algorithm, names);
      file_.error(member.line,
                  fmt::format("{} has no algorithm '{}' for {}{}; it ends the program",
                              version_ == RuleFormat::mpich ? "MPICH 4.0" : "MPICH", algorithm,
                              name(*collective_),
                              near.empty() ? fmt::format("; it has {}", fmt::join(names, ", "))
                                           : fmt::format(": did you mean {}?", near)));
    }
    return choice;
  }

  RuleFile& file_;
  RuleFormat version_;
  std::set<std::string> seen_;
  std::vector<std::string> missing_;
  std::optional<Collective> collective_;
  std::string collective_name_;
  std::string size_family_;
  int between_groups_ = 0;
  int below_call_ = 0;
  SizeMeasure measure_ = SizeMeasure::vector;
};

}  // namespace

RuleFile read_mpich_json(std::string_view text, RuleFormat version) {
  RuleFile file;
  const JsonText json = parse_json_lines(text, true);
  if (!json.value) {
    file.error(json.fault.line, fmt::format("{}; MPICH then goes on without the file, and without "
                                            "a word",
                                            json.fault.text));
  } else if (!json.value->is(Kind::object)) {
    file.error(json.value->line, "the file must be an object");
  } else {
    Reader(file, version).read(*json.value);
  }
  return file;
}

}  // namespace tutti
