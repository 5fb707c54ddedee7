#include "src/output/links_csv.hpp"

#include <fmt/format.h>

#include <ostream>

#include "src/formats/csv.hpp"
#include "src/output/explanation_text.hpp"

namespace tutti::inline output {

void write_links_csv(const Explanation& explanation, std::ostream& out) {
  constexpr std::size_t kAllRuns = std::size_t{1} << 20U;
  const double total_s = explanation.account.total_s;
  out << "link,place,class,capacity_bytes_per_s,bytes,busy_s,busy_share,most_at_once,"
         "lost_on_chain_s,lost_s,rounds,senders,parallel_links\n";
  for (const LinkInRun& link : explanation.links) {
    const LinkStatistics& figures = link.link.statistics;
    out << fmt::format(
        "{},{},{},{:.9g},{},{:.9g},{:.6f},{},{:.9g},{:.9g},{},{},{}\n", csv_field(link.link.name),
        csv_field(link.link.place.name), csv_field(link.link.place.group),
        figures.capacity_bytes_per_s, figures.bytes, figures.busy_s,
        total_s == 0 ? 0 : figures.busy_s / total_s, figures.most_at_once, link.lost_on_chain_s,
        figures.lost_s, csv_field(runs_in_words(link.link.levels, kAllRuns)),
        csv_field(runs_in_words(link.link.senders, kAllRuns)), link.link.place.parallel.count);
  }
}

}  // namespace tutti::inline output
