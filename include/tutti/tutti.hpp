// All of tutti's public headers: algorithms, schedules, proofs, simulation, comparisons and
// decisions, and all commands of the program. Values are immutable or plain data. Several threads
// may call these functions at the same time. Quantities are in seconds and bytes. Invalid input
// throws tutti::Error.
#pragma once

#include "tutti/algorithm.hpp"
#include "tutti/command.hpp"
#include "tutti/comparison.hpp"
#include "tutti/decision.hpp"
#include "tutti/error.hpp"
#include "tutti/machine.hpp"
#include "tutti/problem.hpp"
#include "tutti/proof.hpp"
#include "tutti/schedule.hpp"
#include "tutti/simulation.hpp"
#include "tutti/version.hpp"
