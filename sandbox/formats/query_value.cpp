#include "sandbox/formats/query_value.h"

#include <algorithm>

#include "base/crypto/encoding.h"

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

}  // namespace finality::sandbox
