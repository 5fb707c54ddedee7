// Tests the JSON and the schema that a list of fields gives.
#include "src/formats/document.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/formats/csv.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/visited_fields.hpp"

namespace tutti::test_document {

namespace {

using Json = nlohmann::ordered_json;

struct Wheel {
  double size = 1;
};
struct Car {
  std::string name = "car";
  std::optional<std::uint32_t> doors = std::nullopt;
  std::optional<std::optional<double>> price = std::nullopt;
  std::vector<Wheel> wheels = {{1}, {2.5}};
  std::vector<std::string> colours = {};
  const Wheel* spare = nullptr;
};

constexpr std::array<std::string_view, 2> kNames{"car", "van"};
constexpr auto kWheel = fields<Wheel>({{"size", member<&Wheel::size>, above(0)}});
constexpr auto kRear = fields<Car>({
    {"spare", kWheel, member<&Car::spare>, "The fifth wheel."},
});
constexpr auto kCar = fields<Car>({
    {"name", member<&Car::name>, one_of(kNames)},
    {"doors", member<&Car::doors>, at_least(1) | absent},
    {"price", member<&Car::price>},
    {"wheels", kWheel, member<&Car::wheels>, items_from(1)},
    {"colours", member<&Car::colours>, one_without_list},
    kRear,
    {"old", [](const Car&) { return true; }, added_later},
});
constexpr DocumentOf<Car> kDocument{{"tutti-car/1", "a car", kCar.view()}};

enum class Gear : std::uint8_t { low, high };
constexpr std::array<std::string_view, 2> kGears{"low", "high"};
std::string_view name(Gear gear) { return kGears[static_cast<std::size_t>(gear)]; }
struct Trip {
  double km = 1;
  std::optional<std::uint32_t> riders = std::nullopt;
  Gear gear = Gear::low;
};
struct TripMembers {
  using Object = Trip;
  template <typename Member, typename Visit>
  static void each(Member& trip, const Visit& visit) {
    visit("km", trip.km, between(0.5, 1e24) | or_zero, "Length.");
    visit("riders", trip.riders, at_least(1));
    visit("gear", trip.gear, one_of(kGears));
  }
};
constexpr auto kTrip = fields<Trip>({
    {"plate", {.kind = Shape::Kind::text}, like("^[a-z]*$", 8) | required, ""},
    FieldsOf<Trip>{VisitedFields<TripMembers>::view},
    {kOtherNames, {.kind = Shape::Kind::number}, {}, "Other figures."},
});
constexpr auto kWait = fields<Trip>({{"wait", kWheel, required, "The wheel that is mended."}});
constexpr std::array<DocumentForm, 2> kForms{{{"trip", kTrip.view()}, {"wait", kWait.view()}}};
constexpr DocumentType kLine{
    .schema = "tutti-trip/1", .title = "a trip", .has_made_by = false, .forms = kForms};

std::string text_of(const Car& car) { return document_json(kDocument, car).dump(); }

// Returns the fault of the document relative to its schema; "" if there is none.
std::string fault_of(const std::string& text) {
  const auto fault = JsonSchema(schema_text(kDocument)).fault_in(nlohmann::json::parse(text));
  return fault ? fault->sentence() : "";
}

}  // namespace

TEST_CASE("a document has the fields of its list, in their order") {
  CHECK(text_of({}) ==
        R"({"schema":"tutti-car/1","name":"car","wheels":[{"size":1.0},{"size":2.5}],)"
        R"("colours":null,"spare":null,"old":true})");
  const Wheel spare{3};
  Car car{.name = "van", .doors = 4, .price = std::optional<double>(), .colours = {"red"}};
  car.spare = &spare;
  CHECK(text_of(car) ==
        R"({"schema":"tutti-car/1","name":"van","doors":4,"price":null,)"
        R"("wheels":[{"size":1.0},{"size":2.5}],"colours":"red","spare":{"size":3.0},"old":true})");
  car.colours = {"red", "blue"};
  CHECK(text_of(car).find(R"("colours":["red","blue"])") != std::string::npos);
}

TEST_CASE("a field that an object has can be null, and differs from one that it does not have") {
  CHECK_FALSE(value_if(false, std::optional<double>()).has_value());
  const auto null = value_if(true, std::optional<double>());
  REQUIRE(null.has_value());
  CHECK_FALSE(null->has_value());
}

TEST_CASE("the schema of a document accepts it, and refuses others") {
  CHECK(fault_of(text_of({})).empty());
  CHECK(fault_of(text_of({.doors = 4, .price = 2.5, .colours = {"red", "blue"}})).empty());
  CHECK(fault_of(text_of({.name = "bus"})) == "/name is \"bus\"; expected \"car\" or \"van\"");
  CHECK(fault_of(text_of({.doors = 0})).starts_with("/doors is 0"));
  CHECK(fault_of(text_of({.price = -1})).starts_with("/price is -1.0"));
  CHECK(fault_of(text_of({.wheels = {}})).starts_with("/wheels has 0 items"));
  CHECK(fault_of(text_of({.wheels = {{0}}})).starts_with("/wheels/0/size is 0.0"));
  CHECK(fault_of(R"({"schema":"tutti-car/1","name":"car","wheels":[{"size":1}],"colours":null})") ==
        "the whole value lacks \"spare\"");
  CHECK(fault_of(R"({"schema":"tutti-car/1","name":"car","wheels":[{"size":1}],"colours":null,)"
                 R"("spare":null})")
            .empty());
}

TEST_CASE("fields of visited members are written in their order") {
  Json json;
  const Trip trip{.riders = 2, .gear = Gear::high};
  put_object(json, kTrip.view(), &trip);
  CHECK(json.dump() == R"({"km":1.0,"riders":2,"gear":"high"})");
}

TEST_CASE("a document can have several forms, and fields of any name") {
  const auto fault = [](const std::string& fields) {
    const auto found =
        JsonSchema(schema_text(kLine))
            .fault_in(nlohmann::json::parse(R"({"schema":"tutti-trip/1",)" + fields + "}"));
    return found ? found->sentence() : "";
  };
  const std::string trip = R"("plate":"ab","km":1,"riders":null,"gear":"low")";
  CHECK(fault(trip).empty());
  CHECK(fault(trip + R"(,"wind":3)").empty());
  CHECK(fault(trip + R"(,"wind":"much")") == "/wind is \"much\"; expected a number from 0");
  CHECK(fault(R"("plate":"abcdefghi","km":1,"riders":1,"gear":"low")").starts_with("/plate is"));
  CHECK(fault(R"("plate":"ab","km":1e25,"riders":1,"gear":"low")").starts_with("/km is 1e+25"));
  CHECK(fault(R"("plate":"ab","km":0.1,"riders":1,"gear":"low")") ==
        "/km is 0.1; expected 0 or a number from 0.5 up to 1e+24");
  CHECK(fault(R"("plate":"ab","km":0,"riders":1,"gear":"low")").empty());
  CHECK(fault(R"("plate":"ab","km":1,"riders":1,"gear":"back")").starts_with("/gear is"));
  CHECK(fault(R"("wait":{"size":1})").empty());
  CHECK(fault(R"("wait":{"size":1},"made_by":{})").starts_with("/made_by is not a known key"));
  CHECK(document_section(kLine).find("| `km` | number | Length. |") != std::string::npos);
}

TEST_CASE("a table of comma-separated values has a column for each field") {
  const Wheel wheel{2.5};
  CHECK(csv_names_line(kWheel.view(), &wheel) == "size\n");
  CHECK(csv_values_line(kWheel.view(), &wheel) == "2.5\n");
}

TEST_CASE("the page on documents explains nested fields once") {
  const std::string page = document_section(kDocument);
  CHECK(page.find("| `wheels.size` | number |  |") != std::string::npos);
  CHECK(page.find("| `spare` | object or null | The fifth wheel. Fields as in `wheels`. |") !=
        std::string::npos);
  CHECK(page.find("`spare.size`") == std::string::npos);
}

}  // namespace tutti::test_document
