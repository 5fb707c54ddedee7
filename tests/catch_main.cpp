// The main() of every test program, compiled once: it takes longer than most test files.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
