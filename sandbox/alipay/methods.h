// Alipay's methods: each function changes the database and returns the response node. Every call runs inside a database
// transaction.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/bill.h"
#include "sandbox/alipay/message.h"
#include "sandbox/alipay/replies.h"
#include "sandbox/core/ledger.h"

namespace finality::sandbox::alipay {

;

/// The application that sent a request, and the settings of the gateway.
struct GatewayContext {
  Account account;  // the method reads and writes only data of this account
  std::string public_url;
  BillLinks bill_links;
};

struct Method {
  std::string_view name;
  bool is_page;  // true: the payer's browser or app sends the request and receives a redirect or an HTML page
  Reply (*run)(Ledger& ledger, const Params& params, const GatewayContext& context);
};

/// Returns the method `name`, for example `alipay.trade.query`; null if it is unknown.
const Method* find_method(std::string_view name);

/// Records that the payer has scanned the QR code of the trade or hold with this number. Returns false if no account of
/// Alipay has it.
bool open_scanned(Ledger& ledger, std::string_view number);

}  // namespace finality::sandbox::alipay
