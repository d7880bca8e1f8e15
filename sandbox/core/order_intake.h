// What becomes of a merchant's request, whatever protocol it came in by: the part that the scenarios decide. Inside a
// transaction of the books.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sandbox/core/books.h"

namespace finality::sandbox {

/// What becomes of an order.
///   taken         there is a trade, new or from before
///   lost          no answer comes back; a proxy says 504. Whether there is a trade cannot be told from that
///   inconsistent  the number was used for another amount or currency
///   too_late      its time to be paid is over before it was made
///   refused       no trade is made; the answer's code is one that no documentation lists
enum class IntakeResult : std::uint8_t { taken, lost, inconsistent, too_late, refused };

struct Entry {
  IntakeResult result = IntakeResult::taken;
  std::optional<Trade> trade = std::nullopt;  // as it is now; there when the result is `taken`
  bool is_new = false;
  Duration answer_after{0};  // the answer, or the proxy's, is held back so long
};

/// Takes an order; a new trade's number begins with the prefix. REQUIRES: its fields are checked.
Entry enter(Books& books, const Trade& order, std::string_view number_prefix = "sbx");

/// Whether a request about a trade that is not there gets no answer, because nothing about it arrives at the moment.
bool is_cut_off(Books& books, std::string_view channel, std::string_view out_trade_no);

/// The merchant wants the trade closed; a payer may be faster. `trade` becomes what it is afterwards.
void close_for_merchant(Books& books, Trade& trade);

/// Whether a refund of the trade that was carried out is also answered.
bool is_refund_answered(const Trade& trade);

}  // namespace finality::sandbox
