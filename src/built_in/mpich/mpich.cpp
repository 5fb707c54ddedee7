// Built-in decisions of MPICH with its device ch4 (the older device, ch3, has no compositions). ch4
// decides first: its compositions replace one collective by several collectives within nodes and
// between nodes. For each of these, MPICH's "Coll" selection then chooses the algorithm.
//
// Source: MPICH v4.0.2, v4.1, v4.2.0 and v4.3.0: src/mpid/ch4/src/ch4_coll.h and ch4_coll_impl.h;
// maint/tuning/coll/ch4/generic.json (the built-in tree); MPIR_Comm_create_subcomms of
// src/mpi/comm/commutil.c (which communicators exist); src/binding/c/coll_api.txt (which calls
// return at once). All MPIR_CVAR variables have their defaults. (4.1 does not use the compositions
// of reductions for types of 8 KiB and more, but no predefined operator accepts such types.)
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "src/built_in/built_in.hpp"
#include "src/built_in/built_in_tables.hpp"
#include "src/built_in/decided_stages.hpp"
#include "src/built_in/mpich/selection.hpp"
#include "src/built_in/part_call.hpp"
#include "src/rule_files/mpich/compositions.hpp"

namespace tutti { inline namespace built_in {

namespace {

using enum Collective;

constexpr std::string_view kCompositions = "mpich_compositions.json";
// Size, in bytes, of the bcast by which a barrier releases the ranks of a node.
constexpr std::uint64_t kReleaseBytes = 1;
// Size, in bytes, of the flag by which a scan tells ranks whether more data follows.
constexpr std::uint64_t kFlagBytes = 4;
// Default of MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE: the largest number of bytes that
// allgatherv_intra_ring.c sends in one message.
constexpr std::uint64_t kRingPieceBytes = 32768;

// The composition that MPICH's ch4/generic.json, or a site's file instead, chooses.
struct CompositionChoice {
  std::string letter;  // last part of the composition's name: "alpha"; empty if there is no rule
  std::string because;
  // Place in tutti's table: " (FILE, line N)", or in the site's file: "FILE, line N". Empty if
  // neither has a rule for the call.
  std::string line;
  bool of_site = false;
};

class MpichCall {
 public:
  MpichCall(int release, const LibraryCall& call) : release_(release), call_(call) {
    call_.ranks_per_node = std::clamp(call.ranks_per_node, 1U, call.ranks);
    nodes_ = equal_nodes(call_);
  }

  LibraryDecision decide() {
    if (call_.ranks == 1) {
      return returned("one rank", "one rank has nothing to send");
    }
    if (call_.bytes == 0 && call_.collective != barrier) {
      return returned("no bytes", "no bytes are sent");
    }
    const CompositionChoice composed = composition();
    const bool staged = !call_.table_alone && in_stages(composed.letter);
    say(composed, staged);
    if (std::string why = why_unknown(composed, staged); !why.empty()) {
      decision_.lacking = std::move(why);
    } else if (staged) {
      stages(composed.letter);
    } else {
      whole();
    }
    return std::move(decision_);
  }

 private:
  [[nodiscard]] bool several_on_node() const { return call_.ranks_per_node > 1; }

  [[nodiscard]] LibraryDecision returned(std::string because, std::string lacking) const {
    return {{{0, fmt::format("MPI_{}", mpich_name(name(call_.collective))), "", "",
              std::move(because), "nothing is sent"}},
            {},
            std::move(lacking)};
  }

  [[nodiscard]] CompositionChoice from_table() const {
    const DecisionTable* table = built_in_table(kCompositions, call_.collective);
    TUTTI_INVARIANT(table != nullptr);
    const auto chosen = look_up(*table, call_.ranks, call_.bytes, call_.element_bytes);
    TUTTI_INVARIANT(chosen);
    return {chosen->choice->library_algorithm,
            fmt::format("several ranks on a node; {}", conditions_of(*chosen, *table)),
            fmt::format(" ({}, line {})", kCompositions, chosen->path.back()->line)};
  }

  [[nodiscard]] PartCall all_ranks() const {
    PartCall all = part(call_.collective, call_.ranks, call_.bytes, "all ranks");
    all.hierarchy =
        several_on_node() && !call_.table_alone ? MpichHierarchy::parent : MpichHierarchy::flat;
    all.nodes = call_.nodes();
    return all;
  }

  // Returns why tutti cannot say what a composition of a site's file sends; empty if it can.
  // MPICH's own file chooses only compositions for which this is empty.
  [[nodiscard]] std::string why_unknown(const CompositionChoice& composed, bool staged) const {
    if (!composed.of_site || composed.letter.empty()) {
      return "";
    }
    if (staged && !several_on_node()) {
      return "the composition needs several ranks on a node; with one rank on each node, MPICH "
             "creates no communicators of nodes, and the call fails or sends nothing";
    }
    const bool shared = call_.collective == allreduce && composed.letter == "gamma";
    if (shared && call_.nodes() > 1) {
      return "the composition uses the shared memory of one node, but the ranks are on several";
    }
    return staged || shared ||
                   flat_composition(call_.collective, release_).ends_with("_" + composed.letter)
               ? ""
               : fmt::format("tutti does not know what MPIDI_{}_intra_composition_{} sends",
                             mpich_name(name(call_.collective)), composed.letter);
  }

  [[nodiscard]] CompositionChoice composition() const {
    if (const auto site = site_choice(call_.mpich_files, MpichLevel::composition, all_ranks())) {
      const std::string chosen = site->choice ? site->choice->library_algorithm : "";
      return {chosen.substr(chosen.rfind('_') + 1), site->because, site->where, true};
    }
    const char* one = "one rank on each node";
    const char* several = "several ranks on a node";
    switch (call_.collective) {
      case bcast:
      case reduce:
        return several_on_node() ? from_table() : CompositionChoice{"gamma", one, ""};
      case allreduce:
        return call_.nodes() == 1  ? CompositionChoice{"gamma", "all ranks on one node", ""}
               : several_on_node() ? CompositionChoice{"alpha", several, ""}
                                   : CompositionChoice{"beta", one, ""};
      case barrier:
        return several_on_node() ? CompositionChoice{"alpha", several, ""}
                                 : CompositionChoice{"beta", one, ""};
      case scan:
        return several_on_node()
                   ? CompositionChoice{"alpha", "several ranks on a node, and they are consecutive",
                                       ""}
                   : CompositionChoice{"beta", one, ""};
      default: {
        const std::string_view flat = flat_composition(call_.collective, release_);
        return {std::string(flat.substr(flat.rfind('_') + 1)), "always", ""};
      }
    }
  }

  // True if the composition consists of calls within nodes and between nodes; false if it is one
  // call on all ranks.
  [[nodiscard]] bool in_stages(std::string_view letter) const {
    if (call_.collective == bcast || call_.collective == reduce) {
      return letter == "alpha" || letter == "beta";
    }
    return composed_by_nodes(call_.collective) && letter == "alpha";
  }

  void say(const CompositionChoice& composed, bool staged) {
    std::string what = "one call on all ranks";
    if (staged) {
      what = call_.nodes() > 1 ? "within nodes, and between them" : "within the node";
    }
    decision_.path.push_back(
        {0, "ch4 composition", "",
         composed.of_site ? composed.line
                          : fmt::format("maint/tuning/coll/ch4/generic.json{}", composed.line),
         composed.because,
         composed.letter.empty()
             ? fmt::format("none: {}", what)
             : fmt::format("MPIDI_{}_intra_composition_{}: {}", mpich_name(name(call_.collective)),
                           composed.letter, what)});
  }

  // True if ch4/shm/posix has its own algorithm for the ranks of one node.
  [[nodiscard]] static bool posix_has(Collective collective) {
    return collective == bcast || collective == reduce || collective == allreduce ||
           collective == barrier;
  }

  PartCall part(Collective collective, std::uint32_t ranks, std::uint64_t bytes,
                std::string whom) const {
    PartCall made;
    made.collective = collective;
    made.ranks = ranks;
    made.bytes = bytes;
    made.element_bytes = call_.element_bytes;
    made.depth = 1;
    made.whom = std::move(whom);
    return made;
  }

  // Adds the level at which MPICH chooses between shared memory and messages for the ranks of one
  // node.
  void add_posix(const PartCall& call) {
    if (!posix_has(call.collective)) {
      return;
    }
    LibraryLevel level{call.depth,
                       "posix",
                       call.whom,
                       "maint/tuning/coll/ch4/posix_generic.json",
                       "ranks of a node use shared memory with ch4:ofi, not with ch4:ucx; Coll "
                       "decides the first 4 calls, and all calls with MPI_THREAD_MULTIPLE",
                       ""};
    std::string algorithm = fmt::format("MPIDI_POSIX_mpi_{}_release_gather", name(call.collective));
    if (const auto site = site_choice(call_.mpich_files, MpichLevel::posix, call)) {
      level.where = site->where;
      level.because =
          site->choice ? fmt::format("{}; {}", site->because, level.because) : site->because;
      algorithm = site->choice ? site->choice->library_algorithm : "";
    }
    level.chosen = algorithm.empty() ? std::string("as chosen by Coll (next line)")
                                     : fmt::format(
                                           "calls 1 to 4: as chosen by Coll (next line); "
                                           "from the 5th: {}, through shared memory",
                                           algorithm);
    decision_.path.push_back(std::move(level));
  }

  LibraryDecision ask(const PartCall& call) {
    LibraryDecision made = mpir_decision(release_, call, call_.mpich_files);
    decision_.path.insert(decision_.path.end(), made.path.begin(), made.path.end());
    return made;
  }

  void whole() {
    const PartCall all = all_ranks();
    if (call_.nodes() == 1 && call_.collective == allreduce) {
      add_posix(all);
    }
    const LibraryDecision made = ask(all);
    if (!made.lacking.empty()) {
      decision_.lacking = made.lacking;
      return;
    }
    if (in_pieces(made.choice)) {
      decision_.path.back().chosen += ", blocks in pieces of 32 KiB";
      decision_.lacking = "tutti has no ring that sends blocks in pieces";
      return;
    }
    take(all, made.choice);
  }

  [[nodiscard]] bool in_pieces(const Choice& choice) const {
    const std::uint64_t elements = call_.bytes / call_.element_bytes;
    const std::uint64_t largest = (elements + call_.ranks - 1) / call_.ranks * call_.element_bytes;
    return call_.collective == allgatherv && choice.algorithm == "ring" &&
           largest > kRingPieceBytes;
  }

  void take(const PartCall& call, const Choice& choice) {
    if (choice.algorithm.empty()) {
      decision_.lacking = fmt::format("tutti has no equivalent {}", name(call.collective));
      return;
    }
    if (const auto why = refusal(call, choice)) {
      decision_.lacking = *why;
      return;
    }
    decision_.choice = choice;
  }

  // Adds the decisions for calls of a collective within nodes. `which` is text that follows the
  // name of the collective in the descriptions of these calls. `first` is false if the ranks of the
  // first node do not call the collective.
  void within(Collective collective, std::uint64_t bytes, std::string_view which = "",
              bool first = true) {
    for (const EqualNodes& nodes : nodes_) {
      const bool no_other = &nodes == &nodes_.front() && call_.nodes() == nodes_.size();
      if (nodes.ranks_per_node < 2 || (!first && no_other)) {
        // Either each of these nodes has a single rank, which needs no call, or only the first node
        // has this size, and its ranks do not call the collective.
        continue;
      }
      PartCall node = part(collective, nodes.ranks_per_node, bytes,
                           fmt::format("{}, {}{}", nodes.ranks_in_words, name(collective), which));
      node.hierarchy = MpichHierarchy::node;
      add_posix(node);
      const LibraryDecision made = ask(node);
      stages_.add(node, false, Segments::others, made);
      on_one_node_ = made.choice;
    }
  }

  void across(Collective collective, std::uint64_t bytes) {
    if (call_.nodes() < 2) {
      return;  // with a single node, MPICH creates no communicator between nodes
    }
    PartCall roots =
        part(collective, call_.nodes(), bytes,
             fmt::format("{} ranks, the first of each node, {}", call_.nodes(), name(collective)));
    roots.hierarchy = MpichHierarchy::node_roots;
    roots.nodes = call_.nodes();
    stages_.add(roots, true, Segments::others, ask(roots));
  }

  void stages(std::string_view letter) {
    const std::uint64_t bytes = call_.bytes;
    switch (call_.collective) {
      case bcast:
        across(bcast, bytes);
        within(bcast, bytes);
        break;
      case reduce:
        within(reduce, bytes);
        across(reduce, bytes);
        break;
      case allreduce:
        within(reduce, bytes);
        across(allreduce, bytes);
        within(bcast, bytes);
        break;
      case barrier:
        within(barrier, 0);
        across(barrier, 0);
        within(bcast, kReleaseBytes, " of one byte, which releases them");
        break;
      default:
        TUTTI_INVARIANT(call_.collective == scan);
        within(scan, bytes);
        across(scan, bytes);
        within(bcast, kFlagBytes, " of a flag that says whether more data follows");
        within(bcast, bytes, " of the result of all earlier nodes", false);
    }
    if (call_.nodes() == 1 && (call_.collective == bcast || call_.collective == reduce)) {
      take(part(call_.collective, call_.ranks, bytes, ""), on_one_node_);
      return;
    }
    const HierarchyForm form = call_.collective == allreduce ? HierarchyForm::han
                               : letter == "alpha"           ? HierarchyForm::mpich_alpha
                                                             : HierarchyForm::mpich_beta;
    stages_.put_together(call_, form, 0, decision_);
  }

  int release_;
  LibraryCall call_;
  std::vector<EqualNodes> nodes_;
  LibraryDecision decision_;
  DecidedStages stages_;
  Choice on_one_node_;
};

}  // namespace

LibraryDecision mpich_decision(const LibraryVersion& version, const LibraryCall& call) {
  return MpichCall(version.release, call).decide();
}

}}  // namespace tutti::built_in
