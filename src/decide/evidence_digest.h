// Tells evidence that repeats what was reported before from evidence that is new.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "model/natural_key.h"

namespace finality {

/// A hash of the parts of a report that make it what it is: not when or how it came. Rows keep the last one
/// (`last_evidence`).
inline std::int64_t evidence_digest(MerchantId merchant, std::string_view kind,
                                    std::initializer_list<std::string_view> parts) {
  const Hash16 hash = hash_of_parts(merchant, kind, parts);
  std::int64_t digest;
  std::memcpy(&digest, hash.data(), sizeof digest);
  return digest;
}

}  // namespace finality
