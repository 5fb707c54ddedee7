#include "schedules/notation/parse.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/field_names.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/served_ranks.hpp"

namespace tutti::test_parse {
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::string printed(const Schedule& schedule, std::string_view algorithm) {
  std::ostringstream out;
  print_notation(schedule, algorithm, out);
  return out.str();
}

ParsedSchedule parsed(const std::string& text) { return parse_notation(text, "test.tutti"); }

// Returns the text of a file: the header of a small schedule, then `statements`.
std::string file(const std::string& statements, const std::string& collective = "bcast",
                 const std::string& size = "bytes 32\nblocks 4") {
  return "tutti-schedule 1\ncollective " + collective + "\nalgorithm test\nranks 3\n" + size +
         "\n\n" + statements;
}

// Returns one line per operation, in id order: its label and the ids of its predecessors.
std::string order_of(const Schedule& schedule) {
  std::string text;
  for (OpId id = 0; id < schedule.size(); ++id) {
    text += label_text(schedule.op(id)) + ":";
    for (const OpId before : schedule.predecessors(id)) {
      text += " " + std::to_string(before);
    }
    text += "\n";
  }
  return text;
}

// Returns the first difference between two schedules, or "" if they are the same.
std::string difference(const Schedule& a, const Schedule& b) {
  const Problem& p = a.problem();
  const Problem& q = b.problem();
  if (p.collective != q.collective || p.ranks != q.ranks || p.bytes != q.bytes ||
      p.element_bytes != q.element_bytes || p.root != q.root) {
    return "problem";
  }
  if (!(a.layout() == b.layout())) {
    return "layout";
  }
  if (a.size() != b.size() || a.dependencies() != b.dependencies() ||
      a.scratch_slots() != b.scratch_slots() || a.rounds() != b.rounds() ||
      a.messages() != b.messages() || a.bytes_sent() != b.bytes_sent() ||
      a.bytes_reduced() != b.bytes_reduced()) {
    return "sums";
  }
  if (!std::equal(a.pool().begin(), a.pool().end(), b.pool().begin(), b.pool().end())) {
    return "pool";
  }
  for (OpId id = 0; id < a.size(); ++id) {
    const auto before_a = a.predecessors(id);
    const auto before_b = b.predecessors(id);
    if (!(a.op(id) == b.op(id)) || !(a.payload(id) == b.payload(id)) ||
        !std::equal(before_a.begin(), before_a.end(), before_b.begin(), before_b.end())) {
      return "operation " + label_text(a.op(id));
    }
  }
  return "";
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const NotationError& error) {
    return with_fields(error.what());
  }
  return "no error";
}

}  // namespace

TEST_CASE("printing, parsing and printing again keeps the bytes and the DAG, for every algorithm") {
  std::size_t schedules = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (std::uint32_t ranks = 1; ranks <= 17; ++ranks) {
      for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{ranks} * 16 + 3}) {
        const Rank root = has_root(algorithm->collective) ? ranks / 2 : 0;
        for (const Problem& problem :
             option_variants(*algorithm, problem_of(*algorithm, ranks, elements, root))) {
          if (refuses(*algorithm, problem)) {
            continue;
          }
          const Schedule schedule = make_schedule(*algorithm, problem);
          const std::string text = printed(schedule, algorithm->name);
          const ParsedSchedule back = parsed(text);
          CAPTURE(algorithm->full_name(), ranks, elements, options_text(*algorithm, problem));
          REQUIRE(back.algorithm == algorithm->name);
          REQUIRE(difference(schedule, back.schedule).empty());
          REQUIRE((printed(back.schedule, back.algorithm) == text));
          ++schedules;
        }
      }
    }
  }
  CHECK(schedules > 1500);
}

TEST_CASE("printed as a program, a schedule stays the same, for every algorithm") {
  std::size_t programs = 0;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {2U, 7U}) {
      const Rank root = has_root(algorithm->collective) ? ranks / 2 : 0;
      for (const Problem& problem : option_variants(
               *algorithm, problem_of(*algorithm, ranks, std::uint64_t{ranks} * 24, root))) {
        if (refuses(*algorithm, problem) || !problem.block_bytes.empty() ||
            algorithm->collective == Collective::alltoallv) {
          continue;
        }
        const Schedule schedule = make_schedule(*algorithm, problem);
        std::ostringstream text;
        print_program(schedule, algorithm->name, text);
        CAPTURE(algorithm->full_name(), ranks, options_text(*algorithm, problem));
        const Program program(text.str(), "test.sched");
        Problem bare = problem_of(*algorithm, ranks, std::uint64_t{ranks} * 24, root);
        REQUIRE(difference(schedule, program.schedule(bare, Detail::payload)).empty());
        ++programs;
        if (ranks > 1) {
          bare.ranks = 1;
          bare.root = 0;
          CHECK_THROWS_WITH(program.schedule(bare, Detail::payload),
                            Contains("this program is for"));
        }
      }
    }
  }
  CHECK(programs > 300);
}

TEST_CASE(
    "hand-written files may have comments, blank space, any order of fields, CRLF, no last "
    "newline") {
  const std::string plain = file(
      "Req(<0,0>,{0,1}) = Comm(0,1,16, work[0:2] -> work[0:2])\n"
      "Req(<1,0>,{1,2}) = Comm(1,2,16, work[0:2] -> scratch#1[0:2]) After(Req(<0,0>,{0,1}))\n");
  const std::string canonical = printed(parsed(plain).schedule, "test");
  const std::string by_hand =
      "# a comment\n"
      "tutti-schedule 1 # of version 1\n"
      "\n"
      "blocks 4\tranks_are_below\n";
  CHECK_THAT(error_of(by_hand), Contains("test.tutti:4:10: expected the end of the line"));
  const std::string fields =
      "tutti-schedule 1 # of version 1\n  blocks 4\n\n# more\n\tbytes   32\nranks 3\n"
      "collective bcast\nalgorithm test\n";
  const std::string statements =
      "Req ( < 0 , 0 > , { 0 , 1 } )=Comm( 0,1 ,16,work [ 0 : 2 ]->work[0,1] )  # here too\n"
      "# the segment is 0 where none is given; a message may take several lines\n"
      "Req(1,{1,2}) +=\n  Comm(1,2,16,\n       work[0:2] -> scratch#1[0:2])\n"
      "  After(Req(<0,0>,{0,1}),\n        Req(0,{0,1}))";
  CHECK(printed(parsed(fields + statements).schedule, "test") == canonical);
  std::string windows = "\xef\xbb\xbf" + fields + statements;
  for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2) {
    windows.replace(at, 1, "\r\n");
  }
  CHECK(printed(parsed(windows).schedule, "test") == canonical);
}

TEST_CASE(
    "operations may be named before they are defined, and their order changes as little as "
    "possible") {
  const ParsedSchedule back =
      parsed(file("Req(<2,0>,{1,2}) = Comm(1,2,8, work[0] -> work[0]) After(Req(<1,0>,{0,1}))\n"
                  "Req(<3,0>,{0,2}) = Comm(0,2,8, work[1] -> work[1])\n"
                  "Req(<1,0>,{0,1}) = Comm(0,1,8, work[0] -> work[0])\n"));
  CHECK(order_of(back.schedule) == "Req(<3,0>,{0,2}):\nReq(<1,0>,{0,1}):\nReq(<2,0>,{1,2}): 1\n");
  // Reads the statements of every algorithm in reverse order.
  for (const Algorithm* algorithm : algorithms()) {
    const Schedule schedule =
        make_schedule(*algorithm, problem_of(*algorithm, served_ranks(*algorithm, 7), 64));
    const std::string text = printed(schedule, algorithm->name);
    std::istringstream statements(text.substr(text.find("\n\n") + 2));
    std::vector<std::string> lines;
    for (std::string line; std::getline(statements, line);) {
      lines.push_back(line);
    }
    std::string reversed;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      reversed += *line;
      reversed += '\n';
    }
    const ParsedSchedule again = parsed(text.substr(0, text.find("\n\n") + 2) + reversed);
    CAPTURE(algorithm->full_name());
    CHECK(again.schedule.size() == schedule.size());
    CHECK(again.schedule.dependencies() == schedule.dependencies());
    CHECK(again.schedule.bytes_sent() == schedule.bytes_sent());
    CHECK(again.schedule.rounds() == schedule.rounds());
  }
}

TEST_CASE(
    "Req(idx) takes its label from the operation's ranks, and names all operations of its index") {
  const ParsedSchedule back =
      parsed(file("Req(0)=Comm(0,1,8, work[0] -> work[0])\n"
                  "Req(<0,1>) = Comm(0,1,8, work[1] -> work[1])\n"
                  "Req(1) = Copy(1,8, work[0] -> scratch[0]) After(Req(<0,0>))\n"
                  "Req(2) = Comm(1,2,8, work[0] -> work[0]) After(Req(0), Req(1))\n"
                  "Req(2) += Comm(1,2,8, work[1] -> work[1]) After(Req(1))\n"));
  CHECK(order_of(back.schedule) ==
        "Req(<0,0>,{0,1}):\nReq(<0,1>,{0,1}):\nReq(<1,0>,{1,1}): 0\n"
        "Req(<2,0>,{1,2}): 0 1 2\nReq(<2,1>,{1,2}): 2\n");
  CHECK_THAT(error_of(file("Req(0) = Comm(0,1,8, work[0] -> work[0]) After(Req(3))\n")),
             Contains("Req(3): there is no other operation at level 3"));
  CHECK_THAT(error_of(file("Req(0) = Comm(0,1,8, work[0] -> work[0])\n"
                           "Req(0) = Comm(0,1,8, work[1] -> work[1])\n")),
             Contains("a second operation with the label Req(<0,0>,{0,1})"));
}

TEST_CASE("Req(l,n) names all requests of rank n at level l except the one that depends on them") {
  const ParsedSchedule back = parsed(
      file("Req(<0,0>,{0,1}) = Comm(0,1,8, work[0] -> work[0])\n"
           "Req(<0,1>,{0,1}) = Comm(0,1,8, work[1] -> work[1])\n"
           "Req(<0,0>,{2,1}) = Comm(2,1,8, work[2] -> work[2])\n"
           "Req(<0,2>,{1,1}) = Copy(1,8, work[2] -> scratch[2]) After(Req(0,1), Req(<0,0>,{2,1}))\n"
           "Req(<1,0>,{1,2}) = Comm(1,2,8, work[0] -> work[0]) After(Req(0,1))\n"
           "Req(<1,1>,{1,2}) = Comm(1,2,8, work[1] -> work[1]) After(Req(<0,1>,1))\n"));
  CHECK(order_of(back.schedule) ==
        "Req(<0,0>,{0,1}):\nReq(<0,1>,{0,1}):\nReq(<0,0>,{2,1}):\nReq(<0,2>,{1,1}): 0 1 2\n"
        "Req(<1,0>,{1,2}): 0 1 2 3\nReq(<1,1>,{1,2}): 1\n");
  // If two operations of a level both come after all requests of this level, they wait for each
  // other.
  CHECK_THAT(error_of(file("Req(<0,0>,{0,1}) = Comm(0,1,8, work[0] -> work[0]) After(Req(0,1))\n"
                           "Req(<0,0>,{1,2}) = Comm(1,2,8, work[0] -> work[0]) After(Req(0,1))\n")),
             Contains("test.tutti:8:58: a cycle"));
}

TEST_CASE("With += the ranks of a label are a set, as in the schedule document") {
  const ParsedSchedule back =
      parsed(file("Req(0,{0,1}) += Comm(0,1,8, work[0] -> work[0])\n"
                  "Req(0,{0,1}) += Comm(1,0,8, work[1] -> work[1])\n"));
  CHECK(order_of(back.schedule) == "Req(<0,0>,{0,1}):\nReq(<0,0>,{1,0}):\n");
  CHECK_THAT(error_of(file("Req(0,{0,1}) = Comm(1,0,8, work[0] -> work[0])\n")),
             Contains("test.tutti:8:1: the label of a message from 1 to 0 must name {1,0}"));
}

TEST_CASE("Each set of blocks has only one notation") {
  const auto move_of = [](const std::string& move, const std::string& bytes) {
    const std::string text =
        printed(parsed(file("Req(<0,0>,{0,1}) = Comm(0,1," + bytes + ", " + move + ")\n", "bcast",
                            "bytes 64\nblocks 8"))
                    .schedule,
                "test");
    const std::size_t begin = text.find(", ") + 2;
    return text.substr(begin, text.rfind(')') - begin);
  };
  CHECK(move_of("work[3:1] -> work[3]", "8") == "work[3] -> work[3]");
  CHECK(move_of("work[6,7,0] -> scratch#0[1,2,3]", "24") == "work[6:3] -> scratch[1:3]");
  CHECK(move_of("work[1:2:2/4] -> work[1:2]", "16") == "work[1:2] -> work[1:2]");
  CHECK(move_of("work[0:4:1/2] -> work[1,3,5,7]", "32") == "work[0,2,4,6] -> work[1,3,5,7]");
  CHECK(move_of("work[6:3] -> work[5,1,0]", "24") == "work[6,7,0] -> work[5,1,0]");
  CHECK(move_of("work[0:5:2/3] -> work[0:5:2/3]", "40") == "work[0:5:2/3] -> work[0:5:2/3]");
}

TEST_CASE("Each list of block sizes has only one notation") {
  const auto size_of = [](const std::string& size) {
    const std::string text = printed(parsed(file("", "bcast", size)).schedule, "test");
    const std::size_t begin = text.find("\nblock") + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(size_of("bytes 64\nblock_bytes 32,32") == "blocks 2");
  CHECK(size_of("bytes 40\nblock_bytes 3*8 , 16") == "block_bytes 3*8,16");
  CHECK(size_of("bytes 40\nblock_bytes 16,16,8") == "blocks 3");
  CHECK(size_of("bytes 56\nblock_bytes 2*24,8") == "block_bytes 2*24,8");
  CHECK(size_of("bytes 0\nblock_bytes 0") == "blocks 1");
  CHECK(size_of("bytes 16\nblock_bytes 0,16,0") == "block_bytes 0,16,0");
}

TEST_CASE("A broadcast may be cut inside an element, but other collectives may not") {
  const std::string cut = "Req(<0,0>,{0,1}) = Comm(0,1,3, work[0] -> work[0])\n";
  const Schedule schedule = parsed(file(cut, "bcast", "bytes 8\nblock_bytes 3,5")).schedule;
  CHECK(schedule.layout().size_bytes(0) == 3);
  CHECK(schedule.problem().element_bytes == 8);
  CHECK_THAT(printed(schedule, "test"), Contains("\nblock_bytes 3,5\n"));
  // These blocks are even, but are not whole elements.
  const std::string even = "Req(<0,0>,{0,1}) = Comm(0,1,4, work[0] -> work[0])\n";
  CHECK_THAT(printed(parsed(file(even, "bcast", "bytes 8\nblock_bytes 4,4")).schedule, "test"),
             Contains("\nblock_bytes 2*4\n"));
  for (const char* collective : {"allreduce", "reduce", "alltoall", "gather"}) {
    CHECK_THAT(error_of(file("", collective, "bytes 24\nblock_bytes 2*4,16")),
               Contains("4 bytes are not a whole number of 8-byte elements"));
  }
}

TEST_CASE("Limits are checked before memory or time are spent") {
  const auto refused = [](const std::string& text, const ParseLimits& limits) {
    try {
      static_cast<void>(parse_notation(text, "t", limits));
    } catch (const NotationError& error) {
      return with_fields(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(error_of(file("", "bcast", "bytes 0\nblocks 4000000000")), Contains(":6:8: "));
  CHECK_THAT(error_of(file("", "bcast", "bytes 0\nblock_bytes 16777216*0,1*0")),
             Contains("16777216 blocks in total"));
  CHECK_THAT(error_of(file("", "bcast", "bytes 8\nblock_bytes 2*17592186044415")),
             Contains("more than"));
  CHECK_THAT(error_of(file("Req(<0,0>,{0,1}) = Comm(0,1,8, work[0] -> scratch#4294967295[0])\n")),
             Contains("slot"));
  CHECK_THAT(error_of(file("Req(<0,1048576>,{0,1}) = Comm(0,1,8, work[0] -> work[0])\n")),
             Contains("segment 1048576: expected at most 1048575"));
  CHECK_THAT(
      error_of(file("Req(<0,0>,{0,1}) = Comm(0,1,99999999999999999999, work[0] -> work[0])")),
      Contains("bytes 99999999999999999999: expected at most"));
  std::string crowd;
  for (int i = 0; i < 40; ++i) {
    crowd += "Req(<0," + std::to_string(i) + ">,{0,1}) = Comm(0,1,8, work[0] -> work[0])\n" +
             "Req(<1," + std::to_string(i) +
             ">,{0,1}) = Comm(0,1,8, work[0] -> work[0]) After(Req(0,0))\n";
  }
  CHECK_THAT(refused(file(crowd), {.dependencies = 1000}), Contains("more than 1000 dependencies"));
  CHECK_THAT(refused(file("Req(<0,0>,{0,1}) = Comm(0,1,24, work[0:3:1/1] -> work[0:3:1/1])\n",
                          "bcast", "bytes 40\nblocks 4"),
                     {.block_runs = 2}),
             Contains("runs of blocks"));
}

TEST_CASE("An error is one line even if the named text spans several") {
  const std::string error =
      error_of(file("Req(<0,\n0>,{0,1}) = Comm(0,1,8, work[0] -> work[0])\n"
                    "Req(0,\r\n{0,1}) = Comm(0,1,8, work[1] -> work[1])\n"));
  CHECK_THAT(error, Equals("test.tutti:10:1: a second operation with the label Req(<0,0>,{0,1}); "
                           "labels are unique, so give it another segment, or add it with +="));
}

// Every text is either accepted, or refused with an error that names a position in the text.
TEST_CASE("Every prefix of a file, and every change of a byte, is read or refused in one line") {
  const Schedule schedule =
      make_schedule(algorithm_named("alltoall/bruck"), problem_of(Collective::alltoall, 3, 9));
  const std::string text = printed(schedule, "bruck");
  const auto check = [](const std::string& changed) {
    const std::string error = error_of(changed);
    CHECK((error == "no error" || error.starts_with("test.tutti:")));
    CHECK(error.find('\n') == std::string::npos);
  };
  for (std::size_t size = 0; size <= text.size(); ++size) {
    check(text.substr(0, size));
  }
  std::mt19937 random(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    for (const char c : {'\0', '\n', '0', '9', ',', '(', '#', static_cast<char>(random())}) {
      changed[at] = c;
      check(changed);
    }
    changed = text;
    changed.erase(at, 1 + random() % 9);
    check(changed);
  }
}

TEST_CASE("Files of every size are read completely, whether or not they fill their last page") {
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/ring"), problem_of(Collective::allreduce, 3, 30));
  const std::string text = printed(schedule, "ring");
  const auto path = std::filesystem::temp_directory_path() /
                    ("tutti_parse_" + std::to_string(std::random_device{}()) + ".tutti");
  const std::size_t large = std::size_t{5} << 20U;  // large enough to be mapped into memory
  for (const std::size_t size : {text.size(), large - 1, large, large + 1}) {
    {
      std::ofstream out(path, std::ios::binary);
      out << "#" << std::string(size - text.size() - (size > text.size() ? 2 : 0), 'x') << '\n';
      out << text.substr(0, text.size() - 1);
    }
    CHECK(printed(read_notation(path.string()).schedule, "ring") == text);
  }
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(read_notation(path.string()), Contains(path.string()) && Contains("No such"));
}

}  // namespace tutti::test_parse
