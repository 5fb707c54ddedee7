// --dims: the grid of ranks that algorithms for tori use.
#include "schedules/options/dims.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::size_t kMostDims = 8;

}  // namespace

Dims parse_dims(std::string_view argument) {
  const std::string text = plain_ascii(argument);
  Dims dims;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t cross = std::min(text.find_first_of("xX*,", at), text.size());
    const std::string_view word = trimmed(std::string_view(text).substr(at, cross - at));
    std::uint32_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc{} || end != word.data() + word.size() || size == 0 ||
        dims.sizes.size() == kMostDims) {
      throw UserError(fmt::format("dimensions '{}': expected up to {} sizes, such as 4x4x2",
                                  argument, kMostDims));
    }
    dims.sizes.push_back(size);
    at = cross + 1;
  }
  return dims;
}

std::string to_text(const Dims& dims) { return fmt::format("{}", fmt::join(dims.sizes, "x")); }

Dims balanced_dims(std::uint32_t ranks, std::uint32_t dimensions) {
  Dims dims;
  std::uint32_t left = ranks;
  for (std::uint32_t dimension = dimensions; dimension > 1; --dimension) {
    // The smallest divisor of `left` that is not below the `dimension`-th root of `left`.
    const auto power = [dimension](std::uint64_t size) {
      std::uint64_t product = 1;
      for (std::uint32_t i = 0; i < dimension; ++i) {
        product *= size;
      }
      return product;
    };
    std::uint32_t size = 1;
    while (size < left && (left % size != 0 || power(size) < left)) {
      ++size;
    }
    dims.sizes.push_back(size);
    left /= size;
  }
  dims.sizes.push_back(left);
  return dims;
}

namespace options {

namespace {

std::string help() {
  return "Grid of ranks, for torus algorithms, such as 4x4x2; the first dimension varies fastest "
         "[two dimensions, as square as possible]";
}

void parse(std::string_view, std::string_view text, Problem& into) { into.dims = parse_dims(text); }

std::string print(const Problem& problem) { return to_text(problem.dims); }

OptionValue value(const Problem& problem) { return to_text(problem.dims); }

std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials{{problem, TriedFor::deciding}};
  for (const std::uint32_t dimensions : {1U, 3U}) {
    trials.push_back({problem, TriedFor::tests});
    trials.back().problem.dims = balanced_dims(problem.ranks, dimensions);
  }
  return trials;
}

}  // namespace

extern const OptionType dims{
    .option = Option::dims,
    .word = "dims",
    .type_name = "SIZES",
    .help = help,
    .json_key = "dims",
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::dims>,
    .copy = copy_member<&Problem::dims>,
    .value = value,
    .trials = trials,
};

}  // namespace options

}}  // namespace tutti::schedules
