// Handling of merchants' requests that depends on scenarios, shared by all protocols. Runs inside a database
// transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sandbox/core/books.h"

namespace finality::sandbox {

/// Result of a request to create a trade.
///   taken         the trade exists, new or from an earlier request
///   lost          the response is lost; a proxy returns 504. The trade may or may not exist
///   inconsistent  the out_trade_no was used with another amount or currency
///   too_late      the order expired before the trade was created
///   refused       no trade is created; the error code is not documented
enum class IntakeResult : std::uint8_t { taken, lost, inconsistent, too_late, refused };

struct Entry {
  IntakeResult result = IntakeResult::taken;
  std::optional<Trade> trade = std::nullopt;  // current state; set when the result is `taken`
  bool is_new = false;
  Duration answer_after{0};  // delay of the response, or of the proxy's response
};

/// Creates the trade of an order, or finds the existing one. A new trade_no begins with `number_prefix`. REQUIRES: the
/// order's fields are valid.
Entry enter(Books& books, const Trade& order, std::string_view number_prefix = "sbx");

/// Whether requests about a missing trade get no response, because the trade's outage is in progress.
bool is_cut_off(Books& books, std::string_view channel, std::string_view out_trade_no);

/// Closes the trade for the merchant, unless the scenario lets the payer pay first. Updates `trade`.
void close_for_merchant(Books& books, Trade& trade);

/// Whether the scenario sends the response to an executed refund of the trade; otherwise it is lost.
bool is_refund_answered(const Trade& trade);

}  // namespace finality::sandbox
