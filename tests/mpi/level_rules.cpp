// Writes rule files by which MPI libraries choose between flat and hierarchical algorithms, for
// tests in which the libraries read these files. The arguments have one of three forms:
// "flat|built_in|composed RELEASE", "posix [COLLECTIVE...]", or "han tuned|stepped RELEASE".
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "src/rule_files/mpich/compositions.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace {

using namespace tutti;

// Returns rules that use each kind of composition, depending on the number of ranks per node, the
// number of ranks, and the size.
CompositionsToWrite composed_by(int release) {
  const std::string alpha = "MPIDI_Bcast_intra_composition_alpha";
  const std::string beta = "MPIDI_Bcast_intra_composition_beta";
  const std::string gamma = "MPIDI_Bcast_intra_composition_gamma";
  CompositionsToWrite rules;
  rules.release = release;
  rules.collectives = {{Collective::bcast,
                        {{2, {{0, {{0, gamma}}}}},
                         {std::nullopt, {{0, {{0, beta}}}, {8, {{0, alpha}, {4096, gamma}}}}}}},
                       {Collective::reduce,
                        {{std::nullopt,
                          {{0,
                            {{0, "MPIDI_Reduce_intra_composition_gamma"},
                             {1024, "MPIDI_Reduce_intra_composition_alpha"}}}}}}}};
  return rules;
}

// Returns rules that give calls on fewer than 4 ranks, calls with less than 4096 bytes, and
// barriers to coll/tuned, and all other calls to coll/han.
HanRulesToWrite stepped(int release) {
  HanRulesToWrite rules = all_to_tuned(release, "a test");
  for (HanCollective& each : rules.collectives) {
    const std::string simple = han_algorithms(each.collective, release).empty() ? "" : "simple";
    each.ranks.push_back({4, {{0, "tuned"}, {4096, "han", simple, "for a test"}}});
    if (each.collective == Collective::barrier) {
      each.ranks.back().sizes.pop_back();
    }
  }
  return rules;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    return 2;
  }
  if (words.front() == "posix") {
    std::vector<Collective> kept;
    for (std::size_t i = 1; i < words.size(); ++i) {
      kept.push_back(collective_named(words[i]).value());
    }
    write_posix_rules(kept, std::cout);
    return 0;
  }
  if (words.front() == "han" && words.size() == 3) {
    const int release = std::atoi(words[2].c_str());
    write_han_rules(words[1] == "tuned" ? all_to_tuned(release, "a test") : stepped(release),
                    std::cout);
    return 0;
  }
  if (words.size() != 2) {
    return 2;
  }
  const int release = std::atoi(words[1].c_str());
  if (words.front() == "flat") {
    write_compositions(all_flat(release), std::cout);
  } else if (words.front() == "built_in") {
    write_compositions({release, {}}, std::cout);
  } else if (words.front() == "composed") {
    write_compositions(composed_by(release), std::cout);
  } else {
    return 2;
  }
  return 0;
}
