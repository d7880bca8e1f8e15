// WeChat Pay's daily bills as text files in UTF-8 with a byte order mark and CRLF. Each cell begins with a backtick,
// except in the two header lines. The last line is a summary. Amounts are in yuan, times in Beijing time. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/statements/funds_lines.h"
#include "sandbox/statements/trade_lines.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// Data of a merchant's bills of one day.
struct WechatpayDay {
  WechatpayMerchant merchant;
  std::vector<TradeLine> trades;
  FundsDay funds;
  bool is_legacy = false;  // layout of trade bills before 2018: ALL has 24 columns
};

enum class TradeBillType : std::uint8_t { all, success, refund };

// Texts of the bills. The text is empty for a day without lines, because such a day has no bill.

/// Bill of GET /v3/bill/tradebill: one line for each payment and refund of that type.
std::string trade_bill(TradeBillType type, const WechatpayDay& day);
/// Bill of GET /v3/bill/fundflowbill: one line for each change of the merchant's balance.
std::string fund_bill(const WechatpayDay& day);

/// Compresses the content to a GZIP file.
std::string gzip(std::string_view content);

}  // namespace finality::sandbox
