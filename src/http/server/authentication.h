// Authenticates requests: maps the key in `Authorization: Bearer <key>` to a principal. Caches known and unknown keys
// and merchants for limits::kApiKeysCachedFor, so that requests of a busy client do not all read the store. A revoked
// key can remain valid for that time on other nodes.
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

/// A new key. The text is shown once; only its hash is stored.
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

  /// `readers` and `clock` must outlive this.
  Authenticator(ReaderPool& readers, const Clock& clock);

  /// Calls `done` once, on this thread or a reader thread. Errors: unauthorized; invalid_request if an operator names
  /// no merchant on a route that needs one; busy; storage_read_error. A key that may not use the route, or an unknown
  /// merchant, is no error here: Principal::allowed or merchant_exists is false, and the caller checks them later,
  /// because other checks take priority.
  void authenticate(const net::Headers& headers, Access access, Role role, Done done);

  /// Removes all keys from the cache. To be called after a key was revoked.
  void forget();

 private:
  struct CachedKey {
    ApiKeyId id;
    Role role = Role::merchant;
    MerchantId merchant_id;
  };

  void find_key(const Hash16& hash, std::function<void(std::expected<CachedKey, Refusal>)> done);
  std::expected<CachedKey, Refusal> read_key(Reader& reader, const Hash16& hash);
  void find_merchant(Principal principal, Done done);
  void identify(const CachedKey& key, Access access, Role role, std::optional<std::string> named_merchant, Done done);

  ReaderPool& readers_;
  const Clock& clock_;
  ExpiringCache<Hash16, CachedKey, Hash16Hasher> keys_;
  ExpiringCache<Hash16, bool, Hash16Hasher> unknown_keys_;  // separate: guessed keys must not evict valid keys
  ExpiringCache<MerchantId, bool> merchants_;               // whether it exists
};

}  // namespace finality::http
