// Alipay's bills: what was paid and refunded in a day or a month of China, as a ZIP of two CSV files in GBK, and the
// short-lived links they are fetched by.
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

/// Of `trade` and `signcustomer`.
std::optional<BillKind> parse_bill_kind(std::string_view bill_type);

/// What a bill is made of.
struct Bill {
  Application app;  // of one merchant alone
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd or yyyy-MM
  Day span;
  Time made_at;
  std::vector<Trade> payments;
  std::vector<std::pair<Trade, Refund>> refunds;
  MinorUnits opening_balance = 0;  // of the merchant's account, before the span; for funds
};

/// Whether anything of the application was paid or refunded in this time.
bool has_bill(Books& books, const Application& app, const Day& span);
Bill bill_of(Books& books, const Application& app, BillKind kind, const std::string& date);

/// The ZIP file. Pure.
std::string to_zip(const Bill& bill);

/// Links to one merchant's bills, which carry their own proof and end. Thread safe.
class BillLinks {
 public:
  /// `secret`: of this merchant's links alone. `life`: how long a link is good for.
  BillLinks(const Application& app, Secret secret, Duration life)
      : app_(app), secret_(std::move(secret)), life_(life) {}

  /// Path and query.
  std::string make(BillKind kind, const std::string& date, Time now) const;

  struct Wanted {
    BillKind kind;
    std::string date;
  };
  /// What a link's query asks for; empty when it is forged or its time is over.
  std::optional<Wanted> read(std::string_view query, Time now) const;

 private:
  Application app_;
  Secret secret_;
  Duration life_;
};

/// The path of all links.
inline constexpr std::string_view kBillPath = "downloadBillFile.resource";

/// The name a browser saves the file under.
std::string bill_file_name(const Application& app, BillKind kind, std::string_view date);

}  // namespace finality::sandbox::alipay
