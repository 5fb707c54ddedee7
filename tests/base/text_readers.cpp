#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "base/characters.hpp"
#include "base/exact_bytes.hpp"
#include "base/file_marks.hpp"
#include "base/line_reader.hpp"
#include "base/text_cursor.hpp"
#include "base/text_words.hpp"

namespace tutti::test_text_readers {

TEST_CASE("lines are numbered from 1, and lose their line ends") {
  std::vector<std::string> seen;
  for (LineReader lines("a\r\n\nb # c\rd"); lines.next();) {
    seen.push_back(std::to_string(lines.number()) + std::string(lines.line()) + '|' +
                   std::string(lines.without_comment()));
  }
  CHECK(seen == std::vector<std::string>{"1a|a", "2|", "3b # c\rd|b "});
  LineReader one("a\r\n");
  CHECK(one.next());
  CHECK(one.whole() == "a\r");
  CHECK_FALSE(one.next());
  CHECK_FALSE(LineReader("").next());
}

TEST_CASE("a cursor counts the lines that it moves over") {
  TextCursor cursor("ab \n\n// c\nx");
  CHECK(cursor.take_while(is_letter) == "ab");
  CHECK(cursor.line() == 1);
  cursor.take_while(is_space);
  CHECK(cursor.line() == 3);
  CHECK_FALSE(cursor.take("/*"));
  CHECK(cursor.take("//"));
  CHECK(cursor.take_line() == " c");
  CHECK(cursor.peek() == '\n');
  CHECK(cursor.take(9) == "\nx");
  CHECK(cursor.line() == 4);
  CHECK(cursor.at_end());
  CHECK(cursor.peek() == '\0');
  CHECK(cursor.take(1).empty());
}

TEST_CASE("digits depend on the base") {
  CHECK(is_digit('9'));
  CHECK_FALSE(is_digit('a'));
  CHECK(is_digit('F', 16));
  CHECK_FALSE(is_digit('g', 16));
  CHECK(is_digit('7', 8));
  CHECK_FALSE(is_digit('8', 8));
}

TEST_CASE("words leave out empty parts") {
  CHECK(words_in(" a\tb  ") == std::vector<std::string_view>{"a", "b"});
  CHECK(words_in("#a##b", "#") == std::vector<std::string_view>{"a", "b"});
  CHECK(words_in("").empty());
  CHECK(trimmed("\va \n", kWhiteSpace) == "a");
  CHECK(trimmed(" \n", kWhiteSpace).empty());
  CHECK(plain_name("All_Reduce-2 x") == "allreduce2x");
}

TEST_CASE("exact sizes are never rounded") {
  CHECK(exact_bytes(0) == "0 bytes");
  CHECK(exact_bytes(1) == "1 byte");
  CHECK(exact_bytes(1024) == "1 KiB");
  CHECK(exact_bytes(1536) == "1.5 KiB");
  CHECK(exact_bytes(32769) == "32,769 bytes");
  CHECK(exact_bytes(1025 * 1024) == "1,049,600 bytes");  // 1.001 MiB when rounded
  CHECK(exact_bytes(1048575) == "1,048,575 bytes");      // 1024 KiB when rounded
  CHECK(exact_bytes(std::uint64_t{1} << 43U) == "8 TiB");
}

TEST_CASE("marks of files of other kinds are found where they have a meaning") {
  CHECK(xml_root("<?xml version='1.0'?>\n<!-- <algo> -->\n<!DOCTYPE x>\n<platform v='4'>") ==
        "platform");
  CHECK(xml_root("<!-- <algo>").empty());
  CHECK(xml_root("platform").empty());
  CHECK(json_schema_of(R"({"a": "schema", "schema" : "tutti-x/1"})") == "tutti-x/1");
  CHECK(json_schema_of(R"({"schema": 1})").empty());
  CHECK(has_json_key(R"({"k": {"gpus":[]}})", "gpus"));
  CHECK_FALSE(has_json_key(R"({"k": "gpus"})", "gpus"));
  CHECK(benchmark_mark("#\n# OSU MPI Allreduce") == "# OSU MPI");
  CHECK(benchmark_mark("# size").empty());
}

}  // namespace tutti::test_text_readers
