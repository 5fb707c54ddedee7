// Groups whose messages slow each other, as text.
#include <fmt/format.h>

#include <algorithm>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/step_text.hpp"

namespace tutti { inline namespace output {

void print_contention(const StepAnswer& answer, std::ostream& out) {
  if (!answer.contention) {
    return;
  }
  const StepContention& contention = *answer.contention;
  out << "\nWho slows whom: time that messages lose on shared links, summed over messages\n";
  if (!contention.known) {
    print_field(out, 2, 0, "",
                with_fields("not known: messages wait for ports or cores, or there are too many "
                            "messages; try $ports unlimited, or fewer ranks"));
    return;
  }
  if (contention.losses.empty()) {
    print_field(out, 2, 0, "", "no message is slower than it would be alone");
    return;
  }
  constexpr std::size_t kMostRows = 12;
  Table table({{"messages on"},
               {"lose", true},
               {"of their time", true},
               {"to messages on"},
               {"links"},
               {"most on"}});
  for (std::size_t i = 0; i < std::min(contention.losses.size(), kMostRows); ++i) {
    const GroupLoss& each = contention.losses[i];
    table.add({answer.step.groups[each.group].name, human_time(each.lost_s),
               fmt::format("{:.1f} %", 100 * each.lost_s / contention.message_s[each.group]),
               !each.other                 ? "(several links)"
               : *each.other == each.group ? "the same group"
                                           : answer.step.groups[*each.other].name,
               each.links, each.worst});
  }
  table.print(out, 2);
  if (contention.losses.size() > kMostRows) {
    print_field(out, 2, 0, "",
                fmt::format("{} with smaller losses",
                            counted(contention.losses.size() - kMostRows, "more row")));
  }
}

}}  // namespace tutti::output
