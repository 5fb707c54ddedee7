// Changes of what-ifs to the message model in the file of --parameters.
//
// With a message model, the rates, latencies and prices in the model decide, not only those of the
// platform. A change of the machine therefore also changes the parameters for the same thing: a
// change of the links of all hosts changes the rates at which ranks send over these links and the
// latency between hosts at one switch, and a change of a price changes the price in the model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// Returns the factors by which changes scale the links of all hosts, or all loopbacks.
// `link_class` is kHostLinks or kLoopbacks. Changes of single links are ignored.
[[nodiscard]] LinkFactors class_factors(const PlatformChanges& changes,
                                        std::string_view link_class);

// Returns the message model of the machine, with the values of its kinds of jobs and the changes of
// its spec. The machine must have a message model.
[[nodiscard]] MessageModel message_model(const Machine& machine);
[[nodiscard]] MessageModel message_model(const MessageModel& model, const MachineSpec& spec);

// Returns the kinds of MachineFiles::job_kinds that include the machine's job. If several give a
// value of a parameter, the last one counts.
[[nodiscard]] std::vector<const JobKind*> job_kinds(const Machine& machine);

// Sets the ports and the size of the largest eager message to those of the message model, unless
// the spec has other ports.
void use_messages(Machine& machine);

// Returns the value of a parameter with its unit: "22.7 GB/s", "1.5 us".
[[nodiscard]] std::string parameter_in_words(const MessageParameter& parameter, double value);

// Describes all what-ifs of a machine, as the user wrote them, and how they change the message
// model: "bw*2 (rank_bytes_per_s 22.7 GB/s -> 45.4 GB/s)". Empty without what-ifs.
[[nodiscard]] std::string what_ifs_in_words(const Machine& machine);

// Adds a note to `facts` if all links in use are much faster than the rate at which ranks can send,
// so that faster links would change nothing.
void note_slow_ranks(const Machine& machine, PlatformFacts& facts);

}}  // namespace tutti::simulation
