// One connection to PostgreSQL: statements are prepared once and sent in pipelines, so that a round trip carries as
// many as there are. Every wait has an end.
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

enum class Use : std::uint8_t {
  write,    // the primary, durable; plans go by keys only
  look_up,  // cannot write; plans go by keys only
  read,     // cannot write
};

/// Why a round trip did not end well. The server has then carried out nothing after the statement that failed.
struct Failure {
  std::string state;  // SQLSTATE, where the server said one
  std::string message;
  bool broken = false;  // the connection is gone, and with it the answers
};

/// What one statement answered.
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
  /// Connects and checks that the server can be trusted with money. Errors say what to do.
  static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options, Use use);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Adds a statement to the round trip that finish() makes.
  void send(const SqlStatement& statement, const Parameters& parameters = {}, Form form = Form::plain);
  /// Sends what was added and waits: one reply per statement, in order.
  Replies finish();
  /// Both, for a single statement.
  std::expected<Reply, Failure> ask(const SqlStatement& statement, const Parameters& parameters = {});
  /// Runs several statements without parameters; answers the last one's rows as text. For the schema and the audit,
  /// which are no part of the inventory (tests/test_docs.py).
  std::expected<Reply, Failure> execute(const std::string& sql);

  /// A warning that came since the last forget_warning(), or nothing.
  const std::string& warning() const { return warning_; }
  void forget_warning() { warning_.clear(); }
  /// How long an answer may take before the connection counts as broken.
  void set_silence(Duration silence) { silence_ = silence; }
  /// The database by its address, without secrets.
  std::string place() const;
  PGconn* raw() { return handle_; }

 private:
  /// What was sent: a statement, or the preparation of one.
  struct Sent {
    std::string* prepared = nullptr;  // the name under which it is being prepared
  };

  Connection(PGconn* handle, Duration silence);
  Result<void> set_up(const ConnectionOptions& options, Use use);
  Result<void> check_server(const Reply& settings, Use use) const;
  const std::string& prepare(const SqlStatement& statement, Form form);
  void note(bool sent);
  bool wait();
  PGresult* next_result();
  Failure broken(std::string message);

  PGconn* handle_;
  Duration silence_;
  std::unordered_map<const SqlStatement*, std::array<std::string, 3>> prepared_;  // names by form, empty: not yet
  std::vector<Sent> sent_;
  std::string warning_;
  std::string break_;  // why the connection is of no more use
  int names_ = 0;
};

/// open(), again and again for up to `limit`, with pauses that grow and differ.
Result<std::unique_ptr<Connection>> reach(const ConnectionOptions& options, Use use, Duration limit);

/// What lost a race against somebody else, and can be decided again.
bool is_conflict(const Failure& failure);

}  // namespace finality::postgres
