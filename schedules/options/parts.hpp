// An algorithm may be two collectives, one after the other; these say which algorithm each is by.
// What they come to: schedules/patterns/composition.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schedules/collective.hpp"
#include "schedules/options/cuts.hpp"
#include "schedules/options/fold.hpp"
#include "schedules/options/tree.hpp"

namespace tutti::inline schedules {

// NAME[:TREE][:SEGMENT]: the algorithm's name, its --tree, and its --segment.
struct OnePart {
  std::string algorithm;
  std::optional<Tree> tree{};
  std::uint64_t segment_bytes = 0;  // 0 where none is said
  // Of stages of a hierarchy only: --parts goes by the options of the whole.
  std::uint32_t radix = 0;  // 0: the algorithm's own
  Fold fold = Fold::neighbours;
  Cuts cuts = Cuts::even;

  friend bool operator==(const OnePart&, const OnePart&) = default;
};

struct TwoParts {
  enum class Kind : std::uint8_t {
    standard,  // nothing is said: the algorithm's own
    open_mpi,  // what Open MPI 4.1 decides by itself for these ranks and bytes
    chosen,    // `two` says
  };
  Kind kind = Kind::standard;
  std::array<OnePart, 2> two;

  [[nodiscard]] bool standard() const { return kind == Kind::standard; }
  friend bool operator==(const TwoParts&, const TwoParts&) = default;
};

// "pipeline:binary+linear", "open_mpi", or "" where nothing is said.
[[nodiscard]] std::string to_text(const TwoParts& parts);
[[nodiscard]] std::string to_text(const OnePart& part);
// The SEGMENT of a part, a size such as 16K; nothing where the word is no size, or is 0.
[[nodiscard]] std::optional<std::uint64_t> segment_size(std::string_view text);

// The two collectives of `whole`: an allreduce, a reduce-scatter or an allgather.
[[nodiscard]] std::array<Collective, 2> collectives_of_parts(Collective whole);

// Throws UserError for words that are parts of no collective; says what `whole` accepts. TwoParts
// that only another collective can have are no slip of the pen: where there are several at once,
// `whole` refuses them by itself.
[[nodiscard]] TwoParts parse_parts(std::string_view text, Collective whole);
// What is wrong with these words for `whole`; nothing if they can be read.
[[nodiscard]] std::optional<std::string> parts_fault(std::string_view text, Collective whole);

}  // namespace tutti::inline schedules
