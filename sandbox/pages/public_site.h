// HTTP endpoints without authentication: the payers' pages, the ledger, the start page, the health check.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/net/http_server.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// handle() is thread safe and calls `respond` once, possibly on another thread.
class PublicSite {
 public:
  PublicSite(std::shared_ptr<LedgerThread> ledger_thread, std::shared_ptr<const Gateways> gateways);

  void handle(const net::HttpRequest& request, const Segments& segments, net::Respond respond);

 private:
  void show_index(net::Respond respond);
  void show_ledger(net::Respond respond);
  // `number`: trade_no or hold_no.
  void show_wallet(std::string_view number, bool as_json, net::Respond respond);
  void act_in_wallet(std::string_view number, bool accepts, bool as_json, net::Respond respond);
  template <class Row>
  net::HttpResponse shown(Ledger& ledger, const Row& row, bool as_json) const;
  template <class Row>
  net::HttpResponse acted(Ledger& ledger, const Row& row, bool changed, bool as_json) const;
  std::string page_of(const Trade& trade) const;
  std::string page_of(const Hold& hold) const;
  void answer_with(std::function<net::HttpResponse(Ledger&)> work, net::Respond respond);

  std::shared_ptr<LedgerThread> ledger_thread_;
  std::shared_ptr<const Gateways> gateways_;
  std::vector<GatewayAccount> accounts_;  // merchants' accounts of all gateways
};

}  // namespace finality::sandbox
