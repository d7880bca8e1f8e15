// Reads the keys and other texts of a channel account from files, which can change while the server runs, or from
// environment variables.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "app/config/channel_account_settings.h"

namespace finality::app {

/// Reads the text, without trailing line ends. The error names the file or the variable, never the text.
Result<std::string> read_source(const TextSource& source, std::size_t bytes_max = kSettingTextBytesMax);

/// Reads the current texts from files and environment. The error names the setting whose text cannot be read.
std::expected<ChannelTexts, WrongSetting> read_texts(const ChannelAccountSettings& account);

/// Replaces the setting's key at the start of `message` ("private_key: …") by the name of the setting and its file or
/// variable: "private_key_file (/etc/key.pem): …". Returns other messages unchanged.
std::string in_settings(std::string message, const ChannelAccountSettings& account);

/// Certificates that are expired at `now`: one sentence each, with setting, file and date. An error if no valid
/// certificate or key remains to verify the channel's replies.
Result<std::vector<std::string>> expired_certificates(const ChannelAccountSettings& account, Time now);

/// Creates the channel with these texts. The error states what to change.
Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const ChannelTexts& texts,
                                              const std::string& public_url);
/// Creates the channel with the current texts.
Result<std::unique_ptr<Channel>> make_channel(const ChannelAccountSettings& account, const std::string& public_url);

/// Reads the texts again and passes them to the channel. On an error the channel keeps its previous texts.
Result<void> load_keys(Channel& channel, const ChannelAccountSettings& account);

/// The files from which the texts are read.
std::vector<std::string> key_files(const ChannelAccountSettings& account);

}  // namespace finality::app
