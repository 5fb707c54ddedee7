// All of tutti's public headers: algorithms, their schedules, the proof, simulation, comparisons
// and decisions. Values are immutable or plain, functions may be called from several threads at a
// time, quantities are in seconds and bytes, and bad input is a tutti::Error.
#pragma once

#include "tutti/algorithm.hpp"
#include "tutti/comparison.hpp"
#include "tutti/decision.hpp"
#include "tutti/error.hpp"
#include "tutti/machine.hpp"
#include "tutti/problem.hpp"
#include "tutti/proof.hpp"
#include "tutti/schedule.hpp"
#include "tutti/simulation.hpp"
#include "tutti/version.hpp"
