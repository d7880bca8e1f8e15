// The sandbox: simulates payment channels and payers, with its own database and simulated money.
//
//   HttpServer ──► Gateways (signed: channels' trades and refunds) ───┐
//        └───────► PublicSite (the payers' pages, the ledger) ────────┤
//                                                                     ▼
//                  Payers (perform due events)  ───────────────► LedgerThread ──► Ledger (SQLite)
//                  Notifier (sends due notifications) ─────────────►──┘
//
// Every change is durable before its response or notification is sent. After a crash, the sandbox continues from the
// last committed state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/net/http_server.h"
#include "base/net/io_pool.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality::sandbox {

struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8090;   // 0: any free port
  std::string data_directory;  // created if missing; contains sandbox.db
  double time_scale =
      1.0;                 // divisor of settlement delays, and of notifications' retry delays after the first 1, 2, 4 s
  Secret secret;           // shared secret of the simple channels' signatures; must not be empty
  std::string public_url;  // base URL of links to the sandbox; empty: http://address:port
  /// Directory of the gateways' keys. Missing keys are generated. Several sandboxes may share the directory. If empty,
  /// the data directory is used.
  std::string keys_directory;
  /// Clock of the sandbox; null: the system clock. Delays of responses always elapse in real time.
  std::shared_ptr<const Clock> clock;
};

class Sandbox {
 public:
  /// Opens the database, listens, and continues with due events and notifications. An error states the cause: the
  /// database, a key file or the port. REQUIRES: `io` outlives the Sandbox.
  static Result<std::unique_ptr<Sandbox>> start(net::IoPool& io, Options options);
  /// Stops without waiting for requests in progress. Unsent notifications stay in the database. Must not be called on
  /// an I/O thread.
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Returns the port on which the sandbox listens, also if Options::port is 0.
  std::uint16_t port() const;
  /// Stops accepting connections. Calls `done` when all requests in progress have responses, at the latest after
  /// `patience`. Thread safe.
  void drain(Duration patience, std::function<void()> done);

 private:
  struct Parts;
  explicit Sandbox(std::shared_ptr<Parts> parts);

  std::shared_ptr<Parts> parts_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace finality::sandbox
