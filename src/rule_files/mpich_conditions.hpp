// The conditions of MPICH's selection trees: the keys above the leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/rule_files/mpich_json.hpp"

namespace tutti::inline rule_files {

enum class Holds : std::uint8_t { yes, no, depends };

// What a condition says; of those that tables don't have, whether it holds in the usual case: an
// intra-communicator, a built-in operator that commutes, not in place, blocks of one size; of
// compositions, one over several nodes with several ranks on each, of the others one without a
// hierarchy, which is what compositions ask them for.
struct MpichCondition {
  Rule rule;  // its ranks, bytes and elements
  Holds holds = Holds::depends;
  bool any = false;      // nothing may follow
  bool numbers = false;  // ranks or sizes, which must end in "any"
  std::string family;    // "comm_size", "avg_msg_size"
};

// Of the tree of one collective.
class MpichConditions {
 public:
  MpichConditions(std::string collective, const MpichFile& what, RuleFile& file)
      : collective_(std::move(collective)), what_(what), file_(file) {}

  // Nothing where there is no such condition, which is said. The key has no blanks.
  std::optional<MpichCondition> read(const JsonLine& member, const std::string& key);

  // Around what stands below a condition that was read.
  void enter(const std::string& key) { step(key, 1); }
  void leave(const std::string& key) { step(key, -1); }

  // By what its sizes are.
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
  std::string size_family_;
  int between_groups_ = 0;
  int below_call_ = 0;
  SizeMeasure measure_ = SizeMeasure::vector;
};

}  // namespace tutti::inline rule_files
