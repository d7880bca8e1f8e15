// API keys. Only the SHA-256 of a key is stored. A key has 256 random bits, so a slower hash is not needed.
#pragma once

#include <optional>
#include <string>

#include "base/crypto/crypto.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// `merchant` is the role of a merchant's secret key. The others are operator roles, in ascending order of permissions.
enum class Role : std::uint8_t { merchant, viewer, operator_, approver, admin };
BOOST_DESCRIBE_ENUM(Role, merchant, viewer, operator_, approver, admin)

/// The role's name on the wire. `operator` is a C++ keyword.
constexpr std::string_view text_of(Role role) {
  return role == Role::operator_ ? std::string_view("operator") : name_of(role);
}

struct ApiKey {
  ApiKeyId id;
  std::optional<MerchantId> merchant_id;  // empty: an operator's key
  Role role = Role::merchant;
  std::string name;
  Hash16 hash{};  // of the whole key
  Time created_at;
  std::optional<Time> revoked_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(ApiKey, (), (id, merchant_id, role, name, hash, created_at, revoked_at, version))
FINALITY_ROW(ApiKey, "api_keys", root, "id", "merchant_id role name hash created_at",
             .about = "an API key; only its SHA-256, truncated to 16 bytes, is stored", .owner = Owner::none)

}  // namespace finality
