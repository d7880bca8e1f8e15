// Cache of the signature heads of recent notifications, to detect replays. A head is timestamp, nonce and signer. If
// WeChat repeats a notification, timestamp and nonce are new. The same head arrives twice if a proxy repeats a request
// whose response was lost, or if an attacker replays a request.
//
//   same head, same body        admitted: the evidence and its time are the same. If the first commit failed, the core
//                               commits the evidence now; otherwise the repetition changes nothing
//   same head, different body   rejected: WeChat never signs two messages with one nonce. WeChat repeats a genuine
//                               notification later with a new head
//
// The cache keeps a head as long as its timestamp is acceptable. If the cache is full, it removes the oldest head.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <deque>

#include "base/crypto/crypto.h"
#include "base/guarded.h"
#include "channel/wechatpay/signature.h"

namespace finality::wechatpay {

/// Cache of signature heads with at most `entries_max` entries. Thread safe.
class Nonces {
 public:
  explicit Nonces(std::size_t entries_max) : entries_max_(entries_max) {}

  /// Records the head. Returns false if the same head was recorded with a different body. REQUIRES: the signature has
  /// been verified, so that attackers cannot fill the cache.
  bool admit(const SignatureHead& head, std::string_view body, Time now);

 private:
  struct Hasher {
    std::size_t operator()(const Hash16& hash) const;
  };
  struct Entry {
    Hash16 head;
    Time at;
  };

  struct Memory {
    std::deque<Entry> order;
    boost::unordered_flat_map<Hash16, Hash16, Hasher> bodies;  // from the hash of the head to the hash of the body
  };

  void remove_expired(Memory& memory, Time now) const;

  const std::size_t entries_max_;
  Guarded<Memory> memory_;
};

}  // namespace finality::wechatpay
