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

/// Parses the request's bill_type, `trade` or `signcustomer`. Empty for any other text.
std::optional<BillKind> parse_bill_kind(std::string_view bill_type);

/// Content of a bill.
struct Bill {
  Application app;  // the merchant's application; a bill covers one application
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd or yyyy-MM
  Day span;
  Time created_at;
  std::vector<Trade> payments;
  std::vector<std::pair<Trade, Refund>> refunds;
  MinorUnits opening_balance = 0;  // of the merchant's account at the start of the span; only in a bill of funds
};

/// Whether the application has payments or refunds in this span.
bool has_bill(Books& books, const Application& app, const Day& span);
/// Collects the payments and refunds of a bill. `date` is a day or a month.
Bill bill_of(Books& books, const Application& app, BillKind kind, const std::string& date);

/// The bill as a ZIP file of two CSV files. Pure.
std::string to_zip(const Bill& bill);

/// Signed links to one merchant's bills, with an expiry. Thread safe.
class BillLinks {
 public:
  /// `secret` signs only this merchant's links. Each link is valid for `life`.
  BillLinks(const Application& app, Secret secret, Duration life)
      : app_(app), secret_(std::move(secret)), life_(life) {}

  /// Returns a signed link, as path and query.
  std::string make(BillKind kind, const std::string& date, Time now) const;

  struct BillRequest {
    BillKind kind;
    std::string date;
  };
  /// The bill that the query of a link names. Empty when the link is forged or has expired.
  std::optional<BillRequest> read(std::string_view query, Time now) const;

 private:
  Application app_;
  Secret secret_;
  Duration life_;
};

/// The path of all links.
inline constexpr std::string_view kBillPath = "downloadBillFile.resource";

/// The name under which a browser saves the bill.
std::string bill_file_name(const Application& app, BillKind kind, std::string_view date);

}  // namespace finality::sandbox::alipay
