// An algorithm may consist of two collectives, one after the other. --parts chooses the algorithm
// of each. schedules/patterns/composition.hpp composes them.
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
  std::uint64_t segment_bytes = 0;  // 0: not given
  // Only for stages of a hierarchy: the parts of --parts use the options of the whole algorithm.
  std::uint32_t radix = 0;  // 0: the algorithm's own
  Fold fold = Fold::neighbours;
  Cuts cuts = Cuts::even;

  friend bool operator==(const OnePart&, const OnePart&) = default;
};

struct TwoParts {
  enum class Kind : std::uint8_t {
    standard,  // not given: the algorithm's own parts
    open_mpi,  // what Open MPI 4.1 chooses by default for these ranks and bytes
    chosen,    // as in `two`
  };
  Kind kind = Kind::standard;
  std::array<OnePart, 2> two;

  [[nodiscard]] bool standard() const { return kind == Kind::standard; }
  friend bool operator==(const TwoParts&, const TwoParts&) = default;
};

// Returns "pipeline:binary+linear", "open_mpi", or "" if no parts are given.
[[nodiscard]] std::string to_text(const TwoParts& parts);
[[nodiscard]] std::string to_text(const OnePart& part);
// Parses the SEGMENT of a part, a size such as 16K. Returns nothing if the word is not a size, or
// is 0.
[[nodiscard]] std::optional<std::uint64_t> segment_size(std::string_view text);

// The two collectives that `whole` consists of. `whole` must be an allreduce, a reduce-scatter or
// an allgather.
[[nodiscard]] std::array<Collective, 2> collectives_of_parts(Collective whole);

// Parses the value of --parts. Throws UserError that says what `whole` accepts if the text is
// invalid for every collective. Parts that are valid for another collective only are returned: a
// command may run several collectives, and the algorithms of `whole` then refuse the parts.
[[nodiscard]] TwoParts parse_parts(std::string_view text, Collective whole);
// Returns the error in the text for `whole`, or nothing if it is valid.
[[nodiscard]] std::optional<std::string> parts_fault(std::string_view text, Collective whole);

}  // namespace tutti::inline schedules
