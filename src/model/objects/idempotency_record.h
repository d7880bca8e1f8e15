// Idempotency record: the stored response to a request with an Idempotency-Key. A repeated request receives the same
// response.
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
  Hash16 key_hash{};     // hash of merchant, method, path and Idempotency-Key
  Hash16 fingerprint{};  // hash of method, path, query and body; in older records of the body (Idempotency)
  std::int64_t status = 200;
  std::string body;  // response body; empty if it was not known yet: a repeated request then returns the object's state
  ObjectType object_type = ObjectType::order;
  std::int64_t object_id = 0;
  std::optional<Time> reply_until;  // until this time, the first request may still wait for its response
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(IdempotencyRecord, (),
                      (id, merchant_id, key_hash, fingerprint, status, body, object_type, object_id, reply_until,
                       created_at))
FINALITY_ROW(IdempotencyRecord, "idempotency_records", log, "id", "",
             .about = "the response that a repeated request receives")

}  // namespace finality
