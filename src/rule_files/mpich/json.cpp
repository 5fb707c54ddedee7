// Reads MPICH's selection tree as src/mpi/coll/src/csel.c does. The keys of an object are
// conditions, which are tried in order; the value of the first key that holds is used. A leaf is
// {"algorithm=NAME": {}}; from 4.1 on, the inner object contains parameters (parameters.hpp).
// The file replaces the built-in tree. Many faults in the file make an assertion of MPICH fail,
// which aborts the MPI program.
#include "src/rule_files/mpich/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich/conditions.hpp"
#include "src/rule_files/mpich/parameters.hpp"
#include "src/rule_files/mpich/tree.hpp"
#include "src/rule_files/rule_checks.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Kind = JsonLine::Kind;

std::string_view things(MpichLevel level) {
  return level == MpichLevel::composition ? "composition" : "algorithm";
}

// Reports a name that is invalid in the tree of `collective`, and suggests a similar one.
void complain(const JsonLine& leaf, std::string_view name, const MpichFile& what,
              std::string_view collective, RuleFile& file) {
  std::vector<std::string> names;
  for (const MpichName& each : mpich_names()) {
    if (each.level == what.level() && each.in(what.release) && each.collective() == collective) {
      names.emplace_back(each.name);
    }
  }
  const std::string near = nearest(name, names);
  const std::string meant = names.empty()  ? ""
                            : near.empty() ? fmt::format("; it has {}", fmt::join(names, ", "))
                                           : fmt::format("; did you mean {}?", near);
  const MpichName* const known = find_mpich_name(what.level(), name, what.release);
  if (known != nullptr && known->in(what.release)) {
    file.error(
        leaf.line,
        fmt::format("'{}' belongs to {}, but is under {}; every call then ends the program{}", name,
                    known->collective(), collective, meant));
    return;
  }
  file.error(
      leaf.line,
      fmt::format(
          "{} has no {} '{}' for {}{}; every program then aborts in MPI_Init{}", what.library(),
          things(what.level()), name, collective,
          known == nullptr ? "" : fmt::format(" (only {} has it)", releases_in_words(*known)),
          meant));
}

class MpichReader {
 public:
  MpichReader(RuleFile& file, const MpichFile& what) : file_(file), what_(what) {}

  void read(const JsonLine& root) {
    check_mpich_keys(root, file_);
    for (const JsonLine& member : root.children) {
      const std::string key = squeezed(member.key);
      constexpr std::string_view kCollective = "collective=";
      if (what_.query && key != fmt::format("{}{}", kCollective, name(what_.query->collective))) {
        continue;
      }
      if (!key.starts_with(kCollective)) {
        file_.error(
            member.line,
            fmt::format("'{}' is outside of any collective; write \"collective=NAME\" first",
                        member.key));
        continue;
      }
      read_collective(member, key.substr(kCollective.size()));
    }
    if (what_.level() != MpichLevel::coll || what_.query) {
      return;  // for collectives without an entry, MPICH uses its selection tree
    }
    for (const std::string_view collective : mpich_collectives()) {
      if (!seen_.contains(std::string(collective))) {
        missing_.emplace_back(collective);
      }
    }
    if (!missing_.empty()) {
      file_.error(root.line, fmt::format("no rules for {}: the file replaces the built-in tree, so "
                                         "a call to a missing collective ends the program",
                                         fmt::join(missing_, ", ")));
    }
  }

 private:
  // Removes blanks from a key, as MPICH does.
  static std::string squeezed(std::string text) {
    std::erase(text, ' ');
    return text;
  }

  void read_collective(const JsonLine& json, const std::string& collective) {
    const auto known = mpich_collectives();
    if (std::find(known.begin(), known.end(), collective) == known.end()) {
      file_.error(json.line, fmt::format("unknown collective '{}'; {}", collective, kMpichAborts));
      return;
    }
    seen_.insert(collective);
    collective_ = collective;
    conditions_.emplace(collective, what_, file_);
    std::vector<Rule> rules = read_below(json, "comm_");
    const auto ours = collective_named(collective);
    if (!ours) {
      file_.others.push_back(collective);
      return;
    }
    DecisionTable table;
    table.collective = *ours;
    table.name = std::string(description(what_.format));
    table.measure = conditions_->measure();
    table.rules = std::move(rules);
    file_.tables.push_back(std::move(table));
  }

  // Reads the subtree below a condition.
  std::vector<Rule> read_below(const JsonLine& member, const std::string& key) {
    conditions_->enter(key);
    std::vector<Rule> rules = read_node(member);
    conditions_->leave(key);
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
                  fmt::format("the value of '{}' must be an object; {}", json.key, kMpichAborts));
      return rules;
    }
    if (json.children.empty()) {
      file_.error(json.line, fmt::format("'{}' chooses no algorithm; {}", json.key, kMpichAborts));
      return rules;
    }
    check_mpich_keys(json, file_);
    bool ended = false;  // true after "=any", which always holds
    const JsonLine* last_number = nullptr;
    for (const JsonLine& member : json.children) {
      const std::string key = squeezed(member.key);
      if (key.starts_with("algorithm=") || key.starts_with("composition=")) {
        if (json.children.size() > 1) {
          file_.error(member.line,
                      fmt::format("'{}' must be the only key; {}", member.key, kMpichAborts));
        }
        Rule leaf;
        leaf.line = member.line;
        leaf.choice = read_mpich_leaf(member, key, what_, collective_, file_);
        rules.push_back(std::move(leaf));
        return rules;
      }
      if (ended) {
        file_.error(member.line, fmt::format("'{}' follows a condition that always holds; {}",
                                             member.key, kMpichAborts));
        break;
      }
      std::optional<MpichCondition> condition = conditions_->read(member, key);
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
        return earlier.conditional() && covers(earlier, rule);
      });
      if (before != rules.end()) {
        file_.error(
            member.line,
            fmt::format(
                "'{}' is never reached: the condition on line {} holds whenever this one does",
                member.key, before->line));
      }
      // If a condition that is not on ranks or sizes holds in the usual case, the conditions after
      // it only serve unusual cases, and the table leaves them out.
      const bool always = !rule.conditional();
      rules.push_back(std::move(rule));
      if (always && condition->holds == Holds::yes) {
        check_rest(json, member);
        break;
      }
    }
    if (last_number != nullptr) {
      file_.error(last_number->line,
                  fmt::format("'{}' is the last condition, but one with =any must follow; {}",
                              last_number->key, kMpichAborts));
    }
    return rules;
  }

  // Reports errors in the conditions after `after`, although the table leaves these conditions out.
  void check_rest(const JsonLine& json, const JsonLine& after) {
    for (const JsonLine* each = &after + 1; each != json.children.data() + json.children.size();
         ++each) {
      const std::string key = squeezed(each->key);
      if (conditions_->read(*each, key)) {
        (void)read_below(*each, key);
      }
    }
  }

  RuleFile& file_;
  MpichFile what_;
  std::set<std::string> seen_;
  std::vector<std::string> missing_;
  std::string collective_;
  std::optional<MpichConditions> conditions_;
};

}  // namespace

MpichLevel MpichFile::level() const {
  return format == RuleFormat::mpich_ch4     ? MpichLevel::composition
         : format == RuleFormat::mpich_posix ? MpichLevel::posix
                                             : MpichLevel::coll;
}

std::string MpichFile::library() const { return "MPICH " + release_in_words(release); }

// Reads a leaf as MPICH's functions create_container() do. MPICH has one such function for each
// MpichLevel.
Choice read_mpich_leaf(const JsonLine& leaf, std::string_view key, const MpichFile& what,
                       std::string_view collective, RuleFile& file) {
  const bool composition = key.starts_with("composition=");
  const std::string name(key.substr(key.find('=') + 1));
  Choice choice;
  choice.library_algorithm = name;
  if (composition != (what.level() == MpichLevel::composition)) {
    file.error(leaf.line, fmt::format("'{}' is not allowed in a file of {}s; {}", leaf.key,
                                      things(what.level()), kMpichAborts));
    return choice;
  }
  const MpichName* const known = find_mpich_name(what.level(), name, what.release);
  if (known == nullptr || !known->in(what.release) || known->collective() != collective) {
    complain(leaf, name, what, collective, file);
    return choice;
  }
  const MpichParameters given = read_mpich_parameters(leaf, name, what.release, file);
  const auto ours = collective_named(collective);
  const LibraryAlgorithm* const algorithm =
      ours && what.level() == MpichLevel::coll ? find_by_name(what.format, *ours, name) : nullptr;
  return algorithm == nullptr
             ? choice
             : choice_of(what.format, *algorithm, given.chunk_bytes, given.k, 0, given.tree);
}

const JsonLine* mpich_root(const JsonText& json, RuleFile& file) {
  if (!json.value) {
    file.error(json.fault.line,
               fmt::format("{}; MPICH then silently ignores the file", json.fault.text));
    return nullptr;
  }
  if (!json.value->is(Kind::object)) {
    file.error(json.value->line, "the file must be an object");
    return nullptr;
  }
  return &*json.value;
}

void check_mpich_keys(const JsonLine& json, RuleFile& file) {
  for (const JsonLine& member : json.children) {
    if (json.find(member.key) != &member) {
      file.error(member.line,
                 fmt::format("'{}' occurs a second time; only the last one counts", member.key));
    }
  }
}

RuleFile read_mpich_json(std::string_view text, const MpichFile& what) {
  return read_mpich_json(parse_json_lines(text, true), what);
}

RuleFile read_mpich_json(const JsonText& json, const MpichFile& what) {
  RuleFile file;
  if (const JsonLine* const root = mpich_root(json, file)) {
    MpichReader(file, what).read(*root);
  }
  return file;
}

std::optional<DecisionTable> MpichSiteFile::table_for(const MpichQuery& query) const {
  MpichFile of_call = what;
  of_call.query = query;
  std::vector<DecisionTable> tables = read_mpich_json(json, of_call).tables;
  return tables.empty() ? std::nullopt : std::optional(std::move(tables.front()));
}

}}  // namespace tutti::rule_files
