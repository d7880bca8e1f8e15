// Alipay's methods: their database changes and response nodes. Run inside a database transaction.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/bill.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/books.h"

namespace finality::sandbox::alipay {

struct Reply {
  boost::json::object node;  // response node; empty for a page without an error
  std::string trade_no;      // for a page: the trade to which the payer is redirected
  bool is_lost = false;      // the response is lost
  Duration answer_after{0};
};

/// Context of a request.
struct GatewayContext {
  Account account;  // the request reads and writes only data of this account
  std::string public_url;
  BillLinks bill_links;
};

struct Method {
  std::string_view name;
  bool is_page;  // sent by the payer's browser or app
  Reply (*run)(Books& books, const Params& params, const GatewayContext& context);
};

/// Null when no method has this name.
const Method* find_method(std::string_view name);

/// Records that the payer has scanned the trade's QR code; the trade may be of any account of the gateway. False when
/// the trade is of another channel.
bool open_scanned(Books& books, std::string_view trade_no);

}  // namespace finality::sandbox::alipay
