// tutti report: writes one HTML page that shows runs, comparisons and decisions. The page works
// offline.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/json_inputs.hpp"
#include "src/formats/output_file.hpp"
#include "src/page/page.hpp"
#include "src/pictures/shown.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace commands {

namespace {

struct ReportOptions {
  std::string output = "report.html";
  std::optional<std::string> title;
};

int report(const ReportOptions& options, const Command& command, Streams streams) {
  const std::string& path = options.output;
  const std::string ending = std::filesystem::path(path).extension();
  if (!ending.empty() && ending != ".html" && ending != ".htm") {
    throw UserError(
        fmt::format("-o '{}': a report is an HTML page; give a name that ends in .html", path));
  }
  OutputFile file(path, streams.out);
  Documents found = documents_of(command, command.rest(), streams);
  if (found.failed != 0) {
    return found.failed;
  }
  ReportPage page;
  page.made_by = made_by();
  for (const Document& document : found.documents) {
    DocumentView shown = shown_of(document, found.documents);
    // Removes the pictures of a run's schedule, because a script in the page draws this schedule in
    // a form that readers can zoom and animate.
    std::erase_if(shown.pictures, [&](const Picture& picture) {
      return picture.only_in_files ||
             (document.kind == DocumentKind::run && picture.group == "schedule");
    });
    PagePart& part = page.parts.emplace_back();
    part.kind = name(document.kind);
    part.source = document.source;
    part.document = &document.json;
    part.title = std::move(shown.title);
    part.notes = std::move(shown.notes);
    part.tables = std::move(shown.tables);
    part.pictures = std::move(shown.pictures);
  }
  const std::string& first = page.parts.front().title;
  page.title = options.title.value_or(
      page.parts.size() == 1 ? first
                             : fmt::format("{}, and {} more", first, page.parts.size() - 1));
  write_page(page, file.stream());
  file.commit();
  if (path != "-") {
    streams.out << fmt::format("{} written: open it in a browser\n", printable(path));
  }
  return kExitOk;
}

}  // namespace

Action add_report(Command& app, Streams streams) {
  Command& command = app.add_command(
      "report",
      "Write an HTML page, with zoomable pictures and sortable tables, of the results of "
      "commands (separated by --and), of files that commands wrote, or of a folder of 'tutti "
      "decide --library'; works offline");
  auto options = std::make_shared<ReportOptions>();
  command.keep_rest("COMMAND... [--and COMMAND...]");
  command.add_option("-o,--output", options->output, "File to write the page to [report.html]")
      .type_name(kWrittenFile);
  command.add_option("--title", options->title, "Title of the page [title of what it shows]")
      .type_name("TEXT");
  command.add_examples(
      {"tutti report simulate allreduce/ring -p 16 -n 1MiB -o ring.html",
       "tutti report compare allreduce -p 4,16 -n 1K..1MiB*4 --and decide bcast -p "
       "4,16 -n 1K..1MiB*4 -o several.html",
       "tutti report explain allreduce/circulant -p 64 -n 1MiB --platform "
       "platforms/infiniband_hdr_128_thin.xml"});
  return [options, streams, &command] { return report(*options, command, streams); };
}

}}  // namespace tutti::commands
