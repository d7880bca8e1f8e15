// Resolves host names without blocking: /etc/hosts, then the name servers of /etc/resolv.conf. Sends no query for
// localhost, in any case and with or without a final dot (RFC 6761). One thread runs all look-ups. Look-ups of one host
// share one query.
//
// Third parties choose some of the host names, and can choose names whose servers never reply. Each third party and all
// third parties together have a limited number of queries in flight, and failures of their names are cached. Names that
// the operator chose have no limit, and share no query and no cache entry with other names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"

namespace finality::net {

struct LookupResult {
  std::vector<std::string> addresses;  // IP literals in the order in which to try them (RFC 6724)
  std::string failure;                 // reason of the failure if `addresses` is empty
  bool over_limit = false;             // failed because of a limit; no name server was queried
};

struct NameLookupOptions {
  std::string servers{};                      // as in are_name_servers(); empty: those of /etc/resolv.conf
  Duration timeout = limits::kLookupTimeMax;  // of one look-up
};

/// True if the text lists name servers: ADDRESS or ADDRESS:PORT, separated by commas, with a port from 1 to 65535, an
/// IPv6 address with a port in brackets.
bool are_name_servers(const std::string& text);

class NameLookup {
 public:
  using Done = std::function<void(LookupResult)>;

  explicit NameLookup(NameLookupOptions options = {});
  /// Fails all look-ups in flight and returns immediately. REQUIRES: not called on the look-up thread.
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  /// Looks up the addresses of `host`, which is not an IP literal. `owner` is the third party that chose the name;
  /// empty for the operator. Calls `done` once on the look-up thread, at most NameLookupOptions::timeout later. `done`
  /// must not block. Thread safe.
  void look_up(std::optional<std::int64_t> owner, std::string host, Done done);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace finality::net
