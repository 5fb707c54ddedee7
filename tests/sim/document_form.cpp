// Writes a schedule of every algorithm as a document that states bytes but no blocks, reads the
// document back, and checks that operations, dependencies and times have not changed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_document_form {

namespace {

constexpr Prices kPrices{1.7e-6, 0.93e-9, 0.31e-9, 0.11e-9};

std::string document_form(const Schedule& schedule) {
  std::ostringstream out;
  print_document(schedule, "planted", out);
  return out.str();
}

bool same_graph(const Schedule& a, const Schedule& b) {
  if (a.size() != b.size() || a.dependencies() != b.dependencies()) {
    return false;
  }
  for (OpId id = 0; id < a.size(); ++id) {
    const Op& left = a.op(id);
    const Op& right = b.op(id);
    const auto before = a.predecessors(id);
    const auto before_b = b.predecessors(id);
    if (left.kind() != right.kind() || left.src() != right.src() || left.dst() != right.dst() ||
        left.bytes() != right.bytes() || left.label() != right.label() ||
        !std::equal(before.begin(), before.end(), before_b.begin(), before_b.end())) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a schedule printed in the document's form is read back and takes the same time") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : {1U, 2U, 3U, 5U, 8U, 12U}) {
      const Rank root = has_root(algorithm->collective) ? ranks / 2 : 0;
      for (const Problem& problem :
           option_variants(*algorithm, problem_of(*algorithm, ranks, 5 * ranks + 3, root), {2})) {
        if (refuses(*algorithm, problem)) {
          continue;
        }
        INFO(algorithm->full_name() << " p=" << ranks << ' ' << options_text(*algorithm, problem));
        const Schedule schedule = make_schedule(*algorithm, problem);
        const std::string text = document_form(schedule);
        CHECK(text.find('[') == std::string::npos);
        const Schedule read = parse_notation(text, "printed").schedule;
        CHECK(read.bytes_only().has_value() == (schedule.size() > 0));
        CHECK(same_graph(schedule, read));
        CriticalPathEngine engine(kPrices);
        CHECK(engine.run(read, {}).total_s == engine.run(schedule, {}).total_s);
        // A schedule without blocks is always written in this format, also by print_notation().
        CHECK(document_form(read) == text);
        std::ostringstream notation;
        if (read.bytes_only()) {
          print_notation(read, "planted", notation);
          CHECK(notation.str() == text);
        }
      }
    }
  }
}

}  // namespace tutti::test_document_form
