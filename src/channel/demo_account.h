// How an account that the sandbox has made becomes a channel of `finality demo`, and what of it demo.json shows. The
// sandbox writes a merchant's account to KEYS/KIND/merchant/: account.json, and keys and certificates in files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace finality {

enum class DemoSource : std::uint8_t {
  sandbox_url,    // the sandbox's address and the text
  account_field,  // the field of account.json that has that name
  merchant_file,  // the file of KEYS/KIND/merchant/ that has that name
  demo_file,      // the file of the demo's own directory that has that name
  enabled,        // a flag is true
};

/// One value: of a setting, or in demo.json.
struct DemoValue {
  std::string_view name;  // a setting's key, or a name in demo.json
  DemoSource source = DemoSource::account_field;
  std::string_view from{};
  /// Where it is an entry of a table: the field of account.json that has its id.
  std::string_view id_field{};
};

struct DemoAccount {
  std::span<const std::string_view> channels{};  // their names; empty: the kind has no place in the demo
  std::span<const DemoValue> settings{};
  std::span<const DemoValue> shown{};  // below the channel's name; of files their texts
};

}  // namespace finality
