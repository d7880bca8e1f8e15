// Trades whose refunds can be booked in several correct ways, for the auditors of statements.
#pragma once

#include <string>

#include "sim/auditors/order_auditor.h"

namespace finality::sim {

/// Returns the number that identifies a trade: captures can share their trade number.
const std::string& name_of_trade(const std::string& trade_no, const std::string& out_trade_no);

/// Whether refunds of the trade are booked otherwise than the channel has executed them: it reported an executed refund
/// as refused, operators paid in cash, a refunded total covers refunds of both kinds, or captures are refunded as one
/// trade. Statements name a capture by another system by a number that no engine knows.
bool has_disturbed_refunds(const Trade& trade, const Upstream& upstream, const OrderAuditor& orders);

}  // namespace finality::sim
