// Times of algorithms by ranks and sizes, from documents of several commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ties.hpp"
#include "src/pictures/document.hpp"

namespace tutti { inline namespace pictures {

struct TimesCell {
  std::optional<double> simulated_s;  // the median if ties matter
  std::optional<double> exact_s;
  std::optional<double> published_s;
  std::optional<double> measured_s;
  std::optional<double> bound_s;   // lower bound on the time of any algorithm
  std::optional<double> of_limit;  // simulated time over the bound
  RangedTime ranged;               // range of the simulated time over tie-breaking orders
};

// One collective on one machine.
struct TimesTable {
  std::string collective;
  std::string machine;                  // "infiniband_hdr_128.xml, engine flow"
  std::vector<std::string> algorithms;  // "circulant --skips sqrt"
  // The algorithm and the options behind a name in `algorithms`. Options may be unknown.
  struct Way {
    std::string algorithm;
    std::optional<std::string> options;
  };
  std::vector<Way> ways;
  std::vector<std::uint32_t> ranks;  // in ascending order
  std::vector<std::uint64_t> sizes_bytes;
  std::vector<TimesCell> cells;  // ordered by ranks, then sizes, then algorithms
  // Meaning of TimesCell::simulated_s and measured_s. In a table of NCCL's model, these are the
  // times of the model and the simulated ones.
  std::string_view curves = "simulated";
  std::string_view squares = "measured";

  [[nodiscard]] std::size_t index(std::size_t rank, std::size_t size, std::size_t algorithm) const {
    return (rank * sizes_bytes.size() + size) * algorithms.size() + algorithm;
  }
  // Returns the lower bound on the time of all algorithms; nothing if there is none. Algorithms may
  // have different bounds if their options change the problem.
  [[nodiscard]] std::optional<double> bound_s(std::size_t rank, std::size_t size) const;
  [[nodiscard]] const TimesCell& cell(std::size_t rank, std::size_t size,
                                      std::size_t algorithm) const {
    return cells[index(rank, size, algorithm)];
  }
};

// The algorithm with the shortest simulated time in a cell. If several are equally fast, the one
// that is the fastest in the most cells.
struct Winner {
  std::optional<std::size_t> best;
  std::vector<std::size_t> equals;    // other equally fast algorithms
  std::optional<std::size_t> second;  // the fastest of the slower algorithms
  double margin = 0;                  // 0.1: the second takes 10 % longer; 0 within ties
};
// Returns the winners ordered by ranks, then sizes.
[[nodiscard]] std::vector<Winner> winners(const TimesTable& table);

// Returns the tables of a comparison, a query for cells, a validation, or an answer of NCCL's
// model: one for each collective and machine. Returns none for other documents.
[[nodiscard]] std::vector<TimesTable> times_of(const Document& document);

// Adds measured times from `validation` to the cells of `table` with the same collective,
// algorithm, options, ranks and size.
void add_measured(TimesTable& table, const Document& validation);

}}  // namespace tutti::pictures
