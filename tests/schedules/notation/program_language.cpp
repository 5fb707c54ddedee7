// Tests the meaning of the statements and expressions of programs. To read the value of an
// expression, a test uses the expression as the number of blocks that a program declares, and asks
// the schedule for its number of blocks.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "schedules/notation/program/program.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_program_language {

namespace {

Schedule run(const std::string& body, std::uint32_t ranks = 5, std::uint64_t elements = 10,
             Rank root = 0) {
  const Program program("tutti-program 1\ncollective bcast\n" + body, "test");
  Problem problem = problem_of(Collective::bcast, ranks, elements, root);
  problem.segment_bytes = 24;
  problem.ranks_per_node = 3;
  return program.schedule(problem);
}

std::uint32_t value(const std::string& expression) {
  return run("blocks " + expression + "\n").blocks();
}

std::uint32_t value_after(const std::string& body) { return run(body + "\nblocks x\n").blocks(); }

std::vector<std::pair<Rank, Rank>> messages(const Schedule& schedule) {
  std::vector<std::pair<Rank, Rank>> all;
  for (const Op& op : schedule.ops()) {
    all.emplace_back(op.src(), op.dst());
  }
  return all;
}

}  // namespace

TEST_CASE("operators have the documented precedence") {
  CHECK(value("1 + 2*3") == 7);
  CHECK(value("(1 + 2)*3") == 9);
  CHECK(value("2^3^2/64") == 8);
  CHECK(value("-2^2 + 9") == 5);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("1 + 17 mod 5") == 3);
  CHECK(value("1 << 2 + 1") == 8);
  CHECK(value("5 xor 1 << 1") == 7);
  CHECK(value("-7/2 + 10") == 6);        // a quotient is rounded down
  CHECK(value("(0-7) mod 5 + 1") == 4);  // a remainder has the sign of the divisor
  CHECK(value("1 + (3 < 4) + (4 <= 3) + (3 != 3) + (2 == 2)") == 3);
  CHECK(value("1 + (1 and 0 or 1 and not 0)") == 2);
  CHECK(value("1 + (0 == 1 or 2 > 1)") == 2);
}

TEST_CASE("functions and predefined variables have the right values") {
  CHECK(value("ceil(7/2)") == 4);
  CHECK(value("floor(7/2)") == 3);
  CHECK(value("ceil(log2(9))") == 4);
  CHECK(value("ceil(log2(8))") == 3);
  CHECK(value("floor(log2(9))") == 3);
  CHECK(value("ltrunc(13,2)") == 12);
  CHECK(value("diff_mod(1,3,5)") == 3);
  CHECK(value("ceil_mod(3,5)") == 2);
  CHECK(value("min(4,3)*10 + max(4,3)") == 34);
  CHECK(value("N") == 5);
  CHECK(value("M") == 80);
  CHECK(value("S") == 24);
  CHECK(value("C") == 3);
  CHECK(value("E") == 8);
  CHECK(run("blocks R + 1\n", 5, 10, 3).blocks() == 4);
}

TEST_CASE("loops keep their own counter and end where they should") {
  CHECK(value_after("x = 1\nfor k < 4\n  x = x + k") == 7);
  CHECK(value_after("x = 1\nfor k < 4\n  x = x + k\n  k = 100") == 7);
  CHECK(value_after("x = 1\nfor 2 <= k < 5\n  x += k") == 10);
  CHECK(value_after("x = 1\nfor k = 2 to 4\n  x += k") == 10);
  CHECK(value_after("x = 1\nfor k = 3 downto 1\n  x = 2*x + k") == 8 + 12 + 4 + 1);
  CHECK(value_after("x = 1\nfor k = 1 downto 3\n  x = 9") == 1);
  // Counts down to the smallest number from which a program can subtract 1.
  const std::string least = "-9223372036854775806";
  CHECK(value_after("x = 1\nfor k = " + least + " + 1 downto " + least + "\n  x += 1") == 3);
  CHECK(value_after("x = 1\nfor k in {3, 5}\n  x += k") == 9);
  CHECK(value_after("x = 1\nwhile x < 100\n  x = 3*x") == 243);
}

TEST_CASE(
    "Req(idx) takes its ranks from the operation, and After(Req(idx)) names all of its index") {
  const Schedule chain = run("for k < N-1\n  Req(k)=Comm(k,k+1,M) After(Req(k-1))\n");
  const Schedule labelled =
      run("for k < N-1\n  Req(k,{k,k+1}) = Comm(k,k+1,M) After(Req(k-1,k))\n");
  REQUIRE(messages(chain) == messages(labelled));
  for (OpId id = 0; id < chain.size(); ++id) {
    CHECK(chain.op(id).label() == labelled.op(id).label());
    CHECK(std::ranges::equal(chain.predecessors(id), labelled.predecessors(id)));
  }
  // `After` may name all messages of an index, or only those of one segment.
  const Schedule both =
      run("Req(0) = Comm(0,1,M) + Comm(0,2,M)\nReq(<0,1>) = Comm(0,3,M)\n"
          "Req(1) = Comm(0,4,M) After(Req(0))\nReq(2) = Comm(0,4,M) After(Req(<0,1>))\n");
  CHECK(both.predecessors(3).size() == 3);
  CHECK(both.predecessors(4).size() == 1);
  CHECK_THROWS_WITH(run("Req(0) = Comm(0,1,M) After(Req(7))\n"),
                    Catch::Contains("Req(7): no operation has this level (and segment) yet"));
  CHECK_THROWS_WITH(run("Req(0) = Req(-1,0)\n"), Catch::Contains("only the whole set of a rank"));
}

TEST_CASE("branches follow the indentation") {
  const std::string tail =
      "\n  x = 1\nelif N == 5\n\tif N > 9\n\t  x = 2\n\telse\n\t  x = 3\nelse\n  x = 4";
  CHECK(value_after("if N == 4" + tail) == 3);
  CHECK(value_after("if N == 5" + tail) == 1);
}

TEST_CASE("lists work as arrays and as sets") {
  CHECK(value_after("m[3] = {2, ..., 2}\nm[1] += 5\nx = m[0] + 10*m[1] + size(m)") == 2 + 70 + 3);
  CHECK(value_after("m = {1, ..., 4}\nx = m[3]*size(m)") == 16);
  CHECK(value_after("m[3] = {0, ..., 4}\nx = m[1] + 10*m[2]") == 42);
  CHECK(value_after("a = {1, 2}\na = a + {2, 3}\nx = size(a)*10 + a[2]") == 33);
  CHECK(value_after("a = {1}\nb = a\nb += {2}\nx = size(a)*10 + size(b)") == 12);
  CHECK(value_after("a = {4, 7}\nx = 1 + (7 in a) + (5 in a)") == 2);
  // A long set also contains each member only once.
  CHECK(value_after("a[1000] = {}\nfor k < 100\n  a = a + {k mod 40}\nx = size(a)") == 40);
  CHECK(value_after("C = children(0,binary)\nx = size(C)*10 + C[1]") == 22);
}

TEST_CASE("a list may be computed from itself") {
  CHECK(value_after("a = {9}\na = a + {5} + {size(a)}\nx = a[2]") == 1);
  CHECK(value_after("a = {9}\na = a + {5} + {a[size(a)-1] + 1}\nx = a[2]") == 10);
  CHECK(value_after("a = {3, 4}\na[a[0] - 3] = a[1] + a[0]\nx = a[0]") == 7);
}

TEST_CASE(
    "repeated expressions have one value, and values are not assumed on paths that may not run") {
  CHECK(value_after("a = 2\nb = 3\nx = (a+b)*(a+b) - (a+b)") == 20);
  CHECK(value_after("a = 2\na = a + 1\nx = (a + 1)*(a + 1)") == 16);
  CHECK(value_after("a = 1\nx = (a == 2 and a + 1 == 2) + (a + 1)") == 2);
  CHECK(value_after("a = 1\nx = (a == 1 or a + 1 == 2) + (a + 1)") == 3);
  CHECK(value_after("a = 1\nif a == 2 and a + 1 == 2\n  x = 9\nelif a + 1 == 2\n  x = a + 1") == 2);
}

TEST_CASE("if blocks differ in size, M is refused wherever it is reached") {
  const auto gather = [](const std::string& body, std::uint64_t elements) {
    const Program program("tutti-program 1\ncollective gather\n" + body, "test");
    return program.schedule(problem_of(Collective::gather, 5, elements)).size();
  };
  const std::string refusal = "different sizes";
  CHECK(gather("x = M\n", 10) == 0);
  CHECK_THROWS_WITH(gather("x = M\n", 11), Catch::Contains(refusal));
  CHECK(gather("if N == 4\n  x = M\n", 11) == 0);
  CHECK(gather("x = N == 4 and M > 3\n", 11) == 0);
  CHECK_THROWS_WITH(gather("x = N == 4 and M > 3\nx = M\n", 11), Catch::Contains(refusal));
  CHECK_THROWS_WITH(gather("x = N == 5 or M > 3\nx = M\n", 11), Catch::Contains(refusal));
  CHECK_THROWS_WITH(gather("for n < 0\n  x = M\nx = M\n", 11), Catch::Contains(refusal));
  CHECK_THROWS_WITH(gather("if N == 4\n  x = M\nx = M\n", 11), Catch::Contains(refusal));
  // The program has many variables, but none depends on M.
  std::string names;
  for (int i = 0; i < 600; ++i) {
    const std::string name = "x" + std::to_string(i);
    names += "if N > 4\n  " + name + " = N\nx = " + name + "\n";
  }
  CHECK(gather(names, 11) == 0);
}

TEST_CASE("adding a set to itself leaves it unchanged") {
  for (const char* sign : {"=", "+="}) {
    const Schedule schedule =
        run(std::string("Req(0,{0,1}) = Comm(0,1,M)\nReq(0,{0,2}) = Comm(0,2,M)\nfor i < 60\n"
                        "  Req(0,0) ") +
            sign + " Req(0,0) + Req(0,0)\nReq(1,{0,3}) = Comm(0,3,M) After(Req(0,0))\n");
    CHECK(schedule.predecessors(2).size() == 2);
  }
}

TEST_CASE("emptied lists still count towards the memory limit") {
  ProgramLimits limits;
  limits.memory_bytes = 1U << 20U;
  const auto lists = [&](int count) {
    std::string text = "tutti-program 1\ncollective bcast\n";
    for (int i = 0; i < count; ++i) {
      const std::string name = "a" + std::to_string(i);
      text += name + "[30000] = {0, ..., 0}\n" + name + " = {}\n";
    }
    const Program program(text, "test", limits);
    return program.schedule(problem_of(Collective::bcast, 2, 1)).size();
  };
  CHECK(lists(1) == 0);
  CHECK_THROWS_WITH(lists(3), Catch::Contains("--limit memory=SIZE"));
}

TEST_CASE("requests: After names the right operations") {
  // In this chain, each message comes after the one before it.
  const Schedule chain = run("for n < N-1\n  Req(n,{n,n+1}) = Comm(n,n+1,M) After(Req(n-1,n))\n");
  CHECK(chain.size() == 4);
  CHECK(chain.dependencies() == 3);
  // The third statement makes Req(3,0) an alias: it names the message to rank 2, and no other.
  const Schedule alias =
      run("Req(0,{0,1}) = Comm(0,1,M)\nReq(0,{0,2}) = Comm(0,2,M)\nReq(3,0) = Req(0,{0,2})\n"
          "Req(4,{0,3}) = Comm(0,3,M) After(Req(3,0))\n");
  CHECK(alias.predecessors(2).size() == 1);
  CHECK(alias.predecessors(2)[0] == 1);
  // `After` may name all segments of a level, or one segment.
  const std::string segments =
      "segments S\nfor s < 4\n  Req(<0,s>,{0,1}) = Comm(0,1,work[s])\n"
      "Req(1,{1,2}) = Comm(1,2,work[0]) After(Req(0,1))\n"
      "Req(2,{1,2}) = Comm(1,2,work[2]) After(Req(<0,2>,1))\n";
  CHECK(run(segments).predecessors(4).size() == 4);
  CHECK(run(segments).predecessors(5).size() == 1);
  // One statement may define several operations, and each may have its own After.
  CHECK(messages(run("Req(0,{0,1}) = Comm(0,1,M)\n  + Comm(1,0,M) After(Req(0,1))\n")) ==
        std::vector<std::pair<Rank, Rank>>{{0, 1}, {1, 0}});
}

TEST_CASE("an operation that comes after itself is refused, however its label is looked up") {
  for (const char* body : {"Req(0,{0,1}) = Comm(0,1,M) After(Req(0,{0,1}))\n",
                           // In the next two programs, labels.hpp looks the label up in a table:
                           // earlier messages have taken the places of its level, or the level is
                           // too high to have places.
                           "Req(0,{0,1}) = Comm(0,1,M)\nReq(<0,1>,{0,1}) = Comm(0,1,M)\n"
                           "Req(<0,2>,{0,1}) = Comm(0,1,M) After(Req(<0,2>,{0,1}))\n",
                           "Req(100000,{0,1}) = Comm(0,1,M) After(Req(100000,{0,1}))\n"}) {
    CHECK_THROWS_WITH(run(body, 2), Catch::Contains("no operation has the label Req("));
  }
}

TEST_CASE("a program can refuse with its own message") {
  CHECK_THROWS_WITH(run("if N > 4\n  refuse \"too many\"\n"),
                    Catch::Equals("bcast/unnamed cannot run: too many"));
  CHECK_NOTHROW(run("if N > 4\n  refuse \"too many\"\n", 4));
}

TEST_CASE("a broadcast may be cut within elements, and no other collective") {
  const Schedule cut = run("block_bytes {41,39}\nReq(<0,0>,{0,1}) = Comm(0,1, work[0])\n", 5, 10);
  CHECK(cut.blocks() == 2);
  CHECK(cut.op(0).bytes() == 41);
  CHECK(run("block_bytes {16,64}\n", 5, 10).layout().run_bytes(0, 1) == 16);
  const Program reduce("tutti-program 1\ncollective reduce\nblock_bytes {41,39}\n", "test");
  CHECK_THROWS_WITH(reduce.schedule(problem_of(Collective::reduce, 5, 10, 0)),
                    Catch::Contains("41 bytes are not a whole number of 8-byte elements"));
}

TEST_CASE("a text is recognised as a program by its first word") {
  CHECK(Program::is_program("# mine\ntutti-program 1\n"));
  CHECK_FALSE(Program::is_program("tutti-schedule 1\n"));
  CHECK_FALSE(Program::is_program(""));
}

TEST_CASE("labels are unique, in whatever order operations come") {
  const std::string again = "a second operation with the label";
  // The program uses many labels at one level, in order. Then it uses one of them again: the first,
  // the last, or one in between.
  const std::string all =
      "for n < N\n  for m < N\n    if n != m\n      Req(0,{n,m}) = Comm(n,m,M)\n";
  CHECK(run(all, 9).size() == 72);
  for (const char* once_more : {"0,1", "8,7", "4,6", "6,4"}) {
    const std::string one = once_more;
    CHECK_THROWS_WITH(run(all + "Req(0,{" + one + "}) = Comm(" + one + ",M)\n", 9),
                      Catch::Contains(again));
    CHECK_NOTHROW(run(all + "Req(1,{" + one + "}) = Comm(" + one + ",M)\n", 9));
    CHECK_NOTHROW(run(all + "Req(<0,1>,{" + one + "}) = Comm(" + one + ",M)\n", 9));
    // The second operation with the label is also refused if its `After` names a single label.
    CHECK_THROWS_WITH(
        run(all + "Req(0,{" + one + "}) = Comm(" + one + ",M) After(Req(0,{2,1}))\n", 9),
        Catch::Contains(again));
  }
}

}  // namespace tutti::test_program_language
