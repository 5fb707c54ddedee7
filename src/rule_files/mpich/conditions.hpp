// Reads the conditions of MPICH's selection trees. Conditions are the keys above the leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/rule_files/mpich/json.hpp"

namespace tutti { inline namespace rule_files {

enum class Holds : std::uint8_t { yes, no, depends };

// A condition of a selection tree. Conditions on ranks, bytes and elements become part of a table's
// rule. For all other conditions, `holds` says whether the condition holds in the usual case: an
// intra-communicator, a built-in operator that commutes, not in place, blocks of equal size. In a
// composition file, the usual communicator has several nodes with several ranks each. In other
// files, the usual communicator has no hierarchy of nodes, because ch4's compositions look up the
// selection tree for communicators without a hierarchy.
struct MpichCondition {
  Rule rule;  // the limits that the condition sets on ranks, bytes and elements
  Holds holds = Holds::depends;
  bool any = false;  // true for "=any", after which no other condition may follow
  // True if the condition compares a number of ranks or a size. The last condition of a list of
  // such conditions must be "=any".
  bool numbers = false;
  std::string family;  // the key before <, = or >: "comm_size", "avg_msg_size"
};

// Reads the conditions in the tree of one collective.
class MpichConditions {
 public:
  MpichConditions(std::string collective, const MpichFile& what, RuleFile& file)
      : collective_(std::move(collective)), what_(what), file_(file) {}

  // Reads the condition in `key`, which must not contain blanks. Returns nothing, and adds a
  // finding, if MPICH has no such condition.
  std::optional<MpichCondition> read(const JsonLine& member, const std::string& key);

  // Must be called before and after the subtree below the condition `key` is read.
  void enter(const std::string& key) { step(key, 1); }
  void leave(const std::string& key) { step(key, -1); }

  // Returns what the sizes in the tree measure.
  [[nodiscard]] SizeMeasure measure() const { return measure_; }

 private:
  void step(const std::string& key, int by);
  [[nodiscard]] std::optional<Holds> usual(const std::string& key) const;
  void read_bound(const JsonLine& member, std::string_view digits, bool at_most,
                  MpichCondition& condition);
  void check_size_family(const JsonLine& member, const std::string& family);

  std::string collective_;
  MpichFile what_;
  RuleFile& file_;
  std::string size_family_;  // family of the last condition on a message size
  // Number of enclosing conditions that are "comm_type=inter".
  int between_groups_ = 0;
  // Number of enclosing conditions on the call, and not on the communicator.
  int below_call_ = 0;
  SizeMeasure measure_ = SizeMeasure::vector;
};

}}  // namespace tutti::rule_files
