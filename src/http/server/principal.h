// Authenticated caller of a request: the key, its role, the merchant, and whether the route is allowed.
#pragma once

#include "model/objects/api_key.h"

namespace finality::http {

struct Principal {
  ApiKeyId key_id;
  Role role = Role::merchant;
  MerchantId merchant_id;       // 0 for an operator on a route without a merchant
  bool merchant_exists = true;  // checked after the fields
  bool allowed = true;          // the key may use the route
};

}  // namespace finality::http
