// Tests how texts of the command line become values.
#include "src/requests/option_store.hpp"

#include <catch2/catch.hpp>

#include <array>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/command_table.hpp"

namespace tutti::test_option_store {
namespace {

enum class Fruit { apple, pear };
std::array<std::pair<std::string_view, Fruit>, 2> fruits() {
  return {{{"apple", Fruit::apple}, {"pear", Fruit::pear}}};
}

struct Basket {
  std::optional<Fruit> fruit;
  std::uint32_t count = 1;
  std::optional<ValueWithText<double>> time_s;
  std::vector<std::uint32_t> sizes;          // one text has several
  std::vector<ValueWithText<double>> times;  // each text has one
  std::string name;
  bool ripe = false;

  void read(const std::vector<std::string>& words) {
    Command command("basket", "");
    const OptionGroup group(command, "Fruits");
    group.add("-f,--fruit-kind", fruit, "NAME", "", AsWord<fruits>());
    group.add("--count", count, "COUNT", "", AsPositiveCount<9>());
    group.add("--time", time_s, "TIME", "", AsTime());
    group.add("--sizes", sizes, "SIZES", "", AsCounts());
    group.add("--times", times, "TIME", "", AsTime()).one_at_a_time();
    group.add("--name", name, "TEXT", "");
    group.flag("--ripe", ripe, "");
    (void)parse_command_line(command, words);
  }
};

std::string refused(const std::vector<std::string>& words) {
  try {
    Basket().read(words);
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "";
}

}  // namespace

TEST_CASE("an option's text becomes a value of the variable's type") {
  Basket basket;
  basket.read({"-f", "PEAR", "--count", "3", "--time", "2us", "--sizes", "1,2..4", "--times", "1s",
               "--times", "2s", "--name", "a b", "--ripe"});
  CHECK(basket.fruit == Fruit::pear);
  CHECK(basket.count == 3);
  CHECK(basket.time_s->value == 2e-6);
  CHECK(basket.time_s->text == "2us");
  CHECK(basket.sizes == std::vector<std::uint32_t>{1, 2, 3, 4});
  REQUIRE(basket.times.size() == 2);
  CHECK(basket.times[1].value == 2);
  CHECK(basket.times[1].text == "2s");
  CHECK(basket.name == "a b");
  CHECK(basket.ripe);
}

TEST_CASE("an option that is not given keeps the variable's value") {
  Basket basket;
  basket.read({});
  CHECK_FALSE(basket.fruit);
  CHECK(basket.count == 1);
  CHECK_FALSE(basket.time_s);
  CHECK(basket.times.empty());
  CHECK_FALSE(basket.ripe);
}

TEST_CASE("an invalid text is refused with the name of the field") {
  CHECK_THAT(refused({"--fruit-kind", "plum"}),
             Catch::StartsWith("--fruit-kind 'plum': expected apple or pear"));
  CHECK(refused({"--count", "0"}) == "--count '0': must be from 1 to 9");
  CHECK_THAT(refused({"--time", "2"}), Catch::StartsWith("--time '2'"));
}

TEST_CASE("the form of the command line is checked before its values") {
  CHECK_THAT(refused({"--count", "0", "--colour", "red"}), Catch::Contains("--colour"));
}

}  // namespace tutti::test_option_store
