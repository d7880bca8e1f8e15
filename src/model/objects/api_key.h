// API keys. Only a SHA-256 of a key is kept: a key has 256 random bits, so nothing slower is needed.
#pragma once

#include <optional>
#include <string>

#include "base/crypto/crypto.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// `merchant` is what a secret key acts as; the others are operators, each allowed what the ones before it are.
enum class Role : std::uint8_t { merchant, viewer, operator_, approver, admin };
BOOST_DESCRIBE_ENUM(Role, merchant, viewer, operator_, approver, admin)

/// The role's name outside: C++ keeps the word `operator` for itself.
constexpr std::string_view text_of(Role role) {
  return role == Role::operator_ ? std::string_view("operator") : name_of(role);
}

struct ApiKey {
  ApiKeyId id;
  std::optional<MerchantId> merchant_id;  // empty: an operator's
  Role role = Role::merchant;
  std::string name;
  Hash16 hash{};  // of the whole key
  Time created_at;
  std::optional<Time> revoked_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(ApiKey, (), (id, merchant_id, role, name, hash, created_at, revoked_at, version))
FINALITY_ROW(ApiKey, "api_keys", root, "id", "merchant_id role name hash created_at",
             .about = "a key; only its SHA-256, cut to 16 bytes, is kept", .owner = Owner::none)

}  // namespace finality
