#include "src/printable.hpp"

#include <catch2/catch.hpp>

namespace tutti {

TEST_CASE("what a terminal might obey is not shown") {
  CHECK(printable("plain text, \"quoted\"") == "plain text, \"quoted\"");
  CHECK(printable("two\nlines\tand\r\n") == "two lines and  ");
  CHECK(printable("\x1b[31mred\x07") == "?[31mred?");
  CHECK(printable("\xc2\x9b") == "??");  // the same as escape and a bracket
}

TEST_CASE("UTF-8 is shown, and what is none is not") {
  CHECK(printable("Träff, \u20ac, \U0001f600") == "Träff, \u20ac, \U0001f600");
  CHECK(printable("\xff"
                  "a\xc3") == "?a?");
  CHECK(printable("\xc0\xaf") == "??");            // a slash in two bytes
  CHECK(printable("\xed\xa0\x80") == "???");       // half of a pair of UTF-16
  CHECK(printable("\xf4\x90\x80\x80") == "????");  // beyond Unicode
}

}  // namespace tutti
