// Creates the merchants and API keys that a new store needs.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "engine/engine.h"

namespace finality::app {

struct NewMerchant {
  MerchantId id;
  Secret webhook_secret;
};

/// Creates the merchant with a random webhook secret. The error names the rule that `name` violates, or the failure.
Result<NewMerchant> make_merchant(Engine& engine, const std::string& name);
struct NewKey {
  ApiKeyId id;
  Secret text;  // not stored; the store has only its hash
};

/// Creates an API key. `merchant` is empty for the key of an operator.
Result<NewKey> make_key(Engine& engine, std::optional<MerchantId> merchant, Role role, const std::string& name);

/// The role with this name in the API; empty if the name is unknown.
std::optional<Role> parse_role(std::string_view text);

}  // namespace finality::app
