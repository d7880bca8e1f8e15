// WeChat Pay's daily bills as text files in UTF-8 with a byte order mark and CRLF. Each cell begins with a backtick,
// except in the two header lines. The last line is a summary. Amounts are in yuan, times in Beijing time. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// Change of the merchant's balance by a payment or, if `refund` is set, by a settled refund.
struct WechatpayMovement {
  Time at;
  Trade trade;
  std::optional<Refund> refund;
};
/// Data of a merchant's bill of one day: the movements, oldest first, and the balance at the start of the day, net of
/// fees.
struct WechatpayDay {
  WechatpayMerchant merchant;
  std::vector<WechatpayMovement> movements;
  MinorUnits opening_balance = 0;
};

enum class TradeBillType : std::uint8_t { all, success, refund };

/// Returns the channel's fee for a payment: 0.60 %, rounded to the fen. A refund returns wechatpay_fee() of its amount.
MinorUnits wechatpay_fee(MinorUnits amount);
/// Returns the change of the merchant's balance by a movement, net of the fee; 0 for currencies other than CNY.
MinorUnits net_of(const WechatpayMovement& movement);

// Texts of the bills. The text is empty for a day without movements, because such a day has no bill.

/// Bill of GET /v3/bill/tradebill: one line for each payment and refund of that type.
std::string trade_bill(TradeBillType type, const WechatpayDay& day);
/// Bill of GET /v3/bill/fundflowbill: one line for each change of the merchant's balance.
std::string fund_bill(const WechatpayDay& day);

/// Compresses the content to a GZIP file.
std::string gzip(std::string_view content);

}  // namespace finality::sandbox
