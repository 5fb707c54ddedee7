// The main() of every test program. Compiling it takes longer than compiling most test files, so it
// is compiled only once. In the tests, errors name options as flags, as on the command line.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "base/field_names.hpp"

int main(int argc, char** argv) {
  tutti::spell_fields_as(tutti::FieldNames::flags);
  return Catch::Session().run(argc, argv);
}
