#include "base/net/server/response_head.h"

#include <array>
#include <charconv>
#include <cstdio>
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

bool is_derived_field(std::string_view name) {
  return equals_ignoring_case(name, "Content-Length") || equals_ignoring_case(name, "Connection") ||
         equals_ignoring_case(name, "Transfer-Encoding") || equals_ignoring_case(name, "Date");
}

// Formats the time at most once per second and thread.
void append_date(std::string& text) {
  thread_local std::time_t formatted_at = -1;
  thread_local std::string field;
  const std::time_t now = std::time(nullptr);
  if (now != formatted_at) {
    field = "Date: " + http_date(now) + "\r\n";
    formatted_at = now;
  }
  text += field;
}

}  // namespace

bool status_allows_body(int status) { return status != 204 && status != 304; }

std::string http_date(std::time_t time) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  char text[64];
  std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT",
                kDays.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                kMonths.at(static_cast<std::size_t>(utc.tm_mon)), utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                utc.tm_sec);
  return text;
}

void append_response_head(std::string& text, const HttpResponse& response, Framing framing) {
  FINALITY_CHECK(response.status >= 200 && response.status <= 599, "a response needs a final status");
  text += "HTTP/1.1 ";
  append_number(text, static_cast<std::size_t>(response.status));
  text += ' ';
  text += reason_phrase(response.status);
  text += "\r\n";
  for (const auto& [name, value] : response.headers.fields()) {
    if (is_derived_field(name)) continue;
    append_field_text(text, name);
    text += ": ";
    append_field_text(text, value);
    text += "\r\n";
  }
  append_date(text);
  if (status_allows_body(response.status)) {
    text += "Content-Length: ";
    append_number(text, response.content().size());
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
