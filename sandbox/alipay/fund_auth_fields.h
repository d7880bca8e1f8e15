// Conversion of holds to the fields of Alipay's funds authorizations (资金预授权). Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/alipay/account.h"
#include "sandbox/alipay/message.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

// The out_request_no of the freeze is Hold::details, and the product_code is Hold::product.

/// Returns order_status: INIT, AUTHORIZED, FINISH (something was paid, and nothing is frozen any more) or CLOSED (never
/// authorized, or all was released).
std::string_view order_status_of(const Hold& hold);

/// Returns the HoldRelease::out_request_no of a release by alipay.fund.auth.operation.cancel. No merchant can use it.
std::string cancel_number(const Hold& hold);

/// One operation of an authorization (资金操作).
struct Operation {
  std::string_view type;       // FREEZE, UNFREEZE or PAY
  std::string out_request_no;  // of a PAY: its out_trade_no. Empty if the channel released without a request
  MinorUnits amount = 0;
  std::string_view status;  // INIT, SUCCESS or CLOSED
  Time created_at;
  std::optional<Time> done_at;  // only SUCCESS
};
Operation freeze_of(const Hold& hold);
/// Returns the operations that Alipay reports: the freeze, then the releases, then the captures, each oldest first.
std::vector<Operation> operations_of(const Hold& hold, std::span<const HoldRelease> releases,
                                     std::span<const Trade> captures);
/// Returns the identifier of the operation: 20 digits.
std::string operation_id_of(const Hold& hold, const Operation& operation);

/// Returns the identifiers of the authorization and of its payer, pre_auth_type and trans_currency.
Params header_of(const Hold& hold);
/// Returns the totals, each also by source of funds. They satisfy
/// total_freeze_amount = total_pay_amount + total_unfreeze_amount + rest_amount: if the channel has captured more than
/// it held, it has also frozen more. Alipay's query has no total_unfreeze_amount.
Params totals_of(const Hold& hold);
/// Returns the fields of one operation.
Params fields_of(const Hold& hold, const Operation& operation);

}  // namespace finality::sandbox::alipay
