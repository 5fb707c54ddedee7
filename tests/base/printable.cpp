#include "base/printable.hpp"

#include <catch2/catch.hpp>

#include <ostream>
#include <sstream>

namespace tutti::test_printable {

TEST_CASE("terminal control characters are not shown") {
  CHECK(printable("plain text, \"quoted\"") == "plain text, \"quoted\"");
  CHECK(printable("two\nlines\tand\r\n") == "two lines and  ");
  CHECK(printable("\x1b[31mred\x07") == "?[31mred?");
  CHECK(printable("\xc2\x9b") == "??");  // a control character equivalent to ESC [
}

TEST_CASE("valid UTF-8 is shown, and invalid bytes are replaced") {
  CHECK(printable("Träff, \u20ac, \U0001f600") == "Träff, \u20ac, \U0001f600");
  CHECK(printable("\xff"
                  "a\xc3") == "?a?");
  CHECK(printable("\xc0\xaf") == "??");            // overlong encoding of a slash
  CHECK(printable("\xed\xa0\x80") == "???");       // half of a UTF-16 surrogate pair
  CHECK(printable("\xf4\x90\x80\x80") == "????");  // beyond Unicode
  CHECK(printable("\xf8\x90\x80\x80") == "????");  // no character begins with 0xf8
}

TEST_CASE("characters that change the text direction are not shown") {
  CHECK(printable("a\u202etxt.exe") == "a???txt.exe");
  CHECK(printable("a\u2066b") == "a???b");
  CHECK(printable("a\u2026b") == "a\u2026b");  // an ellipsis
}

TEST_CASE("a printable stream replaces the same characters, and keeps line breaks") {
  std::ostringstream shown;
  PrintableBuffer buffer(shown.rdbuf());
  std::ostream out(&buffer);
  out << "one\n\ttwo\x1b[31m\r\xff" << 'x' << "\u20ac\n";
  const std::string euro = "\u20ac";
  out << euro.substr(0, 1) << euro.substr(1, 1) << euro.substr(2) << euro.substr(0, 2) << "!\n";
  CHECK(out);
  CHECK(shown.str() ==
        "one\n\ttwo?[31m??x\u20ac\n\u20ac?"
        "?!\n");
  CHECK_FALSE(is_printable("a\nb"));
  CHECK(is_printable("a\tb \u20ac"));
  CHECK(is_utf8("a\n\x1b"));
  CHECK_FALSE(is_utf8("a\xff"));
}

TEST_CASE("long words and texts are shortened between characters") {
  CHECK(shortened("a short text") == "a short text");
  const std::string word(100'000, 'a');
  const std::string text = shortened("unknown '" + word + "': there are others");
  CHECK(text.size() < 300);
  CHECK(text.find("99843 more bytes") != std::string::npos);
  CHECK(text.ends_with(": there are others"));
  std::string euros;
  std::string words;
  for (int i = 0; i < 1000; ++i) {
    euros += "\u20ac";
    words += "word ";
  }
  CHECK(is_utf8(shortened(euros)));
  CHECK(shortened(words).size() < 1000);
}

}  // namespace tutti::test_printable
