#include "schedules/notation/program/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "schedules/notation/notation_error.hpp"
#include "schedules/notation/program/emission.hpp"
#include "schedules/notation/program/lists.hpp"
#include "schedules/patterns/segmented_tree.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti::program {

namespace {

constexpr std::uint64_t kDefaultSegmentBytes = 64 * 1024;
constexpr std::uint32_t kMostBlocks = 1U << 24U;

// Rounds down, where C++ rounds to zero. b is not 0.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

// Of the sign of b, which is not 0.
std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  if ((static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b)) >> 32U == 0) {
    return static_cast<std::int64_t>(static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b));
  }
  if (b == -1) {
    return 0;
  }
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// The children of each rank, in the order in which they are served.
struct Children {
  std::vector<std::uint32_t> first;  // by rank, into `ranks`
  std::vector<std::uint32_t> count;
  std::vector<Rank> ranks;
};

class Evaluator {
 public:
  Evaluator(const CompiledCode& code, const Source& source, const Problem& problem, Detail detail,
            const ProgramLimits& limits)
      : code_(code),
        source_(source),
        problem_(problem),
        state_(code, limits),
        slots_(code.slots),
        lists_(state_, code.lists),
        emission_(code, problem, detail, state_) {
    give(Given::ranks, problem.ranks);
    give(Given::root, problem.root);
    give(Given::cores, problem.ranks_per_node);
    give(Given::element_bytes, problem.element_bytes);
    give(Given::segment_bytes,
         static_cast<std::int64_t>(segment_elements(problem, kDefaultSegmentBytes) *
                                   problem.element_bytes));
    const bool one_part =
        problem.collective == Collective::allgather || problem.collective == Collective::gather ||
        problem.collective == Collective::scatter || problem.collective == Collective::alltoall;
    even_ = !one_part || problem.elements() % problem.ranks == 0;
    give(Given::message_bytes,
         static_cast<std::int64_t>(one_part ? problem.bytes / problem.ranks : problem.bytes));
  }

  Schedule evaluate() {
    try {
      run();
    } catch (const Fault& fault) {
      fail_notation(source_.file, source_.text, fault.place, fault.what + circumstances());
    }
    return emission_.finish();
  }

 private:
  void give(Given which, std::int64_t value) { slots_[static_cast<std::size_t>(which)] = value; }

  [[noreturn]] void fail(std::string what) const { state_.fail(std::move(what)); }

  // " (N = 5, n = 3)": the number of ranks, and the loops around the place.
  [[nodiscard]] std::string circumstances() const {
    std::string text = fmt::format(" (N = {}", problem_.ranks);
    for (const LoopVariable& loop : code_.loops) {
      if (loop.begin < state_.position() && state_.position() < loop.end) {
        text += fmt::format(", {} = {}", loop.name, slots_[loop.slot]);
      }
    }
    return text + ")";
  }

  [[noreturn]] void fail_range(const char* symbol, std::int64_t b, std::int64_t c) const {
    fail(fmt::format("{} {} {} is too large; numbers go up to {}", b, symbol, c, INT64_MAX));
  }

  void check_divisor(std::int64_t divisor, const char* what) const {
    if (divisor == 0) [[unlikely]] {
      fail(fmt::format("{} by 0", what));
    }
  }

  [[nodiscard, gnu::noinline]] std::int64_t power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) {
      fail(fmt::format("{}^{}: the exponent is negative, and numbers are whole", base, exponent));
    }
    std::int64_t result = 1;
    if (base == 0 || base == 1 || base == -1) {
      return exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
    }
    for (std::int64_t i = 0; i < exponent; ++i) {  // 64 turns at most
      if (__builtin_mul_overflow(result, base, &result) || result == kUnset) {
        fail_range("^", base, exponent);
      }
    }
    return result;
  }

  [[nodiscard, gnu::noinline]] std::int64_t shift_left(std::int64_t value, std::int64_t by) const {
    if (by < 0) {
      fail(fmt::format("{} << {}: the number of bits is negative", value, by));
    }
    if (value == 0) {
      return 0;
    }
    std::int64_t result = 0;
    if (by > 62 ||
        __builtin_mul_overflow(value, std::int64_t{1} << static_cast<unsigned>(by), &result) ||
        result == kUnset) {
      fail_range("<<", value, by);
    }
    return result;
  }

  [[nodiscard, gnu::noinline]] std::int64_t shift_right(std::int64_t value, std::int64_t by) const {
    if (by < 0) {
      fail(fmt::format("{} >> {}: the number of bits is negative", value, by));
    }
    return value >> static_cast<unsigned>(std::min<std::int64_t>(by, 63));
  }

  [[nodiscard, gnu::noinline]] std::int64_t log2(std::int64_t value, bool up) const {
    if (value < 1) {
      fail(fmt::format("log2 of {}: only numbers from 1 on have one", value));
    }
    const auto bits = static_cast<std::uint64_t>(value);
    const auto width = static_cast<std::int64_t>(std::bit_width(bits));
    return up && !std::has_single_bit(bits) ? width : width - 1;
  }

  // ---- trees ----

  const Children& children_in(std::size_t tree) {
    std::optional<Children>& known = trees_[tree];
    if (!known) {
      Problem with_tree = problem_;
      if (tree != kOptionTree) {
        with_tree.tree = kTreeNames[tree];
      } else if (const auto reason = refuse_pipeline(problem_)) {
        refuse(*reason);
      }
      known.emplace();
      known->first.resize(problem_.ranks);
      known->count.resize(problem_.ranks);
      for (const RootedTree::Edge& edge : rooted_tree(with_tree).edges) {
        if (known->count[edge.parent]++ == 0) {
          known->first[edge.parent] = static_cast<std::uint32_t>(known->ranks.size());
        }
        known->ranks.push_back(edge.child);
      }
    }
    return *known;
  }

  void children(const Instruction& at) {
    const Children& tree = children_in(at.c);
    const std::int64_t rank = slots_[at.b];
    if (rank < 0 || rank >= problem_.ranks) {
      fail(fmt::format("children of rank {}: the ranks are 0 to {}", rank, problem_.ranks - 1));
    }
    lists_.clear(at.a);
    const auto parent = static_cast<std::size_t>(rank);
    state_.count_steps(tree.count[parent]);
    for (std::uint32_t i = 0; i < tree.count[parent]; ++i) {
      lists_.push(at.a, tree.ranks[tree.first[parent] + i]);
    }
  }

  // ---- blocks ----

  void check_blocks(std::int64_t blocks) const {
    if (blocks < 1 || blocks > kMostBlocks) {
      fail(fmt::format("{} blocks: a vector has 1 to {}", blocks, kMostBlocks));
    }
  }

  [[gnu::noinline]] void block_count(std::int64_t blocks) {
    check_blocks(blocks);
    emission_.blocks().set_layout(
        BlockLayout::even(problem_.elements(), static_cast<std::uint32_t>(blocks),
                          problem_.element_bytes),
        state_.place());
  }

  [[nodiscard]] std::uint64_t whole_elements(std::int64_t bytes) const {
    if (bytes < 0 || bytes % problem_.element_bytes != 0) {
      fail(fmt::format("{} bytes are not a whole number of {}-byte elements", bytes,
                       problem_.element_bytes));
    }
    return static_cast<std::uint64_t>(bytes) / problem_.element_bytes;
  }

  [[gnu::noinline]] void segment_size(std::int64_t bytes) {
    const std::uint64_t elements = whole_elements(bytes);
    if (elements == 0) {
      fail("segments of 0 bytes: a segment has at least one element");
    }
    check_blocks(static_cast<std::int64_t>(segment_count(problem_.elements(), elements)));
    emission_.blocks().set_layout(
        BlockLayout::segmented(problem_.elements(), elements, problem_.element_bytes),
        state_.place());
  }

  [[gnu::noinline]] void block_sizes(const Numbers& sizes) {
    check_blocks(std::ssize(sizes));
    std::vector<std::uint64_t> elements;
    elements.reserve(sizes.size());
    std::uint64_t sum = 0;
    for (const std::int64_t bytes : sizes) {
      elements.push_back(whole_elements(bytes));
      sum += elements.back();
      if (sum > problem_.elements()) {
        break;  // or it might overflow
      }
    }
    if (sum != problem_.elements()) {
      fail(fmt::format("the sizes of the blocks do not add up to the vector's {} bytes",
                       problem_.bytes));
    }
    emission_.blocks().set_layout(BlockLayout::irregular(elements, problem_.element_bytes),
                                  state_.place());
  }

  [[nodiscard, gnu::noinline]] std::int64_t bytes_of_blocks(std::int64_t first,
                                                            std::int64_t count) {
    const BlockLayout& layout = emission_.blocks().layout();
    if (first < 0 || first >= layout.blocks()) {
      fail(fmt::format("block {}: the blocks are 0 to {}", first, layout.blocks() - 1));
    }
    if (count < 0 || count > layout.blocks()) {
      fail(fmt::format("{} blocks: there are {}", count, layout.blocks()));
    }
    return static_cast<std::int64_t>(
        layout.run_bytes(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)));
  }

  // ---- the run ----

  // What is seldom done stands in functions of its own, so that the loop keeps to its registers.
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(fmt::format("{} cannot run: {}", source_.algorithm, why));
  }
  [[gnu::noinline]] void check_even() const {
    if (!even_) {
      refuse(fmt::format(
          "{} bytes make blocks of different sizes on {} ranks, and the program "
          "takes M, the bytes of each, for one number; take a multiple of {}",
          problem_.bytes, problem_.ranks, std::uint64_t{problem_.ranks} * problem_.element_bytes));
    }
  }

  void run() {
    const Instruction* const code = code_.instructions.data();
    std::int64_t* const r = slots_.data();
    const Instruction* next = code;
    std::int64_t result = 0;
    while (true) {
      const Instruction& at = *next++;
      state_.at = &at;
      switch (at.code) {
        case Code::halt:
          return;
        case Code::move:
          r[at.a] = r[at.b];
          break;
        case Code::check_set:
          if (r[at.a] == kUnset) [[unlikely]] {
            fail(fmt::format("'{}' has no value here: what assigns to it did not run",
                             code_.names[at.b]));
          }
          break;
        case Code::add:
          if (__builtin_add_overflow(r[at.b], r[at.c], &result) || result == kUnset) [[unlikely]] {
            fail_range("+", r[at.b], r[at.c]);
          }
          r[at.a] = result;
          break;
        case Code::subtract:
          if (__builtin_sub_overflow(r[at.b], r[at.c], &result) || result == kUnset) [[unlikely]] {
            fail_range("-", r[at.b], r[at.c]);
          }
          r[at.a] = result;
          break;
        case Code::multiply:
          if (__builtin_mul_overflow(r[at.b], r[at.c], &result) || result == kUnset) [[unlikely]] {
            fail_range("*", r[at.b], r[at.c]);
          }
          r[at.a] = result;
          break;
        case Code::divide:
        case Code::ceil_divide:
          check_divisor(r[at.c], "division");
          r[at.a] = floor_divide(r[at.b], r[at.c]) +
                    (at.code == Code::ceil_divide && r[at.b] % r[at.c] != 0 ? 1 : 0);
          break;
        case Code::modulo:
          check_divisor(r[at.c], "mod");
          r[at.a] = floor_modulo(r[at.b], r[at.c]);
          break;
        case Code::power:
          r[at.a] = r[at.b] == 2 && static_cast<std::uint64_t>(r[at.c]) < 62
                        ? std::int64_t{1} << static_cast<unsigned>(r[at.c])
                        : power(r[at.b], r[at.c]);
          break;
        case Code::shift_left:
          r[at.a] = shift_left(r[at.b], r[at.c]);
          break;
        case Code::shift_right:
          r[at.a] = shift_right(r[at.b], r[at.c]);
          break;
        case Code::exclusive_or:
          result = r[at.b] ^ r[at.c];
          if (result == kUnset) [[unlikely]] {
            fail_range("xor", r[at.b], r[at.c]);
          }
          r[at.a] = result;
          break;
        case Code::minimum:
          r[at.a] = std::min(r[at.b], r[at.c]);
          break;
        case Code::maximum:
          r[at.a] = std::max(r[at.b], r[at.c]);
          break;
        case Code::negate:
          r[at.a] = -r[at.b];
          break;
        case Code::logical_not:
          r[at.a] = r[at.b] == 0 ? 1 : 0;
          break;
        case Code::floor_log2:
          r[at.a] = log2(r[at.b], false);
          break;
        case Code::ceil_log2:
          r[at.a] = log2(r[at.b], true);
          break;
        case Code::equal:
          r[at.a] = r[at.b] == r[at.c] ? 1 : 0;
          break;
        case Code::unequal:
          r[at.a] = r[at.b] != r[at.c] ? 1 : 0;
          break;
        case Code::less:
          r[at.a] = r[at.b] < r[at.c] ? 1 : 0;
          break;
        case Code::less_equal:
          r[at.a] = r[at.b] <= r[at.c] ? 1 : 0;
          break;
        case Code::difference_modulo: {
          check_divisor(r[at.d], "diff_mod");
          std::int64_t difference = 0;
          if (__builtin_sub_overflow(r[at.b], r[at.c], &difference) || difference == kUnset)
              [[unlikely]] {
            fail_range("-", r[at.b], r[at.c]);
          }
          // Mostly it is one turn at most.
          r[at.a] = difference >= 0 && difference < r[at.d] ? difference
                                                            : floor_modulo(difference, r[at.d]);
          break;
        }
        case Code::jump:
          next = code + at.a;
          break;
        case Code::jump_back:
          state_.count_steps(1);
          next = code + at.a;
          break;
        case Code::jump_if_zero:
          if (r[at.b] == 0) {
            next = code + at.a;
          }
          break;
        case Code::jump_unless_equal:
          if (r[at.b] != r[at.c]) {
            next = code + at.a;
          }
          break;
        case Code::jump_unless_unequal:
          if (r[at.b] == r[at.c]) {
            next = code + at.a;
          }
          break;
        case Code::jump_unless_less:
          if (r[at.b] >= r[at.c]) {
            next = code + at.a;
          }
          break;
        case Code::jump_unless_less_equal:
          if (r[at.b] > r[at.c]) {
            next = code + at.a;
          }
          break;
        case Code::loop_up:
          if (r[at.b] >= r[at.c]) {
            next = code + at.d;
          } else {
            state_.count_steps(1);
            r[at.a] = r[at.b]++;
          }
          break;
        case Code::loop_down:
          if (r[at.b] <= r[at.c]) {
            next = code + at.d;
          } else {
            state_.count_steps(1);
            r[at.a] = r[at.b]--;
          }
          break;
        case Code::loop_members:
          if (r[at.b] >= std::ssize(lists_[at.c])) {
            next = code + at.d;
          } else {
            state_.count_steps(1);
            r[at.a] = lists_[at.c][static_cast<std::size_t>(r[at.b]++)];
          }
          break;
        case Code::list_get:
          r[at.a] = lists_.member(at.b, r[at.c]);
          break;
        case Code::block_count:
          block_count(r[at.a]);
          break;
        case Code::segment_size:
          segment_size(r[at.a]);
          break;
        case Code::block_sizes:
          block_sizes(lists_[at.a]);
          break;
        case Code::bytes_of_blocks:
          r[at.a] = bytes_of_blocks(r[at.b], r[at.c]);
          break;
        case Code::check_even:
          check_even();
          break;
        case Code::refuse:
          refuse(code_.texts[at.a]);
        case Code::operation:
          emission_.operation(code_.operations[at.a], slots_, lists_.all());
          break;
        case Code::set_begin:
          emission_.begin_set();
          break;
        case Code::set_take:
          emission_.take_into_set(code_.requests[at.a], slots_);
          break;
        case Code::set_end:
          emission_.end_set(code_.requests[at.a], at.b != 0, slots_);
          break;
        default:
          list_instruction(at);
          break;
      }
    }
  }

  [[gnu::noinline]] void list_instruction(const Instruction& at) {
    std::int64_t* const r = slots_.data();
    switch (at.code) {
      case Code::list_clear:
        lists_.clear(at.a);
        break;
      case Code::list_push:
        lists_.push(at.a, r[at.b]);
        break;
      case Code::list_fill:
        lists_.fill(at.a, r[at.b], r[at.c], at.d == kNone ? std::nullopt : std::optional(r[at.d]));
        break;
      case Code::list_fits:
        lists_.check_fits(at.a, r[at.b]);
        break;
      case Code::list_copy:
        lists_.copy(at.a, at.b);
        break;
      case Code::list_join:
        lists_.join(at.a, at.b);
        break;
      case Code::list_set:
        lists_.set_member(at.a, r[at.b], r[at.c]);
        break;
      case Code::list_has:
        r[at.a] = lists_.has(at.c, r[at.b]) ? 1 : 0;
        break;
      case Code::list_size:
        r[at.a] = std::ssize(lists_[at.b]);
        break;
      case Code::list_children:
        children(at);
        break;
      default:
        TUTTI_INVARIANT(at.code == Code::halt);  // there are no others
    }
  }

  const CompiledCode& code_;
  const Source& source_;
  const Problem& problem_;
  RunState state_;
  Numbers slots_;
  Lists lists_;
  bool even_ = true;
  std::array<std::optional<Children>, kTreeNames.size() + 1> trees_;  // the last: --tree's
  Emission emission_;
};

}  // namespace

Schedule evaluate(const CompiledCode& code, const Source& source, const Problem& problem,
                  Detail detail, const ProgramLimits& limits) {
  return Evaluator(code, source, problem, detail, limits).evaluate();
}

}  // namespace tutti::program
