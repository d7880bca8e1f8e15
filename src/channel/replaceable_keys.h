// Optional interface of a channel: its keys are replaced while it is in use.
#pragma once

#include "base/result.h"
#include "channel/setting.h"

namespace finality {

/// Thread safe, also while other threads use the channel.
class ReplaceableKeys {
 public:
  /// Signs and verifies with these texts from now on: each request and each reply sees the old keys or the new ones. An
  /// error changes nothing. It begins with the key of the setting whose text is wrong and a colon, and never shows the
  /// text.
  virtual Result<void> use_texts(const ChannelTexts& texts) = 0;

 protected:
  ~ReplaceableKeys() = default;
};

}  // namespace finality
