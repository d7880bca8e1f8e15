#include "base/net/server/response_head.h"

#include <charconv>
#include <string_view>

#include "base/check.h"

namespace finality::net {
namespace {

void append_number(std::string& text, std::size_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, end.ptr);
}

void append_field_text(std::string& text, std::string_view part) {
  const std::size_t start = text.size();
  text += part;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '\r' || text[i] == '\n' || text[i] == '\0') text[i] = ' ';
  }
}

bool is_framing_field(std::string_view name) {
  return equals_ignoring_case(name, "Content-Length") || equals_ignoring_case(name, "Connection") ||
         equals_ignoring_case(name, "Transfer-Encoding");
}

}  // namespace

bool status_allows_body(int status) { return status != 204 && status != 304; }

void append_response_head(std::string& text, const HttpResponse& response, Framing framing) {
  FINALITY_CHECK(response.status >= 200 && response.status <= 599, "a response needs a final status");
  text += "HTTP/1.1 ";
  append_number(text, static_cast<std::size_t>(response.status));
  text += ' ';
  text += reason_phrase(response.status);
  text += "\r\n";
  for (const auto& [name, value] : response.headers.fields()) {
    if (is_framing_field(name)) continue;
    append_field_text(text, name);
    text += ": ";
    append_field_text(text, value);
    text += "\r\n";
  }
  if (status_allows_body(response.status)) {
    text += "Content-Length: ";
    append_number(text, response.body.size());
    text += "\r\n";
  }
  if (framing.close) {
    text += "Connection: close\r\n";
  } else if (framing.keep_alive) {
    text += "Connection: keep-alive\r\n";
  }
  text += "\r\n";
}

}  // namespace finality::net
