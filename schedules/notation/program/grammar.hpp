// The grammar of a statement, for PEGTL. README.md beside this folder has it for people.
//
// What must come once a form is begun stands in must<>, with a text in `expected` below: that text
// is what an error says.
#pragma once

#include <tao/pegtl.hpp>

#include <cstdint>

#include "schedules/notation/program/syntax.hpp"

namespace tutti::program::grammar {

using namespace tao::pegtl;  // NOLINT(google-build-using-namespace): a grammar in its own language

// Rules have names in the style of PEGTL's own, among which they stand.
// NOLINTBEGIN(readability-identifier-naming)

// How deep brackets and signs stand in each other.
struct Depth {
  std::uint32_t now = 0;
  std::uint32_t most = 0;
};
struct TooDeep {
  const char* place;
};

template <typename Rule>
struct nested {
  using rule_t = nested;
  using subs_t = type_list<Rule>;

  template <apply_mode A, rewind_mode M, template <typename...> class Action,
            template <typename...> class Control, typename Input, typename... States>
  static bool match(Input& in, Depth& depth, States&&... states) {
    if (depth.now >= depth.most) {
      throw TooDeep{in.current()};
    }
    ++depth.now;
    const bool matched = Control<Rule>::template match<A, M, Action, Control>(in, depth, states...);
    --depth.now;
    return matched;
  }
};

// Blank space, and comments after it.
struct blank : one<' ', '\t', '\r', '\n'> {};
struct comment : seq<one<'#'>, until<at<eolf>>> {};
struct blanks : star<plus<blank>, opt<comment>> {};

template <char... Symbol>
struct sign : seq<string<Symbol...>, blanks> {};
template <char... Letters>
struct word : seq<string<Letters...>, not_at<identifier_other>, blanks> {};

struct kw_for : word<'f', 'o', 'r'> {};
struct kw_while : word<'w', 'h', 'i', 'l', 'e'> {};
struct kw_in : word<'i', 'n'> {};
struct kw_if : word<'i', 'f'> {};
struct kw_elif : word<'e', 'l', 'i', 'f'> {};
struct kw_else : word<'e', 'l', 's', 'e'> {};
struct kw_and : word<'a', 'n', 'd'> {};
struct kw_or : word<'o', 'r'> {};
struct kw_not : word<'n', 'o', 't'> {};
struct kw_mod : seq<string<'m', 'o', 'd'>, not_at<identifier_other>> {};
struct kw_xor : seq<string<'x', 'o', 'r'>, not_at<identifier_other>> {};
struct kw_to : seq<string<'t', 'o'>, not_at<identifier_other>> {};
struct kw_downto : seq<string<'d', 'o', 'w', 'n', 't', 'o'>, not_at<identifier_other>> {};
struct kw_op : word<'o', 'p'> {};
struct kw_req : word<'R', 'e', 'q'> {};
struct kw_comm : word<'C', 'o', 'm', 'm'> {};
struct kw_reduce : word<'R', 'e', 'd', 'u', 'c', 'e'> {};
struct kw_copy : word<'C', 'o', 'p', 'y'> {};
struct kw_after : word<'A', 'f', 't', 'e', 'r'> {};
struct kw_refuse : word<'r', 'e', 'f', 'u', 's', 'e'> {};
struct kw_blocks : word<'b', 'l', 'o', 'c', 'k', 's'> {};
struct kw_segments : word<'s', 'e', 'g', 'm', 'e', 'n', 't', 's'> {};
struct kw_block_bytes : word<'b', 'l', 'o', 'c', 'k', '_', 'b', 'y', 't', 'e', 's'> {};
struct kw_input : word<'i', 'n', 'p', 'u', 't'> {};
struct kw_work : word<'w', 'o', 'r', 'k'> {};
struct kw_scratch : word<'s', 'c', 'r', 'a', 't', 'c', 'h'> {};

struct reserved
    : sor<kw_for, kw_while, kw_in, kw_if, kw_elif, kw_else, kw_and, kw_or, kw_not, kw_mod, kw_xor,
          kw_to, kw_downto, kw_op, kw_req, kw_comm, kw_reduce, kw_copy, kw_after, kw_refuse,
          kw_blocks, kw_segments, kw_block_bytes, kw_input, kw_work, kw_scratch> {};

// Selected for the tree without the blank space behind them.
struct name_text : seq<not_at<reserved>, identifier> {};
struct name : seq<name_text, blanks> {};
struct number_text : seq<plus<digit>, not_at<identifier_other>> {};
struct number : seq<number_text, blanks> {};
template <typename Rule>
struct symbol_text : Rule {};
template <typename Rule>
struct symbol : seq<symbol_text<Rule>, blanks> {};

struct expression;
struct arithmetic;  // no comparison
struct power;

struct closing_parenthesis : sign<')'> {};
struct closing_bracket : sign<']'> {};
struct closing_brace : sign<'}'> {};
struct some_expression : seq<expression> {};
struct some_arithmetic : seq<arithmetic> {};

struct call : seq<name_text, blanks, sign<'('>, list_must<some_expression, sign<','>>,
                  must<closing_parenthesis>> {};
struct element : seq<name_text, blanks, sign<'['>, must<some_expression>, must<closing_bracket>> {};
struct parentheses : seq<sign<'('>, must<some_expression>, must<closing_parenthesis>> {};
struct dots_text : seq<two<'.'>, plus<one<'.'>>> {};
struct dots : seq<dots_text, blanks> {};
struct member : sor<dots, expression> {};
struct list : seq<sign<'{'>, opt<tao::pegtl::list_must<member, sign<','>>>, must<closing_brace>> {};
struct primary : sor<number, call, element, name, parentheses, list> {};

struct exponent;
struct power : seq<primary, opt<symbol<one<'^'>>, must<exponent>>> {};
struct signed_operand;
struct minus : seq<sign<'-'>, must<signed_operand>> {};
struct unary : nested<sor<minus, power>> {};
struct signed_operand : seq<unary> {};
struct exponent : seq<unary> {};

template <typename Operand>
struct right : Operand {};
template <typename Operand, typename Operator>
struct chain : seq<Operand, star<symbol<Operator>, must<right<Operand>>>> {};

struct times : sor<one<'*'>, one<'/'>, kw_mod> {};
struct product : chain<unary, times> {};
struct plus_or_minus : sor<seq<one<'+'>, not_at<one<'='>>>, seq<one<'-'>, not_at<one<'>'>>>> {};
struct sum : chain<product, plus_or_minus> {};
struct shifting : sor<string<'<', '<'>, string<'>', '>'>> {};
struct shift : chain<sum, shifting> {};
struct exclusive_or : chain<shift, kw_xor> {};
struct arithmetic : nested<exclusive_or> {};

struct comparing : sor<string<'=', '='>, string<'!', '='>, string<'<', '='>, string<'>', '='>,
                       one<'<'>, one<'>'>, seq<string<'i', 'n'>, not_at<identifier_other>>> {};
struct comparison : seq<arithmetic, opt<symbol<comparing>, must<some_arithmetic>>> {};
struct negated;
struct negation_sign : seq<kw_not, must<negated>> {};
struct condition : sor<negation_sign, comparison> {};
struct negated : nested<condition> {};
struct conjunction : seq<condition, star<kw_and, must<right<condition>>>> {};
struct alternatives : seq<conjunction, star<kw_or, must<right<conjunction>>>> {};
struct expression : nested<alternatives> {};

// Req(<level,segment>,{src,dst}).
struct level : seq<arithmetic> {};
struct tuple_level : seq<sum> {};
struct tuple_segment : seq<sum> {};
struct tuple_comma : sign<','> {};
struct tuple_end : sign<'>'> {};
struct index : sor<seq<sign<'<'>, must<tuple_level>, must<tuple_comma>, must<tuple_segment>,
                       must<tuple_end>>,
                   level> {};
struct label_rank : seq<arithmetic> {};
struct pair_end : sign<'}'> {};
struct pair : seq<sign<'{'>, must<label_rank>, opt<sign<','>, must<label_rank>>, must<pair_end>> {};
struct whole_rank : seq<arithmetic> {};
struct opening_parenthesis : sign<'('> {};
struct some_index : seq<index> {};
struct ranks_comma : sign<','> {};
struct some_ranks : sor<pair, whole_rank> {};
struct request : seq<kw_req, must<opening_parenthesis>, must<some_index>, must<ranks_comma>,
                     must<some_ranks>, must<closing_parenthesis>> {};

// work[first:count:run/distance] -> scratch#slot
struct buffer_text : sor<string<'i', 'n', 'p', 'u', 't'>, string<'w', 'o', 'r', 'k'>,
                         string<'s', 'c', 'r', 'a', 't', 'c', 'h'>> {};
struct slot_value : sor<number, name, parentheses> {};
struct slot : seq<one<'#'>, must<slot_value>> {};
struct run_value : seq<power> {};
struct run_slash : sign<'/'> {};
struct run : seq<must<run_value>, must<run_slash>, must<some_arithmetic>> {};
struct block_count_of_side : seq<arithmetic> {};
struct count : seq<must<block_count_of_side>, opt<sign<':'>, run>> {};
struct first_block : seq<arithmetic> {};
struct blocks
    : seq<must<first_block>, sor<seq<sign<':'>, count>, star<sign<','>, must<some_arithmetic>>>> {};
struct side : seq<buffer_text, not_at<identifier_other>, opt<slot>, blanks,
                  opt<sign<'['>, blocks, must<closing_bracket>>> {};
struct target : seq<side> {};
struct move : seq<side, opt<sign<'-', '>'>, must<target>>> {};
struct right_operand : seq<side> {};
struct arrow : sign<'-', '>'> {};
struct op_sign : seq<kw_op> {};
struct reduction : seq<side, must<op_sign>, must<right_operand>, must<arrow>, must<target>> {};

struct bytes : seq<arithmetic> {};
struct sender : seq<arithmetic> {};
struct receiver : seq<arithmetic> {};
struct performer : seq<arithmetic> {};
struct receiver_comma : sign<','> {};
struct bytes_comma : sign<','> {};
struct some_move : seq<move> {};
struct some_reduction : seq<reduction> {};
struct bytes_or_move : sor<move, seq<bytes, opt<sign<','>, must<some_move>>>> {};
struct bytes_and_move : sor<move, seq<bytes, must<bytes_comma>, must<some_move>>> {};
struct bytes_and_reduction : sor<reduction, seq<bytes, must<bytes_comma>, must<some_reduction>>> {};
struct comm
    : seq<kw_comm, must<opening_parenthesis>, must<sender>, must<receiver_comma>, must<receiver>,
          must<bytes_comma>, must<bytes_or_move>, must<closing_parenthesis>> {};
struct reduce : seq<kw_reduce, must<opening_parenthesis>, must<performer>, must<bytes_comma>,
                    must<bytes_and_reduction>, must<closing_parenthesis>> {};
struct copy : seq<kw_copy, must<opening_parenthesis>, must<performer>, must<bytes_comma>,
                  must<bytes_and_move>, must<closing_parenthesis>> {};
struct named_request : seq<request> {};
struct after : seq<kw_after, must<opening_parenthesis>, list_must<named_request, sign<','>>,
                   must<closing_parenthesis>> {};
struct term : sor<seq<sor<comm, reduce, copy>, opt<after>>, request> {};
struct some_term : seq<term> {};
struct equals : sor<string<'+', '='>, seq<one<'='>, not_at<one<'='>>>> {};
struct request_equals : symbol<equals> {};
struct requests
    : seq<request, must<request_equals>, must<some_term>, star<sign<'+'>, must<some_term>>> {};

// Statements.
struct end_value : seq<expression> {};
struct for_members : seq<name, kw_in, must<some_expression>> {};
struct for_below : seq<name, sign<'<'>, must<end_value>> {};
struct to_or_downto : symbol<sor<kw_to, kw_downto>> {};
struct for_steps
    : seq<name, sign<'='>, must<some_arithmetic>, must<to_or_downto>, must<some_arithmetic>> {};
struct for_between : seq<arithmetic, sign<'<', '='>, name, sign<'<'>, must<end_value>> {};
struct for_header : sor<for_members, for_steps, for_between, for_below> {};
struct for_loop : seq<kw_for, must<for_header>> {};
struct while_loop : seq<kw_while, must<some_expression>> {};
struct if_branch : seq<kw_if, must<some_expression>> {};
struct elif_branch : seq<kw_elif, must<some_expression>> {};
struct else_branch : seq<kw_else> {};
struct quoted : until<one<'"'>, not_one<'\n'>> {};
struct quoted_text : seq<one<'"'>, must<quoted>, blanks> {};
struct refuse : seq<kw_refuse, must<quoted_text>> {};
struct block_count : seq<kw_blocks, must<some_expression>> {};
struct segment_size : seq<kw_segments, must<some_expression>> {};
struct block_sizes : seq<kw_block_bytes, must<some_expression>> {};
struct assign_equals : symbol<equals> {};
struct assignment : seq<sor<element, name>, must<assign_equals>, must<some_expression>> {};
struct any_statement : sor<for_loop, while_loop, if_branch, elif_branch, else_branch, refuse,
                           block_count, segment_size, block_sizes, requests, assignment> {};
struct statement_end : eof {};
struct statement : seq<blanks, must<any_statement>, must<statement_end>> {};

// Which rules become nodes of the tree. `folds`: only where they have several children.
template <typename Rule>
inline constexpr Syntax kind = Syntax::none;
template <typename Rule>
inline constexpr bool folds = false;

template <>
inline constexpr Syntax kind<number_text> = Syntax::number;
template <>
inline constexpr Syntax kind<name_text> = Syntax::name;
template <typename Rule>
inline constexpr Syntax kind<symbol_text<Rule>> = Syntax::symbol;
template <>
inline constexpr Syntax kind<call> = Syntax::call;
template <>
inline constexpr Syntax kind<element> = Syntax::element;
template <>
inline constexpr Syntax kind<dots_text> = Syntax::dots;
template <>
inline constexpr Syntax kind<list> = Syntax::list;
template <>
inline constexpr Syntax kind<power> = Syntax::power;
template <>
inline constexpr bool folds<power> = true;
template <>
inline constexpr Syntax kind<minus> = Syntax::minus;
template <>
inline constexpr Syntax kind<product> = Syntax::product;
template <>
inline constexpr bool folds<product> = true;
template <>
inline constexpr Syntax kind<right<product>> = Syntax::product;
template <>
inline constexpr bool folds<right<product>> = true;
template <>
inline constexpr Syntax kind<sum> = Syntax::sum;
template <>
inline constexpr bool folds<sum> = true;
template <>
inline constexpr Syntax kind<right<sum>> = Syntax::sum;
template <>
inline constexpr bool folds<right<sum>> = true;
template <>
inline constexpr Syntax kind<shift> = Syntax::shift;
template <>
inline constexpr bool folds<shift> = true;
template <>
inline constexpr Syntax kind<right<shift>> = Syntax::shift;
template <>
inline constexpr bool folds<right<shift>> = true;
template <>
inline constexpr Syntax kind<exclusive_or> = Syntax::exclusive_or;
template <>
inline constexpr bool folds<exclusive_or> = true;
template <>
inline constexpr Syntax kind<comparison> = Syntax::comparison;
template <>
inline constexpr bool folds<comparison> = true;
template <>
inline constexpr Syntax kind<negation_sign> = Syntax::negation;
template <>
inline constexpr Syntax kind<conjunction> = Syntax::conjunction;
template <>
inline constexpr bool folds<conjunction> = true;
template <>
inline constexpr Syntax kind<right<conjunction>> = Syntax::conjunction;
template <>
inline constexpr bool folds<right<conjunction>> = true;
template <>
inline constexpr Syntax kind<alternatives> = Syntax::alternatives;
template <>
inline constexpr bool folds<alternatives> = true;
template <>
inline constexpr Syntax kind<index> = Syntax::index;
template <>
inline constexpr Syntax kind<pair> = Syntax::pair;
template <>
inline constexpr Syntax kind<whole_rank> = Syntax::rank;
template <>
inline constexpr Syntax kind<request> = Syntax::request;
template <>
inline constexpr Syntax kind<buffer_text> = Syntax::buffer;
template <>
inline constexpr Syntax kind<slot> = Syntax::slot;
template <>
inline constexpr Syntax kind<run> = Syntax::run;
template <>
inline constexpr Syntax kind<count> = Syntax::count;
template <>
inline constexpr Syntax kind<blocks> = Syntax::blocks;
template <>
inline constexpr Syntax kind<side> = Syntax::side;
template <>
inline constexpr Syntax kind<bytes> = Syntax::bytes;
template <>
inline constexpr Syntax kind<comm> = Syntax::comm;
template <>
inline constexpr Syntax kind<reduce> = Syntax::reduce;
template <>
inline constexpr Syntax kind<copy> = Syntax::copy;
template <>
inline constexpr Syntax kind<after> = Syntax::after;
template <>
inline constexpr Syntax kind<term> = Syntax::term;
template <>
inline constexpr Syntax kind<requests> = Syntax::requests;
template <>
inline constexpr Syntax kind<for_members> = Syntax::for_members;
template <>
inline constexpr Syntax kind<for_below> = Syntax::for_below;
template <>
inline constexpr Syntax kind<for_steps> = Syntax::for_steps;
template <>
inline constexpr Syntax kind<for_between> = Syntax::for_between;
template <>
inline constexpr Syntax kind<while_loop> = Syntax::while_loop;
template <>
inline constexpr Syntax kind<if_branch> = Syntax::if_branch;
template <>
inline constexpr Syntax kind<elif_branch> = Syntax::elif_branch;
template <>
inline constexpr Syntax kind<else_branch> = Syntax::else_branch;
template <>
inline constexpr Syntax kind<quoted> = Syntax::text;
template <>
inline constexpr Syntax kind<refuse> = Syntax::refuse;
template <>
inline constexpr Syntax kind<block_count> = Syntax::block_count;
template <>
inline constexpr Syntax kind<segment_size> = Syntax::segment_size;
template <>
inline constexpr Syntax kind<block_sizes> = Syntax::block_sizes;
template <>
inline constexpr Syntax kind<assignment> = Syntax::assignment;

// What was expected where a rule that must match does not.
template <typename Rule>
inline constexpr const char* expected = nullptr;

inline constexpr const char* kNumber = "a number, a variable or '('";
template <>
inline constexpr auto expected<any_statement> =
    "a statement: Req(...) =, NAME =, for, while, if, elif, else, blocks, segments, block_bytes "
    "or refuse";
template <>
inline constexpr auto expected<statement_end> = "an operator or the end of the line";
template <>
inline constexpr auto expected<some_expression> = "an expression";
template <>
inline constexpr auto expected<some_arithmetic> = kNumber;
template <>
inline constexpr auto expected<end_value> = "the value that the loop stays below";
template <>
inline constexpr auto expected<expression> = "an expression";
template <>
inline constexpr auto expected<member> = "a member of the list";
template <>
inline constexpr auto expected<right<product>> = kNumber;
template <>
inline constexpr auto expected<right<sum>> = kNumber;
template <>
inline constexpr auto expected<right<shift>> = kNumber;
template <>
inline constexpr auto expected<right<unary>> = kNumber;
template <>
inline constexpr auto expected<right<condition>> = "a condition";
template <>
inline constexpr auto expected<right<conjunction>> = "a condition";
template <>
inline constexpr auto expected<negated> = "a condition";
template <>
inline constexpr auto expected<signed_operand> = kNumber;
template <>
inline constexpr auto expected<exponent> = "the exponent";
template <>
inline constexpr auto expected<closing_parenthesis> = "',', ')' or an operator";
template <>
inline constexpr auto expected<closing_bracket> = "']' or an operator";
template <>
inline constexpr auto expected<closing_brace> = "',' or '}'";
template <>
inline constexpr auto expected<opening_parenthesis> = "'('";
template <>
inline constexpr auto expected<some_index> = "a level, or <level,segment>";
template <>
inline constexpr auto expected<tuple_level> = "a level";
template <>
inline constexpr auto expected<tuple_comma> = "',' and a segment";
template <>
inline constexpr auto expected<tuple_segment> = "a segment";
template <>
inline constexpr auto expected<tuple_end> = "'>' after level and segment";
template <>
inline constexpr auto expected<ranks_comma> = "',' and the ranks";
template <>
inline constexpr auto expected<some_ranks> = "a rank, or ranks in braces";
template <>
inline constexpr auto expected<label_rank> = "a rank";
template <>
inline constexpr auto expected<pair_end> = "'}' after one or two ranks";
template <>
inline constexpr auto expected<slot_value> = "the slot of scratch";
template <>
inline constexpr auto expected<first_block> = "a block";
template <>
inline constexpr auto expected<block_count_of_side> = "a number of blocks";
template <>
inline constexpr auto expected<run_value> = "the length of a run";
template <>
inline constexpr auto expected<run_slash> = "'/' and the distance between the starts of two runs";
template <>
inline constexpr auto expected<target> = "work or scratch, where the blocks go";
template <>
inline constexpr auto expected<op_sign> = "'op' and the right operand";
template <>
inline constexpr auto expected<right_operand> = "work or scratch, the right operand";
template <>
inline constexpr auto expected<arrow> = "'->' and where the result goes";
template <>
inline constexpr auto expected<sender> = "the sender";
template <>
inline constexpr auto expected<receiver> = "the receiver";
template <>
inline constexpr auto expected<performer> = "the rank";
template <>
inline constexpr auto expected<receiver_comma> = "',' and the receiver";
template <>
inline constexpr auto expected<bytes_comma> = "',' and bytes or blocks";
template <>
inline constexpr auto expected<bytes_or_move> = "bytes, or blocks such as work[0]";
template <>
inline constexpr auto expected<bytes_and_move> = "bytes, or blocks such as work[0]";
template <>
inline constexpr auto expected<bytes_and_reduction> =
    "bytes, or blocks such as scratch[0] op work[0] -> work[0]";
template <>
inline constexpr auto expected<some_move> = "blocks, such as work[0] -> scratch[0]";
template <>
inline constexpr auto expected<some_reduction> = "blocks, such as scratch[0] op work[0] -> work[0]";
template <>
inline constexpr auto expected<named_request> = "Req(...)";
template <>
inline constexpr auto expected<some_term> = "Comm(...), Reduce(...), Copy(...) or Req(...)";
template <>
inline constexpr auto expected<request_equals> = "'=' or '+=' and an operation";
template <>
inline constexpr auto expected<assign_equals> = "'=' or '+=' and a value";
template <>
inline constexpr auto expected<for_header> =
    "x < END, FIRST <= x < END, x = FIRST to LAST, x = FIRST downto LAST or x in LIST";
template <>
inline constexpr auto expected<to_or_downto> = "'to' or 'downto'";
template <>
inline constexpr auto expected<quoted_text> = "the reason, in double quotes";
template <>
inline constexpr auto expected<quoted> = "a text that ends with '\"'";

struct Errors {
  template <typename Rule>
  static constexpr const char* message = expected<Rule>;
  // Rules raise where must<> says so, and nowhere else.
  template <typename Rule>
  static constexpr bool raise_on_failure = false;
};
template <typename Rule>
using control = must_if<Errors>::control<Rule>;

// NOLINTEND(readability-identifier-naming)

}  // namespace tutti::program::grammar
