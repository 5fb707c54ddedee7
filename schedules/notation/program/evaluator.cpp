#include "schedules/notation/program/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "schedules/notation/notation_error.hpp"
#include "schedules/notation/program/arithmetic.hpp"
#include "schedules/notation/program/emission.hpp"
#include "schedules/notation/program/lists.hpp"
#include "schedules/notation/program/tree_children.hpp"
#include "schedules/notation/program/vector_split.hpp"
#include "schedules/patterns/segmented_tree.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules { namespace program {

namespace {

constexpr std::uint64_t kDefaultSegmentBytes = 64 * 1024;

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
        trees_(problem),
        emission_(code, problem, detail, state_) {
    give(InputVariable::ranks, problem.ranks);
    give(InputVariable::root, problem.root);
    give(InputVariable::cores, problem.ranks_per_node);
    give(InputVariable::element_bytes, problem.element_bytes);
    give(InputVariable::segment_bytes,
         static_cast<std::int64_t>(segment_elements(problem, kDefaultSegmentBytes) *
                                   problem.element_bytes));
    const bool one_part = owns_parts(problem.collective) && !reduces(problem.collective);
    even_ = !one_part || problem.elements() % problem.ranks == 0;
    give(InputVariable::message_bytes,
         static_cast<std::int64_t>(one_part ? problem.bytes / problem.ranks : problem.bytes));
  }

  Schedule evaluate() {
    try {
      run();
    } catch (const Fault& fault) {
      if (fault.uneven) {
        refuse(Sentence(place_in(source_.file, source_.text, fault.place) + ": " + fault.what +
                        circumstances()));
      }
      fail_notation(source_.file, source_.text, fault.place, fault.what + circumstances());
    } catch (const CallRefusal& refused) {
      refuse(refused);
    }
    try {
      return emission_.finish(source_.text);
    } catch (const CallRefusal& refused) {
      refuse(refused);
    }
  }

 private:
  void give(InputVariable which, std::int64_t value) {
    slots_[static_cast<std::size_t>(which)] = value;
  }

  [[noreturn]] void fail(std::string what) const { state_.fail(std::move(what)); }

  // Returns a text such as " (N = 5, n = 3)": the number of ranks, and the variables of the loops
  // around the current instruction.
  [[nodiscard]] std::string circumstances() const {
    std::string text = fmt::format(" (N = {}", problem_.ranks);
    for (const LoopVariable& loop : code_.loops) {
      if (loop.begin < state_.position() && state_.position() < loop.end) {
        text += fmt::format(", {} = {}", loop.name, slots_[loop.slot]);
      }
    }
    return text + ")";
  }

  void children(const Instruction& at) {
    if (at.c == kOptionTree && !trees_.knows(kOptionTree)) {
      if (const auto reason = refuse_pipeline(problem_)) {
        refuse(*reason);
      }
    }
    const std::int64_t rank = slots_[at.b];
    if (rank < 0 || rank >= problem_.ranks) {
      fail(fmt::format("children of rank {}: the ranks are 0 to {}", rank, problem_.ranks - 1));
    }
    lists_.clear(at.a);
    const std::span<const Rank> children = trees_.of(static_cast<Rank>(rank), at.c);
    state_.count_steps(children.size());
    for (const Rank child : children) {
      lists_.push(at.a, child);
    }
  }

  // Rare instructions are handled in separate functions, so that the main loop can keep its values
  // in registers.
  [[noreturn]] void refuse(const Sentence& why) const {
    throw UnservedProblem(why.after(fmt::format("{} cannot run: ", source_.algorithm)));
  }
  [[noreturn]] void refuse(const CallRefusal& refused) const {
    refuse(refused.why.after(fmt::format("its {}, {}: ", refused.algorithm->full_name(),
                                         place_in(source_.file, source_.text, refused.place))));
  }
  [[gnu::noinline]] void split(const Instruction& at) {
    const std::int64_t number = at.code == Code::block_sizes ? 0 : slots_[at.a];
    emission_.blocks().set_layout(
        at.code == Code::block_count    ? split_evenly(problem_, number, state_)
        : at.code == Code::segment_size ? split_in_segments(problem_, number, state_)
                                        : split_in_sizes(problem_, lists_[at.a], state_),
        state_.place());
  }
  [[gnu::noinline]] void check_even() const {
    if (!even_) {
      refuse(sentence(
          "{} bytes make blocks of different sizes on {} ranks, but the program uses M, the size "
          "of every block; use a multiple of {} bytes",
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
            fail(fmt::format("'{}' has no value here: no assignment to it has run",
                             code_.names[at.b]));
          }
          break;
        case Code::add:
          if (__builtin_add_overflow(r[at.b], r[at.c], &result) || result == kUnset) [[unlikely]] {
            fail_range(state_, "+", r[at.b], r[at.c]);
          }
          r[at.a] = result;
          break;
        case Code::subtract:
          if (__builtin_sub_overflow(r[at.b], r[at.c], &result) || result == kUnset) [[unlikely]] {
            fail_range(state_, "-", r[at.b], r[at.c]);
          }
          r[at.a] = result;
          break;
        case Code::multiply:
          if (__builtin_mul_overflow(r[at.b], r[at.c], &result) || result == kUnset) [[unlikely]] {
            fail_range(state_, "*", r[at.b], r[at.c]);
          }
          r[at.a] = result;
          break;
        case Code::divide:
        case Code::ceil_divide:
          check_divisor(state_, r[at.c], "division");
          r[at.a] = floor_divide(r[at.b], r[at.c]) +
                    (at.code == Code::ceil_divide && r[at.b] % r[at.c] != 0 ? 1 : 0);
          break;
        case Code::modulo:
          check_divisor(state_, r[at.c], "mod");
          r[at.a] = floor_modulo(r[at.b], r[at.c]);
          break;
        case Code::power:
          r[at.a] = r[at.b] == 2 && static_cast<std::uint64_t>(r[at.c]) < 62
                        ? std::int64_t{1} << static_cast<unsigned>(r[at.c])
                        : power(state_, r[at.b], r[at.c]);
          break;
        case Code::shift_left:
          r[at.a] = shift_left(state_, r[at.b], r[at.c]);
          break;
        case Code::shift_right:
          r[at.a] = shift_right(state_, r[at.b], r[at.c]);
          break;
        case Code::exclusive_or:
          result = r[at.b] ^ r[at.c];
          if (result == kUnset) [[unlikely]] {
            fail_range(state_, "xor", r[at.b], r[at.c]);
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
          r[at.a] = log2(state_, r[at.b], false);
          break;
        case Code::ceil_log2:
          r[at.a] = log2(state_, r[at.b], true);
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
          check_divisor(state_, r[at.d], "diff_mod");
          std::int64_t difference = 0;
          if (__builtin_sub_overflow(r[at.b], r[at.c], &difference) || difference == kUnset)
              [[unlikely]] {
            fail_range(state_, "-", r[at.b], r[at.c]);
          }
          // The difference is mostly in range already.
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
        case Code::segment_size:
        case Code::block_sizes:
          split(at);
          break;
        case Code::bytes_of_blocks:
          r[at.a] = bytes_of_blocks(emission_.blocks().layout(), r[at.b], r[at.c], state_);
          break;
        case Code::check_even:
          check_even();
          break;
        case Code::refuse:
          refuse(code_.texts[at.a]);
        case Code::operation:
          emission_.operation(code_.operations[at.a], slots_, lists_.all());
          break;
        case Code::use:
          emission_.call(code_.uses[at.a], slots_, lists_.all());
          break;
        case Code::begin_round:
          emission_.begin_round();
          break;
        case Code::end_round:
          emission_.end_round();
          break;
        case Code::next_level:
          r[at.a] = emission_.next_level(r[at.b]);
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
      case Code::list_range:
        lists_.append_range(at.a, r[at.b], r[at.c], r[at.d],
                            r[static_cast<std::size_t>(InputVariable::ranks)]);
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
        // All other instructions are handled in run().
        TUTTI_INVARIANT(at.code == Code::halt);
    }
  }

  const CompiledCode& code_;
  const Source& source_;
  const Problem& problem_;
  RunState state_;
  Numbers slots_;
  Lists lists_;
  bool even_ = true;
  TreeChildren trees_;
  Emission emission_;
};

}  // namespace

Schedule evaluate(const CompiledCode& code, const Source& source, const Problem& problem,
                  Detail detail, const ProgramLimits& limits) {
  return Evaluator(code, source, problem, detail, limits).evaluate();
}

}}}  // namespace tutti::schedules::program
