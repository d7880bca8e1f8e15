// Cache of the signature heads (timestamp, nonce and signer) of recent notifications, against replay. When WeChat
// repeats a notification, the timestamp and the nonce are new. The same head arrives twice when a proxy repeats a
// request whose response was lost, or when an attacker replays the request.
//
//   same head, same body      admitted: it yields the same evidence with the same time. The evidence is committed if
//                             the first commit failed; otherwise it changes nothing, and the request is
//                             acknowledged
//   same head, another body   rejected: WeChat never signs two messages with one nonce. A genuine notification is
//                             repeated later under a new head
//
// A head is kept while its timestamp can still be accepted. When the cache is full, the oldest head is removed.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <deque>

#include "base/crypto/crypto.h"
#include "base/guarded.h"
#include "channel/wechatpay/signature.h"

namespace finality::wechatpay {

/// Thread safe.
class Nonces {
 public:
  explicit Nonces(std::size_t entries_max) : entries_max_(entries_max) {}

  /// Records the head. False when it was received before with another body. REQUIRES: the signature has been verified,
  /// so that attackers cannot fill the cache.
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
    boost::unordered_flat_map<Hash16, Hash16, Hasher> bodies;  // hash of the body, by hash of the head
  };

  void remove_expired(Memory& memory, Time now) const;

  const std::size_t entries_max_;
  Guarded<Memory> memory_;
};

}  // namespace finality::wechatpay
