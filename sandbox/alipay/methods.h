// Alipay's methods: what each does to the books, and the node it answers. Inside a transaction of the books.
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
  boost::json::object node;  // where nothing is wrong with a page, empty
  std::string trade_no;      // of a page: the trade whose page the payer is sent to
  bool is_lost = false;      // no answer comes back
  Duration answer_after{0};
};

/// What methods need beside the request: whose it is, and more.
struct GatewayContext {
  Account account;  // the books are read and written for it alone
  std::string public_url;
  BillLinks bill_links;
};

struct Method {
  std::string_view name;
  bool is_page;  // it is the payer's browser or app that sends it
  Reply (*run)(Books& books, const Params& params, const GatewayContext& context);
};

/// Null when there is none of that name.
const Method* find_method(std::string_view name);

/// The payer has scanned the code of this trade, of whatever account. False when it is not Alipay's.
bool open_scanned(Books& books, std::string_view trade_no);

}  // namespace finality::sandbox::alipay
