// Authenticates requests: maps the key in `Authorization: Bearer <key>` to a principal. Caches the results of
// look-ups (limits::kValidKeysCachedFor, kApiKeysCachedFor), so that most requests do not read the store. A key that
// another server revoked is refused after limits::kRevokedKeyMax (docs/adr/0057-revoked-keys.md).
#pragma once

#include <expected>
#include <functional>
#include <optional>

#include "base/expiring_cache.h"
#include "base/net/http_message.h"
#include "base/secret.h"
#include "base/time/time.h"
#include "http/server/principal.h"
#include "http/server/rate_limits.h"
#include "http/server/reader_pool.h"
#include "http/server/router.h"
#include "model/natural_key.h"
#include "model/refusal.h"

namespace finality::http {

/// A new API key. The client receives `text` once; only `hash` is stored.
struct DrawnKey {
  Secret text;
  Hash16 hash{};
};
/// Generates an API key with 256 random bits: `sk_…` for Role::merchant, `op_…` for the operator roles.
DrawnKey draw_api_key(Role role);

/// Maps API keys to principals. Thread safe.
class Authenticator {
 public:
  using Done = std::function<void(std::expected<Principal, Refusal>)>;

  /// `clock`: measures the lifetime of cached keys, so nothing may set it back or stop it, except in tests. `readers`,
  /// `clock` and `rate_limits` must outlive this object.
  Authenticator(ReaderPool& readers, const Clock& clock, RateLimits& rate_limits);

  /// Calls `done` once, on the calling thread or a reader thread. Look-ups wait in the part of the queue of the client
  /// address. Refuses with `unauthorized` (no valid key),
  /// `rate_limited` (no valid key, and too many failed authentications from the client address), `invalid_request`
  /// (operator key without Finality-Merchant on a route that needs a merchant; Authorization or Finality-Merchant more
  /// than once), `busy` (reader queue is full) or `storage_read_error`. If the key may not use the route, or the
  /// merchant is unknown, `done` receives a principal with `allowed` or `merchant_exists` false. The caller refuses it
  /// after checks that take priority.
  ///
  /// Accepts a key only if the store contained it, not revoked, at most limits::kValidKeysCachedFor before the call,
  /// however long the store takes to reply. While the store cannot be read, no key is accepted for longer.
  ///
  /// The limit of failed authentications never refuses a key that this server has seen to be valid. So clients with
  /// valid keys are served while another client with the same address, for example behind the same NAT gateway, sends
  /// wrong keys. Above the limit, a key that this server has not seen is refused without reading the store.
  void authenticate(const net::HttpRequest& request, Access access, Role role, Done done);

  /// Lets all keys in the cache expire. Call it after a key was revoked.
  void forget();

 private:
  struct CachedKey {
    ApiKeyId id;
    Role role = Role::merchant;
    MerchantId merchant_id;
  };

  Refusal count_failure(std::optional<std::uint64_t> caller, Refusal refusal);
  std::expected<CachedKey, Refusal> read_key(Reader& reader, const Hash16& hash);
  void find_merchant(Principal principal, ReadClient client, Done done);
  Refusal refuse_unnamed(ApiKeyId key, bool is_read);
  void identify(const CachedKey& key, ReadClient client, Access access, Role role, bool is_read,
                std::optional<std::string> named_merchant, Done done);

  ReaderPool& readers_;
  const Clock& clock_;
  RateLimits& rate_limits_;
  ExpiringCache<Hash16, CachedKey, Hash16Hasher> keys_;
  ExpiringCache<Hash16, bool, Hash16Hasher> unknown_keys_;  // separate: guessed keys must not evict valid keys
  ExpiringCache<MerchantId, bool> merchants_;               // whether the merchant exists
};

}  // namespace finality::http
