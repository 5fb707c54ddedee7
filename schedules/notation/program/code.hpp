// The code to which a program is compiled: flat instructions on numbered slots, each a 64-bit
// integer, and on numbered lists. Each variable, constant and intermediate result has a slot.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "schedules/op.hpp"
#include "schedules/options/tree.hpp"

namespace tutti { inline namespace schedules {
struct Algorithm;
struct OptionType;
}}  // namespace tutti::schedules

namespace tutti { inline namespace schedules { namespace program {

// Marks a slot or list that is not given.
inline constexpr std::uint32_t kNone = 0xffffffffU;

// In the comments, a to d are the operands of the instruction, r[x] is slot x, list[x] is list x,
// and pc is the index of the next instruction. names, texts, operations, requests and uses are
// members of CompiledCode.
enum class Code : std::uint8_t {
  halt,
  move,       // r[a] = r[b]
  check_set,  // fail unless r[a] was assigned; names[b] is the variable
  add,        // r[a] = r[b] + r[c]; the next instructions use other operators
  subtract,
  multiply,
  divide,  // rounds down
  ceil_divide,
  modulo,  // has the sign of the divisor
  power,
  shift_left,
  shift_right,
  exclusive_or,
  minimum,
  maximum,
  negate,  // r[a] = -r[b]; the next instructions use other functions of r[b]
  logical_not,
  floor_log2,
  ceil_log2,
  equal,  // r[a] = r[b] == r[c]; the next instructions make other comparisons
  unequal,
  less,
  less_equal,
  difference_modulo,  // r[a] = (r[b] + r[d] - r[c]) mod r[d]
  jump,               // pc = a
  jump_back,          // pc = a, at the end of an iteration of a while loop
  jump_if_zero,       // if r[b] == 0: pc = a
  jump_unless_equal,  // unless r[b] == r[c]: pc = a; the next instructions make other comparisons
  jump_unless_unequal,
  jump_unless_less,
  jump_unless_less_equal,
  loop_up,       // if r[b] >= r[c]: pc = d; else r[a] = r[b]++
  loop_down,     // if r[b] <= r[c]: pc = d; else r[a] = r[b]--
  loop_members,  // if r[b] >= size of list[c]: pc = d; else r[a] = list[c][r[b]++]
  list_clear,    // empty list[a]
  list_push,     // append r[b] to list[a]
  list_fill,     // append r[b], ..., r[c] to list[a]: all, or r[d] evenly spaced ones if d is given
  list_range,    // append r[b], r[b] + r[d], ... up to r[c] to list[a]
  list_fits,     // fail if list[a] has more than r[b] members
  list_copy,     // list[a] = list[b]
  list_join,     // append the members of list[b] that list[a] lacks
  list_get,      // r[a] = list[b][r[c]]
  list_set,      // list[a][r[b]] = r[c]
  list_has,      // r[a] = 1 if r[b] is in list[c], else 0
  list_size,     // r[a] = size of list[b]
  list_children,    // list[a] = children of rank r[b] in tree c: an index of kTreeNames,
                    // or kOptionTree
  bytes_of_blocks,  // r[a] = bytes of r[c] blocks from block r[b] on
  check_even,       // refuse the problem if blocks differ in size, so that M has no value
  block_count,      // split the vector into r[a] blocks
  segment_size,     // split the vector into blocks of r[a] bytes
  block_sizes,      // split the vector into blocks with the sizes in list[a]
  refuse,           // refuse the problem; the message is texts[a]
  operation,        // emit operations[a]
  use,              // call an algorithm, as uses[a] describes
  begin_round,      // until end_round, next_level gives the levels at this place
  end_round,
  next_level,  // r[a] = the first level above all operations of rank r[b]
  set_begin,   // begin a set
  set_take,    // add all operations that requests[a] names to the set
  set_end,     // assign the set to requests[a]; if b is 1, add it instead
};

struct Instruction {
  Code code = Code::halt;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
};

// Req(<level,segment>,...). `level`, `segment`, `first` and `second` are the slots that hold these
// numbers.
struct RequestCode {
  enum class Kind : std::uint8_t { one, two, rank, index };
  Kind kind = Kind::rank;
  bool has_segment = false;
  std::uint32_t level = 0;
  // Slot of the segment. If no segment is given, the slot holds 0.
  std::uint32_t segment = 0;
  // Slot of the first rank.
  std::uint32_t first = 0;
  // Slot of the second rank for Kind::two; otherwise the same slot as `first`.
  std::uint32_t second = 0;
  // Offset of the request in the program's text.
  std::uint32_t place = 0;
};

// One side of an arrow: either a list of blocks or work[first:count:run/distance]. Each of these
// numbers is given by its slot.
struct SideCode {
  // False if no blocks are given; the blocks of the other side are then used.
  bool given = false;
  Buffer buffer = Buffer::work;
  std::uint32_t slot = kNone;
  std::uint32_t first = kNone;
  // Slot of the number of blocks. If no count is given, the slot holds 1.
  std::uint32_t count = kNone;
  std::uint32_t run = kNone;
  std::uint32_t distance = kNone;
  std::uint32_t list = kNone;
  std::uint32_t place = 0;
};

struct OperationCode {
  OpKind kind = OpKind::comm;
  RequestCode label;
  // True if the operation is part of the right side of Req(l,n) = ...
  bool into_set = false;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint32_t bytes = kNone;
  std::uint32_t bytes_place = 0;
  SideCode from;
  SideCode into;
  Operand from_is = Operand::left;
  // True if no blocks are given. A message with the bytes of the whole vector then moves all
  // blocks.
  bool no_blocks = false;
  // True for `+=`: the operation is added to its request if the request exists.
  bool adds = false;
  // True if the label may name the receiver before the sender, because its request has several
  // messages.
  bool either_way = false;
  // True if the blocks have no scratch slots, patterns or lists.
  bool plain = false;
  std::vector<RequestCode> after;
};

// An option of a called algorithm: a word, the number in a slot, or the user's own value
// (`as_given`).
struct UseOption {
  const OptionType* type = nullptr;
  std::string word;
  std::uint32_t slot = kNone;
  bool as_given = false;
  std::uint32_t place = 0;
};

// use COLLECTIVE/ALGORITHM among LIST ...
struct UseCode {
  const Algorithm* algorithm = nullptr;
  std::uint32_t place = 0;
  // Number of the list of ranks after `among`.
  std::uint32_t members = kNone;
  std::uint32_t members_place = 0;
  // The blocks after `on`; all blocks if there is no `on`.
  SideCode on;
  // Number of the list after `shares`, or kNone.
  std::uint32_t shares = kNone;
  std::uint32_t shares_place = 0;
  std::uint32_t root = kNone;
  std::uint32_t root_place = 0;
  std::vector<UseOption> options;
};

// Predefined variables. The number of each enumerator is also the number of the variable's slot.
enum class InputVariable : std::uint8_t {
  ranks,
  root,
  message_bytes,
  segment_bytes,
  cores,
  element_bytes
};
inline constexpr std::size_t kInputVariables = 6;
inline constexpr std::array<const char*, kInputVariables> kInputVariableNames{"N", "R", "M",
                                                                              "S", "C", "E"};

// In addition to the trees with names, a program can use the tree `tree`: the one that the user
// gives with --tree.
inline constexpr std::size_t kOptionTree = kTreeNames.size();
inline constexpr std::string_view kOptionTreeName = "tree";

// The variable of a loop, and the range of instructions in the loop, for error messages.
struct LoopVariable {
  std::uint32_t slot;
  std::string name;
  std::size_t begin;
  std::size_t end;
};

struct CompiledCode {
  std::vector<Instruction> instructions;
  // For each instruction: its offset in the text.
  std::vector<std::uint32_t> places;
  // The initial values of all slots.
  std::vector<std::int64_t> slots;
  std::uint32_t lists = 0;
  std::vector<OperationCode> operations;
  std::vector<RequestCode> requests;
  std::vector<UseCode> uses;
  // The names of variables, for error messages.
  std::vector<std::string> names;
  std::vector<std::string> texts;
  std::vector<LoopVariable> loops;
  // True if a request in After(...) or on the right side of a '=' names a set of operations: by
  // level, as in Req(l) or Req(l,n), or by level and segment, as in Req(<l,s>,n). These flags
  // decide which sets of operations must be kept while the program runs.
  bool names_levels = false;
  bool names_segments = false;
  // True if such a request names a single operation by its one or two ranks, as in Req(0,{1,2}).
  bool names_single = false;
  // True if the last operations of each rank must be kept, because the program has calls or uses
  // level() or a round.
  bool names_traces = false;
  bool sets_layout = false;
  // The options that the program uses, as bits of Option.
  unsigned options = 0;
};

// The value of a variable before the first assignment. Programs never see this value, because no
// result of arithmetic may be equal to it.
inline constexpr std::int64_t kUnset = INT64_MIN;

}}}  // namespace tutti::schedules::program
