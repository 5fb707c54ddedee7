// What a program is compiled to: flat code over numbered slots, each a 64-bit integer, and numbered
// lists. Variables, constants and what expressions leave on their way all have a slot each.
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

// In the remarks r[x] is slot x, list[x] list x, and pc the next instruction.
enum class Code : std::uint8_t {
  halt,
  move,       // r[a] = r[b]
  check_set,  // r[a] was assigned; b is its name
  add,        // r[a] = r[b] + r[c], and so on
  subtract,
  multiply,
  divide,  // rounds down
  ceil_divide,
  modulo,  // of the sign of the divisor
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
  jump_back,          // the same, at the end of a turn of a while loop
  jump_if_zero,       // if r[b] == 0: pc = a
  jump_unless_equal,  // unless r[b] == r[c]: pc = a, and so on
  jump_unless_unequal,
  jump_unless_less,
  jump_unless_less_equal,
  loop_up,       // if r[b] >= r[c]: pc = d; else r[a] = r[b]++
  loop_down,     // if r[b] <= r[c]: pc = d; else r[a] = r[b]--
  loop_members,  // if r[b] >= size of list[c]: pc = d; else r[a] = list[c][r[b]++]
  list_clear,    // list[a]
  list_push,     // r[b] to the end of list[a]
  list_fill,     // from r[b] to r[c] to the end of list[a], which is to have r[d] members, or kNone
  list_range,    // r[b], r[b] + r[d], ... up to r[c] to the end of list[a]
  list_fits,     // list[a] has at most r[b] members
  list_copy,     // list[a] = list[b]
  list_join,     // what list[a] lacks of list[b], to its end
  list_get,      // r[a] = list[b][r[c]]
  list_set,      // list[a][r[b]] = r[c]
  list_has,      // r[a] = r[b] is in list[c]
  list_size,     // r[a] = size of list[b]
  list_children,    // list[a] = children of rank r[b] in the tree of number c: kTreeNames, or
                    // kOptionTree
  bytes_of_blocks,  // r[a] = bytes of r[c] blocks from block r[b] on
  check_even,       // M is one number
  block_count,      // r[a] blocks
  segment_size,     // blocks of r[a] bytes
  block_sizes,      // list[a]
  refuse,           // text a
  operation,        // operation a
  use,              // call a of an algorithm
  next_level,       // r[a] = the first level above all that rank r[b] had a part in
  set_begin,        // what follows goes into a set
  set_take,         // all that request a names goes into it
  set_end,          // assigned to request a; if b is 1, added
};

struct Instruction {
  Code code = Code::halt;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
};

// Req(<level,segment>,...), by the slots that hold the numbers.
struct RequestCode {
  enum class Kind : std::uint8_t { one, two, rank, index };
  Kind kind = Kind::rank;
  bool has_segment = false;
  std::uint32_t level = 0;
  std::uint32_t segment = 0;  // where none is given, of a 0
  std::uint32_t first = 0;    // rank
  std::uint32_t second = 0;   // of two; else the first
  std::uint32_t place = 0;    // in the text
};

// work[first:count:run/distance], by slots; or a list of blocks.
struct SideCode {
  bool given = false;  // the blocks; otherwise they are those of the other side
  Buffer buffer = Buffer::work;
  std::uint32_t slot = kNone;
  std::uint32_t first = kNone;
  std::uint32_t count = kNone;  // where none is given, of a 1
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
  bool no_blocks = false;   // none given: a message of all bytes moves all of them, work to work
  bool adds = false;        // to a request, where there is one
  bool either_way = false;  // the label may name the receiver first: it belongs to several messages
  bool plain = false;       // neither slots, nor patterns, nor lists
  std::vector<RequestCode> after;
};

// An option of an algorithm that is called: a word; or the number in a slot; or what the user gave.
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
  SideCode on;                   // where blocks are given; else all
  std::uint32_t shares = kNone;  // list
  std::uint32_t shares_place = 0;
  std::uint32_t root = kNone;
  std::uint32_t root_place = 0;
  std::vector<UseOption> options;
};

// Variables that the language knows from the start; each has the slot of its number.
enum class Given : std::uint8_t { ranks, root, message_bytes, segment_bytes, cores, element_bytes };
inline constexpr std::size_t kGivens = 6;
inline constexpr std::array<const char*, kGivens> kGivenNames{"N", "R", "M", "S", "C", "E"};

// `tree` itself, beside the trees that have names: the one that --tree says.
inline constexpr std::size_t kOptionTree = kTreeNames.size();
inline constexpr std::string_view kOptionTreeName = "tree";

// The variable of a loop, and where in the code the loop is: for messages.
struct LoopVariable {
  std::uint32_t slot;
  std::string name;
  std::size_t begin;
  std::size_t end;
};

struct CompiledCode {
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> places;  // in the text, of each instruction
  std::vector<std::int64_t> slots;    // what they hold at the start
  std::uint32_t lists = 0;
  std::vector<OperationCode> operations;
  std::vector<RequestCode> requests;
  std::vector<UseCode> uses;
  std::vector<std::string> names;  // of variables, for messages
  std::vector<std::string> texts;
  std::vector<LoopVariable> loops;
  // What is named in After(...) and on the right of '=': whether sets of ranks must be kept, with
  // and without segments.
  bool names_levels = false;
  bool names_segments = false;
  bool names_single = false;  // a request of one or two ranks
  bool names_traces = false;  // what ranks are done with: by calls, and by level()
  bool sets_layout = false;
  unsigned options = 0;  // bits of Option
};

// What a variable holds until it is assigned. No number is that small: arithmetic refuses it.
inline constexpr std::int64_t kUnset = INT64_MIN;

}  // namespace tutti::inline schedules::program
