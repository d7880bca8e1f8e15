// A request and a response as plain data. No library types: whoever routes or answers needs no HTTP library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace finality::net {

/// Whether two texts are the same but for the case of ASCII letters.
bool equals_ignoring_case(std::string_view left, std::string_view right);

/// Header fields in the order they came. Names compare without case (RFC 9110 §5.1).
class Headers {
 public:
  void reserve(std::size_t count) { fields_.reserve(count); }
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  /// The first field of that name, or an empty view.
  std::string_view get(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, as on the wire
  Headers headers;
  std::string body;
  std::string peer;  // address of who sent it; empty on a request of our own

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  /// What follows the '?', or empty.
  std::string_view query() const;
};

struct HttpResponse {
  int status = 200;
  Headers headers;
  std::string body;
};

/// "Not Found" for 404; empty for a status HTTP does not name.
std::string_view reason_phrase(int status);

}  // namespace finality::net
