// Recursive vector halving and distance doubling on p' ranks, where p' is the largest power of two
// up to p, with the other ranks folded in. Rabenseifner's reduce and allreduce use this pattern,
// and so do MPICH's forms of these algorithms.
//
// The neighbours 2i and 2i+1 among the first 2(p-p') ranks form one virtual rank, which one of the
// two plays after the fold. At level l, virtual rank v exchanges halves of what it still holds with
// v xor 2^l. Partial results always cover consecutive ranks, lower ones on the left.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class HalvingCube {
 public:
  // The ranks that have the result at the end: all ranks, after allgather() and unfold(), or the
  // root, after gather_to_root().
  enum class End : std::uint8_t { everywhere, at_root };
  // Determines how two neighbours become one virtual rank, and which of them plays this virtual
  // rank afterwards.
  enum class Joining : std::uint8_t {
    // They exchange halves of their vectors, then one sends its reduced half to the other. The even
    // rank plays the virtual rank, unless the odd rank is the root.
    halves,
    // As with `halves`, but the even rank always plays the virtual rank [Open MPI].
    halves_to_even,
    // The even rank sends its vector to the odd one [MPICH's allreduce].
    whole_to_odd,
    // The odd rank, even if it is the root, sends its vector to the even one [MPICH's reduce].
    whole_to_even,
  };
  HalvingCube(const Problem& problem, ScheduleBuilder& builder, End end,
              Joining joining = Joining::halves);

  // Requires at least p' elements, one for each virtual rank, and refuses --cuts mpich.
  static std::optional<Sentence> refusal(const Problem& problem);
  // The cases of refusal() in words, for algorithms without --cuts and with --cuts.
  static constexpr std::array<std::string_view, 2> kLimits{"fewer elements than p'", "$cuts mpich"};
  static constexpr std::span<const std::string_view> limits(bool takes_cuts) {
    return std::span(kLimits).first(takes_cuts ? 2 : 1);
  }
  // Cuts the vector into p' blocks; with Open MPI's cuts, by halving the vector, then each half,
  // and so on.
  static BlockLayout layout(const Problem& problem);
  // Returns the time of reduce_scatter() and allgather(), without folding: 2 lg p' alpha +
  // 2(p'-1)/p' n beta + (p'-1)/p' n gamma, where n is problem.bytes.
  static double exchanges_s(const Problem& problem, const Prices& prices);

  void fold();            // 2 rounds (1 for whole vectors), if p is not a power of two
  void reduce_scatter();  // lg p' rounds
  void allgather();       // lg p' rounds, the exchanges of reduce_scatter() in reverse
  void unfold();  // 1 round, if p is not a power of two; sends the result to the folded ranks
  // Gathers the result at the root in lg p' rounds, instead of allgather(). If the root was folded
  // in, one more round comes first: rank 0 sends its part to the root, which then plays virtual
  // rank 0.
  void gather_to_root();

 private:
  [[nodiscard]] Rank base(std::uint32_t v) const;  // the rank that plays virtual rank v
  // The rank that was folded into base(v); v must be less than removed_.
  [[nodiscard]] Rank folded(std::uint32_t v) const { return base(v) ^ 1U; }
  [[nodiscard]] bool root_is_folded() const {
    return (joining_ == Joining::whole_to_even || joining_ == Joining::halves_to_even) &&
           root_ < 2 * removed_ && root_ % 2 == 1;
  }
  void fold_halves();
  void fold_whole();

  Joining joining_;
  std::uint32_t base_ranks_;
  std::uint32_t removed_;
  std::uint32_t levels_;
  Rank root_;
  bool root_plays_0_ = false;
  // The virtual ranks whose operations are emitted.
  RankRange emitted_;
  Rounds rounds_;
  std::uint32_t width_;  // number of blocks that each virtual rank still holds
  // The first block that each virtual rank still holds, in the order of emitted_.
  std::vector<std::uint32_t> kept_;
};

}}  // namespace tutti::schedules
