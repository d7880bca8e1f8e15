// Who asks: `Authorization: Bearer <key>` to a principal. Keys and merchants are remembered for a few seconds, unknown
// ones too, so that a busy client does not read the store with every request; a revoked key may work that much longer
// on another node.
#pragma once

#include <expected>
#include <functional>
#include <optional>

#include "base/net/http_message.h"
#include "base/secret.h"
#include "base/time/time.h"
#include "http/server/expiring_cache.h"
#include "http/server/principal.h"
#include "http/server/reader_pool.h"
#include "http/server/router.h"
#include "model/natural_key.h"
#include "model/refusal.h"

namespace finality::http {

/// A new key: its text is shown once, only its hash is kept.
struct DrawnKey {
  Secret text;
  Hash16 hash{};
};
/// `sk_…` for a merchant, `op_…` for an operator, with 256 random bits.
DrawnKey draw_api_key(Role role);

/// Thread safe.
class Authenticator {
 public:
  using Done = std::function<void(std::expected<Principal, Refusal>)>;

  /// `readers` and `clock` outlive this.
  Authenticator(ReaderPool& readers, const Clock& clock);

  /// Calls `done` once, on this thread or a reader's. Refuses: unauthorized; invalid_request when an operator names no
  /// merchant on a route that needs one; busy, storage_read_error. That the key may not use the route or the named
  /// merchant does not exist is only noted in the principal: other checks come first.
  void authenticate(const net::Headers& headers, Access access, Role role, Done done);

  /// Forgets all keys: one was revoked.
  void forget();

 private:
  struct KnownKey {
    ApiKeyId id;
    Role role = Role::merchant;
    MerchantId merchant_id;
  };

  void find_key(const Hash16& hash, std::function<void(std::expected<KnownKey, Refusal>)> done);
  std::expected<KnownKey, Refusal> read_key(Reader& reader, const Hash16& hash);
  void find_merchant(Principal principal, Done done);
  void identify(const KnownKey& key, Access access, Role role, std::optional<std::string> named_merchant, Done done);

  ReaderPool& readers_;
  const Clock& clock_;
  ExpiringCache<Hash16, KnownKey, Hash16Hasher> keys_;
  ExpiringCache<Hash16, bool, Hash16Hasher> unknown_keys_;  // apart: guessed keys must not push out real ones
  ExpiringCache<MerchantId, bool> merchants_;               // whether it exists
};

}  // namespace finality::http
