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

/// Creates the merchant with a random webhook secret. Fails if `name` breaks a rule, which the error names, or if the
/// engine refuses the command.
Result<NewMerchant> make_merchant(Engine& engine, const std::string& name);
struct NewKey {
  ApiKeyId id;
  Secret text;  // shown once; the store contains only its hash
};

/// Creates an API key of a merchant, or of an operator if `merchant` is empty. Fails like make_merchant().
Result<NewKey> make_key(Engine& engine, std::optional<MerchantId> merchant, Role role, const std::string& name);

/// The role that the API names `text`; empty if the text is no role.
std::optional<Role> parse_role(std::string_view text);

}  // namespace finality::app
