#include "sim/mpi/plan/element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.hpp"

namespace tutti::mpi {

namespace {

constexpr std::array<std::string_view, 4> kTypeNames{"int32", "int64", "float", "double"};
constexpr std::array<std::string_view, 8> kOperatorNames{"sum",  "prod", "max",  "min",
                                                         "band", "bor",  "bxor", "matrix"};

// Calls visit() with a value of the C++ type, for example visit(std::int32_t{}).
template <typename Visit>
decltype(auto) with_type(NumberType type, Visit&& visit) {
  switch (type) {
    case NumberType::int32:
      return visit(std::int32_t{});
    case NumberType::int64:
      return visit(std::int64_t{});
    case NumberType::float32:
      return visit(float{});
    case NumberType::float64:
      break;
  }
  return visit(double{});
}

// Reads a number. Copies its bytes instead of casting the pointer, because the buffers contain
// bytes.
template <typename Number>
Number load(const std::byte* data, std::uint64_t index) {
  Number value;
  std::memcpy(&value, data + index * sizeof(Number), sizeof(Number));
  return value;
}
template <typename Number>
void store(std::byte* data, std::uint64_t index, Number value) {
  std::memcpy(data + index * sizeof(Number), &value, sizeof(Number));
}

// The mixing function of splitmix64.
std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

template <typename Number>
Number input_number(Operator op, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t random = scrambled(seed + index);
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<Number>(0.5 + static_cast<double>(random >> 11U) * 0x1p-53);
  } else {
    std::uint64_t bits = random;
    if (op == Operator::prod) {
      bits |= 1U;
    } else if (op == Operator::matrix) {
      // If the numbers on the diagonal are odd and the number above the diagonal is even, the
      // determinant is odd.
      constexpr std::array<std::uint64_t, 4> kLowBit{1, 0, 2, 1};  // 2: unchanged
      const std::uint64_t low = kLowBit[index % 4];
      bits = low == 2 ? bits : (bits & ~std::uint64_t{1}) | low;
    }
    return static_cast<Number>(bits);
  }
}

template <typename Number>
struct Arithmetic {
  static constexpr bool kInteger = std::is_integral_v<Number>;
  // Integers are added and multiplied as an unsigned type, because it wraps around without
  // undefined behaviour.
  using Wide = std::conditional_t<kInteger, std::make_unsigned<Number>, std::type_identity<Number>>;
  using Exact = typename Wide::type;

  static Number sum(Number a, Number b) {
    return static_cast<Number>(static_cast<Exact>(a) + static_cast<Exact>(b));
  }
  static Number product(Number a, Number b) {
    return static_cast<Number>(static_cast<Exact>(a) * static_cast<Exact>(b));
  }
};

template <typename Number, typename Combine>
void for_each_number(const std::byte* left, const std::byte* right, std::byte* into,
                     std::uint64_t count, Combine&& combine) {
  for (std::uint64_t i = 0; i < count; ++i) {
    store<Number>(into, i, combine(load<Number>(left, i), load<Number>(right, i)));
  }
}

template <typename Number>
void multiply_matrices(const std::byte* left, const std::byte* right, std::byte* into,
                       std::uint64_t count) {
  using A = Arithmetic<Number>;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<Number, 4> a;
    std::array<Number, 4> b;
    std::memcpy(a.data(), left + i * sizeof(a), sizeof(a));
    std::memcpy(b.data(), right + i * sizeof(b), sizeof(b));
    const std::array<Number, 4> c{A::sum(A::product(a[0], b[0]), A::product(a[1], b[2])),
                                  A::sum(A::product(a[0], b[1]), A::product(a[1], b[3])),
                                  A::sum(A::product(a[2], b[0]), A::product(a[3], b[2])),
                                  A::sum(A::product(a[2], b[1]), A::product(a[3], b[3]))};
    std::memcpy(into + i * sizeof(c), c.data(), sizeof(c));
  }
}

template <typename Number>
void combine_numbers(Operator op, const std::byte* left, const std::byte* right, std::byte* into,
                     std::uint64_t count) {
  const auto each = [&](auto&& f) { for_each_number<Number>(left, right, into, count, f); };
  switch (op) {
    case Operator::sum:
      return each(Arithmetic<Number>::sum);
    case Operator::prod:
      return each(Arithmetic<Number>::product);
    case Operator::max:
      return each([](Number a, Number b) { return std::max(a, b); });
    case Operator::min:
      return each([](Number a, Number b) { return std::min(a, b); });
    default:
      break;
  }
  if constexpr (std::is_integral_v<Number>) {
    switch (op) {
      case Operator::band:
        return each([](Number a, Number b) { return static_cast<Number>(a & b); });
      case Operator::bor:
        return each([](Number a, Number b) { return static_cast<Number>(a | b); });
      case Operator::bxor:
        return each([](Number a, Number b) { return static_cast<Number>(a ^ b); });
      case Operator::matrix:
        return multiply_matrices<Number>(left, right, into, count);
      default:
        break;
    }
  }
  // The type does not have this operator.
  TUTTI_INVARIANT(false);
}

}  // namespace

std::uint32_t Element::number_bytes() const {
  return type == NumberType::int32 || type == NumberType::float32 ? 4 : 8;
}

std::string_view name(NumberType type) { return kTypeNames[static_cast<std::size_t>(type)]; }
std::string_view name(Operator op) { return kOperatorNames[static_cast<std::size_t>(op)]; }

Element element_named(const std::string& type, const std::string& op) {
  const auto* const type_at = std::find(kTypeNames.begin(), kTypeNames.end(), type);
  if (type_at == kTypeNames.end()) {
    throw UserError(fmt::format("$type '{}': expected {}", type, fmt::join(kTypeNames, ", ")));
  }
  const auto* const op_at = std::find(kOperatorNames.begin(), kOperatorNames.end(), op);
  if (op_at == kOperatorNames.end()) {
    throw UserError(fmt::format("$op '{}': expected {}", op, fmt::join(kOperatorNames, ", ")));
  }
  const Element element{static_cast<NumberType>(type_at - kTypeNames.begin()),
                        static_cast<Operator>(op_at - kOperatorNames.begin())};
  if (!element.integer() && element.op >= Operator::band) {
    throw UserError(
        fmt::format("$op '{}' does not support $type {}; use $type int32 or int64", op, type));
  }
  return element;
}

void fill(const Element& element, Rank rank, std::uint64_t first, std::uint64_t count,
          std::byte* into) {
  const std::uint64_t seed = scrambled(rank);
  with_type(element.type, [&](auto zero) {
    using Number = decltype(zero);
    const std::uint64_t numbers = element.numbers();
    for (std::uint64_t i = 0; i < count * numbers; ++i) {
      store<Number>(into, i, input_number<Number>(element.op, seed, first * numbers + i));
    }
  });
}

void combine(const Element& element, const std::byte* left, const std::byte* right, std::byte* into,
             std::uint64_t count) {
  with_type(element.type, [&](auto zero) {
    combine_numbers<decltype(zero)>(element.op, left, right, into, count);
  });
}

double relative_bound(const Element& element, std::uint32_t ranks) {
  if (element.integer() || element.op == Operator::max || element.op == Operator::min) {
    return 0;
  }
  const double epsilon = element.type == NumberType::float32
                             ? double{std::numeric_limits<float>::epsilon()}
                             : std::numeric_limits<double>::epsilon();
  return 2.0 * (ranks - 1) * epsilon;
}

bool near(const Element& element, const std::byte* expected, const std::byte* got,
          std::uint64_t index, double relative) {
  const std::size_t bytes = element.bytes();
  if (std::memcmp(expected + index * bytes, got + index * bytes, bytes) == 0) {
    return true;
  }
  if (relative == 0) {
    return false;
  }
  return with_type(element.type, [&](auto zero) {
    using Number = decltype(zero);
    const auto a = static_cast<double>(load<Number>(expected, index));
    const auto b = static_cast<double>(load<Number>(got, index));
    return std::abs(a - b) <= relative * std::abs(a);  // false for NaN
  });
}

std::string text(const Element& element, const std::byte* data, std::uint64_t index) {
  return with_type(element.type, [&](auto zero) {
    using Number = decltype(zero);
    const auto number = [&](std::uint64_t i) {
      return fmt::format("{}", load<Number>(data, index * element.numbers() + i));
    };
    return element.op == Operator::matrix
               ? fmt::format("[{} {}; {} {}]", number(0), number(1), number(2), number(3))
               : number(0);
  });
}

}  // namespace tutti::mpi
