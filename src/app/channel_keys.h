// Reads the keys and other texts of a channel account from files, which can change while the server runs, or from
// environment variables.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "app/config/channel_account_settings.h"

namespace finality::app {

/// Reads the text and removes trailing line ends. Fails if the text is missing, empty or longer than `bytes_max`. The
/// error names the file or the variable and never contains the text.
Result<std::string> read_source(const TextSource& source, std::size_t bytes_max = kSettingTextBytesMax);

/// Reads all texts of the account from their files and environment variables. The error names the setting whose text
/// cannot be read.
std::expected<ChannelTexts, WrongSetting> read_texts(const ChannelAccountSettings& account);

/// Replaces the setting's key at the start of `message` ("private_key: …") by the name of the setting and its file or
/// variable: "private_key_file (/etc/key.pem): …". Returns other messages unchanged.
std::string in_settings(std::string message, const ChannelAccountSettings& account);

/// Returns one sentence per certificate that is expired at `now`, with setting, file and date. Fails if no valid
/// certificate or key remains to verify the channel's replies, or if a text cannot be read.
Result<std::vector<std::string>> expired_certificates(const ChannelAccountSettings& account, Time now);

/// Creates the channel with `texts`. Fails if a setting or text is unusable, or if no valid certificate or key remains
/// to verify the channel's replies. The error names the setting.
Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const ChannelTexts& texts,
                                              const std::string& public_url);
/// Like above, with the texts that read_texts() returns.
Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const std::string& public_url);

/// Reads the texts again and passes them to the channel. If this fails, the channel keeps its previous texts.
Result<void> load_keys(Channel& channel, const ChannelAccountSettings& account);

/// The paths of all files that contain texts of the account.
std::vector<std::string> key_files(const ChannelAccountSettings& account);
/// The paths of those files that contain secrets.
std::vector<std::string> secret_files(const ChannelAccountSettings& account);

}  // namespace finality::app
