// Tests that cells whose machine specifications differ in any field have different keys.
#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <type_traits>

#include "schedules/registry.hpp"
#include "src/experiments/sweep/cell.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::test_cell_keys {

namespace {

void change(bool& value) { value = !value; }
void change(double& value) { value += 1e-9; }
void change(SymmetryUse& value) { value = SymmetryUse::off; }
void change(Placement& value) { value = Placement::cyclic; }
void change(std::string& value) { value = value == "auto" ? "critical-path" : "ideal"; }
template <typename Number>
void change(std::optional<Number>& value) {
  value = Number{1} + value.value_or(Number{1});
}

MachineSpec with_change_at(std::size_t which) {
  MachineSpec spec;
  spec.source.file = "a platform";
  std::size_t at = 0;
  for_each_field(spec, [&](std::string_view, auto& value) {
    if (at++ == which) {
      change(value);
    }
  });
  return spec;
}

CellKey key_of_spec(const MachineSpec& spec) {
  Machine machine;
  machine.spec = spec;
  machine.engine = &engine_named(spec.engine == "auto" ? "flow" : spec.engine);
  machine.mapping.placement = spec.placement;
  machine.setup.ports = spec.ports.value_or(1);
  machine.setup.eager_bytes = spec.eager_bytes ? static_cast<std::int64_t>(*spec.eager_bytes) : -1;
  machine.copy_s_per_byte = spec.copy.s_per_byte;
  const Algorithm& ring = algorithm_named("allreduce/ring");
  return key_of({&ring, {}, &machine}, "xxh128:0");
}

}  // namespace

TEST_CASE("specs that differ in any field are unequal, and have different keys") {
  std::size_t fields = 0;
  MachineSpec usual = with_change_at(~std::size_t{0});
  for_each_field(usual, [&fields](std::string_view, const auto&) { ++fields; });
  REQUIRE(fields >= 12);
  CHECK(usual == with_change_at(fields));
  for (std::size_t which = 0; which < fields; ++which) {
    INFO(which);
    const MachineSpec changed = with_change_at(which);
    CHECK(changed != usual);
    CHECK(key_of_spec(changed) != key_of_spec(usual));
  }
}

}  // namespace tutti::test_cell_keys
