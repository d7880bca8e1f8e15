// What a store needs before anybody can use it: a merchant and keys.
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

Result<NewMerchant> make_merchant(Engine& engine, const std::string& name);
struct NewKey {
  ApiKeyId id;
  Secret text;  // kept nowhere
};

/// `merchant` is empty for an operator's.
Result<NewKey> make_key(Engine& engine, std::optional<MerchantId> merchant, Role role, const std::string& name);

/// The role of that name outside; empty when there is none.
std::optional<Role> parse_role(std::string_view text);

}  // namespace finality::app
