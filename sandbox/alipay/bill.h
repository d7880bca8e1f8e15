// Alipay's bills: payments and refunds of a day or month in China time, as a ZIP of two CSV files in GBK, and the
// short-lived download links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "sandbox/alipay/account.h"
#include "sandbox/core/books.h"
#include "sandbox/core/china_time.h"

namespace finality::sandbox::alipay {

enum class BillKind : std::uint8_t { trades, funds };

/// Parses `trade` and `signcustomer`.
std::optional<BillKind> parse_bill_kind(std::string_view bill_type);

/// Content of a bill.
struct Bill {
  Application app;  // the bill's only merchant
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd or yyyy-MM
  Day span;
  Time created_at;
  std::vector<Trade> payments;
  std::vector<std::pair<Trade, Refund>> refunds;
  MinorUnits opening_balance = 0;  // of the merchant's account at the begin of the span; for funds
};

/// Whether the application has payments or refunds in this span.
bool has_bill(Books& books, const Application& app, const Day& span);
Bill bill_of(Books& books, const Application& app, BillKind kind, const std::string& date);

/// The ZIP file. Pure.
std::string to_zip(const Bill& bill);

/// Signed links to one merchant's bills, with an expiry. Thread safe.
class BillLinks {
 public:
  /// `secret` signs only this merchant's links. `life` is the validity of a link.
  BillLinks(const Application& app, Secret secret, Duration life)
      : app_(app), secret_(std::move(secret)), life_(life) {}

  /// Path and query.
  std::string make(BillKind kind, const std::string& date, Time now) const;

  struct BillRequest {
    BillKind kind;
    std::string date;
  };
  /// The bill that a link's query names; empty when the link is forged or has expired.
  std::optional<BillRequest> read(std::string_view query, Time now) const;

 private:
  Application app_;
  Secret secret_;
  Duration life_;
};

/// The path of all links.
inline constexpr std::string_view kBillPath = "downloadBillFile.resource";

/// The file name for browsers.
std::string bill_file_name(const Application& app, BillKind kind, std::string_view date);

}  // namespace finality::sandbox::alipay
