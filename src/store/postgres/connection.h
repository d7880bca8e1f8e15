// Connection to PostgreSQL. Prepares each statement once. Sends statements in pipeline mode, so that one round trip can
// carry any number of statements. Every wait has a time limit.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/fault.h"
#include "store/postgres/connection_options.h"
#include "store/postgres/statement.h"
#include "store/postgres/values.h"

namespace finality::postgres {

/// The purpose of a connection, which determines its settings.
enum class Use : std::uint8_t {
  write,    // read-write on the primary, with durable commits; the planner avoids table scans
  look_up,  // read-only; the planner avoids table scans
  read,     // read-only; the planner may scan tables
};

/// The error of a round trip. The server has not executed the statements after the failed statement.
struct Failure {
  std::string state;  // SQLSTATE; empty if the server sent no error
  std::string message;
  bool broken = false;        // the connection broke: unknown which statements were executed
  bool silent = false;        // the connection counts as broken because the server sent nothing for the reply timeout
  std::size_t statement = 0;  // index of the failed statement, in the order of send(); if `broken` is false
};

/// The server's reply to one statement.
class Reply {
 public:
  explicit Reply(PGresult* result) : result_(result) {}

  int rows() const { return PQntuples(result_.get()); }
  Cursor row(int index) const { return {result_.get(), index}; }
  /// Number of rows that the statement inserted, updated or deleted.
  std::size_t affected() const;
  std::string_view tag() const { return PQcmdStatus(result_.get()); }
  const PGresult* raw() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

using Replies = std::expected<std::vector<Reply>, Failure>;

/// A connection with statement pipelining and prepared statements. Not thread safe.
class Connection {
 public:
  /// Connects, and checks the server's version, encoding and schema; for Use::write also its durability settings. Error
  /// messages state what to do.
  static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options, Use use);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Adds a statement to the next round trip, which finish() completes. Errors are returned by finish().
  void send(const SqlStatement& statement, const Parameters& parameters = {}, Form form = Form::plain);
  /// Sends the added statements and waits for all replies. Returns one reply per statement, in the order of send(), or
  /// the first error.
  Replies finish();
  /// Adds a statement to the next round trip that limits the time of each later statement of the transaction. Without a
  /// transaction, it limits the later statements of the round trip. Must not precede a BEGIN.
  void limit_time(Duration limit);
  /// Changes the time limit of the connection's later statements, in a separate round trip.
  std::expected<void, Failure> set_time_limit(Duration limit);
  /// Sends a single statement and waits for its reply.
  std::expected<Reply, Failure> ask(const SqlStatement& statement, const Parameters& parameters = {});
  /// Runs SQL text with one or more statements and returns the rows of the last statement as text. Only for statements
  /// of the schema and the audit, which are not declared as SqlStatement.
  std::expected<Reply, Failure> execute(const std::string& sql);

  /// The last warning that the server sent since clear_warning(); empty if there was none.
  const std::string& warning() const { return warning_; }
  void clear_warning() { warning_.clear(); }
  /// Sets the reply timeout. If the server sends nothing for this long, the connection counts as broken.
  void set_reply_timeout(Duration reply_timeout) { reply_timeout_ = reply_timeout; }
  /// The database's name and host, for messages. Contains no secrets.
  std::string place() const;
  PGconn* raw() { return handle_; }

 private:
  /// A message in the pipeline: the execution or the preparation of a statement.
  struct Sent {
    std::string* prepared = nullptr;  // for a preparation: the entry of prepared_; null for an execution
  };

  Connection(PGconn* handle, Duration reply_timeout);
  Result<void> set_up(const ConnectionOptions& options, Use use);
  Result<void> check_server(const Reply& settings, Use use) const;
  const std::string& prepare(const SqlStatement& statement, Form form);
  void note(bool sent);
  bool wait();
  PGresult* next_result();
  Failure broken(std::string message);

  PGconn* handle_;
  Duration reply_timeout_;
  std::unordered_map<const SqlStatement*, std::array<std::string, 3>> prepared_;  // names by form; empty: not prepared
  std::vector<Sent> sent_;
  std::string warning_;
  std::string break_;  // why the connection is unusable; empty while it works
  bool is_silent_ = false;
  int names_ = 0;
};

/// Opens a connection. After an error, retries for up to `limit` with exponential backoff and jitter, then returns the
/// last error.
Result<std::unique_ptr<Connection>> reach(const ConnectionOptions& options, Use use, Duration limit);

/// Whether the transaction failed because of a concurrent transaction, so that the batch can be decided again.
bool is_conflict(const Failure& failure);

/// The fault that the failure of a write means; empty if a repetition of the write can succeed.
std::optional<StoreFault> fault_of(const Failure& failure);

/// Whether a statement failed because of the shard that it uses, although the connection to the coordinator works, or
/// because it had no reply in time. Other statements may work. Only for a distributed store.
bool is_shard_failure(const Failure& failure);

}  // namespace finality::postgres
