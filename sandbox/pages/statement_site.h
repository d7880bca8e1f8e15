// HTTP endpoints without authentication about statements: balances, movements of money without a trade, faults of
// single days, and the statements of the bank. sandbox/README.md describes them.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/net/http_server.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// handle() is thread safe and calls `respond` once, possibly on another thread.
class StatementSite {
 public:
  StatementSite(std::shared_ptr<LedgerThread> ledger_thread, std::shared_ptr<const Gateways> gateways)
      : ledger_thread_(std::move(ledger_thread)), gateways_(std::move(gateways)) {}

  /// Returns whether handle() handles requests to this path.
  static bool answers(const Segments& segments) { return segments[0] == "statements" || segments[0] == "bank"; }
  void handle(const net::HttpRequest& request, const Segments& segments, net::Respond respond);

 private:
  void show_bank(const net::HttpRequest& request, net::Respond respond);
  void answer_with(std::function<net::HttpResponse(Ledger&)> work, net::Respond respond);

  std::shared_ptr<LedgerThread> ledger_thread_;
  std::shared_ptr<const Gateways> gateways_;
};

}  // namespace finality::sandbox
