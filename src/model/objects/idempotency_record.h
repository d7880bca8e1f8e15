// Idempotency record: the stored response to a request with an Idempotency-Key, returned to repeated requests.
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
  std::string body;  // empty: the response was not known yet; a repeated request returns the object's current state
  ObjectType object_type = ObjectType::order;
  std::int64_t object_id = 0;
  std::optional<Time> reply_until;  // the first request may still be waiting for its response until then
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(IdempotencyRecord, (),
                      (id, merchant_id, key_hash, fingerprint, status, body, object_type, object_id, reply_until,
                       created_at))
FINALITY_ROW(IdempotencyRecord, "idempotency_records", log, "id", "",
             .about = "the response that a repeated request receives")

}  // namespace finality
