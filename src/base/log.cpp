#include "base/log.h"

#include <spdlog/cfg/env.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <memory>
#include <mutex>
#include <utility>

#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "base/log_output.h"
#include "base/printable.h"

namespace finality::log {
namespace {

std::atomic<Format> chosen_format = Format::logfmt;
thread_local std::string_view current_request;
std::mutex observer_mutex;
std::function<void(std::string_view)> line_observer;

// The text as a JSON string, cut to limits::kLogValueMax bytes. Escapes control characters, format characters and bytes
// that are not UTF-8.
std::string quoted(std::string_view text) {
  const std::string_view cut = text.substr(0, limits::kLogValueMax);
  std::string whole(cut);
  while (cut.size() < text.size() && !whole.empty() && !is_utf8(whole)) whole.pop_back();  // inside a character
  return printable(boost::json::serialize(boost::json::string(is_utf8(whole) ? whole : printable(cut))));
}

bool needs_quotes(std::string_view text) {
  if (text.empty() || text.size() > limits::kLogValueMax || text.find_first_of(" \n\"=\\") != text.npos) return true;
  return printable(text) != text;
}

void add(Format format, std::string_view key, std::string_view text, bool is_number, std::string& line) {
  if (format == Format::json) {
    if (!line.empty()) line += ',';
    line += quoted(key) + ':' + (is_number ? std::string(text) : quoted(text));
    return;
  }
  if (!line.empty()) line += ' ';
  line += std::string(key) + '=' + (!is_number && needs_quotes(text) ? quoted(text) : std::string(text));
}

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
    case Level::off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

std::string pattern_of(const Options& options) {
  const std::string time = options.time_zone == TimeZone::utc ? "%Y-%m-%dT%H:%M:%S.%eZ" : "%Y-%m-%dT%H:%M:%S.%e%z";
  return options.format == Format::json ? R"({"time":")" + time + R"(","level":"%l",%v})"
                                        : "time=" + time + " level=%l %v";
}

void write(spdlog::level::level_enum level, std::string_view message, Fields fields) {
  spdlog::logger& logger = *spdlog::default_logger_raw();
  if (!logger.should_log(level)) return;
  const std::string line = line_of(chosen_format.load(), message, fields);
  logger.log(level, line);
  const std::lock_guard lock(observer_mutex);
  if (line_observer) line_observer(line);
}

/// Sink that writes to standard error. The base class serializes the calls.
class StandardError final : public spdlog::sinks::base_sink<std::mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg& message) override { output_.write(formatted(message)); }
  void flush_() override {}

  std::string formatted(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    return {text.data(), text.size()};
  }
  std::string notice(std::uint64_t dropped) {
    const RequestScope of_no_request("");
    const std::string line = line_of(chosen_format.load(), "log lines dropped", {{"lines", dropped}});
    return formatted({"", spdlog::level::warn, line});
  }

  LogOutput output_{STDERR_FILENO, [this](std::uint64_t dropped) { return notice(dropped); }};
};

// Default settings until configure() is called, so that every command of the program logs in the same format.
[[maybe_unused]] const bool is_configured = [] {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("finality", std::make_shared<StandardError>()));
  configure({});
  return true;
}();

}  // namespace

void configure(const Options& options) {
  chosen_format = options.format;
  spdlog::set_pattern(pattern_of(options), options.time_zone == TimeZone::utc ? spdlog::pattern_time_type::utc
                                                                              : spdlog::pattern_time_type::local);
  spdlog::set_level(level_of(options.level));
  spdlog::cfg::load_env_levels();  // overrides the level by SPDLOG_LEVEL
}

void observe(std::function<void(std::string_view line)> observer) {
  const std::lock_guard lock(observer_mutex);
  line_observer = std::move(observer);
}

void set_level(Level level) { spdlog::set_level(level_of(level)); }

void debug(std::string_view message, Fields fields) { write(spdlog::level::debug, message, fields); }
void info(std::string_view message, Fields fields) { write(spdlog::level::info, message, fields); }
void warn(std::string_view message, Fields fields) { write(spdlog::level::warn, message, fields); }
void error(std::string_view message, Fields fields) { write(spdlog::level::err, message, fields); }

RequestScope::RequestScope(std::string_view id) : outer_(std::exchange(current_request, id)) {}
RequestScope::~RequestScope() { current_request = outer_; }

std::string line_of(Format format, std::string_view message, Fields fields) {
  std::string line;
  add(format, "msg", message, false, line);
  for (const Field& field : fields) add(format, field.key, field.text, field.is_number, line);
  const bool is_named = std::ranges::any_of(fields, [](const Field& field) { return field.key == "request_id"; });
  if (!current_request.empty() && !is_named) add(format, "request_id", current_request, false, line);
  return line;
}

}  // namespace finality::log
