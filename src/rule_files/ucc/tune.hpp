// Reads the value of UCC_TL_UCP_TUNE. It has parts between #, each with words between colons, in
// any order: collectives, a range of sizes, a range of ranks in brackets, kinds of memory, a score,
// and
// @ with an algorithm. The smaller size of a range belongs to the previous range, or to UCC's own
// choice. If the value has an error, UCC ignores it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

inline constexpr std::string_view kUccTune = "UCC_TL_UCP_TUNE";

struct UccRanks {
  std::uint32_t least = 0;
  std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool meets(const UccRanks& other) const {
    return least <= other.most && other.least <= most;
  }
};
// Converts digits to a number of ranks, limited to the largest one.
[[nodiscard]] std::uint32_t ucc_ranks(std::string_view digits);

// A value, and the teams (communicators) for which it is.
struct UccTune {
  std::string text;
  std::size_t line = 0;
  UccRanks ranks;
};

struct UccCollective;
struct UccTunePart;

class UccTuneReader {
 public:
  explicit UccTuneReader(RuleFile& file) : file_(file) {}

  // Adds the rules of a value, and findings to the file.
  void read(const UccTune& tune);
  // Moves the rules to tables of the file.
  void finish();

 private:
  std::optional<UccTunePart> part_of(std::string_view text, std::size_t line);
  bool algorithm_known(const UccCollective& collective, std::string_view algorithm,
                       std::size_t line);
  void never_applies(const std::string& part, const UccCollective& collective, std::size_t line);
  bool rules_of_collective(const UccTune& tune, const std::vector<UccTunePart>& parts,
                           const UccCollective& collective, std::vector<Rule>& rules);
  bool sizes_of(const UccTune& tune, const std::vector<UccTunePart>& parts,
                const UccCollective& collective, std::uint32_t ranks, std::vector<Rule>& rules);

  RuleFile& file_;
  std::map<std::string_view, std::vector<Rule>> rules_;  // by collective
  std::set<std::pair<std::size_t, std::string>> dead_;   // parts that never_applies() reported
};

}}  // namespace tutti::rule_files
