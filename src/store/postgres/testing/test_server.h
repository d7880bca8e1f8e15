// Test fixtures: one PostgreSQL server per test program, started by tools/postgres on first use and stopped at exit,
// and a separate database per test.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/source_dir.h"
#include "store/postgres/connection.h"
#include "store/postgres/schema.h"
#include "store/testing/sample_rows.h"

namespace finality::postgres {

using store_contract::must;

class TestServer {
 public:
  static TestServer& instance() {
    static TestServer server;
    return server;
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  /// Returns the URL of the database with the name `database`.
  std::string url(const std::string& database) const {
    const std::size_t question = url_.find('?');
    return url_.substr(0, url_.rfind('/', question) + 1) + database + url_.substr(question);
  }
  /// Returns the path of the server's Unix socket.
  std::string socket_path() const { return url_.substr(url_.find("host=") + 5) + "/.s.PGSQL.5432"; }

  /// Creates a database, with Finality's schema or empty. Returns the database's name.
  std::string make_database(bool with_schema = true) {
    std::string name = fmt::format("test{}", ++databases_);
    copy(with_schema ? "finality" : "template0", name);
    return name;
  }
  /// Creates a database with Finality's schema, distributed by the stand-in for Citus. Returns the database's name.
  std::string make_distributed_database() {
    if (!distributed_template_) {
      copy("finality", "finality_distributed");
      stand_in_for_citus("finality_distributed");
      const auto connection = must(Connection::open({.conninfo = url("finality_distributed")}, Use::write));
      must(distribute_tables(*connection));
      distributed_template_ = true;
    }
    std::string name = fmt::format("test{}", ++databases_);
    copy("finality_distributed", name);
    return name;
  }
  /// Installs the stand-in for the Citus extension (citus_stand_in.sql) in a database.
  void stand_in_for_citus(const std::string& database) {
    std::ifstream file(source_dir() + "/src/store/postgres/citus_stand_in.sql");
    run(std::string(std::istreambuf_iterator<char>(file), {}), database);
  }

  /// Runs SQL on a new connection. Returns the first field of the last statement's first row; empty if it has no row.
  std::string run(const std::string& sql, const std::string& database = "postgres") {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url(database).c_str()), PQfinish);
    FINALITY_CHECK(PQstatus(connection.get()) == CONNECTION_OK, PQerrorMessage(connection.get()));
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    FINALITY_CHECK(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK, PQresultErrorMessage(result.get()));
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
  }

 private:
  /// Copies a database. FILE_COPY takes half the time of PostgreSQL's default, which writes the copy to the WAL.
  void copy(std::string_view from, std::string_view to) {
    run(fmt::format("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", to, from));
  }

  TestServer() {
    std::array<int, 2> to_child;
    std::array<int, 2> from_child;
    FINALITY_CHECK(::pipe(to_child.data()) == 0 && ::pipe(from_child.data()) == 0, "cannot create pipes");
    const std::string program = source_dir() + "/tools/postgres";
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(to_child[0], 0);
      ::dup2(from_child[1], 1);
      for (const int end : {to_child[0], to_child[1], from_child[0], from_child[1]}) ::close(end);
      ::execl(program.c_str(), program.c_str(), "serve", nullptr);
      ::_exit(127);
    }
    ::close(to_child[0]);
    ::close(from_child[1]);
    keep_open_ = to_child[1];
    for (char letter = 0; ::read(from_child[0], &letter, 1) == 1 && letter != '\n';) url_ += letter;
    ::close(from_child[0]);
    FINALITY_CHECK(!url_.empty(), "tools/postgres did not start a server");
    run("CREATE DATABASE finality");
    const auto connection = must(Connection::open({.conninfo = url("finality")}, Use::write));
    must(prepare_schema(*connection, true));
  }
  ~TestServer() {
    ::close(keep_open_);
    ::waitpid(child_, nullptr, 0);
  }

  pid_t child_ = -1;
  int keep_open_ = -1;  // standard input of tools/postgres, which stops the server when this end is closed
  std::string url_;
  int databases_ = 0;
  bool distributed_template_ = false;
};

/// A database that only one test uses.
class TestDatabase {
 public:
  explicit TestDatabase(bool with_schema = true) : name_(TestServer::instance().make_database(with_schema)) {}
  static TestDatabase distributed() { return TestDatabase(TestServer::instance().make_distributed_database()); }
  // The destructor does not drop the database, because that takes as long as creating it. All databases are deleted
  // with the server's directory.
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  const std::string& name() const { return name_; }
  std::string url() const { return TestServer::instance().url(name_); }
  std::string run(const std::string& sql) const { return TestServer::instance().run(sql, name_); }
  /// Makes the lease of a node number expire.
  void end_lease(std::int64_t node) const {
    run(fmt::format("UPDATE nodes SET leased_until = 0 WHERE number = {}", node));
  }

 private:
  explicit TestDatabase(std::string name) : name_(std::move(name)) {}

  std::string name_;
};

}  // namespace finality::postgres
