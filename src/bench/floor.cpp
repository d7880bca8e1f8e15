#include "bench/floor.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"

namespace finality::bench {
namespace {

enum class ValueKind : std::uint8_t { null, integer, real, text, blob };

struct Value {
  ValueKind kind = ValueKind::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes;  // content of a text or blob
};

// Returns the end of the quoted text that starts at `at`. SQL doubles a quote inside the text.
std::size_t end_of_quoted(std::string_view sql, std::size_t at) {
  const char quote = sql[at++];
  for (; at < sql.size(); ++at) {
    if (sql[at] != quote) continue;
    if (at + 1 >= sql.size() || sql[at + 1] != quote) return at + 1;
    ++at;
  }
  return sql.size();
}

std::string unquoted(std::string_view quoted) {
  std::string text;
  for (std::size_t at = 1; at + 1 < quoted.size(); ++at) {
    text += quoted[at];
    if (quoted[at] == '\'') ++at;
  }
  return text;
}

int digit_of(char hex) { return hex <= '9' ? hex - '0' : (hex | 0x20) - 'a' + 10; }

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes += static_cast<char>(digit_of(hex[at]) << 4 | digit_of(hex[at + 1]));
  return bytes;
}

Value number(std::string_view literal) {
  Value value{.kind = ValueKind::integer};
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), value.integer);
  if (error == std::errc() && end == literal.data() + literal.size()) return value;
  value.kind = ValueKind::real;
  std::from_chars(literal.data(), literal.data() + literal.size(), value.real);
  return value;
}

// Reads the literal that SQLite wrote for a bound value, and advances `at` past it.
Value read_literal(std::string_view sql, std::size_t& at) {
  if (sql.substr(at).starts_with("NULL")) {
    at += 4;
    return {};
  }
  const bool blob = sql[at] == 'x';
  if (blob || sql[at] == '\'') {
    const std::size_t begin = blob ? at + 1 : at;
    const std::size_t end = end_of_quoted(sql, begin);
    at = end;
    if (!blob) return {.kind = ValueKind::text, .bytes = unquoted(sql.substr(begin, end - begin))};
    return {.kind = ValueKind::blob, .bytes = from_hex(sql.substr(begin + 1, end - begin - 2))};
  }
  const std::size_t begin = at;
  while (at < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[at])) || std::strchr("+-.", sql[at]))) ++at;
  return number(sql.substr(begin, at - begin));
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Returns the index of the parameter at `at`, counted from 1 as in SQLite, and advances `at` past it. A bare `?` has
// the index after `largest`.
int read_parameter(sqlite3_stmt* statement, std::string_view sql, std::size_t& at, int& largest) {
  const std::size_t begin = at++;
  while (at < sql.size() && is_name(sql[at])) ++at;
  const std::string name(sql.substr(begin, at - begin));
  const int number = name == "?" ? largest + 1 : sqlite3_bind_parameter_index(statement, name.c_str());
  largest = std::max(largest, number);
  return number;
}

// Returns the values bound to the parameters of a statement. SQLite has no function for that, so they are read from the
// expanded text, in which literals replace the parameters.
std::vector<Value> bound_values(sqlite3_stmt* statement, std::string_view sql, std::string_view expanded) {
  std::vector<Value> values(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)));
  int largest = 0;
  std::size_t here = 0;
  std::size_t there = 0;
  while (here < sql.size()) {
    std::size_t length = 1;
    if (sql[here] == '\'' || sql[here] == '"') {
      length = end_of_quoted(sql, here) - here;
    } else if (sql.substr(here).starts_with("--")) {
      length = std::min(sql.find('\n', here), sql.size()) - here;
    } else if (std::strchr("?:@$", sql[here]) != nullptr) {
      const int number = read_parameter(statement, sql, here, largest);
      values[static_cast<std::size_t>(number) - 1] = read_literal(expanded, there);
      continue;
    }
    here += length;
    there += length;
  }
  return values;
}

// Binary log. Each entry contains the index of a statement, the count of its values, and the values.
class Log {
 public:
  void add(std::uint32_t statement, const std::vector<Value>& values) {
    put(statement);
    put(static_cast<std::uint32_t>(values.size()));
    for (const Value& value : values) {
      put(value.kind);
      if (value.kind == ValueKind::integer) put(value.integer);
      if (value.kind == ValueKind::real) put(value.real);
      if (value.kind != ValueKind::text && value.kind != ValueKind::blob) continue;
      put(static_cast<std::uint32_t>(value.bytes.size()));
      bytes_ += value.bytes;
    }
  }
  std::size_t size() const { return bytes_.size(); }
  const char* data() const { return bytes_.data(); }

 private:
  template <class T>
  void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string bytes_;
};

class LogReader {
 public:
  LogReader(const Log& log, std::size_t at) : at_(log.data() + at) {}

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  const char* skip(std::size_t count) { return std::exchange(at_, at_ + count); }
  std::size_t position(const Log& log) const { return static_cast<std::size_t>(at_ - log.data()); }

 private:
  const char* at_;
};

}  // namespace

struct SqliteCapture::Recording {
  std::mutex mutex;
  std::vector<std::string> statements;
  std::unordered_map<std::string, std::uint32_t> numbers;
  Log log;
  std::size_t measured_from = 0;
  std::unordered_set<sqlite3*> readers;

  // True for a statement of a read-only connection. A server runs these connections concurrently on separate threads,
  // so the replay omits them.
  bool reads_only(sqlite3_stmt* statement, std::string_view sql) {
    sqlite3* connection = sqlite3_db_handle(statement);
    if (sql == "PRAGMA query_only=ON") readers.insert(connection);
    return readers.contains(connection);
  }

  void record(sqlite3_stmt* statement) {
    const char* sql = sqlite3_sql(statement);
    char* expanded = sqlite3_expanded_sql(statement);
    FINALITY_CHECK(sql != nullptr && expanded != nullptr, "SQLite ran out of memory for a statement's text");
    {
      const std::lock_guard lock(mutex);
      if (!reads_only(statement, sql)) {
        const auto [at, is_new] = numbers.try_emplace(sql, static_cast<std::uint32_t>(statements.size()));
        if (is_new) statements.emplace_back(sql);
        log.add(at->second, bound_values(statement, sql, expanded));
      }
    }
    sqlite3_free(expanded);
  }
};

namespace {

std::atomic<SqliteCapture::Recording*> capturing{nullptr};

int record_statement(unsigned, void* recording, void* statement, void*) {
  static_cast<SqliteCapture::Recording*>(recording)->record(static_cast<sqlite3_stmt*>(statement));
  return 0;
}

int watch_connection(sqlite3* connection, char**, const void*) {
  SqliteCapture::Recording* recording = capturing;
  {
    const std::lock_guard lock(recording->mutex);
    recording->readers.erase(connection);  // the address may be that of a closed reader
  }
  return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, record_statement, recording);
}

// sqlite3_auto_extension() takes a function without parameters, but calls it with the parameters of watch_connection().
using Extension = void (*)();
Extension extension() { return reinterpret_cast<Extension>(watch_connection); }

class Replay {
 public:
  explicit Replay(const SqliteCapture::Recording& recording)
      : recording_(recording), prepared_(recording.statements.size(), nullptr) {}
  ~Replay() {
    for (sqlite3_stmt* statement : prepared_) sqlite3_finalize(statement);
    sqlite3_close(connection_);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  Result<double> run(const std::string& path, const std::string& original) {
    const int opened = sqlite3_open_v2(path.c_str(), &connection_,
                                       SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    if (opened != SQLITE_OK) return fail(fmt::format("cannot create {}: {}", path, sqlite3_errstr(opened)));
    if (auto done = run_between(0, recording_.measured_from); !done) return std::unexpected(done.error());
    if (auto done = prepare_measured(); !done) return std::unexpected(done.error());
    if (auto done = make_durable(); !done) return std::unexpected(done.error());
    const auto begin = std::chrono::steady_clock::now();
    if (auto done = run_between(recording_.measured_from, recording_.log.size()); !done)
      return std::unexpected(done.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (auto done = compare(original); !done) return std::unexpected(done.error());
    return seconds;
  }

 private:
  Error error(const std::string& sql) const {
    return {fmt::format("replay: {}: {}", sql.substr(0, 80), sqlite3_errmsg(connection_))};
  }

  Result<sqlite3_stmt*> statement(std::uint32_t number) {
    sqlite3_stmt*& made = prepared_[number];
    const std::string& sql = recording_.statements[number];
    if (made == nullptr &&
        sqlite3_prepare_v3(connection_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr) != SQLITE_OK)
      return std::unexpected(error(sql));
    return made;
  }

  // Prepares all measured statements in advance, because the floor excludes the time of preparation.
  Result<void> prepare_measured() {
    LogReader reader(recording_.log, recording_.measured_from);
    while (reader.position(recording_.log) < recording_.log.size()) {
      if (auto made = statement(reader.take<std::uint32_t>()); !made) return std::unexpected(made.error());
      const auto count = reader.take<std::uint32_t>();
      for (std::uint32_t i = 0; i < count; ++i) bind(reader, nullptr, 0);
    }
    return {};
  }

  Result<void> run_between(std::size_t from, std::size_t to) {
    LogReader reader(recording_.log, from);
    while (reader.position(recording_.log) < to) {
      const auto number = reader.take<std::uint32_t>();
      const auto made = statement(number);
      if (!made) return std::unexpected(made.error());
      const auto count = reader.take<std::uint32_t>();
      for (std::uint32_t i = 0; i < count; ++i) bind(reader, *made, static_cast<int>(i) + 1);
      int stepped = SQLITE_ROW;
      while (stepped == SQLITE_ROW) stepped = sqlite3_step(*made);
      if (stepped != SQLITE_DONE) return std::unexpected(error(recording_.statements[number]));
      sqlite3_reset(*made);
    }
    return {};
  }

  // Binds the next value of the log, without a copy because the log outlives the statement. If `statement` is null,
  // skips the value.
  static void bind(LogReader& reader, sqlite3_stmt* statement, int at) {
    switch (reader.take<ValueKind>()) {
      case ValueKind::null:
        if (statement != nullptr) sqlite3_bind_null(statement, at);
        return;
      case ValueKind::integer: {
        const auto value = reader.take<std::int64_t>();
        if (statement != nullptr) sqlite3_bind_int64(statement, at, value);
        return;
      }
      case ValueKind::real: {
        const auto value = reader.take<double>();
        if (statement != nullptr) sqlite3_bind_double(statement, at, value);
        return;
      }
      case ValueKind::text: {
        const auto size = reader.take<std::uint32_t>();
        const char* text = reader.skip(size);
        if (statement != nullptr) sqlite3_bind_text(statement, at, text, static_cast<int>(size), SQLITE_STATIC);
        return;
      }
      case ValueKind::blob: {
        const auto size = reader.take<std::uint32_t>();
        const char* bytes = reader.skip(size);
        if (statement != nullptr) sqlite3_bind_blob(statement, at, bytes, static_cast<int>(size), SQLITE_STATIC);
        return;
      }
    }
  }

  // Makes SQLite flush every commit. The original run may have flushed commits on another thread; the replay has one
  // thread only.
  Result<void> make_durable() {
    const std::string sql = "PRAGMA synchronous=FULL";
    if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      return std::unexpected(error(sql));
    return {};
  }

  Result<std::int64_t> count(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(connection_, sql.c_str(), -1, &made, nullptr) != SQLITE_OK)
      return std::unexpected(error(sql));
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owned(made, sqlite3_finalize);
    if (sqlite3_step(made) != SQLITE_ROW) return std::unexpected(error(sql));
    return sqlite3_column_int64(made, 0);
  }

  Result<std::vector<std::string>> tables() {
    sqlite3_stmt* made = nullptr;
    const std::string sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    if (sqlite3_prepare_v2(connection_, sql.c_str(), -1, &made, nullptr) != SQLITE_OK)
      return std::unexpected(error(sql));
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owned(made, sqlite3_finalize);
    std::vector<std::string> names;
    while (sqlite3_step(made) == SQLITE_ROW)
      names.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(made, 0)));
    return names;
  }

  // Fails if the replay wrote other rows than the original run: its duration would then not be a lower bound.
  Result<void> compare(const std::string& original) {
    const std::string attach = fmt::format("ATTACH '{}' AS original", original);
    if (sqlite3_exec(connection_, attach.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      return std::unexpected(error(attach));
    const auto names = tables();
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names)
      for (const auto& [one, other] : {std::pair("main", "original"), std::pair("original", "main")}) {
        const auto differing = count(
            fmt::format("SELECT count(*) FROM (SELECT * FROM {0}.{2} EXCEPT SELECT * FROM {1}.{2})", one, other, name));
        if (!differing) return std::unexpected(differing.error());
        if (*differing != 0)
          return fail(fmt::format("replay: {} rows of {}.{} are not in {}", *differing, one, name, other));
      }
    return {};
  }

  const SqliteCapture::Recording& recording_;
  std::vector<sqlite3_stmt*> prepared_;
  sqlite3* connection_ = nullptr;
};

}  // namespace

SqliteCapture::SqliteCapture() : recording_(std::make_unique<Recording>()) {
  Recording* expected = nullptr;
  FINALITY_CHECK(capturing.compare_exchange_strong(expected, recording_.get()), "only one capture may exist at a time");
  FINALITY_CHECK(sqlite3_auto_extension(extension()) == SQLITE_OK, "SQLite rejected the extension");
}

SqliteCapture::~SqliteCapture() {
  sqlite3_cancel_auto_extension(extension());
  capturing = nullptr;
}

void SqliteCapture::mark() {
  const std::lock_guard lock(recording_->mutex);
  recording_->measured_from = recording_->log.size();
}

Result<double> SqliteCapture::replay(const std::string& path, const std::string& original) const {
  sqlite3_cancel_auto_extension(extension());  // exclude the replay from recording
  const std::lock_guard lock(recording_->mutex);
  return Replay(*recording_).run(path, original);
}

}  // namespace finality::bench
