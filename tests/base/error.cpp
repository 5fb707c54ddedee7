#include "base/error.hpp"

#include <catch2/catch.hpp>

#include "base/field_names.hpp"
#include "base/messages.hpp"

namespace tutti::test_error {

TEST_CASE("a violated invariant reports its text and location in every build type") {
  const int ranks = 0;
  CHECK_NOTHROW([&] { TUTTI_INVARIANT(ranks == 0); }());
  CHECK_THROWS_WITH([&] { TUTTI_INVARIANT(ranks > 0); }(),
                    Catch::StartsWith("broken invariant: ranks > 0 (error.cpp:"));
  CHECK_THROWS_AS([&] { TUTTI_INVARIANT(ranks > 0); }(), InvariantError);
}

TEST_CASE("field references become flags, and the user's own text stays unchanged") {
  CHECK(with_fields("$ranks '4': give $ranks_per_host") == "-p/--ranks '4': give --ranks-per-host");
  CHECK(with_fields("$platform 'my $set.xml': Open MPI's $ports") ==
        "--platform 'my $set.xml': Open MPI's --ports");
  CHECK(with_fields("p' elements, $cuts even, costs $ 5 or $5") ==
        "p' elements, --cuts even, costs $ 5 or $5");
  // Quotation marks within the user's text.
  CHECK(with_fields("'a 'b' \"c' cannot be read; give $with") ==
        "'a 'b' \"c' cannot be read; give --with");
  CHECK(with_fields("'a b (\"' give $with") == "'a b (\"' give --with");
  CHECK(with_fields("\"$schema\" is missing") == "\"$schema\" is missing");
  CHECK(with_fields("give $ranks and $bytes, such as $ranks=64 $bytes=1MiB or $ports=2.") ==
        "give -p/--ranks and -n/--bytes, such as -p 64 -n 1MiB or --ports 2.");
}

TEST_CASE("a user's text without quotation marks gets them if it looks like a field") {
  CHECK(user_text("a b.xml") == "a b.xml");
  CHECK(user_text("$5 $Ab $") == "$5 $Ab $");
  CHECK(place_in_file("a.xml", 3) == "a.xml:3");
  CHECK(with_fields(place_in_file("$ports=3", 7) + ": give $ranks=4") == "'$ports=3':7: give -p 4");
  CHECK(with_fields(user_text("it's $ports") + ", $ports") == "\"it's $ports\", --ports");
  // The spelling of fields does not change such a text if it is applied twice.
  CHECK(with_fields(with_fields(user_text("$ports"))) == "'$ports'");
}

TEST_CASE("field references become arguments of a function") {
  const auto named = [](std::string_view text) { return with_fields(text, FieldNames::arguments); };
  CHECK(named("$ranks '4': give $ranks_per_host") == "ranks '4': give ranks_per_host");
  CHECK(named("$with needs $against or $and") == "with_ needs against or and_");
  CHECK(named("unknown option '--rank': did you mean '--ranks-per-host'?") ==
        "unknown option 'rank': did you mean 'ranks_per_host'?");
  CHECK(named("'--', '--a b' and 'tutti list --json'") == "'--', '--a b' and 'tutti list --json'");
  CHECK(named("such as $ranks=64 $bytes=1MiB, '$ranks=4'") ==
        "such as ranks=64 bytes='1MiB', '$ranks=4'");
  CHECK(named("use $engine=critical-path, or $cuts=open_mpi.") ==
        "use engine='critical-path', or cuts='open_mpi'.");
  CHECK(named("write $ranks=COUNT $placement=random") == "write ranks=COUNT placement='random'");
}

TEST_CASE("a message is one printable line, and only errors are shortened") {
  const std::string long_word(5000, 'x');
  const auto line = [](MessageKind kind, std::string text) {
    return line_of({kind, std::move(text), ""}, FieldNames::flags);
  };
  CHECK(line(MessageKind::warning, "$ports '1'\n2") == "--ports '1' 2");
  CHECK(line(MessageKind::note, long_word) == long_word);
  CHECK(line(MessageKind::error, long_word).size() < 400);
}

TEST_CASE("a command line has the flags of fields") {
  CHECK(flag_of("ranks_per_host") == "--ranks-per-host");
  CHECK(field_of("--ranks-per-host") == "$ranks_per_host");
  CHECK(shell_command("tutti query $into all_my.db $engine_version") ==
        "'tutti query --into all_my.db --engine-version'");
  CHECK(shell_command("tutti list") == "'tutti list'");
}

TEST_CASE("an invariant accepts a file name without a path") {
  CHECK_THROWS_WITH(fail_invariant("x", "plain.cpp", 3), "broken invariant: x (plain.cpp:3)");
}

}  // namespace tutti::test_error
