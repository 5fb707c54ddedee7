#include "src/rule_files/mpich/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text_lines.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr auto kMpichNames = std::to_array<MpichName>({
#define TUTTI_MPICH_NAME(level, name, since, until, parameters) \
  MpichName{MpichLevel::level, name, since, until, parameters},
#include "src/rule_files/mpich/names.def"
#undef TUTTI_MPICH_NAME
});

}  // namespace

std::string MpichName::collective() const {
  std::string_view stem = name;
  for (const std::string_view prefix : {"MPIR_TSP_", "MPIR_", "MPIDI_POSIX_mpi_", "MPIDI_"}) {
    if (stem.starts_with(prefix)) {
      stem.remove_prefix(prefix.size());
      break;
    }
  }
  for (const std::string_view kind :
       {"_sched_intra_", "_sched_inter_", "_sched_allcomm_", "_intra_", "_inter_", "_allcomm_",
        "_release_gather", "_ipc_read"}) {
    stem = stem.substr(0, stem.find(kind));
  }
  return lower_case(stem);
}

std::span<const MpichName> mpich_names() { return kMpichNames; }

const MpichName* find_mpich_name(MpichLevel level, std::string_view name, int release) {
  const MpichName* found = nullptr;
  for (const MpichName& each : kMpichNames) {
    if (each.level == level && each.name == name && (found == nullptr || each.in(release))) {
      found = &each;
    }
  }
  return found;
}

bool has_algorithm(RuleFormat format, const LibraryAlgorithm& algorithm, int release) {
  const int query = release != 0 ? release : rule_form(format).first_release;
  const MpichName* const name = find_mpich_name(MpichLevel::coll, algorithm.name, query);
  return name == nullptr || name->in(query);
}

bool has_mpich_name_after(std::string_view text, int release) {
  return std::any_of(kMpichNames.begin(), kMpichNames.end(), [&](const MpichName& each) {
    return each.level == MpichLevel::coll && each.since > release &&
           text.find(each.name) != text.npos;
  });
}

std::string mpich_name(std::string_view collective) {
  std::string text(collective);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string release_in_words(int release) {
  return fmt::format("{}.{}", release / 100, release % 100);
}

std::string releases_in_words(const MpichName& name) {
  const std::string first = release_in_words(name.since);
  if (name.until == kLatest) {
    return fmt::format("MPICH {} and later", first);
  }
  return name.until == name.since
             ? fmt::format("MPICH {}", first)
             : fmt::format("MPICH {} to {}", first, release_in_words(name.until));
}

}}  // namespace tutti::rule_files
