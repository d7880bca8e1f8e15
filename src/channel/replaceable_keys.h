// Optional interface of a channel: replacement of its keys while it is in use.
#pragma once

#include "base/result.h"
#include "channel/setting.h"

namespace finality {

/// Replacement of the keys of a channel. Thread safe, also while other threads use the channel.
class ReplaceableKeys {
 public:
  /// Signs and verifies with the keys in `texts` from now on. Each request and each reply uses either the old keys or
  /// the new keys. On error, the old keys stay in use. The error begins with "KEY: ", KEY being the key of the setting
  /// whose text is invalid, and never contains the text.
  virtual Result<void> use_texts(const ChannelTexts& texts) = 0;

 protected:
  ~ReplaceableKeys() = default;
};

}  // namespace finality
