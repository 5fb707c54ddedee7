// The code to which a program is compiled: flat instructions on numbered slots, each a 64-bit
// integer, and on numbered lists. Each variable, constant and intermediate result has a slot.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "schedules/op.hpp"
#include "schedules/options/tree.hpp"

namespace tutti::inline schedules {
struct Algorithm;
struct OptionType;
}  // namespace tutti::inline schedules

namespace tutti::inline schedules::program {

inline constexpr std::uint32_t kNone = 0xffffffffU;  // of a slot or list: not given

// In the comments, r[x] is slot x, list[x] is list x, and pc is the next instruction.
enum class Code : std::uint8_t {
  halt,
  move,       // r[a] = r[b]
  check_set,  // fail unless r[a] was assigned; b is its name
  add,        // r[a] = r[b] + r[c], and so on
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
  negate,  // r[a] = -r[b], and so on
  logical_not,
  floor_log2,
  ceil_log2,
  equal,  // r[a] = r[b] == r[c], and so on
  unequal,
  less,
  less_equal,
  difference_modulo,  // r[a] = (r[b] + r[d] - r[c]) mod r[d]
  jump,               // pc = a
  jump_back,          // same, at the end of an iteration of a while loop
  jump_if_zero,       // if r[b] == 0: pc = a
  jump_unless_equal,  // unless r[b] == r[c]: pc = a, and so on
  jump_unless_unequal,
  jump_unless_less,
  jump_unless_less_equal,
  loop_up,          // if r[b] >= r[c]: pc = d; else r[a] = r[b]++
  loop_down,        // if r[b] <= r[c]: pc = d; else r[a] = r[b]--
  loop_members,     // if r[b] >= size of list[c]: pc = d; else r[a] = list[c][r[b]++]
  list_clear,       // empty list[a]
  list_push,        // append r[b] to list[a]
  list_fill,        // append r[b], ..., r[c] to list[a]; exactly r[d] of them, unless d is kNone
  list_range,       // append r[b], r[b] + r[d], ... up to r[c] to list[a]
  list_fits,        // fail if list[a] has more than r[b] members
  list_copy,        // list[a] = list[b]
  list_join,        // append the members of list[b] that list[a] lacks
  list_get,         // r[a] = list[b][r[c]]
  list_set,         // list[a][r[b]] = r[c]
  list_has,         // r[a] = r[b] is in list[c]
  list_size,        // r[a] = size of list[b]
  list_children,    // list[a] = children of rank r[b] in tree c: an index of kTreeNames,
                    // or kOptionTree
  bytes_of_blocks,  // r[a] = bytes of r[c] blocks from block r[b] on
  check_even,       // fail unless M is one number
  block_count,      // split the vector into r[a] blocks
  segment_size,     // split the vector into blocks of r[a] bytes
  block_sizes,      // split the vector into blocks with the sizes in list[a]
  refuse,           // refuse the problem, with text a
  operation,        // emit operation a
  use,              // call algorithm: uses[a]
  next_level,       // r[a] = the first level above all operations of rank r[b]
  set_begin,        // begin a set
  set_take,         // add all operations that request a names to the set
  set_end,          // assign the set to request a, or add it if b is 1
};

struct Instruction {
  Code code = Code::halt;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
};

// Req(<level,segment>,...). Its numbers are given as slots.
struct RequestCode {
  enum class Kind : std::uint8_t { one, two, rank, index };
  Kind kind = Kind::rank;
  bool has_segment = false;
  std::uint32_t level = 0;
  std::uint32_t segment = 0;  // a slot with 0 if not given
  std::uint32_t first = 0;    // rank
  std::uint32_t second = 0;   // for Kind::two; otherwise same as `first`
  std::uint32_t place = 0;    // in the text
};

// work[first:count:run/distance], given as slots, or a list of blocks.
struct SideCode {
  bool given = false;  // blocks are given; otherwise those of the other side are used
  Buffer buffer = Buffer::work;
  std::uint32_t slot = kNone;
  std::uint32_t first = kNone;
  std::uint32_t count = kNone;  // a slot with 1 if not given
  std::uint32_t run = kNone;
  std::uint32_t distance = kNone;
  std::uint32_t list = kNone;
  std::uint32_t place = 0;
};

struct OperationCode {
  OpKind kind = OpKind::comm;
  RequestCode label;
  bool into_set = false;  // part of Req(l,n) = ...
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint32_t bytes = kNone;
  std::uint32_t bytes_place = 0;
  SideCode from;
  SideCode into;
  Operand from_is = Operand::left;
  bool no_blocks = false;   // blocks are not given; a message of all bytes then moves all
  bool adds = false;        // added to its request, if that exists
  bool either_way = false;  // the label may name the receiver first: it has several messages
  bool plain = false;       // has no slots, patterns or lists
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
  std::uint32_t members = kNone;  // list
  std::uint32_t members_place = 0;
  SideCode on;                   // the blocks, if given; otherwise all
  std::uint32_t shares = kNone;  // list
  std::uint32_t shares_place = 0;
  std::uint32_t root = kNone;
  std::uint32_t root_place = 0;
  std::vector<UseOption> options;
};

// Predefined variables. Each is in the slot of its number here.
enum class Given : std::uint8_t { ranks, root, message_bytes, segment_bytes, cores, element_bytes };
inline constexpr std::size_t kGivens = 6;
inline constexpr std::array<const char*, kGivens> kGivenNames{"N", "R", "M", "S", "C", "E"};

// The tree `tree`, in addition to the named ones: the tree that the user gives with --tree.
inline constexpr std::size_t kOptionTree = kTreeNames.size();
inline constexpr std::string_view kOptionTreeName = "tree";

// The variable of a loop and the loop's range in the code, for error messages.
struct LoopVariable {
  std::uint32_t slot;
  std::string name;
  std::size_t begin;
  std::size_t end;
};

struct CompiledCode {
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> places;  // by instruction: its place in the text
  std::vector<std::int64_t> slots;    // initial values
  std::uint32_t lists = 0;
  std::vector<OperationCode> operations;
  std::vector<RequestCode> requests;
  std::vector<UseCode> uses;
  std::vector<std::string> names;  // of variables, for messages
  std::vector<std::string> texts;
  std::vector<LoopVariable> loops;
  // The kinds of requests that After(...) and the right sides of '=' name. They decide if sets of
  // ranks must be kept, with or without segments.
  bool names_levels = false;
  bool names_segments = false;
  bool names_single = false;  // a request of one or two ranks
  bool names_traces = false;  // needs the last operations of ranks, for calls and level()
  bool sets_layout = false;
  unsigned options = 0;  // bits of Option
};

// The value of a variable before it is assigned. It is not a valid number: arithmetic rejects it.
inline constexpr std::int64_t kUnset = INT64_MIN;

}  // namespace tutti::inline schedules::program
