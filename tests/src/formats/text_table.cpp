#include "src/formats/text_table.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <sstream>

#include "base/time_column.hpp"

namespace tutti::test_text_table {

namespace {

// The constructor sets the page width, and the destructor resets it.
class PageOf {
 public:
  explicit PageOf(const char* columns) {
    ::setenv("COLUMNS", columns, 1);  // NOLINT(concurrency-mt-unsafe)
    look_at_page();
  }
  PageOf(const PageOf&) = delete;
  PageOf& operator=(const PageOf&) = delete;
  ~PageOf() {
    ::unsetenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe)
    look_at_page();
  }
};

std::string printed(const Table& table) {
  std::ostringstream out;
  table.print(out, 2);
  return out.str();
}

}  // namespace

TEST_CASE("Wrapped text keeps its words and counts characters, not bytes") {
  CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("unbreakable", 4) == std::vector<std::string>{"unbr", "eaka", "ble"});
  CHECK(wrap("", 5) == std::vector<std::string>{""});
  CHECK(display_width("Träff") == 5);
}

TEST_CASE("words wider than the page are broken, and no word is lost") {
  CHECK(wrap("a bc def", 4) == std::vector<std::string>{"a bc", "def"});
  CHECK(wrap("platforms/torus_64.xml is", 12) ==
        std::vector<std::string>{"platforms/", "torus_64.xml", "is"});
  CHECK(wrap("0123456789", 4) == std::vector<std::string>{"0123", "4567", "89"});
  CHECK(wrap("ÄÖÜß", 2) == std::vector<std::string>{"ÄÖ", "Üß"});
  CHECK(wrap("", 4) == std::vector<std::string>{""});
}

TEST_CASE("columns that do not fit move to further lines") {
  Table table({{"algorithm"}, {"takes", true}, {"exact", true, 1}, {"published", true, 2}});
  table.add({"recursive_doubling", "12.5 us", "11.0 us", "10.0 us"});
  table.add({"ring", "9 us", "-", ""});
  CHECK(printed(table) ==
        "  algorithm             takes    exact  published\n"
        "  recursive_doubling  12.5 us  11.0 us    10.0 us\n"
        "  ring                   9 us        -\n");
  const PageOf narrow("42");
  CHECK(printed(table) ==
        "  algorithm             takes    exact\n"
        "  recursive_doubling  12.5 us  11.0 us\n"
        "      published 10.0 us\n"
        "  ring                   9 us        -\n");
}

TEST_CASE("rows that become known one after the other have the columns of the whole table") {
  Table table({{"p", true},
               {"an extra column of text", true, 2, true, true},
               {"time", true},
               {"bw", true, 1}});
  table.reserve({"64", "1", "999.999 us", "1.5"});
  const auto rows = [&table] {
    std::ostringstream out;
    table.print_head(out, 2);
    table.print_row({"4", "2", "3 us", "1.5"}, out, 2);
    table.print_row({"64", "2", "123.456 us", ""}, out, 2);
    return out.str();
  };
  CHECK(rows() ==
        "   p  an extra column of text        time   bw\n"
        "   4                        2        3 us  1.5\n"
        "  64                        2  123.456 us\n");
  const PageOf narrow("42");  // the extra column is left out; others would move to further lines
  CHECK(rows() ==
        "   p        time   bw\n"
        "   4        3 us  1.5\n"
        "  64  123.456 us\n");
}

TEST_CASE("a last column of text is wrapped within its column") {
  Table table({{"p", true}, {"take"}});
  table.add({"64", "recursive_doubling; from 2 KiB on rabenseifner"});
  const PageOf narrow("40");
  CHECK(printed(table) ==
        "   p  take\n"
        "  64  recursive_doubling; from 2 KiB on\n"
        "      rabenseifner\n");
}

TEST_CASE("an invalid width in COLUMNS is ignored") {
  for (const char* text : {"", "wide", "-3", "0", "80x"}) {
    const PageOf page(text);
    CHECK(page_width() == kPageWidth);
  }
  const PageOf wide("300");
  CHECK(page_width() == 300);
  CHECK(text_width() == kPageWidth);
}

TEST_CASE("times of a column share one unit and have enough digits") {
  const std::array times{17.8342e-6, 511.982e-6, 88.2274e-3};
  const TimeUnit unit = unit_of_column(times);
  CHECK(unit.name == "us");
  CHECK(unit.print(times[0]) == "17.834");
  CHECK(unit.print(times[2]) == "88,227.400");
  const std::array far_apart{402.6e-9, 14.2e-3};
  CHECK(unit_of_column(far_apart).name == "us");
  CHECK(unit_of_column(far_apart).print(far_apart[0]) == "0.4026");
  CHECK(unit_of_column(std::array{0.0}).name == "s");
  CHECK(brief_time(501.76e-9) == "502 ns");
  CHECK(brief_time(999.7e-6) == "1 ms");
  CHECK(brief_time(1234) == "1234 s");
}

}  // namespace tutti::test_text_table
