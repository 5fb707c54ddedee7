// Reads the leaves of MPICH's trees as MPICH's functions create_container() do. MPICH has one such
// function for each MpichLevel.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich_json.hpp"
#include "src/rule_files/mpich_parameters.hpp"

namespace tutti::inline rule_files {

namespace {

constexpr std::string_view kAlgorithmKey = "algorithm=";
constexpr std::string_view kCompositionKey = "composition=";

std::string_view things(MpichLevel level) {
  return level == MpichLevel::composition ? "composition" : "algorithm";
}

// Reports a name that is invalid in the tree of `collective`, and suggests a similar one.
void complain(const JsonLine& leaf, std::string_view name, const MpichFile& what,
              std::string_view collective, RuleFile& file) {
  std::vector<std::string> names;
  for (const MpichName& each : mpich_names()) {
    if (each.level == what.level && each.in(what.release) && each.collective() == collective) {
      names.emplace_back(each.name);
    }
  }
  const std::string near = nearest(name, names);
  const std::string meant = names.empty()  ? ""
                            : near.empty() ? fmt::format("; it has {}", fmt::join(names, ", "))
                                           : fmt::format("; did you mean {}?", near);
  const MpichName* const known = find_mpich_name(what.level, name);
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
          things(what.level), name, collective,
          known == nullptr ? "" : fmt::format(" (only {} has it)", releases_in_words(*known)),
          meant));
}

}  // namespace

std::string MpichFile::library() const {
  return release == kLatest ? "MPICH" : "MPICH " + release_in_words(release);
}

Choice read_mpich_leaf(const JsonLine& leaf, std::string_view key, const MpichFile& what,
                       std::string_view collective, RuleFile& file) {
  const bool composition = key.starts_with(kCompositionKey);
  const std::string name(key.substr((composition ? kCompositionKey : kAlgorithmKey).size()));
  Choice choice;
  choice.library_algorithm = name;
  if (composition != (what.level == MpichLevel::composition)) {
    file.error(leaf.line, fmt::format("'{}' is not allowed in a file of {}s; {}", leaf.key,
                                      things(what.level), kMpichAborts));
    return choice;
  }
  const MpichName* const known = find_mpich_name(what.level, name);
  if (known == nullptr || !known->in(what.release) || known->collective() != collective) {
    complain(leaf, name, what, collective, file);
    return choice;
  }
  const MpichParameters given = read_mpich_parameters(leaf, name, what.release, file);
  const auto ours = collective_named(collective);
  const LibraryAlgorithm* const algorithm =
      ours && what.level == MpichLevel::coll ? find_by_name(what.format, *ours, name) : nullptr;
  return algorithm == nullptr
             ? choice
             : choice_of(what.format, *algorithm, given.chunk_bytes, given.k, 0, given.tree);
}

}  // namespace tutti::inline rule_files
