// The grammar of a line of a jobs file, for PEGTL. docs/how_to/jobs.md has it in readable form.
#pragma once

#include "src/steps/grammar.hpp"

namespace tutti { inline namespace steps { namespace jobs_grammar {

using namespace step_grammar;  // NOLINT(google-build-using-namespace): as in step_grammar
// NOLINTBEGIN(readability-identifier-naming)

inline constexpr std::string_view kWordsOfJobs[] = {"job",   "on",     "hosts", "nodes",
                                                    "start", "repeat", "until"};

struct job_name_text : leaf {
  using rule_t = job_name_text;
  static constexpr Syntax kind = Syntax::name;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    const std::size_t length = identifier_length(text);
    if (length == 0 ||
        std::ranges::find(kWordsOfJobs, text.substr(0, length)) != std::end(kWordsOfJobs)) {
      return false;
    }
    in.bump(length);
    return true;
  }
};
struct job_name : seq<job_name_text, blanks> {};

constexpr bool is_blank_in_line(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A path without blanks, or any path in double quotes.
struct path_text : leaf {
  using rule_t = path_text;
  static constexpr Syntax kind = Syntax::text;
  template <typename Input>
  static bool match(Input& in) {
    const std::string_view text = rest_of(in);
    if (text.starts_with('"')) {
      const std::size_t end = text.find('"', 1);
      if (end == text.npos || end == 1) {
        return false;
      }
      in.bump(end + 1);
      return true;
    }
    skip(in, [](char c) { return !is_blank_in_line(c); });
    return !text.empty();
  }
};

// Numbers and ranges between commas, such as 0..7,16. Blanks may follow a comma.
struct list_text : leaf {
  using rule_t = list_text;
  static constexpr Syntax kind = Syntax::list;
  template <typename Input>
  static bool match(Input& in) {
    if (in.empty() || !is_digit(in.peek_char())) {
      return false;
    }
    char last = ',';
    while (!in.empty() && (!is_blank_in_line(in.peek_char()) || last == ',')) {
      last = is_blank_in_line(in.peek_char()) ? last : in.peek_char();
      in.bump(1);
    }
    return true;
  }
};

struct new_job : wanted<"a name for the job", job_name> {};
struct path_of_step : wanted<"the file of the job's step; a path with blanks needs double quotes",
                             path_text, blanks> {};
struct some_places : wanted<"numbers, such as 0..7 or 0..3,8", list_text, blanks> {};
struct hosts_or_nodes : sor<keyword<"hosts">, keyword<"nodes">> {};
struct places : node<Syntax::members, hosts_or_nodes, must<some_places>> {};
struct on_places : wanted<"'on hosts' or 'on nodes', and their numbers", word<"on">, places> {};
struct some_start : wanted<"a time, such as 5ms", quantity> {};
struct start : node<Syntax::setting, keyword<"start">, must<some_start>> {};
struct other_job : wanted<"the name of another job", job_name> {};
struct until_job : seq<word<"until">, must<other_job>> {};
struct some_times
    : wanted<"a number, or 'until' and the name of another job", sor<until_job, quantity>> {};
struct repeat : node<Syntax::setting, keyword<"repeat">, must<some_times>> {};
struct job_word : wanted<"'job' and the name of a job", word<"job">> {};
struct end_of_job : wanted<"'start', 'repeat' or the end of the line", eof> {};
struct line_of_jobs
    : node<Syntax::term, blanks, must<job_word>, must<new_job>, must<equals_sign>,
           must<path_of_step>, must<on_places>, star<sor<start, repeat>>, must<end_of_job>> {};

// NOLINTEND(readability-identifier-naming)

}}}  // namespace tutti::steps::jobs_grammar
