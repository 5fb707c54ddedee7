// Source: of Open MPI, MPICH and NCCL, library_algorithms.cpp. UCC:
// src/components/tl/ucp/COLLECTIVE/ COLLECTIVE.c at 8263de47. libnbc:
// ompi/mca/coll/libnbc/coll_libnbc_component.c at v5.0.9.
#include "src/rule_files/library_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "src/rule_files/library_algorithms.hpp"

namespace tutti::inline rule_files {

namespace {

using enum Collective;

constexpr std::string_view kOpenMpiName = "Open MPI";
constexpr std::string_view kMpichName = "MPICH";
constexpr std::string_view kNcclName = "NCCL";
constexpr std::string_view kUccName = "UCC";
constexpr std::string_view kNbcName = "Open MPI libnbc";
constexpr std::string_view kHanName = "Open MPI HAN";
constexpr std::string_view kUccHierName = "UCC cl/hier";

constexpr std::array kVersions{
    LibraryVersion{"Open MPI 4.1", kOpenMpiName, 4},
    LibraryVersion{"Open MPI 5.0", kOpenMpiName, 5},
    LibraryVersion{"Open MPI main", kOpenMpiName, 6},
    LibraryVersion{"MPICH 4.0", kMpichName, 4},
    LibraryVersion{"MPICH 4.1", kMpichName, 5},
    LibraryVersion{"MPICH 4.2", kMpichName, 6},
    LibraryVersion{"MPICH 4.3", kMpichName, 7},
    LibraryVersion{"NCCL 2.23", kNcclName, 4},
    LibraryVersion{"NCCL 2.30", kNcclName, 4},
    LibraryVersion{"Open MPI HAN", kHanName, 4},
    LibraryVersion{"UCC 1.4", kUccName, 4},
    LibraryVersion{"Open MPI libnbc", kNbcName, 4},
    LibraryVersion{"UCC cl/hier", kUccHierName, 4},
};

// The first version of a family's number; "" for the first one that is known.
std::string_view since_in_words(std::string_view family, int number) {
  if (number <= 4) {
    return "";
  }
  const auto found = std::find_if(kVersions.begin(), kVersions.end(), [&](const auto& version) {
    return version.family == family && version.number == number;
  });
  return found == kVersions.end() ? "" : found->name.substr(family.size() + 1);
}

// Of libraries that rule files do not name.
struct Told {
  std::string_view family;
  Collective collective;
  int id;
  std::string_view name;
  std::string_view ours;
  std::string_view options = "";
  std::string_view lacking = "";
};
constexpr std::array kTold{
    Told{kUccName, allreduce, 0, "knomial", "knomial"},
    Told{kUccName, allreduce, 1, "sra_knomial", "sra_knomial"},
    Told{kUccName, allreduce, 2, "dbt", "double_tree"},
    Told{kUccName, allreduce, 3, "sliding_window", "", "", "puts and gets, no messages"},
    Told{kUccName, allreduce, 4, "ring", "ring"},
    Told{kUccName, allgather, 0, "knomial", "knomial"},
    Told{kUccName, allgather, 1, "ring", "ring"},
    Told{kUccName, allgather, 2, "neighbor", "neighbor_exchange"},
    Told{kUccName, allgather, 3, "bruck", "bruck_mirrored"},
    Told{kUccName, allgather, 4, "sparbit", "sparbit"},
    Told{kUccName, allgather, 5, "linear", "linear"},
    Told{kUccName, allgather, 6, "batched", "linear"},
    Told{kUccName, alltoall, 0, "pairwise", "pairwise"},
    Told{kUccName, alltoall, 1, "bruck", "bruck"},
    Told{kUccName, alltoall, 2, "onesided", "", "", "puts, no messages"},
    Told{kUccName, bcast, 0, "knomial", "pipeline", "--tree knomial"},
    Told{kUccName, bcast, 1, "sag_knomial", "sag_knomial"},
    Told{kUccName, bcast, 2, "dbt", "double_tree"},
    Told{kUccName, reduce, 0, "knomial", "pipeline", "--tree knomial"},
    Told{kUccName, reduce, 1, "dbt", "double_tree"},
    Told{kUccName, reduce, 2, "srg", "srg_knomial"},
    Told{kUccName, reduce_scatter, 0, "ring", "ring"},
    Told{kUccName, reduce_scatter, 1, "knomial", "knomial"},
    Told{kUccName, barrier, 0, "knomial", "knomial"},
    Told{kUccName, gather, 0, "knomial", "knomial"},
    Told{kUccName, scatter, 0, "knomial", "knomial"},
    Told{kNbcName, allgather, 1, "linear", "linear"},
    Told{kNbcName, allgather, 2, "recursive_doubling", "recursive_doubling"},
    Told{kNbcName, allreduce, 1, "ring", "ring"},
    Told{kNbcName, allreduce, 2, "binomial", "nonoverlapping"},
    Told{kNbcName, allreduce, 3, "rabenseifner", "rabenseifner"},
    Told{kNbcName, allreduce, 4, "recursive_doubling", "recursive_doubling"},
    Told{kNbcName, bcast, 1, "linear", "linear"},
    Told{kNbcName, bcast, 2, "binomial", "binomial"},
    Told{kNbcName, bcast, 3, "chain", "pipeline", "--tree chain"},
    Told{kNbcName, bcast, 4, "knomial", "pipeline", "--tree knomial"},
    Told{kNbcName, exscan, 1, "linear", "linear"},
    Told{kNbcName, exscan, 2, "recursive_doubling", "recursive_doubling"},
    Told{kNbcName, reduce, 1, "chain", "pipeline", "--tree chain"},
    Told{kNbcName, reduce, 2, "binomial", "binomial"},
    Told{kNbcName, reduce, 3, "rabenseifner", "rabenseifner"},
    Told{kNbcName, scan, 1, "linear", "linear"},
    Told{kNbcName, scan, 2, "recursive_doubling", "recursive_doubling"},
    Told{kHanName, barrier, 1, "simple", "hierarchical"},
    Told{kHanName, bcast, 1, "intra", "hierarchical", "--segment 64K"},
    Told{kHanName, bcast, 2, "simple", "hierarchical"},
    Told{kHanName, reduce, 1, "intra", "hierarchical", "--segment 64K"},
    Told{kHanName, reduce, 2, "simple", "hierarchical"},
    Told{kHanName, allreduce, 1, "intra", "hierarchical", "--segment 64K"},
    Told{kHanName, allreduce, 2, "simple", "hierarchical"},
    Told{kHanName, gather, 1, "intra", "hierarchical"},
    Told{kHanName, gather, 2, "simple", "hierarchical"},
    Told{kHanName, scatter, 1, "intra", "hierarchical"},
    Told{kHanName, scatter, 2, "simple", "hierarchical"},
    Told{kHanName, allgather, 1, "intra", "hierarchical"},
    Told{kHanName, allgather, 2, "simple", "hierarchical"},
    Told{kUccHierName, allreduce, 0, "rab", "hierarchical"},
    Told{kUccHierName, allreduce, 1, "split_rail", "multilane"},
    Told{kUccHierName, bcast, 0, "2step", "hierarchical"},
    Told{kUccHierName, reduce, 0, "2step", "hierarchical"},
    Told{kUccHierName, alltoall, 0, "node_split", "hierarchical"},
};

std::string_view why_none(std::string_view name) {
  if (name.ends_with("_allcomm_nb")) {
    return "calls a nonblocking one, which other variables choose";
  }
  if (name.ends_with("_intra_smp")) {
    return "scans within nodes, and one among them";
  }
  return "";
}

CatalogueRow row_of(std::string_view family, const LibraryAlgorithm& algorithm) {
  CatalogueRow row{family,
                   algorithm.collective,
                   algorithm.id > 0 ? fmt::format("{}", algorithm.id) : "",
                   algorithm.name,
                   since_in_words(family, algorithm.since),
                   algorithm.ours,
                   "",
                   algorithm.name == "two_proc"   ? "p = 2"
                   : algorithm.powers_of_two_only ? "p = 2^k"
                                                  : "",
                   algorithm.ours.empty() ? why_none(algorithm.name) : ""};
  // Rules do not say so, since it knows the nodes by itself.
  if (algorithm.ours.empty() && algorithm.name.ends_with("_intra_smp") &&
      algorithm.collective != scan) {
    row.algorithm = "hierarchical";
    // Of an allreduce there is one form, which needs no word.
    row.options = algorithm.collective == allreduce ? "" : "--composition mpich_alpha";
    row.lacking = "";
  }
  const auto add = [&](std::string_view flag, std::string_view value) {
    if (!value.empty()) {
      row.options += fmt::format("{}{} {}", row.options.empty() ? "" : " ", flag, value);
    }
  };
  add("--tree", algorithm.tells_tree ? "TYPE" : algorithm.tree);
  add("--fold", algorithm.fold);
  add("--parts", algorithm.parts);
  if (algorithm.throttle > 0) {
    add("--throttle", fmt::format("{}", algorithm.throttle));
  }
  if (algorithm.fan_is_radix) {
    add("--radix", "K");
  }
  return row;
}

CatalogueRow row_of(const Told& told) {
  return {told.family, told.collective, fmt::format("{}", told.id), told.name,
          "",          told.ours,       std::string(told.options),  "",
          told.lacking};
}

template <typename Visit>
void for_each_row(Visit&& visit) {
  const auto visit_all = [&](std::string_view family,
                             std::span<const LibraryAlgorithm> algorithms) {
    for (const LibraryAlgorithm& algorithm : algorithms) {
      visit(row_of(family, algorithm), algorithm.since, algorithm.until);
    }
  };
  visit_all(kOpenMpiName, open_mpi_algorithms());
  visit_all(kMpichName, mpich_algorithms());
  visit_all(kNcclName, nccl_algorithms());
  for (const Told& told : kTold) {
    visit(row_of(told), 4, 99);
  }
}

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& letter : low) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return low;
}

}  // namespace

std::span<const LibraryVersion> library_versions() { return kVersions; }

const LibraryVersion* find_library_version(std::string_view text) {
  const std::string asked = lower(text);
  const auto found = std::ranges::find_if(kVersions, [&](const LibraryVersion& version) {
    const std::string known = lower(version.name);
    // "open mpi 5.0.6" is of the line 5.0.
    return asked == known ||
           (asked.starts_with(known + ".") && asked.size() > known.size() + 1 &&
            asked.find_first_not_of("0123456789", known.size() + 1) == std::string::npos);
  });
  return found == kVersions.end() ? nullptr : &*found;
}

std::string did_you_mean_library(std::string_view text) {
  const auto without_blanks = [](std::string_view name) {
    std::string joined = lower(name);
    std::erase(joined, ' ');
    return joined;
  };
  const std::string asked = without_blanks(text);
  std::vector<std::string> names;
  for (const LibraryVersion& version : kVersions) {
    const std::string known = without_blanks(version.name);
    const std::string name =
        std::string(version.name) + asked.substr(std::min(known.size(), asked.size()));
    if (asked.starts_with(known) && find_library_version(name) != nullptr) {
      return fmt::format("; did you mean '{}'?", name);
    }
    names.emplace_back(version.name);
  }
  return did_you_mean(text, names);
}

const LibraryVersion& library_version_named(std::string_view what, std::string_view text) {
  if (const LibraryVersion* const version = find_library_version(text)) {
    return *version;
  }
  std::vector<std::string> names;
  for (const LibraryVersion& version : kVersions) {
    names.emplace_back(version.name);
  }
  throw UserError(fmt::format("{} '{}': accepted is {}{}", what, text, fmt::join(names, ", "),
                              did_you_mean_library(text)));
}

std::vector<CatalogueRow> catalogue_of(const LibraryVersion& version) {
  std::vector<CatalogueRow> rows;
  for_each_row([&](CatalogueRow row, int since, int until) {
    if (row.family == version.family && since <= version.number && version.number <= until) {
      rows.push_back(std::move(row));
    }
  });
  std::stable_sort(rows.begin(), rows.end(), [](const CatalogueRow& a, const CatalogueRow& b) {
    return a.collective < b.collective ||
           (a.collective == b.collective && a.id.size() == b.id.size() && a.id < b.id);
  });
  return rows;
}

std::vector<CatalogueRow> libraries_of(const Algorithm& algorithm) {
  std::vector<CatalogueRow> rows;
  for_each_row([&](CatalogueRow row, int, int) {
    if (row.collective == algorithm.collective && row.algorithm == algorithm.name) {
      rows.push_back(std::move(row));
    }
  });
  return rows;
}

}  // namespace tutti::inline rule_files
