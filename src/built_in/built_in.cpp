#include "src/built_in/built_in.hpp"

#include "src/rule_files/mpich/names.hpp"

namespace tutti { inline namespace built_in {

std::optional<LibraryDecision> built_in_decision(const LibraryVersion& version,
                                                 const LibraryCall& call) {
  if (version.family == "Open MPI") {
    return open_mpi_decision(version, call);
  }
  if (version.family == "MPICH" && version.release < kNamedTrees) {
    return mpich_decision(version, call);
  }
  return std::nullopt;
}

std::vector<std::string_view> versions_with_decisions() {
  std::vector<std::string_view> names;
  for (const LibraryVersion& version : library_versions()) {
    if (version.family == "Open MPI" ||
        (version.family == "MPICH" && version.release < kNamedTrees)) {
      names.push_back(version.name);
    }
  }
  return names;
}

}}  // namespace tutti::built_in
