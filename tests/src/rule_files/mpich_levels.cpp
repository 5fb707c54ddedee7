// Tests MPICH's rule files for each release: all names, all errors for which MPICH aborts the MPI
// program, parameters, and compositions that tutti writes and reads back.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/mpich/compositions.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/mpich/tree.hpp"

namespace tutti::test_mpich_levels { namespace {

std::size_t count_of(MpichLevel level, int release) {
  const auto all = mpich_names();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const MpichName& each) {
    return each.level == level && each.in(release);
  }));
}

bool says(const RuleFile& file, std::string_view words) {
  return std::any_of(file.findings.begin(), file.findings.end(), [&](const RuleFinding& finding) {
    return finding.text.find(words) != std::string::npos;
  });
}

// Returns true if a finding in line `line` contains `words`.
bool says_of(const RuleFile& file, std::size_t line, std::string_view words) {
  return std::any_of(file.findings.begin(), file.findings.end(), [&](const RuleFinding& finding) {
    return finding.line == line && finding.text.find(words) != std::string::npos;
  });
}

RuleFile read_as(const char* release, const std::string& text) {
  return read_rules_as(library_release_named("library", release), text);
}

std::string chosen(const RuleFile& file, Collective collective, std::uint32_t ranks,
                   std::uint64_t bytes) {
  for (const DecisionTable& table : file.tables) {
    if (table.collective == collective) {
      const auto choice = look_up(table, ranks, bytes, 1);
      return choice ? choice->choice->library_algorithm : "nothing";
    }
  }
  return "no table";
}

TEST_CASE("Each release of MPICH has the right number of names") {
  // The expected numbers are those of the different keys in MPICH's csel_container.c and ch4_init.c
  // at v4.0.2, v4.1, v4.2.0, v4.3.2 and v5.0.1; for 5.1, those of coll_algorithms.txt.
  CHECK(count_of(MpichLevel::coll, 400) == 178);
  CHECK(count_of(MpichLevel::coll, 401) == 188);
  CHECK(count_of(MpichLevel::coll, 402) == 190);
  CHECK(count_of(MpichLevel::coll, 403) == 191);
  CHECK(count_of(MpichLevel::coll, 500) == 192);
  CHECK(count_of(MpichLevel::coll, 501) == 182);
  CHECK(count_of(MpichLevel::composition, 400) == 25);
  CHECK(count_of(MpichLevel::composition, 401) == 27);
  CHECK(count_of(MpichLevel::composition, 403) == 28);
  CHECK(count_of(MpichLevel::posix, 402) == 4);
  // A name may have several entries, one for each range of releases.
  std::set<std::tuple<MpichLevel, std::string_view, int>> seen;
  for (const MpichName& each : mpich_names()) {
    INFO(each.name);
    for (int release : {400, 401, 402, 403, 500, 501}) {
      CHECK((!each.in(release) || seen.emplace(each.level, each.name, release).second));
    }
    const auto known = mpich_collectives();
    CHECK((each.name == "MPIR_Coll_nb" ||
           std::find(known.begin(), known.end(), each.collective()) != known.end()));
  }
}

TEST_CASE("Mapped MPICH algorithms exist in the same releases as their names") {
  for (const LibraryAlgorithm& algorithm : library_algorithms(RuleFormat::mpich)) {
    INFO(algorithm.name);
    for (const int release : {400, 401, 402, 403, 500, 501}) {
      INFO(release);
      const MpichName* const known = find_mpich_name(MpichLevel::coll, algorithm.name, release);
      REQUIRE(known != nullptr);
      CHECK(known->in(release) == algorithm.in_release(release));
      CHECK(known->collective() == name(algorithm.collective));
    }
  }
}

// Returns a file with rules for all collectives. The only rule of `collective` is `leaf`, in
// line 2.
std::string with_leaf(std::string_view collective, std::string_view leaf, int release) {
  std::string text =
      fmt::format("{{\n\"collective={}\": {{\"comm_type=intra\": {{{}}}}}", collective, leaf);
  for (const std::string_view other : mpich_collectives()) {
    if (other != collective) {
      text += fmt::format(",\n\"collective={}\": {}", other, mpich_built_in(other, release).dump());
    }
  }
  return text + "}\n";
}

TEST_CASE("Every name is accepted by its own releases, and by no other") {
  for (const auto& [release, named] : {std::pair{400, "MPICH 4.0"}, std::pair{401, "MPICH 4.1"},
                                       std::pair{402, "MPICH 4.2"}, std::pair{403, "MPICH 4.3"}}) {
    std::string text = "{\n";
    for (const std::string_view collective : mpich_collectives()) {
      text += fmt::format("{}\"collective={}\": {}", text.size() > 2 ? ",\n" : "", collective,
                          mpich_built_in(collective, release).dump());
    }
    CHECK(read_as(named, text + "}").findings.empty());
    for (const MpichName& each : mpich_names()) {
      // A file with MPIDI_POSIX_ names is read as one of another level, which has names of its own.
      if (each.level != MpichLevel::coll || each.name == "MPIR_Coll_nb" ||
          each.name.starts_with("MPIDI_POSIX_")) {
        continue;
      }
      const RuleFile file = read_as(
          named,
          with_leaf(each.collective(), fmt::format("\"algorithm={}\": {{}}", each.name), release));
      INFO(named << " " << each.name);
      CHECK(says_of(file, 2, "every program then aborts in MPI_Init") !=
            find_mpich_name(MpichLevel::coll, each.name, release)->in(release));
    }
  }
}

TEST_CASE("A name of other releases gets their numbers, and a suggestion") {
  const RuleFile late =
      read_as("mpich 4.3.1",
              with_leaf("barrier", "\"algorithm=MPIR_Barrier_intra_dissemination\": {}", 403));
  CHECK(says_of(late, 2,
                "MPICH 4.3 has no algorithm 'MPIR_Barrier_intra_dissemination' for barrier "
                "(only MPICH 4.0 has it); every program then aborts in MPI_Init"));
  CHECK(says_of(late, 2, "did you mean MPIR_Barrier_intra_k_dissemination?"));
  const RuleFile early =
      read_as("MPICH 4.1",
              with_leaf("allgather",
                        "\"algorithm=MPIR_Allgather_intra_recexch_doubling\": {\"k=2\": {}}", 401));
  CHECK(says_of(early, 2, "MPICH 4.2 and later has"));
  const RuleFile other =
      read_as("MPICH 4.0", with_leaf("gather", "\"algorithm=MPIR_Bcast_intra_binomial\": {}", 400));
  CHECK(says_of(other, 2, "belongs to bcast, but is under gather"));
  const RuleFile beside = read_as(
      "MPICH 4.0",
      with_leaf("gather", "\"algorithm=MPIR_Gather_intra_binomial\": {}, \"comm_size=any\": {}",
                400));
  CHECK(says_of(beside, 2, "must be the only key"));
  const RuleFile level = read_as(
      "MPICH 4.0", with_leaf("scan", "\"algorithm=MPIDI_Scan_intra_composition_alpha\": {}", 400));
  CHECK_FALSE(level.sound());
}

TEST_CASE("Trees are numbers before 4.3, and words from 4.3 on") {
  const auto leaf = [](const char* type) {
    return fmt::format(
        "\"algorithm=MPIR_Bcast_intra_tree\": {{\"tree_type={}\": {{}}, \"k=4\": {{}}, "
        "\"is_non_blocking=1\": {{}}}}",
        type);
  };
  CHECK(says_of(read_as("MPICH 4.1", with_leaf("bcast", leaf("knomial_1"), 401)), 2,
                "before 4.3, MPICH expects a number"));
  CHECK(read_as("MPICH 4.2", with_leaf("bcast", leaf("1"), 402)).findings.empty());
  CHECK(says_of(read_as("MPICH 4.3", with_leaf("bcast", leaf("1"), 403)), 2,
                "reads anything but kary"));
  CHECK(read_as("MPICH 4.3", with_leaf("bcast", leaf("knomial_1"), 403)).findings.empty());
  // Parameters of topology-aware trees were added in 4.3.
  const std::string topology =
      "\"algorithm=MPIR_Bcast_intra_tree\": {\"tree_type=0\": {}, \"k=4\": "
      "{}, \"is_non_blocking=1\": {}, \"topo_overhead=200\": {}}";
  CHECK(
      says_of(read_as("MPICH 4.2", with_leaf("bcast", topology, 402)), 2, "is not a parameter of"));
}

TEST_CASE("Conditions depend on the release") {
  const std::string any =
      "\"comm_avg_ppn<=4\": {\"algorithm=MPIR_Gather_intra_binomial\": {}}, "
      "\"comm_avg_ppn=any\": {\"algorithm=MPIR_Gather_intra_binomial\": {}}";
  CHECK(says_of(read_as("MPICH 4.1", with_leaf("gather", any, 401)), 2,
                "unknown condition 'comm_avg_ppn=any'"));
  CHECK(read_as("MPICH 4.2", with_leaf("gather", any, 402)).findings.empty());
}

std::string written(const CompositionsToWrite& rules) {
  std::ostringstream text;
  write_compositions(rules, text);
  return text.str();
}

TEST_CASE("Compositions are read back as written, by release") {
  for (const auto& [release, named] : {std::pair{400, "MPICH 4.0.2"}, std::pair{401, "MPICH 4.1"},
                                       std::pair{402, "MPICH 4.2"}, std::pair{403, "MPICH 4.3"}}) {
    INFO(named);
    const RuleFile built_in = read_as(named, written({release, {}}));
    CHECK(built_in.format == RuleFormat::mpich_ch4);
    CHECK(built_in.findings.empty());
    CHECK(chosen(built_in, Collective::bcast, 7, 1 << 20) == "MPIDI_Bcast_intra_composition_alpha");
    CHECK(chosen(built_in, Collective::bcast, 16, 12288) == "MPIDI_Bcast_intra_composition_beta");
    CHECK(chosen(built_in, Collective::bcast, 17, 12288) == "MPIDI_Bcast_intra_composition_gamma");
    CHECK(chosen(built_in, Collective::reduce, 16, 2049) == "MPIDI_Reduce_intra_composition_alpha");
    const RuleFile flat = read_as(named, written(all_flat(release)));
    CHECK(flat.findings.empty());
    for (const DecisionTable& table : flat.tables) {
      INFO(name(table.collective));
      if (table.collective != Collective::exscan) {
        CHECK(chosen(flat, table.collective, 16, 4096) ==
              flat_composition(table.collective, release));
      }
    }
  }
  // MPICH 4.0 aborts every program if the file contains names that were added in 4.1.
  CHECK(
      says(read_as("MPICH 4.0", written(all_flat(401))), "every program then aborts in MPI_Init"));
  for (const auto& [collective, letter] :
       {std::pair{Collective::bcast, "gamma"}, std::pair{Collective::reduce, "gamma"},
        std::pair{Collective::allreduce, "beta"}, std::pair{Collective::barrier, "beta"},
        std::pair{Collective::scan, "beta"}, std::pair{Collective::gather, "alpha"},
        std::pair{Collective::reduce_scatter, "alpha"}}) {
    CHECK(flat_composition(collective, 403).ends_with(letter));
  }
  CHECK(flat_composition(Collective::alltoall, 400) == "MPIDI_Alltoall_intra_composition_alpha");
  CHECK(flat_composition(Collective::alltoall, 401) == "MPIDI_Alltoall_intra_composition_beta");
}

TEST_CASE("Compositions are chosen by ranks per node, ranks and size") {
  const std::string alpha = "MPIDI_Bcast_intra_composition_alpha";
  const std::string gamma = "MPIDI_Bcast_intra_composition_gamma";
  CompositionsToWrite rules;
  rules.collectives = {{Collective::bcast,
                        {{4, {{0, {{0, gamma}}}}},
                         {std::nullopt, {{0, {{0, gamma}}}, {8, {{0, alpha}, {4096, gamma}}}}}}}};
  const std::string text = written(rules);
  CHECK(text.find("\"comm_avg_ppn<=4\"") < text.find("\"comm_size<=7\""));
  CHECK(text.find("\"avg_msg_size<=4095\"") != text.npos);
  const RuleFile file = read_as("MPICH 4.0", text);
  CHECK(file.findings.empty());
  CHECK(file.notes.size() == 1);  // the note is about the ranks per node
  rules.collectives.front().nodes.front().ranks.front().sizes.front().composition =
      "MPIDI_Bcast_intra_composition_delta";  // added in 4.3
  CHECK_THROWS_AS(written(rules), InvariantError);
}

TEST_CASE("Errors that end a program that reads compositions are found") {
  const auto printed = [](const std::string& text) { return read_as("MPICH 4.0", text); };
  CHECK(says(printed(R"({"composition=MPIDI_Bcast_intra_composition_alpha": {}})"),
             "is outside of any collective"));
  CHECK(says(
      printed(R"({"collective=bcast": {"composition=MPIDI_Bcast_intra_composition_omega": {}}})"),
      "every program then aborts in MPI_Init"));
  CHECK(says(
      printed(R"({"collective=bcast": {"composition=MPIDI_Reduce_intra_composition_alpha": {}}})"),
      "belongs to reduce, but is under bcast"));
  CHECK(says(printed(R"({"collective=bcast": {"comm_type=intra": {"comm_size<=8": {)"
                     R"("composition=MPIDI_Bcast_intra_composition_alpha": {}}}}})"),
             "one with =any must follow"));
  CHECK(says(printed(R"({"collective=bcast": {"comm_type=intra": {"composition=)"
                     R"(MPIDI_Bcast_intra_composition_alpha": {}}, "comm_type=inter": {)"
                     R"("algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}}}})"),
             "in a file of compositions"));
  CHECK(says(
      printed(
          R"({"collective=broadcast": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}})"),
      "unknown collective 'broadcast'"));
  CHECK(says(
      printed(R"({"collective=bcast": {"composition=MPIDI_Bcast_intra_composition_alpha": {}},)"),
      "MPICH then silently ignores the file"));
}

TEST_CASE("Shared-memory rules leave the rest to the selection tree") {
  std::ostringstream text;
  const Collective kept[] = {Collective::bcast, Collective::allreduce};
  write_posix_rules(kept, text);
  const RuleFile file = read_as("MPICH 4.3", text.str());
  CHECK(file.format == RuleFormat::mpich_posix);
  CHECK(file.findings.empty());
  CHECK(chosen(file, Collective::allreduce, 8, 8) == "MPIDI_POSIX_mpi_allreduce_release_gather");
  CHECK(chosen(file, Collective::reduce, 8, 8) == "no table");
}

TEST_CASE("Releases of libraries read their own forms") {
  const auto form = [](const char* release, const char* text) {
    return form_read_by(library_release_named("library", release), text);
  };
  CHECK(form("Open MPI 4.1.4", "1 7 0") == RuleFormat::ompi4);
  CHECK(form("open mpi 5.0.6", "rule-file-version-2\n1 7 0") == RuleFormat::ompi4);
  CHECK(form("Open MPI 5.0.7", "1 7 0") == RuleFormat::ompi5);
  CHECK(form("Open MPI 5.0", "rule-file-version-2\n1 7 0") == RuleFormat::ompi5);
  CHECK(form("Open MPI main", "{\"collectives\": {}}") == RuleFormat::ompi6);
  CHECK(form("Open MPI 5.0", "1 bcast 1 2 1 1 1 0 tuned") == RuleFormat::han);
  CHECK(form("MPICH 4.2.3", "{}") == RuleFormat::mpich41);
  CHECK(form("MPICH 4.3", "{}") == RuleFormat::mpich43);
  CHECK(form("MPICH 5.0.2", "{}") == RuleFormat::mpich43);
  CHECK(form("MPICH 5.1", "{}") == RuleFormat::mpich51);
  CHECK(form("Open MPI 5.0.11", "1 7 0") == RuleFormat::ompi5);
  CHECK(form("Open MPI 6.0", "{\"collectives\": {}}") == RuleFormat::ompi6);
  CHECK(form("NCCL 2.32", "allreduce,0,-1,ring,simple,0,-1,8") == RuleFormat::nccl);
  CHECK(form("RCCL 2.28.3", "allreduce,0,-1,ring,simple,0,-1,8") == RuleFormat::rccl);
  CHECK(form("UCC 1.8", "UCC_TL_UCP_TUNE=bcast:@0") == RuleFormat::ucc);
  CHECK(form("NCCL 2.23", "allreduce,0,-1,ring,simple,0,-1,8") == RuleFormat::nccl);
  CHECK_THROWS_AS(library_release_named("library", "UCC cl/hier"), UserError);
  CHECK_THROWS_AS(library_release_named("library", "MPICH 3.4"), UserError);
  CHECK(says(read_as("Open MPI 5.0.6", "{\"collectives\": {}}"), "does not read JSON"));
  CHECK(says(read_as("Open MPI 5.0.6", "rule-file-version-2\n1 7 0"), "from 5.0.7 on"));
}

}}  // namespace tutti::test_mpich_levels
