// Structured log lines on standard error: a time, a level, a stable message and key=value fields, as logfmt or JSON.
//
//   log::warn("webhook delivery failed", {{"delivery", to_text(id)}, {"attempt", 2}});
//   time=2026-11-25T13:00:00.123Z level=warning msg="webhook delivery failed" delivery=msg_0a attempt=2
//
// A line never waits for the reader of the log: lines that cannot be written at once are dropped and counted, and the
// line "log lines dropped" follows (log_output.h).
//
// Thread safe. Callers must not pass secrets, request bodies or personal data in the fields.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/described.h"

namespace finality::log {

enum class Level : std::uint8_t { debug, info, warn, error, off };
BOOST_DESCRIBE_ENUM(Level, debug, info, warn, error, off)
enum class Format : std::uint8_t { logfmt, json };
BOOST_DESCRIBE_ENUM(Format, logfmt, json)
enum class TimeZone : std::uint8_t { utc, local };
BOOST_DESCRIBE_ENUM(TimeZone, utc, local)

struct Options {
  Level level = Level::info;
  Format format = Format::logfmt;
  TimeZone time_zone = TimeZone::utc;
};

/// Sets level, format and time zone of all further lines of the process. The environment variable SPDLOG_LEVEL takes
/// precedence over `options.level`.
void configure(const Options& options);
void set_level(Level level);

/// One `key=value` field of a line. The line contains at most limits::kLogValueMax bytes of a text.
struct Field {
  Field(std::string_view key, std::string_view text) : key(key), text(text) {}
  Field(std::string_view key, const std::string& text) : key(key), text(text) {}
  Field(std::string_view key, const char* text) : key(key), text(text) {}
  template <std::integral Number>
  Field(std::string_view key, Number number) : key(key), text(std::to_string(number)), is_number(true) {}

  std::string_view key;
  std::string text;
  bool is_number = false;
};
using Fields = std::initializer_list<Field>;

void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warn(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

/// While a scope exists, every line of its thread ends with `request_id=…`, unless the line has that field already.
/// `id` must outlive the scope. Scopes may nest.
class RequestScope {
 public:
  explicit RequestScope(std::string_view id);
  ~RequestScope();
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;

 private:
  std::string_view outer_;
};

/// For tests: also passes all further lines, without time and level, to `observer`, one line at a time. Null ends this.
void observe(std::function<void(std::string_view line)> observer);

/// Formats a line without time and level: `message`, `fields`, and the request id of the current RequestScope.
std::string line_of(Format format, std::string_view message, Fields fields);

}  // namespace finality::log
