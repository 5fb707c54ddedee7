// Sources: openucx/ucc 8263de47 (1.9), src/coll_score/ucc_coll_score.c, ucc_coll_score_parse_str
// and coll_score_add_range; src/components/tl/ucp/tl_ucp_coll.c, ucc_tl_ucp_alg_id_to_init, and
// tl_ucp_team.c; openucx/ucx, src/ucs/sys/string.c, ucs_str_to_memunits.
#include "src/rule_files/ucc/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti { inline namespace rule_files {

struct UccCollective {
  std::string_view name;
  bool chosen = false;  // true if rules can select an algorithm of this collective
  // Names of algorithms, for collectives that library_algorithms.csv lacks.
  std::array<std::string_view, 3> others = {};
  // The ranks do not know each other's sizes, so that UCC looks up size 0 for every call
  // (UCC_MSG_SIZE_ASYMMETRIC).
  bool sized_zero = false;
};

namespace {

constexpr const char* kTuneIgnored = "UCC ignores this value as a whole";
constexpr std::uint64_t kInfinite = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kMostUccRanks = std::numeric_limits<std::uint32_t>::max();

constexpr std::array kCollectivesOfUcc{
    UccCollective{"allgather", true},
    UccCollective{"allgatherv", true, {"ring", "knomial"}},
    UccCollective{"allreduce", true},
    UccCollective{"alltoall", true},
    UccCollective{"alltoallv", true, {"pairwise", "hybrid", "onesided"}, true},
    UccCollective{"barrier", false, {}, true},
    UccCollective{"bcast", true},
    UccCollective{"fanin", false, {}, true},
    UccCollective{"fanout", false, {}, true},
    UccCollective{"gather"},
    UccCollective{"gatherv", false, {}, true},
    UccCollective{"reduce", true},
    UccCollective{"reduce_scatter", true},
    UccCollective{"reduce_scatterv", true, {"ring"}},
    UccCollective{"scatter"},
    UccCollective{"scatterv", false, {}, true},
};

const UccCollective* collective_of_ucc(std::string_view text) {
  const std::string lower = lower_case(text);
  const auto found = std::ranges::find(kCollectivesOfUcc, lower, &UccCollective::name);
  return found == kCollectivesOfUcc.end() ? nullptr : &*found;
}

std::uint64_t number_of(std::string_view digits) {
  return parsed_number<std::uint64_t>(digits).value_or(digits.empty() ? 0 : kInfinite);
}

// Converts a size as ucs_str_to_memunits() does: "4096", "4k", "4KB", "inf".
std::optional<std::uint64_t> ucs_bytes(std::string_view text) {
  const std::string lower = lower_case(text);
  if (lower == "inf" || lower == "auto") {
    return kInfinite;
  }
  const std::size_t digits = std::min(lower.find_first_not_of(kDecimalDigits), lower.size());
  if (digits == 0) {
    return std::nullopt;
  }
  const std::uint64_t number = number_of(std::string_view(lower).substr(0, digits));
  if (digits == lower.size()) {
    return number;
  }
  const std::size_t unit = std::string_view("bkmgt").find(lower[digits]);
  if (unit == std::string_view::npos || (digits + 1 < lower.size() && lower[digits + 1] != 'b')) {
    return std::nullopt;
  }
  return number << (10 * unit);
}

}  // namespace

// A part of a UCC_TL_UCP_TUNE.
struct UccTunePart {
  std::string text;
  std::vector<const UccCollective*> collectives;  // empty: all
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes{{0, kInfinite}};
  std::vector<UccRanks> ranks{{}};
  bool host = true;
  bool scored = false;
  std::optional<std::string> algorithm;
};

namespace {

bool read_collectives(std::string_view word, UccTunePart& part) {
  std::vector<const UccCollective*> found;
  for (const std::string_view name : words_in(word, ",")) {
    found.push_back(collective_of_ucc(name));
  }
  if (std::ranges::find(found, nullptr) != found.end()) {
    return false;
  }
  part.collectives = std::move(found);
  return !part.collectives.empty();
}

bool read_memory(std::string_view word, UccTunePart& part) {
  constexpr std::array<std::string_view, 7> kKinds{
      "host", "cuda", "cuda_managed", "cudamanaged", "rocm", "rocm_managed", "rocmmanaged"};
  bool host = false;
  const auto kinds = words_in(word, ",");
  for (const std::string_view kind : kinds) {
    if (std::ranges::find(kKinds, lower_case(kind)) == kKinds.end()) {
      return false;
    }
    host |= lower_case(kind) == "host";
  }
  part.host = host || kinds.empty();
  return !kinds.empty();
}

bool read_sizes(std::string_view word, UccTunePart& part) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
  for (const std::string_view range : words_in(word, ",")) {
    const auto ends = words_in(range, "-");
    const auto least = ends.size() == 2 ? ucs_bytes(ends[0]) : std::nullopt;
    const auto most = ends.size() == 2 ? ucs_bytes(ends[1]) : std::nullopt;
    if (!least || !most) {
      return false;
    }
    sizes.emplace_back(*least, *most);
  }
  if (sizes.empty()) {
    return false;
  }
  part.sizes = std::move(sizes);
  return true;
}

bool read_ranks(std::string_view word, UccTunePart& part) {
  if (!word.starts_with('[') || !word.ends_with(']')) {
    return false;
  }
  std::vector<UccRanks> ranks;
  for (const std::string_view range : words_in(word.substr(1, word.size() - 2), ",")) {
    const auto ends = words_in(range, "-");
    if (ends.empty() || ends.size() > 2 || !has_only_digits(ends[0]) ||
        (!has_only_digits(ends.back()) && lower_case(ends.back()) != "inf")) {
      return false;
    }
    const bool endless = !has_only_digits(ends.back());
    ranks.push_back({ucc_ranks(ends.front()), endless ? kMostUccRanks : ucc_ranks(ends.back())});
    if (ranks.back().least > ranks.back().most) {
      return false;
    }
  }
  part.ranks = std::move(ranks);
  return !part.ranks.empty();
}

// The algorithm's row in tutti's table, by its number or its name; null if there is none.
const LibraryAlgorithm* row_of(Collective collective, std::string_view algorithm) {
  return has_only_digits(algorithm)
             ? find_by_id(RuleFormat::ucc, collective, static_cast<long>(number_of(algorithm)))
             : find_by_name(RuleFormat::ucc, collective, lower_case(algorithm));
}

Choice choice_for(const UccTunePart& part, const UccCollective& collective) {
  if (!part.algorithm) {
    return choice_left_to_library();
  }
  const auto ours = collective_named(collective.name);
  const LibraryAlgorithm* const row = ours ? row_of(*ours, *part.algorithm) : nullptr;
  if (row != nullptr) {
    return choice_of(RuleFormat::ucc, *row, 0);
  }
  Choice choice;
  choice.library_algorithm = printable(*part.algorithm);
  return choice;
}

}  // namespace

std::uint32_t ucc_ranks(std::string_view digits) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number_of(digits), kMostUccRanks));
}

void UccTuneReader::read(const UccTune& tune) {
  std::vector<UccTunePart> parts;
  for (const std::string_view text : words_in(tune.text, "#")) {
    std::optional<UccTunePart> part = part_of(text, tune.line);
    if (!part) {
      return;
    }
    if (!part->host) {
      file_.note(tune.line,
                 fmt::format("tutti leaves out '{}', which is not for host memory", text));
    } else if (part->scored || part->algorithm) {
      parts.push_back(*std::move(part));
    }
  }
  std::map<std::string_view, std::vector<Rule>> found;
  for (const UccCollective& collective : kCollectivesOfUcc) {
    std::vector<Rule> rules;
    if (!rules_of_collective(tune, parts, collective, rules)) {
      return;
    }
    if (!rules.empty()) {
      found[collective.name] = std::move(rules);
    }
  }
  for (auto& [name, rules] : found) {
    std::vector<Rule>& all = rules_[name];
    std::ranges::move(rules, std::back_inserter(all));
  }
}

std::optional<UccTunePart> UccTuneReader::part_of(std::string_view text, std::size_t line) {
  UccTunePart part;
  part.text = text;
  bool sized = false;
  bool ranked = false;
  bool memory = false;
  for (const std::string_view word : words_in(text, ":")) {
    if (part.collectives.empty() && read_collectives(word, part)) {
      continue;
    }
    if (!memory && read_memory(word, part)) {
      memory = true;
      continue;
    }
    if (!part.scored && (lower_case(word) == "inf" || has_only_digits(word))) {
      part.scored = true;
      continue;
    }
    if (!sized && read_sizes(word, part)) {
      sized = true;
      continue;
    }
    if (!ranked && read_ranks(word, part)) {
      ranked = true;
      continue;
    }
    if (!part.algorithm && word.starts_with('@')) {
      part.algorithm = word.substr(1);
      continue;
    }
    file_.error(line, fmt::format("'{}' in '{}' is not a collective, a kind of memory, a score, a "
                                  "range of sizes such as 0-4k, a range of ranks such as [4-7], or "
                                  "an algorithm such as @0; {}",
                                  word, text, kTuneIgnored));
    return std::nullopt;
  }
  for (const UccCollective* collective : part.collectives) {
    if (part.algorithm && !algorithm_known(*collective, *part.algorithm, line)) {
      return std::nullopt;
    }
  }
  if (part.algorithm && part.collectives.empty()) {
    file_.error(line,
                fmt::format("'{}' names an algorithm, but no collective; {}", text, kTuneIgnored));
    return std::nullopt;
  }
  return part;
}

bool UccTuneReader::algorithm_known(const UccCollective& collective, std::string_view algorithm,
                                    std::size_t line) {
  if (!collective.chosen) {
    file_.error(line, fmt::format("UCC lets no file choose the algorithm of {}; {}",
                                  collective.name, kTuneIgnored));
    return false;
  }
  std::vector<std::string> names;
  const auto ours = collective_named(collective.name);
  if (!collective.others.front().empty()) {
    for (const std::string_view each : collective.others) {
      if (!each.empty()) {
        names.emplace_back(each);
      }
    }
  } else if (ours) {
    for (const LibraryAlgorithm& each : library_algorithms(RuleFormat::ucc)) {
      if (each.collective == *ours) {
        names.push_back(each.name);
      }
    }
  }
  const bool known = has_only_digits(algorithm)
                         ? number_of(algorithm) < names.size()
                         : std::ranges::find(names, lower_case(algorithm)) != names.end();
  if (!known) {
    file_.error(line,
                fmt::format("{} has no algorithm '{}', only 0 to {}: {}; {}", collective.name,
                            algorithm, names.size() - 1, fmt::join(names, ", "), kTuneIgnored));
  }
  return known;
}

// Warns, once, of a part for sizes that UCC never looks up.
void UccTuneReader::never_applies(const std::string& part, const UccCollective& collective,
                                  std::size_t line) {
  if (dead_.insert({line, part}).second) {
    file_.warn(line, fmt::format("'{}' never applies to {}: UCC looks up size 0 for each of its "
                                 "calls, so that only a range from 0 applies",
                                 part, collective.name));
  }
}

// Adds the rules of a collective: for each range of ranks, the sizes of its parts. Returns false,
// and reports it, if UCC rejects the value.
bool UccTuneReader::rules_of_collective(const UccTune& tune, const std::vector<UccTunePart>& parts,
                                        const UccCollective& collective, std::vector<Rule>& rules) {
  const UccRanks of_section = tune.ranks;
  if (of_section.least > of_section.most) {
    return true;  // the section never applies
  }
  // Numbers of ranks at which the parts that apply change.
  std::set<std::uint64_t> bounds{of_section.least, std::uint64_t{of_section.most} + 1};
  for (const UccTunePart& part : parts) {
    for (const UccRanks& range : part.ranks) {
      bounds.insert(std::clamp<std::uint64_t>(range.least, *bounds.begin(), *bounds.rbegin()));
      bounds.insert(std::clamp<std::uint64_t>(std::uint64_t{range.most} + 1, *bounds.begin(),
                                              *bounds.rbegin()));
    }
  }
  for (auto from = bounds.begin(); std::next(from) != bounds.end(); ++from) {
    Rule rule;
    rule.line = tune.line;
    if (*from > 0) {
      rule.ranks_from = static_cast<std::uint32_t>(*from);
    }
    if (*std::next(from) <= kMostUccRanks) {
      rule.ranks_below = static_cast<std::uint32_t>(*std::next(from));
    }
    if (!sizes_of(tune, parts, collective, static_cast<std::uint32_t>(*from), rule.then)) {
      return false;
    }
    if (rule.then.size() == 1 && !rule.then.front().conditional()) {
      rule.choice = rule.then.front().choice;
      rule.then.clear();
    }
    if (rule.choice || !rule.then.empty()) {
      rules.push_back(std::move(rule));
    }
  }
  return true;
}

bool UccTuneReader::sizes_of(const UccTune& tune, const std::vector<UccTunePart>& parts,
                             const UccCollective& collective, std::uint32_t ranks,
                             std::vector<Rule>& rules) {
  struct SizedPart {
    std::uint64_t least;
    std::uint64_t most;
    const UccTunePart* part;
  };
  std::vector<SizedPart> sized;
  for (const UccTunePart& part : parts) {
    const bool named = part.collectives.empty() ||
                       std::ranges::find(part.collectives, &collective) != part.collectives.end();
    const bool applies = std::ranges::any_of(part.ranks, [&](const UccRanks& range) {
      return range.least <= ranks && ranks <= range.most;
    });
    for (const auto& [least, most] : part.sizes) {
      if (named && applies) {
        sized.push_back({least, most, &part});
      }
    }
  }
  std::ranges::stable_sort(sized, {}, &SizedPart::least);
  for (std::size_t i = 0; i < sized.size(); ++i) {
    const SizedPart& each = sized[i];
    const std::size_t line = tune.line;
    if (each.least >= each.most) {
      file_.error(line, fmt::format("'{}': a range must begin below its end; {}", each.part->text,
                                    kTuneIgnored));
      return false;
    }
    if (i > 0 && each.least < sized[i - 1].most) {
      file_.error(line, fmt::format("'{}' and '{}' overlap; {}", sized[i - 1].part->text,
                                    each.part->text, kTuneIgnored));
      return false;
    }
    if (i > 0 && each.least == sized[i - 1].most + 1) {
      file_.error(line, fmt::format("'{}' must begin where '{}' ends, at {}: as written, UCC's own "
                                    "choice applies to {} bytes",
                                    each.part->text, sized[i - 1].part->text, sized[i - 1].most,
                                    each.least));
    }
    if (collective.sized_zero && each.least > 0) {
      never_applies(each.part->text, collective, line);
    }
    Rule rule;
    rule.line = line;
    rule.choice = choice_for(*each.part, collective);
    // The smallest size of a range belongs to the previous range, or to UCC's own choice.
    if (each.least > 0) {
      rule.bytes_from = each.least + 1;
    }
    if (each.most < kInfinite) {
      rule.bytes_below = each.most + 1;
    }
    rules.push_back(std::move(rule));
  }
  return true;
}

void UccTuneReader::finish() {
  for (auto& [collective, rules] : rules_) {
    const auto ours = collective_named(collective);
    if (!ours || !rules_name(RuleFormat::ucc, *ours)) {
      file_.others.emplace_back(collective);
      continue;
    }
    DecisionTable table;
    table.collective = *ours;
    table.name = std::string(description(RuleFormat::ucc));
    table.rules = std::move(rules);
    check_sizes(table, file_);
    file_.tables.push_back(std::move(table));
  }
}

}}  // namespace tutti::rule_files
