// POST /v1/holds: sets money of an account aside (预扣) until the hold is posted, voided or expires.
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
  Hash16 fingerprint{};  // of all fields of the request but lock_token, as canonical text
  Duration expires_in{};
  std::optional<std::string> lock_token;
  std::optional<std::string> source_ip;
};

void add_reads(const CreateHold& command, ReadSet& reads);

/// The same reference with the same body is the same hold, whatever has become of it. Refuses: not_found,
/// invalid_request (one account on both sides), account_locked, reference_conflict, currency_mismatch, account_frozen,
/// account_closed, insufficient_balance. A refused hold leaves no trace: its reference may be used again.
Decision decide(const CreateHold& command, Context& context);

}  // namespace finality
