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
  Hash16 fingerprint{};  // hash of the canonical text of all request fields except lock_token
  Duration expires_in{};
  std::optional<std::string> lock_token;
  std::optional<std::string> source_ip;
};

void add_reads(const CreateHold& command, ReadSet& reads);

/// A repeated request (same reference and fields) returns the existing hold in its current state. A refused hold is not
/// stored, so its reference can be used again. Refuses with `not_found` (no such account), `invalid_request` (debit and
/// credit account are equal), `account_locked` (no or wrong lock token), `reference_conflict` (the reference belongs to
/// a hold with other fields), `currency_mismatch`, `account_frozen`, `account_closed`, `insufficient_balance`.
Decision decide(const CreateHold& command, Context& context);

}  // namespace finality
