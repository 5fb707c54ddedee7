// Source: Open MPI v5.0.9 and main of August 2026 (8efebee7), ompi/mca/coll/han.
// coll_han_component.c contains the defaults: segments of 64 KiB, and the algorithm "intra", except
// "simple" for gather and barrier. coll_han_subcomms.c creates the communicators within and between
// nodes. Its function comm_create() prefers coll/tuned within nodes and coll/libnbc between nodes;
// coll/libnbc has no blocking calls, so coll/tuned runs blocking calls. Its function
// comm_create_new(), which is called for gather, allgather and barrier, uses coll/tuned both within
// and between nodes.
#include "src/built_in/open_mpi/han.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/registry.hpp"
#include "src/built_in/decided_stages.hpp"
#include "src/built_in/open_mpi/on_communicator.hpp"

namespace tutti { inline namespace built_in {

namespace {

using enum Collective;

// Default of the parameters coll_han_{bcast,reduce,allreduce}_segsize.
constexpr std::uint64_t kSegmentBytes = 65536;

// Returns the number of elements in a segment, as the macro COLL_BASE_COMPUTED_SEGCOUNT of
// coll_base_functions.h computes it.
std::uint64_t elements_of_segment(std::uint64_t elements, std::uint64_t element_bytes) {
  if (kSegmentBytes < element_bytes || kSegmentBytes >= element_bytes * elements) {
    return elements;
  }
  const std::uint64_t whole = kSegmentBytes / element_bytes;
  return whole + (kSegmentBytes - whole * element_bytes > element_bytes / 2 ? 1 : 0);
}

class HanCall {
 public:
  HanCall(int release, const LibraryCall& call, std::string rule)
      : release_(release), call_(call), rule_(std::move(rule)), nodes_(equal_nodes(call)) {}

  LibraryDecision decide() {
    switch (call_.collective) {
      case bcast:
      case reduce:
      case allreduce:
        rule_.empty() ? segments() : simple();
        break;
      case allgather:
        say("allgather_intra", "intra: gather on nodes, allgather between nodes, bcast on nodes");
        within(gather, of_node(), "");
        across(tuned_decision, allgather, of_all(), "");
        within(bcast, of_all(), "");
        break;
      case gather:
        say("gather_intra_simple", "simple: gather on nodes, then between nodes");
        within(gather, of_node(), "");
        across(tuned_decision, gather, of_all(), "");
        break;
      case scatter:
        say("scatter_intra", "intra: scatter between nodes, then on nodes");
        across(tuned_decision, scatter, of_all(), "");
        within(scatter, of_node(), "");
        break;
      case barrier:
        say("barrier_intra_simple",
            "simple: barrier on nodes, then between nodes, then on nodes again");
        within(barrier, 0, "");
        across(tuned_decision, barrier, 0, "");
        break;
      case gatherv:
        say("gatherv_intra", "intra: gatherv on nodes, then between nodes");
        within(gatherv, of_node(), "");
        across(basic_decision, gatherv, of_all(), "");
        break;
      default:
        TUTTI_INVARIANT(call_.collective == scatterv);
        say("scatterv_intra", "intra: scatterv between nodes, then on nodes");
        across(basic_decision, scatterv, of_all(), "");
        within(scatterv, of_node(), "");
    }
    stages_.put_together(call_, HierarchyForm::han, segment_bytes_, decision_);
    return std::move(decision_);
  }

 private:
  using Component = LibraryDecision (*)(const CommunicatorCall&);

  // Size of each rank's block in bytes, rounded down to whole elements.
  [[nodiscard]] std::uint64_t block() const {
    const std::uint64_t elements = call_.bytes / call_.element_bytes;
    return elements / call_.ranks * call_.element_bytes;
  }
  [[nodiscard]] std::uint64_t of_all() const { return block() * call_.ranks; }
  [[nodiscard]] std::uint64_t of_node() const { return block() * call_.ranks_per_node; }

  void say(std::string_view function, std::string chosen) {
    decision_.path.push_back(
        {0, "coll/han", "", fmt::format("coll_han_{}.c, {}", name(call_.collective), function),
         rule_.empty() ? "it is the default" : rule_ + ", names it", std::move(chosen)});
  }

  void ask(Component component, Collective collective, std::uint32_t ranks, std::uint64_t bytes,
           bool between, std::string whom) {
    CommunicatorCall part;
    part.release = release_;
    part.collective = collective;
    part.ranks = ranks;
    part.bytes = bytes;
    part.element_bytes = call_.element_bytes;
    part.one_per_node = between;
    part.depth = 1;
    part.whom = std::move(whom);
    part.rules = call_.rules;
    LibraryDecision made = component(part);
    stages_.add(part, between, segments_, made);
    for (LibraryLevel& level : made.path) {
      decision_.path.push_back(std::move(level));
    }
  }

  void within(Collective collective, std::uint64_t bytes, std::string_view which) {
    for (const EqualNodes& nodes : nodes_) {
      if (nodes.ranks_per_node < 2) {
        continue;  // a single rank has nothing to send
      }
      ask(tuned_has(collective, call_.rules) ? tuned_decision : basic_decision, collective,
          nodes.ranks_per_node, bytes, false,
          fmt::format("{}, {}{}", nodes.ranks_in_words, name(collective), which));
    }
  }

  void across(Component component, Collective collective, std::uint64_t bytes,
              std::string_view which) {
    ask(component, collective, call_.nodes(), bytes, true,
        fmt::format("{} ranks, one of each node, {}{}", call_.nodes(), name(collective), which));
  }

  void one_segment(std::uint64_t bytes, Segments segments, const std::string& which) {
    segments_ = segments;
    switch (call_.collective) {
      case bcast:
        // The first segment is sent by a blocking call.
        across(segments == Segments::first ? tuned_decision : libnbc_decision, bcast, bytes, which);
        within(bcast, bytes, which);
        return;
      case reduce:
        within(reduce, bytes, which);
        across(libnbc_decision, reduce, bytes, which);
        return;
      default:
        within(reduce, bytes, which);
        across(libnbc_decision, reduce, bytes, which);
        across(libnbc_decision, bcast, bytes, which);
        within(bcast, bytes, which);
    }
  }

  // mca_coll_han_{bcast,reduce,allreduce}_intra_simple: blocking calls, without segments. bcast and
  // allreduce get their communicators from comm_create_new(), reduce from comm_create().
  void simple() {
    const std::string function = fmt::format("{}_intra_simple", name(call_.collective));
    switch (call_.collective) {
      case bcast:
        say(function, "simple: bcast between nodes, then on nodes");
        across(tuned_decision, bcast, call_.bytes, "");
        within(bcast, call_.bytes, "");
        return;
      case reduce:
        say(function, "simple: reduce on nodes, then between nodes");
        within(reduce, call_.bytes, "");
        across(tuned_decision, reduce, call_.bytes, "");
        return;
      default:
        say(function, "simple: reduce on nodes, allreduce between nodes, bcast on nodes");
        within(reduce, call_.bytes, "");
        across(tuned_decision, allreduce, call_.bytes, "");
        within(bcast, call_.bytes, "");
    }
  }

  void segments() {
    const std::uint64_t elements = call_.bytes / call_.element_bytes;
    const std::uint64_t each = elements_of_segment(elements, call_.element_bytes);
    const std::uint64_t count = each == 0 ? 1 : (elements + each - 1) / each;
    const std::uint64_t segment = each * call_.element_bytes;
    const std::uint64_t last = (elements - (count - 1) * each) * call_.element_bytes;
    say(fmt::format("{}_intra", name(call_.collective)),
        count == 1
            ? std::string("intra, in one segment")
            : fmt::format(
                  "intra, in {} segments of {}{}", count, human_bytes(segment),
                  last == segment ? "" : fmt::format(", the last of {}", human_bytes(last))));
    if (count == 1) {
      one_segment(last, Segments::first, "");
      return;
    }
    segment_bytes_ = segment;
    const bool first_apart = call_.collective == bcast;
    if (first_apart) {
      one_segment(segment, Segments::first, " of the first segment");
    }
    if (!first_apart || count > 2 || last == segment) {
      one_segment(segment, Segments::others,
                  first_apart ? " of the other segments" : " of each segment");
    }
    if (last != segment) {
      one_segment(last, Segments::last, " of the last segment");
    }
  }

  int release_;
  LibraryCall call_;
  std::string rule_;  // the place of the rule that names "simple"; empty for the default algorithm
  std::vector<EqualNodes> nodes_;
  std::uint64_t segment_bytes_ = 0;
  // ask() adds decisions for calls that transfer these segments.
  Segments segments_ = Segments::others;
  LibraryDecision decision_;
  DecidedStages stages_;
};

}  // namespace

bool han_wants_even_nodes(Collective collective) {
  // mca_coll_han_allreduce_intra and ..._barrier_intra_simple do not check the topology.
  return collective != allreduce && collective != barrier;
}

std::string_view han_default(Collective collective) {
  return collective == gather || collective == barrier ? "simple" : "intra";
}

LibraryDecision han_decision(int release, const LibraryCall& call, const std::string& rule) {
  return HanCall(release, call, rule).decide();
}

}}  // namespace tutti::built_in
