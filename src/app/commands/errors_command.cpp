// Command `finality errors`: lists every error code of the API with its status and the recommended action of a client.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "model/refusal.h"

namespace finality::app {
namespace {

void print_errors() {
  fmt::print("| code | status | title | retry | kept for replay | what to do |\n|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < kCount<RefusalCode>; ++i) {
    const auto code = static_cast<RefusalCode>(i);
    const RefusalInfo info = info_of(code);
    fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", name_of(code), info.status, info.title,
               info.retry_after_seconds > 0 ? "yes" : "no", info.stored ? "yes" : "no", info.advice);
  }
}

}  // namespace

void add_errors(CLI::App& app) {
  add_command(app, "errors", "List the error codes of the API as a Markdown table")->callback(print_errors);
}

}  // namespace finality::app
