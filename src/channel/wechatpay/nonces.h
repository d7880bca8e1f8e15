// The signatures of notifications that were heard lately. WeChat repeats a notification under a new timestamp and
// nonce; the very same one comes again when something between us repeats a request whose answer was lost, or when
// somebody replays it.
//
//   the same head, the same body    heard again: it says what it said, as old as it was. If its commit failed, this is
//                                   its second chance; if not, it changes nothing and is acknowledged
//   the same head, another body     refused: WeChat signs no two messages under one nonce, and repeats what is genuine
//
// A head is remembered for as long as its timestamp could still pass; when there are too many, the oldest goes first.
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

  /// False when this head was heard with another body. REQUIRES: the signature was verified, so that nobody else can
  /// fill it.
  bool admit(const SignatureHead& head, std::string_view body, Time now);

 private:
  struct Hasher {
    std::size_t operator()(const Hash16& hash) const;
  };
  struct Heard {
    Hash16 head;
    Time at;
  };

  struct Memory {
    std::deque<Heard> order;
    boost::unordered_flat_map<Hash16, Hash16, Hasher> bodies;  // by head
  };

  void forget(Memory& memory, Time now) const;

  const std::size_t entries_max_;
  Guarded<Memory> memory_;
};

}  // namespace finality::wechatpay
