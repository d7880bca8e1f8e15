// The sandbox: a stand-in for the upstream world of payment channels and payers, with money of its own.
//
//   HttpServer ──► Gateways (signed: channels' trades and refunds) ───┐
//        └───────► PublicSite (the payers' pages, the ledger) ────────┤
//                                                                     ▼
//                  Payers (act when it is time) ───────────────► LedgerThread ──► Books (SQLite)
//                  Notifier (sends what is owed) ──────────────────►──┘
//
// Every change is on the disk before it is answered or notified; after a crash everything goes on from the books.
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
  std::uint16_t port = 8090;   // 0: any free one
  std::string data_directory;  // made if there is none; holds sandbox.db
  double time_scale = 1.0;     // divides the notifications' later retry delays; payers and expiries are not scaled
  Secret secret;               // shared with the merchants, not empty
  std::string public_url;      // what people reach the pages under; empty: http://address:port
  /// Where the gateways' keys are, made if there are none; several sandboxes may share them. Empty: the data directory.
  std::string keys_directory;
  /// Of everything but waiting for a slow answer; null: the machine's.
  std::shared_ptr<const Clock> clock;
};

class Sandbox {
 public:
  /// Opens the books, listens, and goes on with what the books owe. An error says what to change.
  /// REQUIRES: `io` outlives the Sandbox.
  static Result<std::unique_ptr<Sandbox>> start(net::IoPool& io, Options options);
  /// Stops at once; what is owed stays in the books. Not from an I/O thread.
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// The port it listens on.
  std::uint16_t port() const;
  /// Takes no new connections and calls `done` when the requests under way are answered or `patience` has passed.
  /// Thread safe.
  void drain(Duration patience, std::function<void()> done);

 private:
  struct Parts;
  explicit Sandbox(std::shared_ptr<Parts> parts);

  std::shared_ptr<Parts> parts_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace finality::sandbox
