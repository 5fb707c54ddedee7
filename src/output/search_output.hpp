// Results of tutti search, for people and as JSON.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedules/verify/verify.hpp"
#include "src/formats/document.hpp"
#include "src/search/robustness.hpp"
#include "src/search/search.hpp"
#include "src/search/size_set.hpp"

namespace tutti { inline namespace output {

// A schedule that the user gave to be compared with what the search finds.
struct GivenSchedule {
  std::string name;
  std::string file = {};               // "" if it has none
  std::optional<double> seconds = {};  // simulated time; empty if `refused` says why there is none
  std::string unproved = {};           // why the schedule is not proved; "" if it is
  std::string refused = {};
};

struct SearchReport {
  Problem problem;
  std::string platform;
  std::uint32_t ranks_per_host = 1;
  std::uint32_t ports = 1;  // 0: unlimited
  // The best known algorithm with its options, or the user's schedule if that is faster.
  std::string known;
  std::vector<GivenSchedule> given;
  double known_s = 0;
  double bound_s = 0;
  SearchBudget budget;
  SearchResult result;
  double wall_s = 0;
  // The next members are set if something was found.
  Verdict verdict;
  std::optional<Robustness> robustness;
  std::string file;          // "" if the schedule was not written
  bool writes_file = false;  // the user asked for a file
  // The best schedule for this size: the index of the report of the search that found it.
  SizeChoice choice;
};

// Prints the best known algorithm, the limit, and the head of the table of finds.
void print_search_head(const SearchReport& report, std::ostream& out);
// Prints a find as a row of the table.
void print_find(const SearchReport& report, const Find& find, std::ostream& out);
// Prints what the search has found in all.
void print_search_end(const SearchReport& report, std::ostream& out);

// Prints which schedule is best for which of several sizes.
void print_choices(std::span<const SearchReport> sizes, std::ostream& out);

// The results of all sizes.
struct SearchAnswer {
  std::span<const SearchReport> sizes;
  double wall_s = 0;
};
extern const DocumentOf<SearchAnswer> kSearchDocument;

}}  // namespace tutti::output
