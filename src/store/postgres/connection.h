// One connection to PostgreSQL. Prepares each statement once and sends statements in pipelines, so that one round trip
// carries any number of them. Every wait has a time limit.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/postgres/connection_options.h"
#include "store/postgres/statement.h"
#include "store/postgres/values.h"

namespace finality::postgres {

/// The purpose of a connection, which determines its settings.
enum class Use : std::uint8_t {
  write,    // on the primary, with durable commits; plans use indexes only
  look_up,  // read-only; plans use indexes only
  read,     // read-only
};

/// Why a round trip failed. The server has executed nothing after the failed statement.
struct Failure {
  std::string state;  // SQLSTATE; empty when the server sent none
  std::string message;
  bool broken = false;  // the connection broke, and the replies are lost
};

/// The reply to one statement.
class Reply {
 public:
  explicit Reply(PGresult* result) : result_(result) {}

  int rows() const { return PQntuples(result_.get()); }
  Cursor row(int index) const { return {result_.get(), index}; }
  /// Rows inserted, updated or deleted.
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

/// Not thread safe.
class Connection {
 public:
  /// Connects and checks the server's version, encoding, schema and, for Use::write, its durability settings. Error
  /// messages state what to do.
  static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options, Use use);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Adds a statement to the round trip that finish() makes.
  void send(const SqlStatement& statement, const Parameters& parameters = {}, Form form = Form::plain);
  /// Sends the added statements and waits. Returns one reply per statement, in order.
  Replies finish();
  /// send() and finish() for a single statement.
  std::expected<Reply, Failure> ask(const SqlStatement& statement, const Parameters& parameters = {});
  /// Runs several statements without parameters and returns the rows of the last one as text. For the schema and the
  /// audit, whose statements are not in the inventory (tests/test_docs.py).
  std::expected<Reply, Failure> execute(const std::string& sql);

  /// The last warning since forget_warning(), or empty.
  const std::string& warning() const { return warning_; }
  void clear_warning() { warning_.clear(); }
  /// Sets how long a reply may take before the connection counts as broken.
  void set_reply_timeout(Duration reply_timeout) { reply_timeout_ = reply_timeout; }
  /// The database's name and host for messages, without secrets.
  std::string place() const;
  PGconn* raw() { return handle_; }

 private:
  /// A sent statement, or a sent preparation of one.
  struct Sent {
    std::string* prepared = nullptr;  // the name of the prepared statement; null when a statement was sent
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
  std::unordered_map<const SqlStatement*, std::array<std::string, 3>> prepared_;  // names by form; empty until prepared
  std::vector<Sent> sent_;
  std::string warning_;
  std::string break_;  // why the connection is unusable; empty while it works
  int names_ = 0;
};

/// Retries open() for up to `limit`, with exponential backoff and jitter.
Result<std::unique_ptr<Connection>> reach(const ConnectionOptions& options, Use use, Duration limit);

/// Whether the transaction lost a race against another one, and the batch can be decided again.
bool is_conflict(const Failure& failure);

}  // namespace finality::postgres
