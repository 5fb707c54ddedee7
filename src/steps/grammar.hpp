// The grammar of a statement of a step, for PEGTL. docs/how_to/steps.md has it in readable form.
//
// Whatever must follow the beginning of a construct is a rule inside must<>. Each such rule is a
// wanted<>, which has the text that an error shows. The first child of a statement's node is its
// keyword, or the name of its collective.
#pragma once

#include <algorithm>
#include <string_view>

#include "schedules/collective.hpp"
#include "schedules/notation/program/grammar.hpp"

namespace tutti { inline namespace steps { namespace step_grammar {

// A grammar in its own language, with rules that are named in the style of PEGTL's own rules.
using namespace tutti::program::grammar;  // NOLINT(google-build-using-namespace)
using tutti::program::Syntax;
// NOLINTBEGIN(readability-identifier-naming)

inline constexpr std::string_view kWordsOfSteps[] = {
    "step", "gpus",     "layout",  "group",    "let",      "algorithm", "repeat",  "stream",
    "name", "compute",  "wait",    "beside",   "whole",    "share",     "on",      "by",
    "root", "pipeline", "micro",   "forward",  "backward", "handover",  "virtual", "first",
    "last", "load",     "routing", "dispatch", "combine"};

// A keyword, which becomes a node.
template <Text kWord>
struct keyword : seq<node<Syntax::word, word_text<kWord>>, blanks> {};

struct free_name_text : leaf {
  using rule_t = free_name_text;
  static constexpr Syntax kind = Syntax::name;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    const std::size_t length = identifier_length(text);
    if (length == 0 ||
        std::ranges::find(kWordsOfSteps, text.substr(0, length)) != std::end(kWordsOfSteps)) {
      return false;
    }
    in.bump(length);
    return true;
  }
};
struct free_name : seq<free_name_text, blanks> {};

// A number with its unit, such as 436.2MB.
struct quantity_text : leaf {
  using rule_t = quantity_text;
  static constexpr Syntax kind = Syntax::number;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    if (text.empty() || !is_digit(text.front())) {
      return false;
    }
    const auto end = std::find_if_not(text.begin(), text.end(),
                                      [](char c) { return is_of_word(c) || c == '.'; });
    in.bump(static_cast<std::size_t>(end - text.begin()));
    return true;
  }
};
struct quantity : seq<quantity_text, blanks> {};

// The name of a collective. Anything else is not the beginning of a collective.
struct collective_text : leaf {
  using rule_t = collective_text;
  static constexpr Syntax kind = Syntax::word;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    const std::size_t length = identifier_length(text);
    if (length == 0 || !collective_meant(text.substr(0, length))) {
      return false;
    }
    in.bump(length);
    return true;
  }
};
struct collective_name : seq<collective_text, blanks> {};

struct formula;
struct some_formula : wanted<kNumber, formula> {};
struct formula_end : wanted<"')' or an operator", sign<')'>> {};
struct operand_in_parentheses : seq<sign<'('>, must<some_formula>, must<formula_end>> {};
struct operand : sor<quantity, free_name, operand_in_parentheses> {};
struct factors : operands<Syntax::product, chain<operand, sor<one<'*'>, one<'/'>>>> {};
struct terms : operands<Syntax::sum, chain<factors, sor<one<'+'>, one<'-'>>>> {};
struct formula : nested<terms> {};

struct index_end : wanted<"']' or an operator", sign<']'>> {};
struct handle
    : node<Syntax::element, free_name, opt<sign<'['>, must<some_formula>, must<index_end>>> {};
struct axis : node<Syntax::element, free_name, opt<formula>> {};
struct some_axis : wanted<"the name of an axis and its size, such as dp 64", axis> {};
struct axes : seq<must<some_axis>, star<sign<','>, must<some_axis>>> {};

struct title : wanted<"the name of the step, in double quotes", one<'"'>, must<quoted>, blanks> {};
struct step : seq<keyword<"step">, must<title>> {};
struct gpus : seq<keyword<"gpus">, must<some_formula>> {};
struct layout : seq<keyword<"layout">, axes> {};
struct new_name : wanted<"a name that is not a word of the language", free_name> {};
struct equals_sign : wanted<"'='", sign<'='>> {};
struct group : seq<keyword<"group">, must<new_name>, must<equals_sign>, axes> {};
struct let : seq<keyword<"let">, must<new_name>, must<equals_sign>, must<some_formula>> {};

struct group_name : wanted<"the name of a group", free_name> {};
struct on_group : node<Syntax::on_clause, word<"on">, must<group_name>> {};
struct all_collectives : seq<node<Syntax::word, word_text<"all">>, blanks> {};
struct which_collective
    : wanted<"a collective, such as allgather, or all", sor<all_collectives, collective_name>> {};
struct rest_of_statement : node<Syntax::text, plus<any>> {};
struct choice_words
    : wanted<"'by nccl', 'by best', or an algorithm, such as ring", rest_of_statement> {};
struct algorithm_rule
    : seq<keyword<"algorithm">, must<which_collective>, opt<on_group>, must<choice_words>> {};

struct some_stream : wanted<"'net', or the name of a group", free_name> {};
struct shares_compute_by : wanted<"'shares compute by' and a number", word<"shares">,
                                  word<"compute">, word<"by">, formula> {};
struct stream : seq<keyword<"stream">, must<some_stream>, must<shares_compute_by>> {};

struct size_words : sor<keyword<"whole">, keyword<"share">> {};
struct size_clause : node<Syntax::bytes, size_words, must<some_formula>> {};
struct on_which_group : wanted<"'on' and the name of a group", on_group> {};
struct size_or_group
    : wanted<"'whole' and the size of the full vector, or 'share' and that of a rank's part",
             sor<size_clause, at<word<"on">>>> {};
struct root_of_call : node<Syntax::root_clause, word<"root">, must<some_formula>> {};
struct load_of_call : node<Syntax::count, word<"load">, must<some_formula>> {};
struct collective_call : node<Syntax::use, collective_name, must<size_or_group>,
                              must<on_which_group>, opt<root_of_call>, opt<load_of_call>> {};

struct value_of_routing : node<Syntax::setting, free_name, must<some_formula>> {};
struct some_value_of_routing
    : wanted<"experts, top, tokens, skew, capacity, nodes or seed, and its value",
             value_of_routing> {};
struct routing : seq<keyword<"routing">, must<new_name>, must<some_value_of_routing>,
                     star<sign<','>, must<some_value_of_routing>>> {};
struct name_of_routing : wanted<"the name of a routing", free_name> {};
struct size_of_token : node<Syntax::bytes, word<"token">, must<some_formula>> {};
struct some_size_of_token : wanted<"'token' and the size of a token", size_of_token> {};
struct per_node : wanted<"'per node'", word<"per">, word<"node">> {};
struct word_pieces : wanted<"'pieces'", sor<word<"pieces">, word<"piece">>> {};
struct once_per_node : node<Syntax::slot, word<"once">, must<per_node>,
                            opt<word<"in">, must<some_formula>, must<word_pieces>>> {};
struct expert_call
    : node<Syntax::use, sor<keyword<"dispatch">, keyword<"combine">>, must<name_of_routing>,
           must<some_size_of_token>, must<on_which_group>, opt<once_per_node>> {};
struct any_call : sor<collective_call, expert_call> {};
struct some_call : wanted<"a collective, such as allgather", any_call> {};
struct beside : seq<keyword<"beside">, must<some_call>> {};
struct beside_or_call
    : wanted<"'beside' and a collective, or a collective", sor<beside, any_call>> {};
struct some_handle : wanted<"a name", handle> {};
struct colon : wanted<"':'", sign<':'>> {};
struct name_of_call : seq<keyword<"name">, must<some_handle>, must<colon>, must<beside_or_call>> {};
struct awaited : wanted<"a name or a group to wait for", handle> {};
struct wait : seq<keyword<"wait">, must<awaited>> {};
struct compute : seq<keyword<"compute">, must<some_formula>> {};
struct begin_of_operand : sor<quantity, free_name, one<'('>> {};
struct loop_variable : node<Syntax::element, free_name, at<begin_of_operand>> {};
struct repeat : seq<keyword<"repeat">, opt<loop_variable>, must<some_formula>> {};

struct stages : wanted<"the axis of the stages, such as pp", free_name> {};
struct micro_batches
    : wanted<"', micro' and the number of micro-batches", sign<','>, word<"micro">, formula> {};
struct virtual_stages : wanted<"'virtual' and the number of parts of the model at each stage",
                               word<"virtual">, formula> {};
struct pipeline : seq<keyword<"pipeline">, must<stages>, must<micro_batches>,
                      opt<sign<','>, must<virtual_stages>>> {};
struct pass : sor<keyword<"forward">, keyword<"backward">, keyword<"first">, keyword<"last">> {};
struct handover : seq<keyword<"handover">, must<some_formula>> {};

inline constexpr Text kStatementOfStep =
    "a statement: step, gpus, layout, group, let, algorithm, stream, routing, repeat, pipeline, "
    "compute, beside, wait, name, dispatch, combine, or a collective";
struct any_statement_of_step
    : wanted<kStatementOfStep,
             sor<step, gpus, layout, group, let, algorithm_rule, stream, routing, repeat, pipeline,
                 pass, handover, compute, beside, wait, name_of_call, any_call>> {};
struct end_of_statement : wanted<"the end of the statement", eof> {};
struct statement_of_step
    : node<Syntax::term, blanks, must<any_statement_of_step>, must<end_of_statement>> {};

// NOLINTEND(readability-identifier-naming)

}}}  // namespace tutti::steps::step_grammar
