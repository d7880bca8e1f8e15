// Parsed history: path and outcome of each request, and the objects in the responses.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "history/check.h"

namespace finality::history {

/// Interval of time, in nanoseconds. The state in a response was current at some moment within the response's window.
struct Window {
  std::int64_t from = 0;
  std::int64_t until = kNever;
};

enum class OperationOutcome : std::uint8_t {
  done,     // status 2xx: the request was executed
  refused,  // status 4xx: the request changed nothing
  unknown,  // no response, or status 5xx: the request was executed, was not executed, or will be executed later
};

struct Request {
  std::size_t place = 0;  // index of the request in the history
  const Operation* operation = nullptr;
  OperationOutcome outcome = OperationOutcome::unknown;
  Window window;  // from the request to the response; for a replayed response, from the first request with its key
  bool is_post = false;
  std::vector<std::string_view> path;  // segments of the path after /v1
  std::map<std::string_view, std::string_view> query;
  std::string_view code;  // `code` of the response if it is an error; otherwise empty

  const boost::json::object& body() const { return operation->body; }
  const boost::json::object& answer() const { return operation->answer; }
  /// Returns whether the request is a POST to the path /v1/`parts`; "*" matches any segment.
  bool posts(std::initializer_list<std::string_view> parts) const { return is_post && matches(parts); }
  bool matches(std::initializer_list<std::string_view> parts) const;
  /// Returns false if the request certainly changed nothing: the request was refused, or a request with the same key
  /// was permanently refused.
  bool may_have_acted() const { return outcome != OperationOutcome::refused; }
};

/// One object in one response.
struct Observation {
  const Request* request = nullptr;
  const boost::json::object* fields = nullptr;
  std::int64_t version = 0;

  Window window() const { return request->window; }
  std::string_view state() const;
};

struct Object {
  std::string_view kind;                  // value of the JSON field `object`, for example "order"
  std::vector<Observation> observations;  // sorted by version; not empty
};

struct Reading {
  std::vector<Request> requests;
  std::map<std::string_view, Object> objects;  // by id
};

/// Parses the requests of a history and the objects in their responses. REQUIRES: `history` outlives the result.
Reading read(std::span<const Operation> history);

// Return a field's value; empty if the field is absent or has another type.
std::string_view text(const boost::json::object& fields, std::string_view name);
std::optional<std::int64_t> number(const boost::json::object& fields, std::string_view name);

/// Returns the objects in a field with a list; none if the field is absent.
std::vector<const boost::json::object*> parts_of(const boost::json::object& fields, std::string_view name);

/// Returns whether objects of the kind collect money from the payer. A refund returns money of such an object.
bool is_collector(std::string_view kind);

/// Returns the id of the object whose money a refund, or a request for a refund, returns: a payment, a capture, or an
/// authorization if the refund is of all its captures.
std::string_view collector_of(const boost::json::object& refund);

/// Returns whether the API stores the response under its Idempotency-Key for replay.
bool is_kept(const Request& request);

/// Returns whether `state` is a final state of objects of kind `kind`, for example "order".
bool is_final(std::string_view kind, std::string_view state);

/// Adds violations to a Report. Ignores further violations of the same rule by the same object.
class Findings {
 public:
  explicit Findings(Report& report) : report_(report) {}

  template <class... Parts>
  void add(std::string_view object, std::string_view rule, std::vector<std::size_t> operations,
           fmt::format_string<Parts...> text, Parts&&... parts) {
    if (is_new(object, rule))
      report_.impossible.push_back({std::string(object), std::string(rule),
                                    fmt::format(text, std::forward<Parts>(parts)...), std::move(operations)});
  }
  Report& report() { return report_; }

 private:
  bool is_new(std::string_view object, std::string_view rule) const;

  Report& report_;
};

void check_keys(const Reading& reading, Findings& findings);
void check_objects(const Reading& reading, Findings& findings);
void check_numbers(const Reading& reading, Findings& findings);
void check_orders(const Reading& reading, Findings& findings);
void check_authorizations(const Reading& reading, Findings& findings);
void check_guards(const Reading& reading, Findings& findings);
void check_accounts(const Reading& reading, Findings& findings);

}  // namespace finality::history
