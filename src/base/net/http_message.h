// HTTP request and response as plain data, independent of any HTTP library.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace finality::net {

/// True if two texts are equal when the case of ASCII letters is ignored.
bool equals_ignoring_case(std::string_view left, std::string_view right);

/// Header fields in received order. Names compare case-insensitively (RFC 9110 §5.1).
class Headers {
 public:
  void reserve(std::size_t count) { fields_.reserve(count); }
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  /// Replaces the value of the first field with that name; adds the field if it is missing.
  void set(std::string_view name, std::string value);
  /// Returns the value of the first field with that name; empty if the field is missing.
  std::string_view get(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Permission to send a large body (BodyRules in http_server.h). The destruction of the last copy returns it.
using Permit = std::shared_ptr<const void>;

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, percent-encoded as received; `*` for "OPTIONS *"
  Headers headers;
  std::string body;
  std::string peer;  // address of the client; empty for requests made by this process
  Permit permit{};   // null unless the body is large
  std::shared_ptr<const std::atomic<bool>>
      closed{};  // set once the client has closed its side of the connection; null for requests of this process

  /// The part of `target` before the '?'.
  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  /// The part of `target` after the '?'; empty without a '?'.
  std::string_view query() const;
};

struct HttpResponse {
  int status = 200;
  Headers headers;
  std::string body;
  std::string_view constant_body{};  // sent, without a copy, if `body` is empty; valid until the process ends

  std::string_view content() const { return body.empty() ? constant_body : std::string_view(body); }
};

/// The reason phrase of a status ("Not Found" for 404); empty for a status that HTTP does not define.
std::string_view reason_phrase(int status);

}  // namespace finality::net
