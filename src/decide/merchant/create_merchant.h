// A new merchant, and API keys.
#pragma once

#include <optional>
#include <string>

#include "base/secret.h"
#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateMerchant {
  std::string name;
  Secret webhook_secret;  // drawn by the caller, as all secrets here
  Secret link_secret;
};
void add_reads(const CreateMerchant& command, ReadSet& reads);
Decision decide(const CreateMerchant& command, Context& context);

struct CreateApiKey {
  std::optional<MerchantId> merchant_id;  // empty: an operator's
  Role role = Role::merchant;
  std::string name;
  Hash16 hash{};
};
void add_reads(const CreateApiKey& command, ReadSet& reads);
/// Refuses: not_found (no such merchant).
Decision decide(const CreateApiKey& command, Context& context);

struct RevokeApiKey {
  ApiKeyId key_id;
};
void add_reads(const RevokeApiKey& command, ReadSet& reads);
/// Refuses: not_found.
Decision decide(const RevokeApiKey& command, Context& context);

}  // namespace finality
