// The elements of a vector, and the operator that combines them: sizes of elements, the initial
// data of runs, and arithmetic that does not use the MPI library. The operators follow MPI's
// definitions. Integers wrap around on overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "schedules/op.hpp"

namespace tutti::mpi {

enum class NumberType : std::uint8_t { int32, int64, float32, float64 };

// `matrix` multiplies 2x2 matrices, stored by rows, of integers modulo 2^32 or 2^64. This operator
// is exactly associative, and not commutative.
enum class Operator : std::uint8_t { sum, prod, max, min, band, bor, bxor, matrix };

struct Element {
  NumberType type = NumberType::int64;
  Operator op = Operator::sum;

  [[nodiscard]] bool integer() const {
    return type == NumberType::int32 || type == NumberType::int64;
  }
  [[nodiscard]] bool commutative() const { return op != Operator::matrix; }
  [[nodiscard]] std::uint32_t number_bytes() const;
  [[nodiscard]] std::uint32_t numbers() const { return op == Operator::matrix ? 4 : 1; }
  [[nodiscard]] std::uint32_t bytes() const { return numbers() * number_bytes(); }
};

[[nodiscard]] std::string_view name(NumberType type);
[[nodiscard]] std::string_view name(Operator op);

// Returns the element for the values of --type and --op. Throws UserError for an unknown word, and
// for an operator that does not support the type (bitwise operators and `matrix` need integers).
[[nodiscard]] Element element_named(const std::string& type, const std::string& op);

// Fills `into` with `count` elements of `rank`'s contribution, from element `first` on. The
// contribution is equal on every machine, and different for every rank and element. Floating-point
// numbers are between 0.5 and 1.5, so that terms do not cancel and a relative error bound applies
// to sums. For products, integers are odd, and matrices have odd determinants, so that products do
// not become zero.
void fill(const Element& element, Rank rank, std::uint64_t first, std::uint64_t count,
          std::byte* into);

// Computes into[i] = left[i] op right[i]. `into` may be the same buffer as `left` or `right`.
void combine(const Element& element, const std::byte* left, const std::byte* right, std::byte* into,
             std::uint64_t count);

// Returns the largest relative difference between the results of combining the contributions of p =
// `ranks` ranks in two different orders. It is 0 for integers, max and min. All terms are positive,
// so the relative error of each result is at most (p-1) u / (1 - (p-1) u), where u is half of
// epsilon. So the two results differ by at most 2 (p-1) epsilon.
[[nodiscard]] double relative_bound(const Element& element, std::uint32_t ranks);

// True if element `index` is equal in both buffers. Floating-point numbers count as equal up to a
// relative difference of `relative`.
[[nodiscard]] bool near(const Element& element, const std::byte* expected, const std::byte* got,
                        std::uint64_t index, double relative);

// Returns element `index` as text, such as "17", "0.75" or "[1 2; 3 4]".
[[nodiscard]] std::string text(const Element& element, const std::byte* data, std::uint64_t index);

}  // namespace tutti::mpi
