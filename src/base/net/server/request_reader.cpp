#include "base/net/server/request_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/check.h"
#include "base/limits.h"

namespace finality::net {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

namespace {

/// A field whose repetition is rejected: proxies and applications could use different values.
struct SingletonField {
  http::field field;
  unsigned bit;
};
constexpr SingletonField kSingletonFields[] = {{http::field::host, 1},
                                               {http::field::authorization, 2},
                                               {http::field::content_length, 4},
                                               {http::field::transfer_encoding, 8}};
constexpr unsigned kHostBit = 1;

/// Collects the parser's results directly into an HttpRequest.
class Collector final : public http::basic_parser<true> {
 public:
  explicit Collector(const std::vector<std::string>& singletons) : singletons_(singletons) {}

  ReadRequest found;
  std::string reason;  // of a rejection, as a sentence

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int version, error_code& error) override {
    found.request.method.assign(method.data(), method.size());
    found.request.headers.reserve(8);
    found.version_1_0 = version == 10;
    if (target.starts_with('/'))
      found.request.target.assign(target.data(), target.size());
    else if (target == "*" && method == "OPTIONS")
      found.request.target = "*";
    else if (!split_absolute({target.data(), target.size()}))
      reject(error, "The request target must be a path or an absolute http URI.");
  }

  // Splits an absolute-form target (RFC 9112 §3.2.2) into the authority and the rest.
  bool split_absolute(std::string_view target) {
    const std::size_t scheme = target.find("://");
    if (scheme == target.npos) return false;
    const std::string_view name = target.substr(0, scheme);
    if (!equals_ignoring_case(name, "http") && !equals_ignoring_case(name, "https")) return false;
    target.remove_prefix(scheme + 3);
    const std::size_t end = std::min(target.find_first_of("/?#"), target.size());
    authority_ = target.substr(0, end);
    target.remove_prefix(end);
    if (authority_.empty() || authority_.contains('@') || target.contains('#')) return false;
    found.request.target = target.starts_with('/') ? std::string(target) : "/" + std::string(target);
    return true;
  }

  void on_field_impl(http::field field, string_view name, string_view value, error_code& error) override {
    // Ignores trailer fields: with them, a client could bypass checks that a proxy applied to the header.
    if (in_trailer_) return;
    const std::string_view name_text(name.data(), name.size());
    if (is_repeated(field, name_text))
      return reject(error, "The header " + std::string(name_text) + " must not be repeated.");
    if (found.request.headers.fields().size() >= limits::kHeaderFieldsMax) {
      error = http::error::header_limit;
      reason = "The request must have at most " + std::to_string(limits::kHeaderFieldsMax) + " headers.";
      return;
    }
    // Accepts only "chunked": with any other transfer coding the end of the body is ambiguous.
    const bool chunked_only = !found.version_1_0 && equals_ignoring_case({value.data(), value.size()}, "chunked");
    if (field == http::field::transfer_encoding && !chunked_only) {
      error = http::error::bad_transfer_encoding;
      return;
    }
    found.request.headers.add(std::string(name), std::string(value));
  }

  bool is_repeated(http::field field, std::string_view name) {
    for (const SingletonField& one : kSingletonFields) {
      if (field != one.field) continue;
      const bool repeated = (seen_ & one.bit) != 0;
      seen_ |= one.bit;
      return repeated;
    }
    for (const std::string& one : singletons_) {
      if (equals_ignoring_case(one, name)) return has_field(name);
    }
    return false;
  }

  bool has_field(std::string_view name) const {
    return std::ranges::any_of(found.request.headers.fields(),
                               [&](const auto& one) { return equals_ignoring_case(one.first, name); });
  }

  void on_header_impl(error_code& error) override {
    in_trailer_ = true;
    if ((seen_ & kHostBit) == 0 && !found.version_1_0) return reject(error, "The header Host is missing.");
    if (!authority_.empty()) found.request.headers.set("Host", std::move(authority_));
    found.keep_alive = keep_alive();
  }

  void reject(error_code& error, std::string sentence) {
    error = http::error::bad_field;
    reason = std::move(sentence);
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length) found.request.body.reserve(static_cast<std::size_t>(*length));
  }

  std::size_t on_body_impl(string_view body, error_code&) override {
    found.request.body.append(body.data(), body.size());
    return body.size();
  }

  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
    found.request.body.append(body.data(), body.size());
    return body.size();
  }

  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  const std::vector<std::string>& singletons_;
  std::string authority_;  // of an absolute-form target
  unsigned seen_ = 0;      // bits of kSingletonFields
  bool in_trailer_ = false;
};

/// True if a line of a header begins with a space or a tab: a folded line, which continues the previous field (RFC 9112
/// §5.2). `lines` contains whole lines and does not begin with the second line of a field.
bool has_folded_line(std::string_view lines) {
  for (std::size_t end = lines.find('\n'); end != lines.npos; end = lines.find('\n', end + 1)) {
    const std::string_view next = lines.substr(end + 1);
    if (next.starts_with(' ') || next.starts_with('\t')) return true;
  }
  return false;
}

int status_of(const error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  return 400;
}

}  // namespace

/// Owns the Collector of the current request. A Collector parses one message only, so each request needs a new one.
class RequestReader::Parser {
 public:
  std::optional<Collector> collector;
};

RequestReader::RequestReader(ReaderLimits limits) : limits_(std::move(limits)), parser_(std::make_unique<Parser>()) {
  FINALITY_CHECK(limits_.head_bytes_max < std::numeric_limits<std::uint32_t>::max(),
                 "the header limit must fit in 32 bits");
  restart();
}

RequestReader::~RequestReader() = default;

std::size_t RequestReader::read(std::string_view bytes) {
  Collector& collector = *parser_->collector;
  std::size_t used = 0;
  if (!bytes.empty() && state_ == State::kIdle) state_ = State::kHead;
  while (used < bytes.size() && (state_ == State::kHead || state_ == State::kBody)) {
    error_code error;
    const std::size_t step = collector.put({bytes.data() + used, bytes.size() - used}, error);
    used += step;
    const bool more_needed = error == http::error::need_more;
    if (state_ == State::kHead) {
      // The parser joins folded lines. It consumes a field as a whole.
      if ((!error || more_needed) && has_folded_line(bytes.substr(used - step, step))) {
        collector.reason = "A header line must not be folded.";
        error = http::error::bad_field;
      }
      // The parser applies its limit only to bytes not yet consumed, so the size of the whole head is checked here.
      head_bytes_ += step;
      if (head_bytes_ + (more_needed ? bytes.size() - used : 0) > limits_.head_bytes_max)
        error = http::error::header_limit;
    }
    if (error && error != http::error::need_more) {
      refuse(status_of(error));
    } else if (collector.is_done()) {
      state_ = State::kComplete;
    } else if (state_ == State::kHead && collector.is_header_done()) {
      begin_body();
    }
    if (more_needed) break;
  }
  return used;
}

// Applies the limit of the body, which depends on the head. The parser checks the size of a chunked body.
void RequestReader::begin_body() {
  Collector& collector = *parser_->collector;
  const std::size_t large = limits_.large_bytes_max ? limits_.large_bytes_max(partial()) : 0;
  const std::size_t bytes_max = std::max(limits_.body_bytes_max, large);
  const auto length = collector.content_length();
  if (length.value_or(0) > bytes_max) return refuse(413);
  collector.body_limit(bytes_max);
  const std::size_t bytes = length.value_or(bytes_max);
  bytes_max_ = bytes;
  is_large_ = bytes > limits_.body_bytes_max;
  state_ = is_large_ || bytes > limits_.unchecked_body_bytes_max ? State::kHeld : State::kBody;
}

void RequestReader::permit(Permit permit) {
  FINALITY_CHECK(state_ == State::kHeld, "only a held body needs a permit");
  FINALITY_CHECK(permit != nullptr || !is_large_, "the permit of a large body is not null");
  HttpRequest& request = parser_->collector->found.request;
  // A chunked body would be copied each time it outgrows its memory, which the permit limits.
  if (is_large_) request.body.reserve(bytes_max_);
  request.permit = std::move(permit);
  state_ = State::kBody;
}

bool RequestReader::expects_continue() const {
  if (state_ != State::kBody || parser_->collector->found.version_1_0) return false;
  return equals_ignoring_case(partial().headers.get("Expect"), "100-continue");
}

std::optional<std::size_t> RequestReader::body_length() const {
  const auto length = parser_->collector->content_length();
  return length ? std::optional<std::size_t>(*length) : std::nullopt;
}

const std::string& RequestReader::reason() const { return parser_->collector->reason; }

const HttpRequest& RequestReader::partial() const { return parser_->collector->found.request; }

ReadRequest RequestReader::take() {
  FINALITY_CHECK(state_ == State::kComplete, "take() needs a complete request");
  ReadRequest read = std::move(parser_->collector->found);
  read.bytes = head_bytes_ + read.request.headers.fields().size() * sizeof(Headers().fields()[0]);
  if (read.request.permit == nullptr) read.bytes += read.request.body.capacity();
  restart();
  return read;
}

void RequestReader::restart() {
  Collector& collector = parser_->collector.emplace(limits_.singleton_headers);
  collector.header_limit(static_cast<std::uint32_t>(limits_.head_bytes_max));
  collector.body_limit(boost::none);  // until the head is complete: see begin_body()
  state_ = State::kIdle;
  head_bytes_ = 0;
}

void RequestReader::refuse(int status) {
  state_ = State::kRefused;
  refusal_ = status;
}

}  // namespace finality::net
