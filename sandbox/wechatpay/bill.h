// WeChat Pay's bills of a day, as files: UTF-8 with a byte order mark, lines that end in CRLF, a backtick before every
// cell but those of the two header lines, the summary at the end. Amounts in yuan, times in that of Beijing. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// What happened to the merchant's money at one instant: a payment, or a refund that has arrived.
struct WechatpayMovement {
  Time at;
  Trade trade;
  std::optional<Refund> refund;
};
/// A merchant's day: its movements, oldest first, and what came in before it, fees taken off.
struct WechatpayDay {
  WechatpayMerchant merchant;
  std::vector<WechatpayMovement> movements;
  MinorUnits opening_balance = 0;
};

enum class TradeBillType : std::uint8_t { all, success, refund };

/// What the channel keeps of a payment: 0.60 %, rounded to the fen; it gives the same part of a refund back.
MinorUnits wechatpay_fee(MinorUnits amount);
/// What a movement adds to the merchant's balance. Other currencies than CNY add nothing.
MinorUnits net_of(const WechatpayMovement& movement);

// A day without a line has no bill: the text is empty then.

/// GET /v3/bill/tradebill: one line for each payment and refund of that type.
std::string trade_bill(TradeBillType type, const WechatpayDay& day);
/// GET /v3/bill/fundflowbill: one line for each change of the merchant's balance.
std::string fund_bill(const WechatpayDay& day);

std::string gzip(std::string_view content);

}  // namespace finality::sandbox
