#include "store/postgres/backup.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "store/file_digest.h"
#include "store/postgres/connection_options.h"

namespace finality::postgres {
namespace {

// The settings of the store's URL as environment variables of libpq. They are not passed as arguments, because every
// user of the machine can read the command line, and the URL may contain a password.
struct Environment {
  std::vector<std::string> variables;
  std::string database;
};

Result<Environment> environment_of(const std::string& url) {
  auto target = parse_target(url);
  if (!target) return std::unexpected(target.error());
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(target->conninfo.c_str(), &complaint), PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> owned(complaint, PQfreemem);
  if (!options) return fail("the store's URL cannot be read. Use postgres://USER@HOST:PORT/DATABASE");
  Environment environment;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (option->envvar != nullptr) environment.variables.push_back(fmt::format("{}={}", option->envvar, option->val));
    if (std::strcmp(option->keyword, "dbname") == 0) environment.database = option->val;
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs a program and waits until it exits. Its environment is that of this process with the settings of the URL added.
// The program prints its errors to standard error.
Result<void> run(std::vector<std::string> command, Environment environment) {
  for (char** variable = environ; *variable != nullptr; ++variable) environment.variables.emplace_back(*variable);
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment.variables);
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, command[0].c_str(), nullptr, nullptr, arguments.data(), variables.data());
  if (spawned != 0)
    return fail(
        fmt::format("cannot run {}: {}. Install Debian's postgresql-client.", command[0], std::strerror(spawned)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return fail(command[0] + " failed. See its error message above.");
  return {};
}

}  // namespace

Result<void> back_up(const std::string& url, const std::string& file, const BackupProgress& progress) {
  auto environment = environment_of(url);
  if (!environment) return std::unexpected(environment.error());
  progress("copying the database with pg_dump");
  return run({"pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file=" + file},
             std::move(*environment));
}

Result<void> restore(const std::string& url, const std::string& file, const std::string& sha256,
                     const BackupProgress& progress) {
  auto environment = environment_of(url);
  if (!environment) return std::unexpected(environment.error());
  if (!sha256.empty()) {
    progress("comparing the backup with its SHA-256");
    const auto found = store::sha256_of(file);
    if (!found) return std::unexpected(found.error());
    if (auto same = store::compare_digests(file, *found, sha256); !same) return same;
  }
  progress("restoring the database with pg_restore");
  const std::string database = "--dbname=" + environment->database;
  return run({"pg_restore", "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", database, file},
             std::move(*environment));
}

}  // namespace finality::postgres
