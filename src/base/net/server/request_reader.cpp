#include "base/net/server/request_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/check.h"

namespace finality::net {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

namespace {

/// Collects the parser's results directly into an HttpRequest.
class Collector final : public http::basic_parser<true> {
 public:
  ReadRequest found;

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int version, error_code&) override {
    found.request.method.assign(method.data(), method.size());
    found.request.target.assign(target.data(), target.size());
    found.request.headers.reserve(8);
    found.version_1_0 = version == 10;
  }

  void on_field_impl(http::field field, string_view name, string_view value, error_code& error) override {
    // Ignores trailer fields: with them, a client could bypass checks that a proxy applied to the header.
    if (in_trailer_) return;
    if (field == http::field::host) ++hosts_;
    // Accepts only "chunked": with any other transfer coding the end of the body is ambiguous.
    const bool chunked_only = !found.version_1_0 && equals_ignoring_case({value.data(), value.size()}, "chunked");
    if (field == http::field::transfer_encoding && !chunked_only) {
      error = http::error::bad_transfer_encoding;
      return;
    }
    found.request.headers.add(std::string(name), std::string(value));
  }

  void on_header_impl(error_code& error) override {
    in_trailer_ = true;
    if (hosts_ > 1 || (hosts_ == 0 && !found.version_1_0)) error = http::error::bad_field;
    found.keep_alive = keep_alive();
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

  int hosts_ = 0;
  bool in_trailer_ = false;
};

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

RequestReader::RequestReader(std::size_t head_bytes_max, std::size_t body_bytes_max,
                             std::function<std::size_t(const HttpRequest& head)> large_bytes_max)
    : head_bytes_max_(head_bytes_max),
      body_bytes_max_(body_bytes_max),
      large_bytes_max_(std::move(large_bytes_max)),
      parser_(std::make_unique<Parser>()) {
  FINALITY_CHECK(head_bytes_max_ < std::numeric_limits<std::uint32_t>::max(), "the header limit must fit in 32 bits");
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
      // The parser applies its limit only to bytes not yet consumed, so the size of the whole head is checked here.
      head_bytes_ += step;
      if (head_bytes_ + (more_needed ? bytes.size() - used : 0) > head_bytes_max_) error = http::error::header_limit;
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
  const std::size_t large = large_bytes_max_ ? large_bytes_max_(partial()) : 0;
  const std::size_t bytes_max = std::max(body_bytes_max_, large);
  const auto length = collector.content_length();
  if (length.value_or(0) > bytes_max) return refuse(413);
  collector.body_limit(bytes_max);
  const bool is_large = bytes_max > body_bytes_max_ && length.value_or(bytes_max) > body_bytes_max_;
  state_ = is_large ? State::kHeld : State::kBody;
}

void RequestReader::permit(Permit permit) {
  FINALITY_CHECK(state_ == State::kHeld && permit != nullptr, "only a large body needs a permit");
  parser_->collector->found.request.permit = std::move(permit);
  state_ = State::kBody;
}

bool RequestReader::expects_continue() const {
  if (state_ != State::kBody || parser_->collector->found.version_1_0) return false;
  return equals_ignoring_case(partial().headers.get("Expect"), "100-continue");
}

const HttpRequest& RequestReader::partial() const { return parser_->collector->found.request; }

ReadRequest RequestReader::take() {
  FINALITY_CHECK(state_ == State::kComplete, "take() needs a complete request");
  ReadRequest read = std::move(parser_->collector->found);
  restart();
  return read;
}

void RequestReader::restart() {
  Collector& collector = parser_->collector.emplace();
  collector.header_limit(static_cast<std::uint32_t>(head_bytes_max_));
  collector.body_limit(boost::none);  // until the head is complete: see begin_body()
  state_ = State::kIdle;
  head_bytes_ = 0;
}

void RequestReader::refuse(int status) {
  state_ = State::kRefused;
  refusal_ = status;
}

}  // namespace finality::net
