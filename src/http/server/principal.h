// Authenticated caller of a request: the key, its role, the merchant, and whether the route is allowed.
#pragma once

#include <optional>

#include "model/objects/api_key.h"
#include "wire/audience.h"

namespace finality::http {

struct Principal {
  ApiKeyId key_id;
  Role role = Role::merchant;
  MerchantId merchant_id;       // 0 if the route needs no merchant and the key is an operator key
  bool merchant_exists = true;  // if false, the request is refused after its fields were checked
  bool allowed = true;          // if false, the key may not use the route
  Role needed = Role::viewer;   // lowest role of operators that may use the route

  /// The audience of the response. Also for a caller without a key.
  wire::Audience audience() const {
    return role == Role::merchant ? wire::Audience::merchant : wire::Audience::operators;
  }

  /// On a route with Access::shared: the merchant whose objects the key may see; empty for operators, who see all.
  std::optional<MerchantId> only_merchant() const {
    return role == Role::merchant ? std::optional(merchant_id) : std::nullopt;
  }
};

}  // namespace finality::http
