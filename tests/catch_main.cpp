// main() of every test program, compiled once because it takes longer than most test files.
// Messages name flags, as on the command line.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "base/field_names.hpp"

int main(int argc, char** argv) {
  tutti::spell_fields_as(tutti::FieldNames::flags);
  return Catch::Session().run(argc, argv);
}
