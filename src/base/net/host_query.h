// One look-up of a host name with c-ares. Never blocks: the owner polls the sockets of the query and calls process().
//
// Each query has its own c-ares channel. A query can therefore be cancelled alone, uses its own source port (which
// makes forged replies harder to send, RFC 5452 §9.2), and reads the current /etc/resolv.conf.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/net/name_lookup.h"

struct ares_addrinfo;
struct ares_channeldata;

namespace finality::net {

/// Not thread safe.
class HostQuery {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// Starts the look-up. It can end at once, for example with addresses of /etc/hosts.
  HostQuery(const std::string& host, const NameLookupOptions& options, Instant now);
  ~HostQuery();
  HostQuery(const HostQuery&) = delete;
  HostQuery& operator=(const HostQuery&) = delete;

  /// Appends the sockets of the query, with the events to wait for.
  void add_sockets(std::vector<pollfd>& polled) const;
  /// Returns the time at which process() must be called, even without an event.
  Instant due_at(Instant now) const;
  /// Reads replies and sends queries. `polled`: the sockets of add_sockets(), with their events. At the deadline, ends
  /// the look-up with the addresses received so far.
  void process(std::span<const pollfd> polled, Instant now);

  bool is_finished() const { return finished_; }
  /// REQUIRES: is_finished().
  const LookupResult& result() const { return result_; }
  /// Returns how long the addresses are valid; 0 for addresses of /etc/hosts. REQUIRES: is_finished().
  Duration time_to_live() const { return time_to_live_; }

 private:
  static void take(void* self, int status, int timeouts, ares_addrinfo* found);
  void finish(int status, const ares_addrinfo* found);

  ares_channeldata* channel_ = nullptr;
  Duration timeout_;
  Instant deadline_;
  LookupResult result_;
  Duration time_to_live_{0};
  bool finished_ = false;
};

}  // namespace finality::net
