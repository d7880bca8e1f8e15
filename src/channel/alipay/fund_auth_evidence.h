// Derives evidence about an authorization (资金预授权) from a verified response or notification of Alipay. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/alipay/answer.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality::alipay {

/// Fields of the response to a query, or of a notification. A missing field is empty. alipay/values.h defines the
/// format of amounts.
struct FundAuthFields {
  std::string_view auth_no;
  std::string_view order_status;  // a notification has none: its type states it
  std::string_view total_freeze_amount;
  std::string_view total_pay_amount;
  std::string_view total_unfreeze_amount;  // only of a notification
  std::string_view rest_amount;
  std::string_view currency;  // trans_currency; empty means CNY
  std::string_view pre_auth_type;
  std::string_view payer_user_id;
  std::string_view payer_open_id;
  std::string_view frozen_at;  // gmt_trans of the freeze; empty for other operations
};

/// Returns evidence with the totals of the authorization. The amounts decide whether something is held: what was frozen
/// is paid, released or left. The caller sets `source` and `asked_at`. The error names a missing, malformed or
/// contradictory field.
Result<AuthorizationEvidence> read_totals(const FundAuthFields& fields);

/// Returns evidence about the authorization of `call`; `unknown` if the response is about a different one, or does not
/// state the totals, so that a query follows. The caller sets `source` and `asked_at`.
AuthorizationEvidence read_evidence(const AuthorizationCall& call, const AlipayReply& answer);

}  // namespace finality::alipay
