// The option --parts. Some algorithms run two collectives, one after the other; --parts chooses the
// algorithm for each. schedules/patterns/composition.hpp composes the two.
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

namespace tutti { inline namespace schedules {

// NAME[:TREE][:SEGMENT]: the algorithm's name, its --tree, and its --segment.
struct OnePart {
  std::string algorithm;
  std::optional<Tree> tree{};
  std::uint64_t segment_bytes = 0;  // 0: not given
  // Only stages of a hierarchy use the members below. The two parts of --parts use the options of
  // the whole algorithm instead.
  std::uint32_t radix = 0;  // 0: the algorithm's default
  Fold fold = Fold::neighbours;
  Cuts cuts = Cuts::even;

  friend bool operator==(const OnePart&, const OnePart&) = default;
};

struct TwoParts {
  enum class Kind : std::uint8_t {
    // --parts is not given: the algorithm uses its own parts.
    standard,
    // The parts that Open MPI 4.1 chooses by default for the problem's ranks and bytes.
    open_mpi,
    // The two parts in `two`.
    chosen,
  };
  Kind kind = Kind::standard;
  std::array<OnePart, 2> two;

  [[nodiscard]] bool standard() const { return kind == Kind::standard; }
  friend bool operator==(const TwoParts&, const TwoParts&) = default;
};

// Returns the parts in the form of --parts, such as "pipeline:binary+linear" or "open_mpi"; "" if
// no parts are given.
[[nodiscard]] std::string to_text(const TwoParts& parts);
[[nodiscard]] std::string to_text(const OnePart& part);
// Parses the SEGMENT of a part, a size such as 16K. Returns nothing if the text is not a size, or
// if the size is 0.
[[nodiscard]] std::optional<std::uint64_t> segment_size(std::string_view text);

// Returns the two collectives of which `whole` consists. `whole` must be allreduce, reduce_scatter,
// reduce_scatter_block, allgather or allgatherv.
[[nodiscard]] std::array<Collective, 2> collectives_of_parts(Collective whole);

// Parses the value of --parts. If the text is invalid for every collective, throws UserError that
// lists the parts that `whole` accepts. Also returns parts that are valid only for another
// collective, because a command may run several collectives; the algorithms of `whole` then refuse
// these parts.
[[nodiscard]] TwoParts parse_parts(std::string_view text, Collective whole);
// Returns the error in the text for `whole`, or nothing if the text is valid.
[[nodiscard]] std::optional<std::string> parts_fault(std::string_view text, Collective whole);

}}  // namespace tutti::schedules
