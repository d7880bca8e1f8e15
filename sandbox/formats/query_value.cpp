#include "sandbox/formats/query_value.h"

#include <algorithm>
#include <charconv>

#include "base/crypto/encoding.h"
#include "base/limits.h"

namespace finality::sandbox {

std::string query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.substr(0, pair.find('=')) == name && pair.contains('='))
      return percent_decode(pair.substr(name.size() + 1)).value_or("");
  }
  return {};
}

std::optional<MinorUnits> amount_value(std::string_view text) {
  MinorUnits amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const bool is_valid = error == std::errc() && end == text.data() + text.size();
  return is_valid && amount > 0 && amount <= limits::kAmountMax ? std::optional(amount) : std::nullopt;
}

}  // namespace finality::sandbox
