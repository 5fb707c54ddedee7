#include "src/interchange/goal.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <sstream>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/assemble.hpp"
#include "schedules/fingerprint.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "sim/critical_path/critical_path_engine.hpp"

using namespace tutti;

namespace {

std::string message_of(const std::string& text) {
  try {
    static_cast<void>(read_goal(text, "f.goal"));
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "accepted";
}

// Two ranks, with these statements.
std::string file(const std::string& first, const std::string& second) {
  return "num_ranks 2\nrank 0 {\n" + first + "}\nrank 1 {\n" + second + "}\n";
}

}  // namespace

TEST_CASE("GOAL is recognised by its first word") {
  CHECK(is_goal("num_ranks 2"));
  CHECK(is_goal("// a comment\n/* and\nanother */\r\n\tnum_ranks 2"));
  CHECK_FALSE(is_goal("tutti-schedule 1"));
  CHECK_FALSE(is_goal(""));
  CHECK_FALSE(is_goal("/* num_ranks 2"));
}

TEST_CASE("a GOAL file is read as LogGOPSim's scanner reads it") {
  const GoalFile read = parse_goal(file("// a comment\nsender: send 8b to 1 tag 7 cpu 0 nic 0\n"
                                        "calc 5 cpu 0\n  l2 : calc 4294967296\r\n"
                                        "l2 requires sender\n",
                                        "recv 8 b from 0 tag 7\n"),
                                   "f");
  REQUIRE(read.nodes.nodes.size() == 4);
  CHECK(read.nodes.nodes[0] == RankNode{NodeKind::send, 0, 1, 8, 7});
  CHECK(read.nodes.nodes[1] == RankNode{NodeKind::calculation, 0, 0, 5, 0});
  CHECK(read.nodes.nodes[2].amount == 4294967296);
  CHECK(read.nodes.nodes[3] == RankNode{NodeKind::receive, 1, 0, 8, 7});
  CHECK(read.nodes.dependencies == std::vector<NodeId>{0});
  CHECK(read.nodes.rows == std::vector<std::uint32_t>{0, 0, 0, 1, 1});
  CHECK(read.lines == std::vector<std::uint32_t>{4, 5, 6, 10});
}

// Returns the time of a file in us, if a message takes 10 us and a rank sends and receives one at a
// time.
double us_of(const std::string& text) {
  const Application read = read_goal(text, "f");
  constexpr Prices kPrices{.alpha_s = 1e-5, .beta_s_per_byte = 0, .gamma_s_per_byte = 1e-9};
  return 1e6 * CriticalPathEngine(kPrices).run(read.schedule, {.ports = 1}).total_s;
}

TEST_CASE("calculations on one processor follow each other, those on several run at once") {
  CHECK(us_of(file("calc 7000\ncalc 5000\ncalc 4000\n", "")) == Approx(16));
  CHECK(us_of(file("calc 7000 cpu 1\ncalc 5000\ncalc 4000 cpu 255\n", "")) == Approx(7));
  CHECK(us_of(file("calc 7000 cpu 1\ncalc 5000\ncalc 4000 cpu 1\n", "")) == Approx(11));
  CHECK(us_of(file("a: calc 7000 cpu 1\nb: calc 5000\nb requires a\n", "")) == Approx(12));
}

TEST_CASE("messages on one network interface follow each other, those on several run at once") {
  const std::string receives = "recv 8b from 0 tag 1{}\nrecv 8b from 0 tag 2{}\n";
  const auto with = [&](std::string_view sent, std::string_view first, std::string_view second) {
    return us_of(file(fmt::format("send 8b to 1 tag 1\nsend 8b to 1 tag 2{}\n", sent),
                      fmt::format(fmt::runtime(receives), first, second)));
  };
  CHECK(with("", "", "") == Approx(20));
  CHECK(with(" nic 3", "", " nic 1") == Approx(10));
  CHECK(with(" nic 3", "", "") == Approx(20));  // the receiver has one interface
  CHECK(with("", "", " nic 1") == Approx(20));
  CHECK(with(" cpu 1 nic 1", " cpu 3 nic 2", " nic 1") == Approx(10));
}

TEST_CASE("processors and interfaces survive tutti's notation, GOAL, and a change of order") {
  const std::string text =
      file("a: calc 7 cpu 3\nb: send 8b to 1 tag 0 cpu 1 nic 2\nb requires a\ncalc 5\n",
           "recv 8b from 0 tag 0 nic 4\ncalc 9 cpu 255\n");
  const Schedule read = read_goal(text, "f").schedule;
  CHECK(read.cores() == 256);
  CHECK(read.nics() == 5);
  std::ostringstream notation;
  print_notation(read, "f", notation);
  CHECK_THAT(notation.str(), Catch::Contains("Comm(0,1,8) Core(1,0) Nic(2,4) After("));
  CHECK_THAT(notation.str(), Catch::Contains("Calc(0,7) Core(3)\n"));
  const Schedule again = parse_notation(notation.str(), "f").schedule;
  REQUIRE(again.size() == read.size());
  for (OpId id = 0; id < read.size(); ++id) {
    CHECK(again.units(id) == read.units(id));
  }
  std::ostringstream goal;
  write_goal(nodes_of(again, {}), goal);
  CHECK(parse_goal(goal.str(), "f").nodes.nodes == nodes_of(read, {}).nodes);
  ScheduleParts plain = parts_of(read);
  plain.units.clear();
  const Schedule on_first_units = assemble(std::move(plain));
  CHECK(fingerprint(read, Detail::times_only) != fingerprint(on_first_units, Detail::times_only));
}

TEST_CASE("of two equal labels, the first one counts") {
  const GoalFile read =
      parse_goal("num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\nb: calc 3\nb requires a\n}\n", "f");
  CHECK(read.nodes.dependencies == std::vector<NodeId>{0});
}

TEST_CASE("each fault of a GOAL file is named with its line") {
  const std::string receive = "recv 8b from 0 tag 1\n";
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"num_ranks", "line 1: expected the number of ranks"},
           {"num_ranks 0\n", "line 1: 0 ranks"},
           {"num_ranks 2\nrank 1 {\n}\n",
            "line 2: rank 1: the blocks of the ranks must be in order"},
           {"num_ranks 1\nrank 0 {\ncalc 1\n", "line 4: the block of rank 0 has no '}'"},
           {"num_ranks 1\nrank 0 {\ncalc 1\n}\nrank 1 {\n}\n", "line 5: text after the block"},
           {file("send 8b to 1 tag 1 // text\n", receive), "line 3: expected the end of the line"},
           {file("send 8 to 1 tag 1\n", receive), "line 3: expected 'b'"},
           {file("send 8b from 1\n", receive), "line 3: expected 'to'"},
           {file("send: calc 1\n", receive), "line 3: expected a number of bytes, found ':'"},
           {file("x requires y\n", receive), "line 3: label 'x': rank 0 has no operation"},
           {file("x needs y\n", receive), "line 3: expected ':', requires or irequires"},
           {file("send 8b to 1 tag 1 cpu 256\n", receive), "line 3: cpu: the maximum is 255"},
           {file("calc 1 nic 1\n", receive), "line 3: expected the end of the line"},
           {file("send 8b to 1 nic 0 cpu 0\n", receive), "line 3: expected the end of the line"},
           {file("calc 18446744073709551616\n", receive), "line 3: a number of nanoseconds"},
           {file("send 8b to 1 tag -1\n", receive), "line 3: tag -1"},
           {file("send 8b to 1 tag 4294967295\n", receive), "line 3: tag 4294967295"},
           {file("send 8b to 1 tag 1\n", "recv 8b from -1 tag 1\n"), "line 6: from -1"},
           {file("send 8b to 1 tag 1\n", ""),
            "line 3: rank 0 sends 8 bytes to rank 1 with tag 1, but nothing there receives them"},
           {file("", receive), "line 5: rank 1 receives 8 bytes from rank 0 with tag 1, but"},
           {file("send 9b to 1 tag 1\n", receive), "line 6: receives 8 bytes, but the message"},
           {file("send 8b to 0 tag 1\n", receive), "line 3: a message from rank 0 to itself"},
           {file("send 8b to 7 tag 1\n", receive), "line 3: rank 7; the ranks are 0 to 1"},
           {file("a: calc 1\nb: calc 1\na requires b\nb requires a\n", ""),
            "a deadlock: line 3 waits for line 4 waits for line 3"},
           {"num_ranks 1\nrank 0 {\n}\n", "there are no operations"}}) {
    CAPTURE(text);
    CHECK_THAT(message_of(text), Catch::Contains(expected));
  }
}

TEST_CASE("messages with one tag are matched in the order of the dependencies") {
  // The send of 16 bytes comes first, although it is below the other one.
  const Application read = read_goal(file("a: send 8b to 1\nb: send 16b to 1\na requires b\n",
                                          "c: recv 16b from 0\nd: recv 8b from 0\nd requires c\n"),
                                     "f");
  CHECK(read.buffered == 0);
  CHECK(read.schedule.size() == 2);
}

TEST_CASE("messages with one tag are matched in the order of the file") {
  const Application read = read_goal(file("send 8b to 1\nsend 16b to 1\n",
                                          "a: recv 8b from 0\nrecv 16b from 0\n"
                                          "c: calc 3\nc requires a\n"),
                                     "f");
  const Schedule& schedule = read.schedule;
  REQUIRE(schedule.size() == 3);
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (!schedule.op(id).is_comm()) {
      REQUIRE(schedule.predecessors(id).size() == 1);
      CHECK(schedule.op(schedule.predecessors(id)[0]).bytes() == 8);
    }
  }
}

TEST_CASE("two ranks that send before they receive need buffers, and only these messages") {
  const std::string both = "a: send 8b to {} tag 1\nb: recv 8b from {} tag 1\nb requires a\n";
  const Application read =
      read_goal(file("a: send 8b to 1 tag 1\nb: recv 8b from 1 tag 1\nb requires a\n"
                     "send 4b to 1 tag 2\n",
                     "a: send 8b to 0 tag 1\nb: recv 8b from 0 tag 1\nb requires a\n"
                     "recv 4b from 0 tag 2\n"),
                "f");
  CHECK(read.buffered == 2);
  CHECK(read.schedule.messages() == 3);
  // Each buffered receive is a calculation of 0 ns.
  CHECK(read.schedule.size() == 5);
  CHECK(read.schedule.bytes_reduced() == 0);
}

TEST_CASE("a deadlock that buffers do not prevent is found") {
  CHECK_THAT(message_of(file("a: send 8b to 1 tag 1\nb: recv 8b from 1 tag 1\na requires b\n",
                             "a: send 8b to 0 tag 1\nb: recv 8b from 0 tag 1\na requires b\n")),
             Catch::Contains("a deadlock: "));
}

TEST_CASE("a dependency at one end of two messages does not bind the other end") {
  // At rank 1, the second receive waits for the first. At rank 0, the sends are free.
  const Application read =
      read_goal(file("send 8b to 1 tag 1\nsend 8b to 1 tag 2\n",
                     "a: recv 8b from 0 tag 1\nb: recv 8b from 0 tag 2\nb requires a\n"),
                "f");
  const Schedule& schedule = read.schedule;
  REQUIRE(schedule.size() == 3);  // with a calculation of 0 ns between the receives
  CHECK(schedule.dependencies() == 2);
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      CHECK(schedule.op(id).is_comm() != schedule.op(before).is_comm());
    }
  }
}

TEST_CASE("irequires does not change which send belongs to which receive") {
  // The send of 4 bytes leaves at 0, the other one at 10 us.
  const std::string sends =
      "a: send 4b to 1\np: calc 10000\nb: send 8b to 1\nc: calc 5\nb requires p\n";
  const std::string receives = "recv 4b from 0\nrecv 8b from 0\n";
  CHECK(message_of(file(sends, receives)) == "accepted");
  CHECK(message_of(file(sends + "c irequires a\n", receives)) == "accepted");
  CHECK(message_of(file(sends + "c irequires a\nc irequires b\n", receives)) == "accepted");
}

TEST_CASE("irequires orders two sends") {
  // The send of 8 bytes comes first, although it is below the other one.
  CHECK(message_of(file("a: send 4b to 1\nb: send 8b to 1\na irequires b\n",
                        "recv 8b from 0\nrecv 4b from 0\n")) == "accepted");
}

TEST_CASE("irequires is written as it was read") {
  const GoalFile read = parse_goal(
      file("a: send 4b to 1\nb: calc 8\nb irequires a\n", "c: recv 4b from 0\ncalc 1\n"), "f");
  CHECK(read.nodes.start_orders == std::vector<StartOrder>{{1, 0}});
  std::ostringstream out;
  write_goal(read.nodes, out);
  const GoalFile again = parse_goal(out.str(), "f");
  CHECK(again.nodes.nodes == read.nodes.nodes);
  CHECK(again.nodes.start_orders == read.nodes.start_orders);
}

TEST_CASE("irequires waits for what the other operation waits for") {
  const Application read = read_goal(
      "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 7\nc: calc 11\nb requires a\nc irequires b\n}\n",
      "f");
  const Schedule& schedule = read.schedule;
  REQUIRE(schedule.size() == 4);
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (schedule.op(id).bytes() == 11) {
      REQUIRE(schedule.predecessors(id).size() == 1);
      const OpId begin = schedule.predecessors(id)[0];
      CHECK(schedule.op(begin).bytes() == 0);
      REQUIRE(schedule.predecessors(begin).size() == 1);
      CHECK(schedule.op(schedule.predecessors(begin)[0]).bytes() == 5);
    }
  }
}
