#include "base/net/http_message.h"

#include <ostream>  // Boost 1.81 uses it without including it
#include <utility>

#include <boost/beast/http/status.hpp>

namespace finality::net {
namespace {

char to_lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

}  // namespace

bool equals_ignoring_case(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (to_lower(left[i]) != to_lower(right[i])) return false;
  }
  return true;
}

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [field_name, value] : fields_) {
    if (equals_ignoring_case(field_name, name)) return value;
  }
  return {};
}

void Headers::set(std::string_view name, std::string value) {
  for (auto& [field_name, field_value] : fields_) {
    if (!equals_ignoring_case(field_name, name)) continue;
    field_value = std::move(value);
    return;
  }
  add(std::string(name), std::move(value));
}

std::string_view HttpRequest::query() const {
  const std::size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

std::string_view reason_phrase(int status) {
  namespace http = boost::beast::http;
  if (status < 0) return {};
  const http::status known = http::int_to_status(static_cast<unsigned>(status));
  if (known == http::status::unknown) return {};
  const auto reason = http::obsolete_reason(known);
  return {reason.data(), reason.size()};
}

}  // namespace finality::net
