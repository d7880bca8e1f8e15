// WeChat Pay's daily bills as files: UTF-8 with a byte order mark, CRLF line ends, a backtick before every cell except
// in the two header lines, and a summary at the end. Amounts are in yuan, times in Beijing time. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// A movement of the merchant's money: a payment, or a settled refund.
struct WechatpayMovement {
  Time at;
  Trade trade;
  std::optional<Refund> refund;
};
/// A merchant's day: its movements, oldest first, and the balance before it, net of fees.
struct WechatpayDay {
  WechatpayMerchant merchant;
  std::vector<WechatpayMovement> movements;
  MinorUnits opening_balance = 0;
};

enum class TradeBillType : std::uint8_t { all, success, refund };

/// The channel's fee of a payment: 0.60 %, rounded to the fen. A refund returns the fee of its amount.
MinorUnits wechatpay_fee(MinorUnits amount);
/// The change of the merchant's balance by a movement; 0 for currencies other than CNY.
MinorUnits net_of(const WechatpayMovement& movement);

// Texts of the bills. A day without movements has no bill: the text is empty.

/// GET /v3/bill/tradebill: one line for each payment and refund of that type.
std::string trade_bill(TradeBillType type, const WechatpayDay& day);
/// GET /v3/bill/fundflowbill: one line for each change of the merchant's balance.
std::string fund_bill(const WechatpayDay& day);

/// The content as a GZIP file.
std::string gzip(std::string_view content);

}  // namespace finality::sandbox
