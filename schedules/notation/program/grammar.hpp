// The grammar of a statement, for PEGTL. README.md beside this file has it in readable form.
//
// Whatever must follow the beginning of a construct is a rule inside must<>. Each such rule is a
// wanted<>, which has the text that an error shows.
#pragma once

#include <tao/pegtl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/notation/program/syntax.hpp"

namespace tutti { inline namespace schedules { namespace program { namespace grammar {

using namespace tao::pegtl;  // NOLINT(google-build-using-namespace): a grammar in its own language

// Rules are named in the style of PEGTL's own rules, with which they are mixed.
// NOLINTBEGIN(readability-identifier-naming)

// Nesting depth of brackets and signs.
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

// A string literal as a template argument of rules.
template <std::size_t kSize>
struct Text {
  char text[kSize] = {};
  // NOLINTNEXTLINE(google-explicit-constructor): a literal as an argument of a template
  consteval Text(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
};
// A rule that becomes a node of the tree.
template <Syntax kKind, typename... Rules>
struct node : seq<Rules...> {
  static constexpr Syntax kind = kKind;
};
// A rule that becomes a node only if it has several operands. A single operand is its own node.
template <Syntax kKind, typename... Rules>
struct operands : node<kKind, Rules...> {
  static constexpr bool folds = true;
};
// A rule, and a text that describes it after "expected" in an error.
template <Text kWhat, typename... Rules>
struct wanted : seq<Rules...> {
  static constexpr const char* expected = kWhat.text;
};
inline constexpr Text kNumber = "a number, a variable or '('";
inline constexpr Text kCondition = "a condition";

// Rules that match characters have their own match functions, because g++ would need several times
// as long to compile them if they were composed of PEGTL's rules.
struct leaf {
  using subs_t = empty_list;
};

template <typename Input>
void skip(Input& in, const auto& skipped) {
  while (!in.empty() && skipped(in.peek_char())) {
    in.bump(1);
  }
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_of_word(char c) { return is_letter(c) || is_digit(c); }

template <typename Input>
std::string_view rest_of(const Input& in) {
  return {in.current(), in.size(0)};
}

// Length of the identifier at the beginning of `text`; 0 if there is none.
constexpr std::size_t identifier_length(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) {
    return 0;
  }
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_word);
  return static_cast<std::size_t>(end - text.begin());
}

// Blank space, and comments after it.
struct blanks : leaf {
  using rule_t = blanks;
  template <typename Input>
  static bool match(Input& in) {
    while (!in.empty() && is_blank(in.peek_char())) {
      skip(in, is_blank);
      if (!in.empty() && in.peek_char() == '#') {
        skip(in, [](char c) { return c != '\n'; });
      }
    }
    return true;
  }

 private:
  static constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
};

template <char... kSymbol>
struct sign : leaf {
  using rule_t = sign;
  template <typename Input>
  static bool match(Input& in) {
    constexpr char kText[]{kSymbol...};
    if (!rest_of(in).starts_with(std::string_view(kText, sizeof kText))) {
      return false;
    }
    in.bump(sizeof kText);
    return blanks::match(in);
  }
};

// A word without the blank space after it.
template <Text kWord>
struct word_text : leaf {
  using rule_t = word_text;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    if (text.substr(0, identifier_length(text)) != kWord.text) {
      return false;
    }
    in.bump(identifier_length(text));
    return true;
  }
};
template <Text kWord>
struct word : leaf {
  using rule_t = word;
  template <typename Input>
  static bool match(Input& in) {
    return word_text<kWord>::match(in) && blanks::match(in);
  }
};

struct kw_for : word<"for"> {};
struct kw_while : word<"while"> {};
struct kw_in : word<"in"> {};
struct kw_if : word<"if"> {};
struct kw_elif : word<"elif"> {};
struct kw_else : word<"else"> {};
struct kw_and : word<"and"> {};
struct kw_or : word<"or"> {};
struct kw_not : word<"not"> {};
struct kw_mod : word_text<"mod"> {};
struct kw_xor : word_text<"xor"> {};
struct kw_to : word_text<"to"> {};
struct kw_downto : word_text<"downto"> {};
struct kw_op : word<"op"> {};
struct kw_req : word<"Req"> {};
struct kw_comm : word<"Comm"> {};
struct kw_reduce : word<"Reduce"> {};
struct kw_copy : word<"Copy"> {};
struct kw_after : word<"After"> {};
struct kw_refuse : word<"refuse"> {};
struct kw_blocks : word<"blocks"> {};
struct kw_segments : word<"segments"> {};
struct kw_block_bytes : word<"block_bytes"> {};

inline constexpr std::string_view kReserved[] = {
    "for",   "while",  "in",     "if",       "elif",        "else",  "and",  "or",     "not",
    "mod",   "xor",    "to",     "downto",   "op",          "Req",   "Comm", "Reduce", "Copy",
    "After", "refuse", "blocks", "segments", "block_bytes", "input", "work", "scratch"};

// A name. Its node does not include the blank space after it.
struct name_text : leaf {
  using rule_t = name_text;
  static constexpr Syntax kind = Syntax::name;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    const std::size_t length = identifier_length(text);
    if (length == 0 ||
        std::ranges::find(kReserved, text.substr(0, length)) != std::end(kReserved)) {
      return false;
    }
    in.bump(length);
    return true;
  }
};
struct name : seq<name_text, blanks> {};
struct number_text : leaf {
  using rule_t = number_text;
  static constexpr Syntax kind = Syntax::number;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    const std::size_t length =
        std::min(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                          text.begin()),
                 text.size());
    if (length == 0 || (length < text.size() && is_of_word(text[length]))) {
      return false;
    }
    in.bump(length);
    return true;
  }
};
struct number : seq<number_text, blanks> {};
template <typename Rule>
struct symbol_text : Rule {
  static constexpr auto kind = Syntax::symbol;
};
template <typename Rule>
struct symbol : seq<symbol_text<Rule>, blanks> {};

struct expression;
// An expression without comparisons.
struct arithmetic;
struct power;

struct closing_parenthesis : wanted<"',', ')' or an operator", sign<')'>> {};
struct closing_bracket : wanted<"']' or an operator", sign<']'>> {};
struct closing_brace : wanted<"',' or '}'", sign<'}'>> {};
struct some_expression : wanted<"an expression", expression> {};
struct some_arithmetic : wanted<kNumber, arithmetic> {};

struct call : node<Syntax::call, name_text, blanks, sign<'('>,
                   list_must<some_expression, sign<','>>, must<closing_parenthesis>> {};
struct element : node<Syntax::element, name_text, blanks, sign<'['>, must<some_expression>,
                      must<closing_bracket>> {};
struct parentheses : seq<sign<'('>, must<some_expression>, must<closing_parenthesis>> {};
struct dots_text : node<Syntax::dots, two<'.'>, plus<one<'.'>>> {};
struct dots : seq<dots_text, blanks> {};
struct member : wanted<"a member of the list", sor<dots, expression>> {};
struct list : node<Syntax::list, sign<'{'>, opt<tao::pegtl::list_must<member, sign<','>>>,
                   must<closing_brace>> {};
struct primary : sor<number, call, element, name, parentheses, list> {};

struct exponent;
struct power : operands<Syntax::power, primary, opt<symbol<one<'^'>>, must<exponent>>> {};
struct signed_operand;
struct minus : node<Syntax::minus, sign<'-'>, must<signed_operand>> {};
struct unary : nested<sor<minus, power>> {};
struct signed_operand : wanted<kNumber, unary> {};
struct exponent : wanted<"the exponent", unary> {};

// The operand to the right of an operator. It matches the same rule as the left operand, but has a
// text for errors.
template <typename Operand>
struct right : Operand {
  static constexpr const char* expected = kNumber.text;
};
template <typename Operand, typename Operator>
struct chain : seq<Operand, star<symbol<Operator>, must<right<Operand>>>> {};

struct times : sor<one<'*'>, one<'/'>, kw_mod> {};
struct product : operands<Syntax::product, chain<unary, times>> {};
struct plus_or_minus : sor<seq<one<'+'>, not_at<one<'='>>>, seq<one<'-'>, not_at<one<'>'>>>> {};
struct sum : operands<Syntax::sum, chain<product, plus_or_minus>> {};
struct shifting : sor<string<'<', '<'>, string<'>', '>'>> {};
struct shift : operands<Syntax::shift, chain<sum, shifting>> {};
struct exclusive_or : operands<Syntax::exclusive_or, chain<shift, kw_xor>> {};
struct arithmetic : nested<exclusive_or> {};

struct comparing : sor<string<'=', '='>, string<'!', '='>, string<'<', '='>, string<'>', '='>,
                       one<'<'>, one<'>'>, word_text<"in">> {};
struct comparison
    : operands<Syntax::comparison, arithmetic, opt<symbol<comparing>, must<some_arithmetic>>> {};
struct negated;
struct negation_sign : node<Syntax::negation, kw_not, must<negated>> {};
struct condition : sor<negation_sign, comparison> {};
struct negated : wanted<kCondition, nested<condition>> {};
template <typename Operand>
struct right_side : Operand {
  static constexpr const char* expected = kCondition.text;
};
struct conjunction
    : operands<Syntax::conjunction, condition, star<kw_and, must<right_side<condition>>>> {};
struct alternatives
    : operands<Syntax::alternatives, conjunction, star<kw_or, must<right_side<conjunction>>>> {};
struct expression : wanted<"an expression", nested<alternatives>> {};

// Req(<level,segment>,{src,dst}).
struct level : seq<arithmetic> {};
struct tuple_level : wanted<"a level", sum> {};
struct tuple_segment : wanted<"a segment", sum> {};
struct tuple_comma : wanted<"',' and a segment", sign<','>> {};
struct tuple_end : wanted<"'>' after level and segment", sign<'>'>> {};
struct index : node<Syntax::index, sor<seq<sign<'<'>, must<tuple_level>, must<tuple_comma>,
                                           must<tuple_segment>, must<tuple_end>>,
                                       level>> {};
struct label_rank : wanted<"a rank", arithmetic> {};
struct pair_end : wanted<"'}' after one or two ranks", sign<'}'>> {};
struct pair : node<Syntax::pair, sign<'{'>, must<label_rank>, opt<sign<','>, must<label_rank>>,
                   must<pair_end>> {};
struct whole_rank : node<Syntax::rank, arithmetic> {};
struct opening_parenthesis : wanted<"'('", sign<'('>> {};
struct some_index : wanted<"a level, or <level,segment>", index> {};
struct some_ranks : wanted<"a rank, or ranks in braces", sor<pair, whole_rank>> {};
struct request : node<Syntax::request, kw_req, must<opening_parenthesis>, must<some_index>,
                      opt<sign<','>, must<some_ranks>>, must<closing_parenthesis>> {};

// work[first:count:run/distance] -> scratch#slot
struct buffer_text
    : node<Syntax::buffer, sor<word_text<"input">, word_text<"work">, word_text<"scratch">>> {};
struct slot_value : wanted<"the scratch slot", sor<number, name, parentheses>> {};
struct slot : node<Syntax::slot, one<'#'>, must<slot_value>> {};
struct run_value : wanted<"the length of a run", power> {};
struct run_slash : wanted<"'/' and the distance between the starts of two runs", sign<'/'>> {};
struct run : node<Syntax::run, must<run_value>, must<run_slash>, must<some_arithmetic>> {};
struct block_count_of_side : wanted<"a number of blocks", arithmetic> {};
struct count : node<Syntax::count, must<block_count_of_side>, opt<sign<':'>, run>> {};
struct first_block : wanted<"a block", arithmetic> {};
struct blocks : node<Syntax::blocks, must<first_block>,
                     sor<seq<sign<':'>, count>, star<sign<','>, must<some_arithmetic>>>> {};
struct side : node<Syntax::side, buffer_text, opt<slot>, blanks,
                   opt<sign<'['>, blocks, must<closing_bracket>>> {};
struct target : wanted<"work or scratch, where the blocks go", side> {};
struct move : seq<side, opt<sign<'-', '>'>, must<target>>> {};
struct right_operand : wanted<"work or scratch, the right operand", side> {};
struct arrow : wanted<"'->' and where the result goes", sign<'-', '>'>> {};
struct op_sign : wanted<"'op' and the right operand", kw_op> {};
struct reduction : seq<side, must<op_sign>, must<right_operand>, must<arrow>, must<target>> {};

struct bytes : node<Syntax::bytes, arithmetic> {};
struct sender : wanted<"the sender", arithmetic> {};
struct receiver : wanted<"the receiver", arithmetic> {};
struct performer : wanted<"the rank", arithmetic> {};
struct receiver_comma : wanted<"',' and the receiver", sign<','>> {};
struct bytes_comma : wanted<"',' and bytes or blocks", sign<','>> {};
struct some_move : wanted<"blocks, such as work[0] -> scratch[0]", move> {};
struct some_reduction : wanted<"blocks, such as scratch[0] op work[0] -> work[0]", reduction> {};
struct bytes_or_move : wanted<"bytes, or blocks such as work[0]",
                              sor<move, seq<bytes, opt<sign<','>, must<some_move>>>>> {};
struct bytes_or_reduction
    : wanted<"bytes, or blocks such as scratch[0] op work[0] -> work[0]",
             sor<reduction, seq<bytes, opt<sign<','>, must<some_reduction>>>>> {};
struct comm
    : node<Syntax::comm, kw_comm, must<opening_parenthesis>, must<sender>, must<receiver_comma>,
           must<receiver>, must<bytes_comma>, must<bytes_or_move>, must<closing_parenthesis>> {};
struct reduce : node<Syntax::reduce, kw_reduce, must<opening_parenthesis>, must<performer>,
                     must<bytes_comma>, must<bytes_or_reduction>, must<closing_parenthesis>> {};
struct copy : node<Syntax::copy, kw_copy, must<opening_parenthesis>, must<performer>,
                   must<bytes_comma>, must<bytes_or_move>, must<closing_parenthesis>> {};
struct named_request : wanted<"Req(...)", request> {};
struct after : node<Syntax::after, kw_after, must<opening_parenthesis>,
                    list_must<named_request, sign<','>>, must<closing_parenthesis>> {};
struct term : node<Syntax::term, sor<seq<sor<comm, reduce, copy>, opt<after>>, request>> {};
struct some_term : wanted<"Comm(...), Reduce(...), Copy(...) or Req(...)", term> {};
struct equals : sor<string<'+', '='>, seq<one<'='>, not_at<one<'='>>>> {};
struct request_equals : wanted<"'=' or '+=' and an operation", symbol<equals>> {};
struct requests : node<Syntax::requests, request, must<request_equals>, must<some_term>,
                       star<sign<'+'>, must<some_term>>> {};

// Statements.
struct end_value : wanted<"the value that the loop stays below", expression> {};
struct for_members : node<Syntax::for_members, name, kw_in, must<some_expression>> {};
struct for_below : node<Syntax::for_below, name, sign<'<'>, must<end_value>> {};
struct to_or_downto : wanted<"'to' or 'downto'", symbol<sor<kw_to, kw_downto>>> {};
struct for_steps : node<Syntax::for_steps, name, sign<'='>, must<some_arithmetic>,
                        must<to_or_downto>, must<some_arithmetic>> {};
struct for_between
    : node<Syntax::for_between, arithmetic, sign<'<', '='>, name, sign<'<'>, must<end_value>> {};
struct for_header
    : wanted<"x < END, FIRST <= x < END, x = FIRST to LAST, x = FIRST downto LAST or x in LIST",
             sor<for_members, for_steps, for_between, for_below>> {};
struct for_loop : seq<kw_for, must<for_header>> {};
struct while_loop : node<Syntax::while_loop, kw_while, must<some_expression>> {};
struct if_branch : node<Syntax::if_branch, kw_if, must<some_expression>> {};
struct elif_branch : node<Syntax::elif_branch, kw_elif, must<some_expression>> {};
struct else_branch : node<Syntax::else_branch, kw_else> {};
// Not a reserved word: programs may have a variable of this name.
struct round : node<Syntax::round, word<"round">, at<eof>> {};
// The text of `refuse` is printed unchanged, so it must not have characters that control a
// terminal.
struct control_character : sor<range<'\0', '\x1f'>, one<'\x7f'>> {};
struct quoted : wanted<"a text that ends with '\"'",
                       node<Syntax::text, until<one<'"'>, seq<not_at<control_character>, any>>>> {};
struct quoted_text : wanted<"the reason, in double quotes", one<'"'>, must<quoted>, blanks> {};
struct refuse : node<Syntax::refuse, kw_refuse, must<quoted_text>> {};
struct block_count : node<Syntax::block_count, kw_blocks, must<some_expression>> {};
struct segment_size : node<Syntax::segment_size, kw_segments, must<some_expression>> {};
struct block_sizes : node<Syntax::block_sizes, kw_block_bytes, must<some_expression>> {};

// use COLLECTIVE/ALGORITHM among LIST on work[blocks] shares LIST root RANK with NAME VALUE, ...
// None of these words is reserved: programs may have variables of the same names.
struct kw_use : seq<word<"use">, not_at<sor<one<'='>, one<'['>, string<'+', '='>>>> {};
struct kw_among : word<"among"> {};
struct kw_by : word<"by"> {};
struct kw_on : word<"on"> {};
struct kw_shares : word<"shares"> {};
struct kw_root : word<"root"> {};
struct kw_with : word<"with"> {};
struct plain_word : seq<node<Syntax::word, plus<identifier_other>>, blanks> {};
struct collective_word : wanted<"COLLECTIVE/ALGORITHM, such as bcast/binomial", plain_word> {};
struct algorithm_slash : wanted<"'/' and an algorithm", sign<'/'>> {};
struct algorithm_word : wanted<"an algorithm", plain_word> {};
struct some_among : wanted<"'among' and the ranks", kw_among> {};
struct member_range
    : operands<Syntax::members, expression,
               opt<sign<'.', '.'>, must<some_arithmetic>, opt<kw_by, must<some_arithmetic>>>> {};
struct some_members : wanted<"ranks, such as {0, 3} or 0..N-1 by 4", member_range> {};
struct some_side : wanted<"blocks of work, such as work[0:2]", side> {};
struct on_clause : node<Syntax::on_clause, kw_on, must<some_side>> {};
struct shares_clause : node<Syntax::shares_clause, kw_shares, must<some_expression>> {};
struct root_clause : node<Syntax::root_clause, kw_root, must<label_rank>> {};
struct option_word : wanted<"an option of the algorithm", plain_word> {};
struct option_text : seq<one<'"'>, must<quoted>, blanks> {};
struct option_value : wanted<"the value of the option", sor<option_text, arithmetic>> {};
struct setting : node<Syntax::setting, must<option_word>, must<option_value>> {};
struct with_clause : node<Syntax::with_clause, kw_with, setting, star<sign<','>, setting>> {};
struct use_end : wanted<"on, shares, root, with or the end of the line", at<eof>> {};
struct use : node<Syntax::use, kw_use, must<collective_word>, must<algorithm_slash>,
                  must<algorithm_word>, must<some_among>, must<some_members>,
                  star<sor<on_clause, shares_clause, root_clause, with_clause>>, must<use_end>> {};

struct assign_equals : wanted<"'=' or '+=' and a value", symbol<equals>> {};
struct assignment
    : node<Syntax::assignment, sor<element, name>, must<assign_equals>, must<some_expression>> {};
inline constexpr Text kStatement =
    "a statement: Req(...) =, NAME =, for, while, if, elif, else, round, use, blocks, segments, "
    "block_bytes or refuse";
struct any_statement
    : wanted<kStatement,
             sor<for_loop, while_loop, if_branch, elif_branch, else_branch, round, refuse,
                 block_count, segment_size, block_sizes, requests, use, assignment>> {};
struct statement_end : wanted<"an operator or the end of the line", eof> {};
struct statement : seq<blanks, must<any_statement>, must<statement_end>> {};

template <typename Rule>
consteval Syntax kind_of() {
  if constexpr (requires { Rule::kind; }) {
    return Rule::kind;
  }
  return Syntax::none;
}
template <typename Rule>
consteval bool folds() {
  if constexpr (requires { Rule::folds; }) {
    return Rule::folds;
  }
  return false;
}
// Builds the syntax tree. `open` holds the nodes whose rules have begun and not ended; the first is
// the parent of the whole tree.
class Tree {
 public:
  Tree() { open_.push_back(std::make_unique<SyntaxNode>()); }

  void begin(Syntax kind, const char* begin) {
    open_.push_back(std::make_unique<SyntaxNode>());
    open_.back()->kind = kind;
    open_.back()->begin = begin;
  }
  // Ends the last node. If `folds`, a single child replaces it.
  void end(const char* end, bool folds) {
    std::unique_ptr<SyntaxNode> node = drop();
    node->end = end;
    if (folds && node->children.size() == 1) {
      std::unique_ptr<SyntaxNode> child = std::move(node->children.front());
      node = std::move(child);
    }
    open_.back()->children.push_back(std::move(node));
  }
  // Removes the last node, whose rule does not match.
  std::unique_ptr<SyntaxNode> drop() {
    std::unique_ptr<SyntaxNode> node = std::move(open_.back());
    open_.pop_back();
    return node;
  }
  [[nodiscard]] std::unique_ptr<SyntaxNode> take() {
    return std::move(open_.front()->children.front());
  }

 private:
  std::vector<std::unique_ptr<SyntaxNode>> open_;
};

// Raises errors for must<>, and builds the tree. PEGTL's parse_tree takes g++ ten seconds for this
// grammar. It would also remove the nodes inside a rule that has no node and does not match; in
// this grammar, such a rule fails only before its first node. PEGTL's own must_if tests if a rule's
// text is null, which g++ 12 does not accept as a constant under -fsanitize=undefined. This control
// tests whether the rule has a text at all.
template <typename Rule>
struct control : normal<Rule> {
  static constexpr bool enable = kind_of<Rule>() != Syntax::none;

  template <typename Input>
  static void start(const Input& in, Depth& /*unused*/, Tree& tree) {
    tree.begin(Rule::kind, in.current());
  }
  template <typename Input>
  static void success(const Input& in, Depth& /*unused*/, Tree& tree) {
    tree.end(in.current(), folds<Rule>());
  }
  template <typename Input>
  static void failure(const Input& /*unused*/, Depth& /*unused*/, Tree& tree) {
    tree.drop();
  }
  template <typename Input, typename... States>
  [[noreturn]] static void raise(const Input& in, States&&... /*unused*/) {
    static_assert(
        requires { Rule::expected; }, "every rule in must<> must be a wanted<>");
    throw parse_error(Rule::expected, in);
  }
};

// NOLINTEND(readability-identifier-naming)

}}}}  // namespace tutti::schedules::program::grammar
