// The main() of every test program. Compiling it takes longer than compiling most test files, so it
// is compiled only once. Errors name options as flags here, as on the command line.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/field_names.hpp"

CATCH_TRANSLATE_EXCEPTION(const tutti::UserError& error) {
  return tutti::with_fields(error.what());
}
