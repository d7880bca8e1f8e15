// The answer to a request that carried an Idempotency-Key: what a repetition is told.
#pragma once

#include <optional>
#include <string>

#include "base/crypto/crypto.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

struct IdempotencyRecord {
  IdempotencyRecordId id;
  MerchantId merchant_id;
  Hash16 key_hash{};     // of merchant, method, path and key
  Hash16 fingerprint{};  // of the body
  std::int64_t status = 200;
  std::string body;  // empty: the answer was still to come; a repetition gets the object as it is now
  ObjectType object_type = ObjectType::order;
  std::int64_t object_id = 0;
  std::optional<Time> reply_until;  // the first request may still be answered until then
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(IdempotencyRecord, (),
                      (id, merchant_id, key_hash, fingerprint, status, body, object_type, object_id, reply_until,
                       created_at))
FINALITY_ROW(IdempotencyRecord, "idempotency_records", log, "id", "",
             .about = "what the repetition of a request is told")

}  // namespace finality
