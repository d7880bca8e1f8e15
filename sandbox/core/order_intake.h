// Applies scenarios to merchants' requests, for all gateways. Every function must run inside a database transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sandbox/core/ledger.h"

namespace finality::sandbox {

/// Result of a request to create a trade or a hold.
///   taken         the trade exists, new or from an earlier request
///   lost          the client gets 504, as from a proxy. The trade exists only if Entry::trade is set
///   inconsistent  the out_trade_no was used with another amount or currency
///   too_late      the order expired before the trade was created
///   refused       no trade is created; the error code is not documented
enum class IntakeResult : std::uint8_t { taken, lost, inconsistent, too_late, refused };

struct Entry {
  IntakeResult result = IntakeResult::taken;
  std::optional<Trade> trade = std::nullopt;  // always set for `taken`; set for `lost` if the trade was created
  bool is_new = false;
  Duration answer_after{0};  // delay of the response or, for `lost`, of the 504
};

/// Creates the trade of an order, or returns the existing trade with its out_trade_no. A new trade_no begins with
/// `number_prefix`. REQUIRES: the order's fields are valid.
Entry enter(Ledger& ledger, const Trade& order, std::string_view number_prefix = "sbx");

struct HoldEntry {
  IntakeResult result = IntakeResult::taken;
  std::optional<Hold> hold = std::nullopt;  // set as Entry::trade
  bool is_new = false;
  Duration answer_after{0};  // as Entry::answer_after
};

/// Does the same for the hold of an order and its out_order_no.
HoldEntry enter(Ledger& ledger, const Hold& order, std::string_view number_prefix = "sba");

/// Returns whether the outage of this trade is in progress: its creation was lost, and queries must get 504 instead of
/// "not found".
bool is_cut_off(Ledger& ledger, std::string_view channel, std::string_view out_trade_no);

/// Closes the trade at the merchant's request and updates `trade`. In scenarios with `payer_is_faster`, the payer pays
/// first and the trade becomes paid.
void close_for_merchant(Ledger& ledger, Trade& trade);

/// Does the same for a hold: in scenarios with `payer_is_faster`, the payer authorizes first and the hold becomes held.
void close_for_merchant(Ledger& ledger, Hold& hold);

/// Returns false if the scenario loses the responses to executed refunds of the trade.
bool is_refund_answered(const Trade& trade);
// Return false if the scenario loses the responses to executed captures or releases of the hold.
bool is_capture_answered(const Hold& hold);
bool is_release_answered(const Hold& hold);

}  // namespace finality::sandbox
