// One line of a statement (对账单), in the same terms for all channels. The adapter of a channel parses its files into
// lines; decide/statement/ compares them with the books.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/natural_key.h"
#include "model/objects/statement.h"

namespace finality {

/// The status of a payment or refund when the channel wrote the line. A line never changes later: WeChat Pay lists a
/// refund on the day of its acceptance as `processing`, whatever becomes of it.
enum class LineStatus : std::uint8_t { succeeded, processing, failed };
BOOST_DESCRIBE_ENUM(LineStatus, succeeded, processing, failed)

/// Factor of the fee columns: statements state fees with up to 5 decimal digits of the major unit.
inline constexpr int kFeeDigits = 5;

struct StatementLine {
  std::int64_t line_no = 0;  // from 1, in the unpacked file; in an XML file: of the entry
  LineKind kind = LineKind::other;
  LineStatus status = LineStatus::succeeded;
  std::string line_id;            // assigned by the channel and unique per account; empty if it assigns none
  std::string channel_trade_no;   // empty if the line has none, as all numbers below; of a bank line: the end-to-end id
  std::string out_trade_no;       // the number of the payment that Finality assigned
  std::string channel_refund_no;  // only of lines about a refund
  std::string out_refund_no;      // only of lines about a refund: the number that Finality assigned; of another system
                                  // if unknown
  Currency currency;
  MinorUnits amount = 0;    // of a payment or refund: before fee and discount, positive. Funds and bank lines: the
                            // change of the balance; a credit is positive
  MinorUnits discount = 0;  // part of `amount` that the merchant bears as a discount and that does not reach us
  std::int64_t fee_e5 = 0;  // fee of the trade in 1/100,000 of the major unit; negative: returned to us
  std::optional<MinorUnits> balance{};  // balance after the line, if the channel states it
  Time at;                              // when the payment succeeded, the refund was accepted, or the balance changed
  std::string text;                     // type and status in the words of the channel, for operators
};

/// Counts and sums of the lines in one currency.
struct StatementSums {
  Currency currency;
  std::int64_t lines = 0;
  std::int64_t payments = 0;
  MinorUnits paid = 0;
  std::int64_t refunds = 0;
  MinorUnits refunded = 0;
  std::int64_t fee_e5 = 0;  // StatementLine::fee_e5, summed
  MinorUnits credits = 0;   // funds and bank statements: sum of the positive amounts
  MinorUnits debits = 0;    // funds and bank statements: sum of the negative amounts, as a positive number
  std::optional<MinorUnits> opening_balance{};
  std::optional<MinorUnits> closing_balance{};
};

/// Adds a line to the sums of its currency. Returns false if a sum would overflow; the sums are then unchanged.
[[nodiscard]] bool add_line(std::vector<StatementSums>& sums, const StatementLine& line);

/// A line with the number of equal lines before it in its file, which is a part of its identity (key_of_line()).
struct IndexedLine {
  StatementLine line;
  std::int64_t ordinal = 0;
};

/// Selects lines of a statement: those with numbers above `after`, at most `limit`; of one merchant or of all.
struct LineQuery {
  std::optional<MerchantId> merchant;
  std::int64_t after = 0;
  std::size_t limit = 10;
};

/// The lines that a LineQuery selects, in the order of the file.
struct LinePage {
  std::vector<IndexedLine> lines;
  bool has_more = false;
  bool is_of_merchant = true;  // false: no line of the statement is of the merchant
};

/// Whether a line of this kind is compared with the payments and refunds of the books.
constexpr bool is_trade(LineKind kind) { return kind == LineKind::payment || kind == LineKind::refund; }

/// Identifies a line in all versions of a statement: the hash of the account and of everything that the line states
/// except its line number. `ordinal` counts from 0 the equal lines of a file.
Hash16 key_of_line(ChannelAccountId account, const StatementLine& line, std::int64_t ordinal);

}  // namespace finality
