#include "store/postgres/testing/scratch_database.h"

#include <fmt/format.h>

#include "store/postgres/connection.h"

namespace finality::postgres {
namespace {

std::string url_of(const std::string& server_url, const std::string& name) {
  const std::size_t question = std::min(server_url.find('?'), server_url.size());
  return server_url.substr(0, server_url.rfind('/', question) + 1) + name + server_url.substr(question);
}

Result<void> execute(const std::string& server_url, const std::string& sql) {
  const auto options = parse_target(server_url);
  if (!options) return std::unexpected(options.error());
  const auto connection = Connection::open(*options, Use::write);
  if (!connection) return std::unexpected(connection.error());
  if (const auto done = (*connection)->execute(sql); !done) return fail(done.error().message);
  return {};
}

}  // namespace

ScratchDatabase::ScratchDatabase(std::string server_url, std::string name, std::string url)
    : server_url_(std::move(server_url)), name_(std::move(name)), url_(std::move(url)) {}

Result<std::unique_ptr<ScratchDatabase>> ScratchDatabase::make(const std::string& server_url, const std::string& name) {
  for (const char* sql : {"DROP DATABASE IF EXISTS {} WITH (FORCE)", "CREATE DATABASE {}"})
    if (auto done = execute(server_url, fmt::format(fmt::runtime(sql), name)); !done)
      return std::unexpected(done.error());
  return std::unique_ptr<ScratchDatabase>(new ScratchDatabase(server_url, name, url_of(server_url, name)));
}

ScratchDatabase::~ScratchDatabase() {
  // Ignores errors: a destructor cannot report them, and a stopped server needs no cleanup.
  (void)execute(server_url_, fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", name_));
}

}  // namespace finality::postgres
