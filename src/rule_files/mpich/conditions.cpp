#include "src/rule_files/mpich/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

namespace tutti { inline namespace rule_files {

namespace {

// First release that accepts "=any" for every family of conditions, and "comm_avg_ppn<" with a
// number.
constexpr int kAnyOfAll = 402;

std::string_view name_of(MpichHierarchy hierarchy) {
  switch (hierarchy) {
    case MpichHierarchy::parent:
      return "parent";
    case MpichHierarchy::node:
      return "node";
    case MpichHierarchy::node_roots:
      return "node_roots";
    case MpichHierarchy::flat:
      break;
  }
  return "flat";
}

// Returns whether the communicator of the call meets the condition; nothing if the condition is not
// on the nodes of a communicator.
std::optional<Holds> holds_for(const MpichQuery& query, const std::string& key) {
  const auto holds = [](bool truth) { return truth ? Holds::yes : Holds::no; };
  const bool parent = query.hierarchy == MpichHierarchy::parent;
  if (key.starts_with("comm_hierarchy=") && key != "comm_hierarchy=any") {
    return holds(key == fmt::format("comm_hierarchy={}", name_of(query.hierarchy)));
  }
  if (key == "comm_size=node_comm_size") {
    return holds(parent && query.nodes == 1);
  }
  if (key.starts_with("is_node_consecutive=")) {
    return holds(parent == key.ends_with("=yes"));
  }
  return std::nullopt;
}

}  // namespace

void MpichConditions::step(const std::string& key, int by) {
  // When MPICH creates a communicator, it evaluates the conditions on the communicator, from the
  // root of the tree down to the first condition on the call.
  const bool of_communicator = key.starts_with("comm_") || key.starts_with("is_node_consecutive");
  between_groups_ += key == "comm_type=inter" ? by : 0;
  below_call_ += of_communicator ? 0 : by;
}

std::optional<Holds> MpichConditions::usual(const std::string& key) const {
  static const std::set<std::string, std::less<>> kYes{
      "comm_type=intra",       "is_commutative=yes",     "is_op_built_in=yes",
      "is_sendbuf_inplace=no", "is_block_regular=yes",   "comm_hierarchy=any",
      "is_multi_threaded=no",  "is_node_consecutive=yes"};
  static const std::set<std::string, std::less<>> kNo{
      "comm_type=inter",           "is_commutative=no",     "is_op_built_in=no",
      "is_sendbuf_inplace=yes",    "is_block_regular=no",   "comm_hierarchy=node",
      "comm_hierarchy=node_roots", "is_multi_threaded=yes", "is_node_consecutive=no",
      "comm_size=node_comm_size"};
  if (what_.query) {
    if (const auto holds = holds_for(*what_.query, key)) {
      return holds;
    }
  }
  const bool parent = what_.level() == MpichLevel::composition;
  if (kYes.contains(key) || key == (parent ? "comm_hierarchy=parent" : "comm_hierarchy=flat")) {
    return Holds::yes;
  }
  if (kNo.contains(key) || key == (parent ? "comm_hierarchy=flat" : "comm_hierarchy=parent")) {
    return Holds::no;
  }
  return std::nullopt;
}

std::optional<MpichCondition> MpichConditions::read(const JsonLine& member,
                                                    const std::string& key) {
  MpichCondition condition;
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
  if (const auto holds = usual(key)) {
    condition.holds = *holds;
    condition.numbers = condition.numbers && *holds == Holds::no;
    return condition;
  }
  if (sizes) {
    check_size_family(member, condition.family);
  }
  if (condition.any &&
      (what_.release >= kAnyOfAll || (condition.numbers && condition.family != "comm_avg_ppn"))) {
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
                    (condition.family != "comm_avg_ppn" || what_.release >= kAnyOfAll);
  if (!condition.numbers || !(at_most || less)) {
    file_.error(member.line,
                fmt::format("unknown condition '{}'; {}{}", member.key, kMpichAborts,
                            rest.starts_with(">") ? " (MPICH has only < and <=)" : ""));
    return std::nullopt;
  }
  read_bound(member, rest.substr(at_most ? 2 : 1), at_most, condition);
  return condition;
}

void MpichConditions::read_bound(const JsonLine& member, std::string_view digits, bool at_most,
                                 MpichCondition& condition) {
  std::int64_t bound = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bound);
  const bool too_large = error == std::errc::result_out_of_range;
  if (end != digits.data() + digits.size() || digits.empty()) {
    file_.error(member.line, fmt::format("'{}': '{}' is not a number; MPICH reads it as {}",
                                         member.key, digits, error == std::errc() ? bound : 0));
  } else if (too_large || bound > std::numeric_limits<std::int32_t>::max() || bound < 0) {
    file_.error(member.line, fmt::format("'{}': {} does not fit an int, so that the result of atoi "
                                         "is undefined; the largest is 2147483647",
                                         member.key, digits));
  }
  const bool less_is_at_most = condition.family == "comm_size" && below_call_ > 0;
  const auto below = static_cast<std::uint64_t>(std::max<std::int64_t>(bound, 0)) +
                     (at_most || less_is_at_most ? 1 : 0);
  if (condition.family == "comm_size") {
    condition.rule.ranks_below = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(below, std::numeric_limits<std::uint32_t>::max()));
    if (!at_most && less_is_at_most) {
      file_.warn(member.line, fmt::format("'{}' is inside a condition on the call, where MPICH "
                                          "reads it as comm_size<={}; write comm_size<={}",
                                          member.key, bound, bound - 1));
    }
  } else if (condition.family == "avg_msg_size" || condition.family == "total_msg_size") {
    condition.rule.bytes_below = below;
  } else if (what_.query) {
    const MpichQuery& query = *what_.query;
    const std::uint64_t limit = static_cast<std::uint64_t>(std::max<std::int64_t>(bound, 0));
    const bool holds = condition.family == "count" ? query.count <= limit
                       : at_most                   ? query.ranks <= limit * query.nodes
                                                   : query.ranks < limit * query.nodes;
    condition.holds = holds ? Holds::yes : Holds::no;
  } else {
    condition.holds = Holds::depends;
    file_.note(member.line, fmt::format("tutti assumes that '{}' holds", member.key));
  }
}

// Reports a condition on a size that MPICH does not have for the collective, or whose name is
// misleading.
void MpichConditions::check_size_family(const JsonLine& member, const std::string& family) {
  if (between_groups_ > 0) {
    return;  // tutti's tables do not cover inter-communicators
  }
  const bool average = family == "avg_msg_size";
  static const std::set<std::string, std::less<>> kAverage{
      "allreduce", "iallreduce", "bcast", "ibcast", "reduce", "ireduce", "alltoall", "ialltoall"};
  static const std::set<std::string, std::less<>> kNone{
      "barrier", "ibarrier", "scan",     "iscan",    "exscan",
      "iexscan", "gatherv",  "igatherv", "scatterv", "iscatterv"};
  if (kNone.contains(collective_)) {
    file_.error(member.line, fmt::format("{} has no message size; {}", collective_, kMpichAborts));
  } else if (average && !kAverage.contains(collective_)) {
    file_.error(member.line, fmt::format("{} has no avg_msg_size, only total_msg_size; {}",
                                         collective_, kMpichAborts));
  } else if (!average &&
             (collective_ == "allreduce" || collective_ == "bcast" || collective_ == "reduce")) {
    file_.error(member.line, fmt::format("total_msg_size of {} is the vector's size times the "
                                         "number of ranks; write avg_msg_size",
                                         collective_));
  } else if (!average && (collective_ == "gather" || collective_ == "scatter")) {
    file_.error(member.line,
                fmt::format("in MPICH, total_msg_size of {} is elements times ranks, not bytes",
                            collective_));
  }
  if (!size_family_.empty() && size_family_ != family) {
    file_.error(member.line,
                fmt::format("the tree uses both {} and {}; tutti reads only one of them",
                            size_family_, family));
  }
  size_family_ = family;
  measure_ = average && collective_ == "alltoall" ? SizeMeasure::block : SizeMeasure::vector;
}

}}  // namespace tutti::rule_files
