// Records evidence about an authorization: the reply to a request, a notification, or the result of a query. Applies it
// to the authorization's state machine, books captures that other systems made, and ends the order if the hold is over.
#pragma once

#include <string>
#include <utility>

#include "decide/context.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

struct RecordAuthorization {
  MerchantId merchant_id;
  OrderId order_id;          // contained in out_trade_no (parse_out_authorization_no)
  std::string channel;       // channel that reported the evidence; must be the authorization's channel
  std::string out_trade_no;  // of the authorization
  AuthorizationEvidence evidence;
};

/// Returns the command that records `evidence`, the reply to `call`.
inline RecordAuthorization record_of(const AuthorizationCall& call, AuthorizationEvidence evidence) {
  const Authorization& row = call.authorization;
  return {row.merchant_id, row.order_id, row.channel, row.out_trade_no, std::move(evidence)};
}

void add_reads(const RecordAuthorization& command, ReadSet& reads);

/// Repeated evidence changes only due_at. Refuses with `not_found` (the channel has no such authorization).
Decision decide(const RecordAuthorization& command, Context& context);

}  // namespace finality
