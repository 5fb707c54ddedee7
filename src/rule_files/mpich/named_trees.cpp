// Reads the selection file of MPICH 5.1 as src/mpi/coll/src/csel.c does. A file has named trees:
//
//   {"name=bcast-intra-auto": {"comm_size<=8": {"algorithm=NAME": {}}, "any": "call=OTHER"}}
//
// MPICH has a built-in tree for each name COLLECTIVE-intra-auto and COLLECTIVE-inter-auto. A file
// replaces the trees that it names, and keeps all others. The tree "main" is used for each call;
// the built-in one calls "auto", which calls the tree of the collective. The keys of an object are
// conditions, which are tried in order. Many faults in the file make an assertion of MPICH fail,
// which aborts the MPI program.
//
// Source: pmodels/mpich 7322c639 (pull request 7547), src/mpi/coll/src/csel.c, coll_csel.h and
// coll_impl.c; maint/gen_coll.py, dump_MPII_Csel_parse_operator() and
// dump_MPII_Csel_run_condition().
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich/conditions.hpp"
#include "src/rule_files/mpich/json.hpp"
#include "src/rule_files/mpich/named_conditions.hpp"
#include "src/rule_files/mpich/tree.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Kind = JsonLine::Kind;

constexpr std::string_view kNameKey = "name=";
constexpr std::string_view kCallKey = "call=";
constexpr std::string_view kAlgorithmKey = "algorithm=";
constexpr std::string_view kCollectiveKey = "collective=";
constexpr std::string_view kMainTree = "main";
constexpr std::string_view kAutoTree = "auto";
constexpr std::size_t kLongestName = 49;

class NamedTrees {
 public:
  explicit NamedTrees(RuleFile& file) : file_(file) {}

  void read(const JsonLine& root) {
    check_mpich_keys(root, file_);
    collect(root);
    if (file_.rejected) {
      return;
    }
    for (const auto& [name, tree] : trees_) {
      const std::string key =
          name == kMainTree || name == kAutoTree ? "" : collective_of_tree(name);
      check_tree(*tree, key);
      check_circles(name);
      if (!is_built_in(name) && !called_.contains(name)) {
        file_.warn(tree->line,
                   fmt::format("no tree calls '{}', and MPICH has no tree of this name", name));
      }
    }
    if (file_.rejected || endless_) {
      return;
    }
    for (const Collective collective : kCollectives) {
      read_table(collective);
    }
    for (const std::string_view collective : mpich_collectives()) {
      const std::string tree = fmt::format("{}-intra-auto", collective);
      if (!collective_named(collective) && trees_.contains(tree)) {
        file_.others.emplace_back(collective);
      }
    }
    remove_repeats();
  }

 private:
  // The collective of a tree or of a key: "bcast" for "bcast-intra-auto" or "bcast-intra". Returns
  // "" for other names.
  static std::string collective_of_tree(std::string_view name) {
    for (const std::string_view kind : {"-intra", "-inter"}) {
      const std::size_t end = name.find(kind);
      if (end != name.npos) {
        return std::string(name.substr(0, end));
      }
    }
    return "";
  }

  static bool is_collective_key(std::string_view key) {
    const auto known = mpich_collectives();
    const std::string collective = collective_of_tree(key);
    const bool no_inter = collective.find("scan") != std::string::npos ||
                          collective.find("neighbor") != std::string::npos;
    return std::find(known.begin(), known.end(), collective) != known.end() &&
           (key.ends_with("-intra") || (key.ends_with("-inter") && !no_inter));
  }

  static bool is_built_in(std::string_view name) {
    constexpr std::string_view kEnd = "-auto";
    return name == kMainTree || name == kAutoTree ||
           (name.ends_with(kEnd) && is_collective_key(name.substr(0, name.size() - kEnd.size())));
  }

  // Finds the named trees of the file.
  void collect(const JsonLine& root) {
    for (const JsonLine& member : root.children) {
      if (!member.key.starts_with(kNameKey)) {
        if (!trees_.empty()) {
          fatal(member.line,
                fmt::format("'{}' is beside named trees, where each key must begin with name=",
                            member.key));
          return;
        }
        // MPICH reads a file without names as the tree "main".
        file_.note(0, "The file has no named trees: it replaces the choice for all collectives.");
        trees_.emplace(kMainTree, &root);
        return;
      }
      const std::string name = member.key.substr(kNameKey.size());
      if (name.size() > kLongestName) {
        file_.error(member.line, fmt::format("the name has {} characters; MPICH keeps only {}, so "
                                             "that no call finds the tree",
                                             name.size(), kLongestName));
      }
      trees_[name] = &member;
    }
    if (trees_.empty()) {
      fatal(root.line, "the file has no trees");
    }
  }

  void check_call(const JsonLine& json) {
    if (!json.text.starts_with(kCallKey)) {
      fatal(json.line, fmt::format("'{}' must begin with call=", json.text));
      return;
    }
    const std::string name = json.text.substr(kCallKey.size());
    called_.insert(name);
    if (!trees_.contains(name) && !is_built_in(name)) {
      fatal(json.line, fmt::format("no tree has the name '{}'", name));
    }
  }

  // Checks everything that MPICH reads when a program starts. `collective` is the one whose calls
  // reach this tree; "" if it is unknown.
  void check_tree(const JsonLine& json, const std::string& collective) {
    if (json.is(Kind::string)) {
      check_call(json);
      return;
    }
    if (!json.is(Kind::object) || json.children.empty()) {
      fatal(json.line, fmt::format("'{}' must be an object with conditions or an algorithm, or "
                                   "\"call=NAME\"",
                                   json.key));
      return;
    }
    check_mpich_keys(json, file_);
    bool ended = false;  // true after "any"
    for (const JsonLine& member : json.children) {
      if (member.key.starts_with(kAlgorithmKey)) {
        if (json.children.size() > 1) {
          file_.error(member.line, fmt::format("MPICH ignores all keys beside '{}'", member.key));
        }
        check_leaf(member, collective);
        return;
      }
      if (ended) {
        file_.error(member.line, fmt::format("never reached: '{}' follows \"any\"", member.key));
      }
      if (member.key.starts_with(kCollectiveKey)) {
        const std::string key = member.key.substr(kCollectiveKey.size());
        if (!is_collective_key(key)) {
          fatal(member.line, fmt::format("unknown collective '{}'", key),
                "expected a name such as bcast-intra");
        }
        check_tree(member, collective_of_tree(key));
        continue;
      }
      ended |= member.key == "any";
      if (member.key != "any") {
        (void)named_condition_in(member, true, file_);
      }
      check_tree(member, collective);
    }
  }

  void check_leaf(const JsonLine& leaf, const std::string& collective) {
    const std::string_view name = std::string_view(leaf.key).substr(kAlgorithmKey.size());
    const MpichName* const known = find_mpich_name(MpichLevel::coll, name, kNamedTrees);
    if (name == "MPIR_Coll_nb" ||
        (known != nullptr && known->in(kNamedTrees) && collective.empty())) {
      return;
    }
    (void)read_mpich_leaf(leaf, leaf.key, what_, collective, file_);
  }

  // Reports trees that call themselves, directly or through other trees.
  void check_circles(const std::string& name) {
    enum : std::uint8_t { begun = 1, done = 2 };
    std::uint8_t& state = visited_[name];
    if (state != 0) {
      circular_ |= state == begun;
      return;
    }
    state = begun;
    const JsonLine& tree = *trees_.at(name);
    follow_calls(tree, name);
    visited_[name] = done;
  }

  void follow_calls(const JsonLine& json, const std::string& from) {
    if (json.is(Kind::string) && json.text.starts_with(kCallKey)) {
      const std::string name = json.text.substr(kCallKey.size());
      if (trees_.contains(name)) {
        const bool before = std::exchange(circular_, false);
        check_circles(name);
        if (circular_) {
          file_.error(json.line,
                      fmt::format("the call of '{}' in '{}' comes back to it: such a call "
                                  "never ends",
                                  name, from));
          endless_ = true;
        }
        circular_ = before;
      }
      return;
    }
    for (const JsonLine& member : json.children) {
      follow_calls(member, from);
    }
  }

  // Reads the table of a collective, if the file changes its choice.
  void read_table(Collective collective) {
    collective_ = std::string(name(collective));
    const std::string own = fmt::format("{}-intra-auto", collective_);
    const std::string_view start = trees_.contains(std::string(kMainTree)) ? kMainTree
                                   : trees_.contains(std::string(kAutoTree))
                                       ? kAutoTree
                                       : std::string_view(own);
    const auto tree = trees_.find(start);
    if (tree == trees_.end()) {
      return;
    }
    conditions_.emplace(collective_, what_, file_);
    calls_ = 0;
    std::vector<Rule> rules = rules_in(*tree->second);
    DecisionTable table;
    table.collective = collective;
    table.name = std::string(description(RuleFormat::mpich51));
    table.measure = conditions_->measure();
    table.rules = std::move(rules);
    file_.tables.push_back(std::move(table));
  }

  Rule called(const JsonLine& json) {
    const std::string name = json.text.substr(kCallKey.size());
    Rule rule;
    rule.line = json.line;
    auto tree = trees_.find(name);
    if (tree == trees_.end() && name == kAutoTree) {
      tree = trees_.find(fmt::format("{}-intra-auto", collective_));
    }
    if (tree == trees_.end()) {
      rule.choice = choice_left_to_library();
      return rule;
    }
    constexpr std::size_t kMostCalls = 10'000;
    if (++calls_ > kMostCalls) {
      if (calls_ == kMostCalls + 1) {
        file_.error(json.line,
                    fmt::format("the trees call each other more than {} times for {}; tutti "
                                "leaves out the rest",
                                kMostCalls, collective_));
      }
      rule.choice = choice_left_to_library();
      return rule;
    }
    rule.then = rules_in(*tree->second);
    return rule;
  }

  // Returns the rules of a tree for calls of collective_.
  std::vector<Rule> rules_in(const JsonLine& json) {
    if (json.is(Kind::string)) {
      return {called(json)};
    }
    return rules_from(json, 0);
  }

  // Puts what follows a condition into its rule: a choice, or further rules.
  void fill(Rule& rule, const JsonLine& member) {
    std::vector<Rule> inner = rules_in(member);
    while (inner.size() == 1 && !inner.front().conditional() && !inner.front().choice) {
      std::vector<Rule> deeper = std::move(inner.front().then);
      inner = std::move(deeper);
    }
    if (inner.size() == 1 && !inner.front().conditional()) {
      rule.choice = inner.front().choice;
    } else {
      rule.then = std::move(inner);
    }
  }

  std::vector<Rule> rules_from(const JsonLine& json, std::size_t first) {
    std::vector<Rule> rules;
    for (std::size_t i = first; i < json.children.size(); ++i) {
      const JsonLine& member = json.children[i];
      if (member.key.starts_with(kAlgorithmKey)) {
        Rule leaf;
        leaf.line = member.line;
        leaf.choice = read_mpich_leaf(member, member.key, what_, collective_, file_);
        rules.push_back(std::move(leaf));
        return rules;
      }
      Rule rule;
      rule.line = member.line;
      if (member.key.starts_with(kCollectiveKey)) {
        if (member.key != fmt::format("{}{}-intra", kCollectiveKey, collective_)) {
          continue;
        }
        fill(rule, member);
        rules.push_back(std::move(rule));
        return rules;
      }
      if (member.key == "any") {
        fill(rule, member);
        rules.push_back(std::move(rule));
        return rules;
      }
      const NamedCondition condition = *named_condition_in(member, false, file_);
      // A condition that rules can only express by its opposite: the opposite applies to the rest.
      const bool opposite = condition.plain != nullptr &&
                            (condition.plain->name == "pof2"
                                 ? condition.negated
                                 : condition.plain->name == "count_ge_pof2" && !condition.negated);
      Holds holds = Holds::depends;
      static_cast<RuleConditions&>(rule) = limits_of(member, condition, opposite, holds);
      if (opposite) {
        rule.then = rules_from(json, i + 1);
        Rule otherwise;
        otherwise.line = member.line;
        fill(otherwise, member);
        rules.push_back(std::move(rule));
        rules.push_back(std::move(otherwise));
        return rules;
      }
      if (holds == Holds::no) {
        continue;
      }
      fill(rule, member);
      const bool always = !rule.conditional();
      rules.push_back(std::move(rule));
      if (always) {
        return rules;
      }
    }
    file_.error(json.line,
                fmt::format("'{}': a call of {} for which none of the conditions holds ends the "
                            "program; add \"any\"",
                            json.key, collective_));
    return rules;
  }

  // Returns the limits that a condition sets on ranks, sizes and elements. Sets `holds` for
  // conditions on anything else.
  RuleConditions limits_of(const JsonLine& member, const NamedCondition& condition, bool opposite,
                           Holds& holds) {
    const bool wanted = condition.negated == opposite;
    std::string earlier;
    if (condition.plain != nullptr) {
      earlier = wanted ? condition.plain->yes : condition.plain->no;
      if (earlier.empty()) {
        const bool usual = condition.plain->name != "MPIDI_CH4_release_gather";
        holds = usual != condition.negated ? Holds::yes : Holds::no;
        file_.note(member.line, fmt::format("tutti assumes that '{}' {}", member.key,
                                            holds == Holds::yes ? "holds" : "does not hold"));
        return {};
      }
    } else {
      if (condition.at_most < 0) {
        holds = condition.negated ? Holds::yes : Holds::no;
        return {};
      }
      earlier = fmt::format("{}<={}", condition.size, condition.at_most);
    }
    const auto found = conditions_->read(member, earlier);
    if (!found) {
      return {};
    }
    holds = found->holds;
    RuleConditions limits = found->rule;
    if (condition.plain == nullptr && condition.negated) {
      std::swap(limits.ranks_from, limits.ranks_below);
      std::swap(limits.bytes_from, limits.bytes_below);
    }
    return limits;
  }

  // Removes repeated findings: a tree may serve several collectives.
  void remove_repeats() {
    std::set<std::pair<std::size_t, std::string>> seen;
    std::erase_if(file_.findings, [&](const RuleFinding& each) {
      return !seen.emplace(each.line, each.text).second;
    });
  }

  void fatal(std::size_t line, std::string_view text, std::string_view hint = "") {
    report_abort(line, text, hint, file_);
  }

  RuleFile& file_;
  MpichFile what_{RuleFormat::mpich51, kNamedTrees};
  std::map<std::string, const JsonLine*, std::less<>> trees_;
  std::set<std::string, std::less<>> called_;
  std::map<std::string, std::uint8_t> visited_;
  bool circular_ = false;  // true if the last call of check_circles() came back to a begun tree
  bool endless_ = false;   // true if a tree calls itself
  std::size_t calls_ = 0;  // calls that the table of a collective follows
  std::string collective_;
  std::optional<MpichConditions> conditions_;
};

}  // namespace

RuleFile read_mpich_named_trees(std::string_view text) {
  RuleFile file;
  const JsonText json = parse_json_lines(text, true);
  if (const JsonLine* const root = mpich_root(json, file)) {
    NamedTrees(file).read(*root);
  }
  return file;
}

}}  // namespace tutti::rule_files
