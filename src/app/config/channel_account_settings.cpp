#include "app/config/channel_account_settings.h"

#include <fmt/format.h>

namespace finality::app {

std::string identity_of(const ChannelAccountSettings& account) {
  std::string text;
  for (const std::string_view key : account.kind->identity)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, account.values.text(key));
  if (account.kind->is_identified_by_name) text += fmt::format("{}NAME={}", text.empty() ? "" : " ", account.channel);
  return text;
}

}  // namespace finality::app
