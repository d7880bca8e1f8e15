// Optional interface of a channel: replacement of its keys while it is in use.
#pragma once

#include "base/result.h"
#include "channel/setting.h"

namespace finality {

/// Thread safe, also while other threads use the channel.
class ReplaceableKeys {
 public:
  /// Switches signing and verification to the keys in `texts`. Each request and each reply uses either the old keys or
  /// the new keys. No effect on error. The error begins with the key of the setting whose text is invalid and a colon;
  /// it never contains the text.
  virtual Result<void> use_texts(const ChannelTexts& texts) = 0;

 protected:
  ~ReplaceableKeys() = default;
};

}  // namespace finality
