// The pictures of documents. `width` is kWide or kNarrow; pictures without it have a fixed width.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "src/pictures/picture.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti { inline namespace pictures {

// Draws a tutti-recording/1 document as a space-time diagram, with ranks down and time across:
// messages as arrows, local work as bars, and the critical chain on top. With too many messages,
// shades show their density, and a note says so; the chain is still drawn in full. Throws UserError
// if the recording is damaged.
[[nodiscard]] Picture space_time(const nlohmann::json& recording);

// Draws a tutti-schedule/1 document in the size of a slide, with ranks across and rounds down. With
// few ranks, each message is an arrow, labelled with its blocks. With many ranks, each round has a
// sentence and a small diagram. If there are many rounds, consecutive rounds with the same pattern
// are folded into one row, and a text counts the messages that are not drawn. Throws UserError if
// the schedule is damaged.
[[nodiscard]] Picture round_diagram(const nlohmann::json& schedule);

// Draws times by size, both logarithmic, for the number of ranks at the index `rank` of
// TimesTable::ranks. Simulated times are curves with dots; measured times are squares. For a single
// algorithm, also draws the exact and the published formula; for several algorithms, draws the
// exact formulas from which simulated times differ by more than kOff. Dashes distinguish curves
// that lie on each other, and a text lists these curves. A mark shows where another algorithm
// becomes the fastest. A dark line below the curves is the limit, if lower bounds are known. For a
// single size, draws bars instead.
[[nodiscard]] Picture times_chart(const TimesTable& table, std::size_t rank, double width);

// Pictures of a tutti-bound/1 document. limits_chart() draws the bound of each collective over the
// size, for one number of ranks. cut_chart() draws a network, with the hosts and links from which
// one bound follows; `bound` is an entry of `bounds`, and `network` the one of `networks` with its
// number of ranks.
[[nodiscard]] Picture limits_chart(const nlohmann::json& bounds, std::uint32_t ranks, double width);
[[nodiscard]] Picture cut_chart(const nlohmann::json& bound, const nlohmann::json& network,
                                double width);
// The problem of a bound in words: "allreduce on 64 ranks, 1 MiB".
[[nodiscard]] std::string bound_subject(const nlohmann::json& bound);
// The changes to the machine, for the end of a title: ", what if bw*2"; "" if there are none.
[[nodiscard]] std::string what_if_of(const nlohmann::json& bound);

// Draws what the streams of some ranks do over time, from a tutti-step/1 document.
[[nodiscard]] Picture streams_chart(const nlohmann::json& step, double width);

// Draws an entry of "outputs" of a tutti-doctor/1 document: measured times over the size, with the
// range of expected ones and the limit. Squares mark times that are longer than expected.
[[nodiscard]] Picture doctor_chart(const nlohmann::json& output, double width);

// Maps of cells (a number of ranks and a size), with ranks upwards and sizes to the right.
// winners_map() and decision_map() show the best algorithm of each cell of a table or of a
// tutti-decide/2 document, and its lead over the second best; loss_map() shows how much time the
// rule table, with which the decision was compared, loses in each cell.
[[nodiscard]] Picture winners_map(const TimesTable& table, double width);
[[nodiscard]] Picture decision_map(const nlohmann::json& decision, double width);
[[nodiscard]] Picture loss_map(const nlohmann::json& decision, double width);
// Draws the gains that the rules of a site have for a collective, by ranks and size. `part` is an
// entry of "gains".
[[nodiscard]] Picture gain_map(const nlohmann::json& site, const nlohmann::json& part,
                               double width);

// Draws a tutti-validation/1 document: a dot for each run, at its measured and its simulated time,
// both logarithmic. The two times agree on the diagonal.
[[nodiscard]] Picture agreement_chart(const nlohmann::json& validation, double width);
// Draws the simulated time relative to the measured time, by size.
[[nodiscard]] Picture error_chart(const nlohmann::json& validation, double width);

// Draws the steps from the formula to the simulated time. `explanation` is a document or part of a
// recording. `title` names the run. `links` are the links of that document or recording, with their
// places, or null.
[[nodiscard]] Picture waterfall_chart(const nlohmann::json& explanation, const std::string& title,
                                      const nlohmann::json& links, double width);
// Draws a bar for each part of the time.
[[nodiscard]] Picture account_chart(const nlohmann::json& explanation, const std::string& title,
                                    double width);
// Draws a bar for each part of the time, from the limit to the simulated time. The explanation must
// have a limit.
[[nodiscard]] Picture gap_chart(const nlohmann::json& explanation, const std::string& title,
                                double width);
// Draws a bar for each improvement. The explanation must have improvements.
[[nodiscard]] Picture improvements_chart(const nlohmann::json& explanation,
                                         const std::string& title, double width);

}}  // namespace tutti::pictures
