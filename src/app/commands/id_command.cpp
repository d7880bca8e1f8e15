// Command `finality id`: converts between API ids and database ids.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "base/crypto/encoding.h"
#include "base/id.h"
#include "base/time/time.h"
#include "model/ids.h"

namespace finality::app {
namespace {

std::optional<std::int64_t> number_of(const std::string& text) {
  if (const auto ref = parse_ref(text)) return ref->value;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

int explain(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    const auto number = number_of(id);
    if (!number)
      return report({fmt::format("'{}' is not an id: use an API id (ord_0amg…) or a database id (a number)", id)});
    fmt::print("{}  {}  created {} by node {}\n", *number, to_base32(*number), to_rfc3339(time_of_id(*number)),
               node_of_id(*number));
  }
  return 0;
}

}  // namespace

void add_id(CLI::App& app, int& exit_code) {
  auto ids = std::make_shared<std::vector<std::string>>();
  CLI::App* id = add_command(
      app, "id",
      "Convert between API ids (ord_0amg…) and database ids (numbers); print creation time and node of each");
  id->add_option("ids", *ids, "API ids (ord_0amg…) or database ids (numbers)")->required();
  id->callback([ids, &exit_code] { exit_code = explain(*ids); });
}

}  // namespace finality::app
