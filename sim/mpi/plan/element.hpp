// The elements of a vector and the operator that combines them: their sizes, the data that runs
// start with, and our own arithmetic, which no MPI library has a part in. The operators follow
// MPI's definitions; integers wrap around.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "schedules/op.hpp"

namespace tutti::mpi {

enum class NumberType : std::uint8_t { int32, int64, float32, float64 };

// `matrix` is the product of 2x2 matrices, row by row, of integers modulo 2^32 or 2^64: associative
// to the bit, and not commutative.
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

// From the words of --type and --op. Throws UserError for an unknown word, and for an operator that
// the type does not have (bits and matrices are for integers).
[[nodiscard]] Element element_named(const std::string& type, const std::string& op);

// What `rank` contributes from element `first` on: reproducible everywhere, different for every
// rank and element. Numbers of floating point lie between 0.5 and 1.5, so that nothing cancels and
// the bound of a sum is relative. Integers are odd where they are multiplied, and matrices have odd
// determinants, so that products do not run into zeros.
void fill(const Element& element, Rank rank, std::uint64_t first, std::uint64_t count,
          std::byte* into);

// into[i] = left[i] op right[i]. `into` may be one of the two.
void combine(const Element& element, const std::byte* left, const std::byte* right, std::byte* into,
             std::uint64_t count);

// How far two ways of combining the contributions of `ranks` ranks may be apart, relative to the
// result: 0 for integers and for max and min. Each of the two is within (p-1) u / (1 - (p-1) u) of
// the exact result, u half of epsilon, since all terms are positive; 2 (p-1) epsilon covers both.
[[nodiscard]] double relative_bound(const Element& element, std::uint32_t ranks);

// Whether element `index` of the two is the same, up to `relative` for floating point.
[[nodiscard]] bool near(const Element& element, const std::byte* expected, const std::byte* got,
                        std::uint64_t index, double relative);

// Element `index` for people: "17", "0.75", "[1 2; 3 4]".
[[nodiscard]] std::string text(const Element& element, const std::byte* data, std::uint64_t index);

}  // namespace tutti::mpi
