// API key. The store contains only a SHA-256 hash of the key, truncated to 16 bytes. A key has 256 random bits, so a
// slow password hash is not needed.
#pragma once

#include <optional>
#include <string>

#include "base/crypto/crypto.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// Role of an API key. Keys of merchants have the role `merchant`; the roles after it belong to operators, in ascending
/// order of permissions.
enum class Role : std::uint8_t { merchant, viewer, operator_, approver, admin };
BOOST_DESCRIBE_ENUM(Role, merchant, viewer, operator_, approver, admin)

/// Returns the role's name in the API. The enumerator `operator_` has a suffix because `operator` is a C++ keyword.
constexpr std::string_view text_of(Role role) {
  return role == Role::operator_ ? std::string_view("operator") : name_of(role);
}

struct ApiKey {
  ApiKeyId id;
  std::optional<MerchantId> merchant_id;  // empty for a key of an operator
  Role role = Role::merchant;
  std::string name;
  Hash16 hash{};  // truncated SHA-256 of the complete key, prefix included
  Time created_at;
  std::optional<Time> revoked_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(ApiKey, (), (id, merchant_id, role, name, hash, created_at, revoked_at, version))
FINALITY_ROW(ApiKey, "api_keys", root, "id", "merchant_id role name hash created_at",
             .about = "an API key; only its SHA-256, truncated to 16 bytes, is stored", .owner = Owner::none)

}  // namespace finality
