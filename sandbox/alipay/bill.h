// Alipay's bills and their short-lived download links. A bill lists the payments and refunds of a day or month in China
// time. It is a ZIP file with two CSV files in GBK.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "sandbox/alipay/account.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/ledger.h"
#include "sandbox/statements/funds_lines.h"
#include "sandbox/statements/trade_lines.h"

namespace finality::sandbox::alipay {

enum class BillKind : std::uint8_t { trades, funds };

/// Parses the request's bill_type: `trade` (trades) or `signcustomer` (funds). Empty for any other text.
std::optional<BillKind> parse_bill_kind(std::string_view bill_type);

/// Content of a bill.
struct Bill {
  Application app;  // application whose payments and refunds the bill lists
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd or yyyy-MM
  Day span;
  Time created_at;
  std::vector<TradeLine> trades;  // only for BillKind::trades
  FundsDay funds;                 // only for BillKind::funds

  bool is_empty() const { return trades.empty() && funds.lines.empty(); }
};

/// Collects the lines of a bill; empty if the bill is not ready (file_state()). REQUIRES: `date` is a valid day
/// (yyyy-MM-dd) or month (yyyy-MM).
std::optional<Bill> bill_of(Ledger& ledger, const Application& app, BillKind kind, const std::string& date);

/// Returns the bill as a ZIP file that contains two CSV files. Pure.
std::string to_zip(const Bill& bill);

/// Creates and verifies signed, expiring download links to one merchant's bills. Thread safe.
class BillLinks {
 public:
  /// Each link is valid for `life`. REQUIRES: every merchant has a different `secret`.
  BillLinks(const Application& app, Secret secret, Duration life)
      : app_(app), secret_(std::move(secret)), life_(life) {}

  /// Returns a signed link as path and query; the caller prepends the base URL.
  std::string make(BillKind kind, const std::string& date, Time now) const;

  struct BillRequest {
    BillKind kind;
    std::string date;
  };
  /// Verifies the query of a link and returns the requested bill. Empty when the link is forged or has expired.
  std::optional<BillRequest> read(std::string_view query, Time now) const;

 private:
  Application app_;
  Secret secret_;
  Duration life_;
};

/// Path of every bill download link.
inline constexpr std::string_view kBillPath = "downloadBillFile.resource";

/// Returns the file name of the bill for the Content-Disposition header.
std::string bill_file_name(const Application& app, BillKind kind, std::string_view date);

}  // namespace finality::sandbox::alipay
