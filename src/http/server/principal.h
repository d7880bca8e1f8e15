// Who asks, for which merchant, and whether the route is theirs.
#pragma once

#include "model/objects/api_key.h"

namespace finality::http {

struct Principal {
  ApiKeyId key_id;
  Role role = Role::merchant;
  MerchantId merchant_id;       // 0 on a route that belongs to no merchant, when an operator asks
  bool merchant_exists = true;  // said last, after the fields were checked
  bool allowed = true;          // the key may use the route
};

}  // namespace finality::http
