// POST /v1/holds: reserves an amount on an account (预扣) until the hold is posted, voided or expires.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateHold {
  MerchantId merchant_id;
  AccountId account_id;
  AccountId credit_account_id;
  MinorUnits amount = 0;
  Currency currency;
  std::string source;
  std::string reference;
  Hash16 fingerprint{};  // of all fields of the request except lock_token, as canonical text
  Duration expires_in{};
  std::optional<std::string> lock_token;
  std::optional<std::string> source_ip;
};

void add_reads(const CreateHold& command, ReadSet& reads);

/// The same reference with the same body returns the same hold, in any state. Refuses: not_found, invalid_request (the
/// same account on both sides), account_locked, reference_conflict, currency_mismatch, account_frozen, account_closed,
/// insufficient_balance. A refused hold is not stored, so its reference can be used again.
Decision decide(const CreateHold& command, Context& context);

}  // namespace finality
