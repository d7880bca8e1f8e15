// HTTP endpoints without authentication that act as an employee in a channel's console, on authorizations:
//
//   POST /console/{auth_no}/lapse             ends the hold, as when its time is over
//   POST /console/{auth_no}/release?amount=   without `amount`: all that is held
//   POST /console/{auth_no}/capture?amount=   without `amount`: all that is held; an amount can exceed it
//
// Each returns 200 `{authorization}`, or 409 `not_held` with the authorization.
#pragma once

#include <memory>

#include "base/net/http_server.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// handle() is thread safe and calls `respond` once, possibly on another thread.
class ConsoleSite {
 public:
  explicit ConsoleSite(std::shared_ptr<LedgerThread> ledger_thread) : ledger_thread_(std::move(ledger_thread)) {}

  /// Returns whether handle() handles requests to this path.
  static bool answers(const Segments& segments) { return segments[0] == "console"; }
  void handle(const net::HttpRequest& request, const Segments& segments, net::Respond respond);

 private:
  std::shared_ptr<LedgerThread> ledger_thread_;
};

}  // namespace finality::sandbox
