// Identity check (资金恒等式校验): how far the identity job has checked the changed orders. A store has at most one
// row, which its servers share: the server that holds the claim checks.
#pragma once

#include "base/time/time.h"
#include "model/ids.h"
#include "model/objects/merchant.h"
#include "model/row.h"

namespace finality {

struct IdentityCheck {
  IdentityCheckId id;
  MerchantId merchant_id = kPlatform;
  std::int64_t checked_until = 0;  // the orders with a change whose event has this id, or a smaller one, are checked
  Time claimed_until;              // another server may claim the check after this instant
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(IdentityCheck, (), (id, merchant_id, checked_until, claimed_until, created_at, version))
FINALITY_ROW(IdentityCheck, "identity_checks", root, "id", "merchant_id created_at",
             .about = "how far the changed orders have been checked against the money identities (资金恒等式); one row")

/// The id of the row. Smaller than all ids that nodes create; 1 is the id of the platform.
inline constexpr IdentityCheckId kIdentityCheck{2};

}  // namespace finality
