#include "schedules/notation/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/nearest.hpp"
#include "schedules/builder.hpp"
#include "schedules/collective.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::array<std::string_view, 9> kFields{"collective", "algorithm", "ranks",
                                                  "switches",   "bytes",     "element_bytes",
                                                  "root",       "blocks",    "block_bytes"};
enum class Field : std::uint8_t {
  collective,
  algorithm,
  ranks,
  switches,
  bytes,
  element_bytes,
  root,
  blocks,
  block_bytes
};

constexpr std::uint32_t kMostElementBytes = 1U << 20U;
constexpr std::size_t kLongestName = 100;

// Neighbouring blocks of the same size.
struct Sizes {
  std::uint32_t count;
  std::uint64_t bytes;
  const char* place;
};

class HeaderParser {
 public:
  HeaderParser(Scanner& scanner, const ParseLimits& limits) : scanner_(scanner), limits_(limits) {}

  NotationHeader parse() {
    parse_first_line();
    while (scanner_.skip_blank(), !scanner_.at_end() && !at_statement()) {
      parse_field();
    }
    check();
    return std::move(header_);
  }

 private:
  void parse_first_line() {
    if (!scanner_.take("tutti-schedule")) {
      scanner_.fail(scanner_.at(),
                    "the first line must be 'tutti-program 1' (a program for any number of "
                    "ranks) or 'tutti-schedule 1' (a schedule written out); GOAL, MSCCL XML and "
                    "traces of Chakra are recognised, too");
    }
    scanner_.skip_to_line_end();
    const char* const place = scanner_.at();
    if (scanner_.number("version", 1'000'000) != 1) {
      scanner_.fail(place, "unknown version of the notation; write 'tutti-schedule 1'");
    }
    end_line();
  }

  [[nodiscard]] bool at_statement() const {
    const char* const at = scanner_.at();
    // The text is followed by a NUL character, and the comparison stops at the first difference, so
    // these accesses stay within the text.
    return at[0] == 'R' && at[1] == 'e' && at[2] == 'q';
  }

  void parse_field() {
    const char* const place = scanner_.at();
    const std::string_view word = scanner_.word();
    const auto field =
        static_cast<std::size_t>(std::find(kFields.begin(), kFields.end(), word) - kFields.begin());
    if (word.empty()) {
      scanner_.fail_expected("a field of the header, or Req(...)");
    }
    if (field == kFields.size()) {
      const std::vector<std::string> names(kFields.begin(), kFields.end());
      const std::string best = word.size() > kLongestName ? "" : nearest(word, names);
      scanner_.fail(
          place,
          fmt::format("unknown field '{}' in the header{}", word.substr(0, kLongestName),
                      best.empty() ? fmt::format("; the fields are {}", fmt::join(kFields, ", "))
                                   : fmt::format(": did you mean '{}'?", best)));
    }
    if (places_[field] != nullptr) {
      scanner_.fail(place, fmt::format("'{}' is repeated; it is already in line {}", word,
                                       scanner_.line_of(places_[field])));
    }
    places_[field] = place;
    if (scanner_.skip_to_line_end()) {
      scanner_.fail(scanner_.at(), fmt::format("'{}' has no value", word));
    }
    parse_value(static_cast<Field>(field));
    end_line();
  }

  void parse_value(Field field) {
    Problem& problem = header_.problem;
    const char* const place = scanner_.at();
    switch (field) {
      case Field::collective:
        if (scanner_.word() == name(Collective::application)) {
          problem.collective = Collective::application;
          break;
        }
        scanner_.go_back_to(place);
        problem.collective = read_collective(scanner_);
        break;
      case Field::algorithm:
        header_.algorithm = read_algorithm_name(scanner_);
        break;
      case Field::ranks:
        problem.ranks = scanner_.number32("ranks", limits_.ranks);
        if (problem.ranks == 0) {
          scanner_.fail(place, "0 ranks: a collective needs at least 1");
        }
        break;
      case Field::switches:
        header_.switches = scanner_.number32("switches", limits_.ranks);
        break;
      case Field::bytes:
        problem.bytes = scanner_.number("bytes", kMaxMessageBytes);
        break;
      case Field::element_bytes:
        problem.element_bytes = scanner_.number32("element_bytes", kMostElementBytes);
        if (problem.element_bytes == 0) {
          scanner_.fail(place, "elements of 0 bytes: an element must have at least 1 byte");
        }
        break;
      case Field::root:
        problem.root = scanner_.number32("root", limits_.ranks);
        break;
      case Field::blocks:
        blocks_ = scanner_.number32("number of blocks", limits_.blocks);
        if (blocks_ == 0) {
          scanner_.fail(place, "0 blocks: a vector has at least 1, which may be empty");
        }
        break;
      case Field::block_bytes:
        parse_sizes();
        break;
    }
  }

  void parse_sizes() {
    std::uint64_t sum = 0;
    do {
      scanner_.skip_to_line_end();
      const char* const place = scanner_.at();
      std::uint64_t bytes = scanner_.number("block bytes", kMaxMessageBytes);
      std::uint32_t count = 1;
      if (*scanner_.at() == '*') {
        scanner_.go_back_to(place);
        count = scanner_.number32("number of blocks", limits_.blocks);
        scanner_.expect('*', "'*'");
        bytes = scanner_.number("block bytes", kMaxMessageBytes);
      }
      if (count == 0 || count > limits_.blocks - blocks_) {
        scanner_.fail(place, fmt::format("there must be 1 to {} blocks in total", limits_.blocks));
      }
      if (bytes > (kMaxMessageBytes - sum) / count) {
        scanner_.fail(place, fmt::format("the blocks up to here have more than {} bytes together",
                                         kMaxMessageBytes));
      }
      blocks_ += count;
      sum += count * bytes;
      sizes_.push_back({count, bytes, place});
    } while (!scanner_.skip_to_line_end() && scanner_.take(','));
    size_sum_ = sum;
  }

  // Returns the place of the field's line, or nullptr if the header does not have the field.
  [[nodiscard]] const char* place(Field field) const {
    return places_[static_cast<std::size_t>(field)];
  }

  void end_line() {
    if (!scanner_.skip_to_line_end()) {
      scanner_.fail_expected("the end of the line");
    }
  }

  void check() {
    for (const Field field : {Field::collective, Field::ranks, Field::bytes}) {
      const bool needless =
          field == Field::bytes && header_.problem.collective == Collective::application;
      if (place(field) == nullptr && !needless) {
        scanner_.fail(scanner_.at(), fmt::format("the header has no '{}'",
                                                 kFields[static_cast<std::size_t>(field)]));
      }
    }
    if (header_.problem.collective == Collective::application) {
      for (const Field field : {Field::bytes, Field::element_bytes, Field::root, Field::blocks,
                                Field::block_bytes, Field::switches}) {
        if (place(field) != nullptr) {
          scanner_.fail(place(field), fmt::format("an application has no '{}'; leave this line out",
                                                  kFields[static_cast<std::size_t>(field)]));
        }
      }
      header_.problem.element_bytes = 1;
    }
    header_.has_blocks = place(Field::blocks) != nullptr || place(Field::block_bytes) != nullptr;
    if (!header_.has_blocks) {
      const Problem& problem = header_.problem;
      const std::uint64_t natural = natural_blocks(problem.collective, problem.ranks);
      if (natural > limits_.blocks) {
        scanner_.fail(
            place(Field::ranks),
            fmt::format("{} on {} ranks has {} blocks; the limit is {}", name(problem.collective),
                        problem.ranks, natural, limits_.blocks));
      }
      blocks_ = static_cast<std::uint32_t>(natural);
    }
    if (place(Field::blocks) != nullptr && place(Field::block_bytes) != nullptr) {
      scanner_.fail(place(Field::block_bytes),
                    "'blocks' and 'block_bytes' exclude each other: write the number of evenly "
                    "split blocks, or the sizes of all blocks");
    }
    if (header_.algorithm.empty()) {
      header_.algorithm = "unnamed";
    }
    const Problem& problem = header_.problem;
    if (problem.bytes % problem.element_bytes != 0) {
      scanner_.fail(place(Field::bytes),
                    fmt::format("{} bytes are not a whole number of {}-byte elements",
                                problem.bytes, problem.element_bytes));
    }
    if (problem.root >= problem.ranks) {
      scanner_.fail(place(Field::root),
                    fmt::format("root {}: the ranks are 0 to {}", problem.root, problem.ranks - 1));
    }
    const bool of_pairs = problem.collective == Collective::alltoallv;
    if (const auto natural = natural_blocks(problem.collective, problem.ranks);
        blocks_ % natural != 0) {
      scanner_.fail(
          place(place(Field::blocks) != nullptr ? Field::blocks : Field::block_bytes),
          fmt::format("{} blocks on {} ranks: in {}, every {} owns the same number of blocks, so "
                      "the number of blocks must be a multiple of {}",
                      blocks_, problem.ranks, name(problem.collective),
                      of_pairs ? "pair of ranks" : "rank", natural));
    }
    header_.layout = !sizes_.empty() ? layout_of_sizes()
                     : of_pairs
                         ? layout_of_even_pairs()
                         : BlockLayout::even(problem.elements(), blocks_, problem.element_bytes);
  }

  BlockLayout layout_of_even_pairs() {
    const Problem& problem = header_.problem;
    const std::uint32_t of_rank = blocks_ / problem.ranks;
    if (of_rank > problem.ranks && problem.elements() % of_rank != 0) {
      scanner_.fail(place(Field::blocks),
                    fmt::format("{} bytes cannot be split into {} equal blocks at each rank; write "
                                "their sizes with 'block_bytes'",
                                problem.bytes, of_rank));
    }
    return of_rank == problem.ranks ? layout_in_blocks(problem, blocks_)
                                    : BlockLayout::even(problem.elements() * problem.ranks, blocks_,
                                                        problem.element_bytes);
  }

  // Makes the layout of an alltoallv. Stores the block sizes in the problem unless the split is
  // even.
  BlockLayout layout_of_pairs(const std::vector<std::uint64_t>& elements) {
    Problem& problem = header_.problem;
    BlockLayout layout = BlockLayout::irregular(elements, problem.element_bytes);
    if (blocks_ / problem.ranks == problem.ranks) {
      BlockLayout even = layout_in_blocks(problem, blocks_);
      if (layout == even) {
        return even;
      }
    } else if (BlockLayout even = BlockLayout::even(problem.elements() * problem.ranks, blocks_,
                                                    problem.element_bytes);
               layout == even && problem.elements() % (blocks_ / problem.ranks) == 0) {
      return even;
    }
    const std::size_t of_pair = blocks_ / problem.ranks / problem.ranks;
    problem.block_bytes.assign(elements.size() / of_pair, 0);
    for (std::size_t block = 0; block < elements.size(); ++block) {
      problem.block_bytes[block / of_pair] += elements[block] * problem.element_bytes;
    }
    const auto most = largest_buffer(problem.block_bytes, problem.ranks);
    if (most != problem.bytes) {
      scanner_.fail(place(Field::block_bytes),
                    most ? fmt::format("the rank that sends or receives most has {} bytes, but the "
                                       "header says {}",
                                       *most, problem.bytes)
                         : "a rank has more bytes than a schedule can hold");
    }
    return layout;
  }

  BlockLayout layout_of_sizes() {
    const Problem& problem = header_.problem;
    // A broadcast may be cut anywhere, even within elements, because no rank reduces or owns a part
    // of the vector.
    std::uint32_t unit = problem.element_bytes;
    for (const Sizes& sizes : sizes_) {
      if (sizes.bytes % problem.element_bytes != 0) {
        if (problem.collective != Collective::bcast) {
          scanner_.fail(sizes.place,
                        fmt::format("{} bytes are not a whole number of {}-byte elements",
                                    sizes.bytes, problem.element_bytes));
        }
        unit = 1;
      }
    }
    if (problem.collective != Collective::alltoallv && size_sum_ != problem.bytes) {
      scanner_.fail(place(Field::block_bytes),
                    fmt::format("the sizes of the blocks add up to {} bytes, but the vector has {}",
                                size_sum_, problem.bytes));
    }
    std::vector<std::uint64_t> elements;
    elements.reserve(blocks_);
    for (const Sizes& sizes : sizes_) {
      elements.insert(elements.end(), sizes.count, sizes.bytes / unit);
    }
    if (problem.collective == Collective::alltoallv) {
      return layout_of_pairs(elements);
    }
    const std::uint64_t units = problem.bytes / unit;
    BlockLayout layout = BlockLayout::irregular(elements, unit);
    // If the sizes are those of an even or a segmented split, that layout is used, because other
    // code is faster with it.
    BlockLayout even = BlockLayout::even(units, blocks_, unit);
    if (layout == even) {
      return even;
    }
    if (elements.front() > 0 && (units - 1) / elements.front() + 1 == std::uint64_t{blocks_}) {
      BlockLayout segmented = BlockLayout::segmented(units, elements.front(), unit);
      if (layout == segmented) {
        return segmented;
      }
    }
    // The sizes are stored in the problem as if the user had given them to an algorithm.
    if (owns_parts(problem.collective) && blocks_ == problem.ranks) {
      header_.problem.block_bytes.reserve(blocks_);
      for (const std::uint64_t size : elements) {
        header_.problem.block_bytes.push_back(size * unit);
      }
    }
    return layout;
  }

  Scanner& scanner_;
  const ParseLimits& limits_;
  NotationHeader header_;
  std::array<const char*, kFields.size()> places_{};
  std::uint32_t blocks_ = 0;
  std::uint64_t size_sum_ = 0;
  std::vector<Sizes> sizes_;
};

}  // namespace

Collective read_collective(Scanner& scanner) {
  const char* const place = scanner.at();
  const std::string_view word = scanner.word();
  const auto collective = collective_named(word);
  if (!collective) {
    std::vector<std::string> names;
    names.reserve(kCollectives.size());
    for (const Collective candidate : kCollectives) {
      names.emplace_back(name(candidate));
    }
    scanner.fail(place, fmt::format("'{}' is not a collective; the collectives are {}",
                                    word.substr(0, kLongestName), fmt::join(names, ", ")));
  }
  return *collective;
}

std::string read_algorithm_name(Scanner& scanner) {
  const char* const place = scanner.at();
  const std::string_view word = scanner.word();
  if (word.empty() || word.size() > kLongestName) {
    scanner.fail(
        place, fmt::format("the name of an algorithm must have 1 to {} letters, digits and _ . + -",
                           kLongestName));
  }
  return std::string(word);
}

NotationHeader parse_header(Scanner& scanner, const ParseLimits& limits) {
  return HeaderParser(scanner, limits).parse();
}

}}  // namespace tutti::schedules
