// One ClientCall per call: resolve the name, check the addresses, connect, TLS handshake, write, read. Each step starts
// the next. finish() ends the call after the response, a failure or the deadline, whichever comes first.
//
// A ClientCall runs on the executor of its connection, so it needs no lock. Shared holds the state that calls share
// (idle connections, counters, look-ups).

#include "base/net/http_client.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <sys/socket.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/limits.h"
#include "base/net/http_url.h"
#include "base/net/name_lookup.h"

namespace finality::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using Instant = std::chrono::steady_clock::time_point;
using Done = std::function<void(CallResult)>;

constexpr std::size_t kInputBytesMax = 2 * limits::kResponseHeadBytesMax;  // bytes received but not yet parsed

/// A TCP connection, with or without TLS.
struct Stream {
  explicit Stream(asio::any_io_executor on) : executor(std::move(on)), socket(executor) {}

  /// True if an idle connection is reusable: neither the end of the stream nor unexpected bytes have arrived.
  bool is_quiet() {
    char byte = 0;
    const auto received = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  template <class Use>
  void with(const Use& use) {
    if (tls) {
      use(*tls);
    } else {
      use(socket);
    }
  }

  asio::any_io_executor executor;
  tcp::socket socket;
  std::optional<ssl::stream<tcp::socket&>> tls;
  Instant idle_since;
};

/// State shared by the calls of one client. Thread safe.
class Shared : public std::enable_shared_from_this<Shared> {
 public:
  Shared(IoPool& io, const HttpClientOptions& options);

  /// Closes idle connections, rejects further idle connections, and fails the look-ups in flight.
  void close();

  asio::any_io_executor make_executor();
  /// Returns the settings of TLS connections. The first call reads the system's trusted certificates.
  ssl::context& tls();

  bool begin_call() { return ++calls_ <= calls_max_; }
  void end_call() { --calls_; }
  std::size_t calls_max() const { return calls_max_; }

  std::unique_ptr<Stream> take_idle(const std::string& origin);
  void put_idle(const std::string& origin, std::unique_ptr<Stream> stream);
  /// Starts a look-up. Returns false, without calling `done`, if the client has been destroyed.
  bool look_up(std::optional<std::int64_t> owner, const std::string& host, NameLookup::Done done);

 private:
  void sweep_later();
  void sweep();

  asio::io_context& context_;
  const bool single_thread_;
  ssl::context tls_;
  std::once_flag certificates_read_;
  const std::size_t calls_max_;
  std::atomic<std::size_t> calls_ = 0;

  std::mutex mutex_;
  std::unordered_map<std::string, std::vector<std::unique_ptr<Stream>>> idle_;
  std::size_t idle_count_ = 0;
  asio::steady_timer sweep_timer_;
  bool sweeping_ = false;
  std::unique_ptr<NameLookup> lookup_;
  bool closed_ = false;
};

Shared::Shared(IoPool& io, const HttpClientOptions& options)
    : context_(io.context()),
      single_thread_(io.threads() == 1),
      tls_(ssl::context::tls_client),
      calls_max_(options.calls_max),
      sweep_timer_(context_),
      lookup_(std::make_unique<NameLookup>(NameLookupOptions{.servers = options.name_servers})) {
  SSL_CTX_set_min_proto_version(tls_.native_handle(), TLS1_2_VERSION);
  tls_.set_verify_mode(ssl::verify_peer);
  if (options.reads_certificates_at_once) tls();
}

ssl::context& Shared::tls() {
  std::call_once(certificates_read_, [this] {
    error_code no_store;  // ignored: without a trust store each TLS handshake fails
    tls_.set_default_verify_paths(no_store);
  });
  return tls_;
}

void Shared::close() {
  std::unique_ptr<NameLookup> ending;  // destroyed after the unlock: its callbacks may use this object
  const std::lock_guard lock(mutex_);
  closed_ = true;
  idle_.clear();
  idle_count_ = 0;
  sweep_timer_.cancel();
  ending = std::move(lookup_);
}

asio::any_io_executor Shared::make_executor() {
  if (single_thread_) return context_.get_executor();
  return asio::make_strand(context_);
}

std::unique_ptr<Stream> Shared::take_idle(const std::string& origin) {
  const std::lock_guard lock(mutex_);
  const auto found = idle_.find(origin);
  if (found == idle_.end()) return nullptr;
  std::unique_ptr<Stream> usable;
  const Instant oldest = std::chrono::steady_clock::now() - limits::kIdleConnectionAgeMax;
  while (!usable && !found->second.empty()) {
    // Tries the newest connection first, because the server is least likely to have closed it.
    std::unique_ptr<Stream> stream = std::move(found->second.back());
    found->second.pop_back();
    --idle_count_;
    if (stream->idle_since > oldest && stream->is_quiet()) usable = std::move(stream);
  }
  if (found->second.empty()) idle_.erase(found);
  return usable;
}

void Shared::put_idle(const std::string& origin, std::unique_ptr<Stream> stream) {
  const std::lock_guard lock(mutex_);
  if (closed_ || idle_count_ >= limits::kIdleConnectionsMax) return;
  auto& streams = idle_[origin];
  if (streams.size() >= limits::kIdleConnectionsPerOriginMax) return;
  stream->idle_since = std::chrono::steady_clock::now();
  streams.push_back(std::move(stream));
  ++idle_count_;
  if (!sweeping_) sweep_later();
}

void Shared::sweep_later() {
  sweeping_ = true;
  sweep_timer_.expires_after(limits::kIdleConnectionAgeMax);
  sweep_timer_.async_wait([weak = weak_from_this()](const error_code& error) {
    if (error) return;
    if (const auto self = weak.lock()) self->sweep();
  });
}

void Shared::sweep() {
  const std::lock_guard lock(mutex_);
  const Instant oldest = std::chrono::steady_clock::now() - limits::kIdleConnectionAgeMax;
  for (auto& [origin, streams] : idle_) {
    idle_count_ -= std::erase_if(streams, [&](const auto& stream) { return stream->idle_since <= oldest; });
  }
  std::erase_if(idle_, [](const auto& entry) { return entry.second.empty(); });
  sweeping_ = false;
  if (idle_count_ > 0) sweep_later();
}

bool Shared::look_up(std::optional<std::int64_t> owner, const std::string& host, NameLookup::Done done) {
  const std::lock_guard lock(mutex_);
  if (!lookup_) return false;
  lookup_->look_up(owner, host, std::move(done));
  return true;
}

// ---- Validation and text of the request

bool is_token(std::string_view text) {
  constexpr std::string_view kPunctuation = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPunctuation.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool is_own_field(std::string_view name) {
  for (const std::string_view own : {"Host", "Content-Length", "Connection", "Transfer-Encoding"}) {
    if (equals_ignoring_case(name, own)) return true;
  }
  return false;
}

/// Returns the reason why the call is not a valid request; empty if it is valid.
std::string defect_of(const Call& call) {
  if (!is_token(call.method)) return "the method is not an HTTP method";
  for (const auto& [name, value] : call.headers.fields()) {
    if (!is_token(name)) return "invalid header name";
    if (!is_field_value(value)) return "the header " + name + " contains a line break";
  }
  return {};
}

std::string request_head(const Call& call, const HttpUrl& url) {
  std::string head = call.method + " " + url.target + " HTTP/1.1\r\nHost: " + url.authority + "\r\n";
  if (call.headers.get("User-Agent").empty()) head += "User-Agent: finality\r\n";
  for (const auto& [name, value] : call.headers.fields()) {
    if (!is_own_field(name)) head += name + ": " + value + "\r\n";
  }
  const bool body_expected = call.method == "POST" || call.method == "PUT" || call.method == "PATCH";
  if (body_expected || !call.body.empty()) head += "Content-Length: " + std::to_string(call.body.size()) + "\r\n";
  return head + "\r\n";
}

bool is_exempt(std::span<const std::string> allow_private, std::string_view host_or_address) {
  return std::ranges::any_of(allow_private,
                             [&](const std::string& entry) { return equals_ignoring_case(entry, host_or_address); });
}

/// The origin of a call: scheme, host, port, and the addresses that the call may use. Only calls with the same origin
/// share connections.
std::string origin_of(const Call& call, const HttpUrl& url) {
  std::string origin = (url.tls ? "https://" : "http://") + url.host + ":" + std::to_string(url.port);
  if (!call.public_only) return origin;
  origin += " public";
  for (const std::string& exempt : call.allow_private) origin += " " + exempt;
  return origin;
}

// ---- One call

class ClientCall : public std::enable_shared_from_this<ClientCall> {
 public:
  ClientCall(std::shared_ptr<Shared> shared, Call call, HttpUrl url, Instant deadline, Done done)
      : shared_(std::move(shared)),
        call_(std::move(call)),
        url_(std::move(url)),
        origin_(origin_of(call_, url_)),
        place_(url_.host + " port " + std::to_string(url_.port)),
        deadline_(deadline),
        stream_(shared_->take_idle(origin_)),
        reused_(stream_ != nullptr),
        executor_(reused_ ? stream_->executor : shared_->make_executor()),
        timer_(executor_),
        done_(std::move(done)) {}

  const asio::any_io_executor& executor() const { return executor_; }
  void start();

 private:
  void on_deadline();
  void find_addresses();
  void on_addresses(LookupResult result);
  void connect(const std::vector<tcp::endpoint>& endpoints);
  void shake_hands();
  void send();
  void on_sent(const error_code& error, std::size_t bytes);
  void receive();
  void receive_more();
  void on_received(const error_code& error);
  void keep_connection();
  void fail(std::string why);
  void finish();

  /// Returns a handler that runs `step`, or does nothing if the call has ended.
  template <class Step>
  auto unless_finished(Step step) {
    return [self = shared_from_this(), step = std::move(step)](const error_code& error, auto&&... rest) {
      if (!self->finished_) step(*self, error, rest...);
    };
  }

  const std::shared_ptr<Shared> shared_;
  const Call call_;
  const HttpUrl url_;
  const std::string origin_;
  const std::string place_;
  const Instant deadline_;
  std::unique_ptr<Stream> stream_;
  bool reused_;
  const asio::any_io_executor executor_;
  asio::steady_timer timer_;
  Done done_;

  std::string doing_;
  std::string head_;
  error_code write_error_;
  boost::beast::flat_buffer input_{kInputBytesMax};
  std::size_t head_bytes_ = 0;
  std::optional<http::response_parser<http::string_body>> parser_;
  int interim_responses_ = 0;
  CallResult outcome_;
  bool finished_ = false;
};

void ClientCall::start() {
  timer_.expires_at(deadline_);
  timer_.async_wait(unless_finished([](ClientCall& self, const error_code& error) {
    if (!error) self.on_deadline();
  }));
  head_ = request_head(call_, url_);
  if (stream_) {
    send();
  } else {
    find_addresses();
  }
}

void ClientCall::on_deadline() {
  fail("no response from " + place_ + " within " + std::to_string(call_.timeout.count()) + " ms, while " + doing_);
}

void ClientCall::find_addresses() {
  doing_ = "resolving the host name";
  error_code not_literal;
  asio::ip::make_address(url_.host, not_literal);
  if (!not_literal) return on_addresses({.addresses = {url_.host}});
  const bool is_started =
      shared_->look_up(call_.url_owner, url_.host, [self = shared_from_this()](LookupResult result) {
        asio::post(self->executor_, [self, result = std::move(result)]() mutable {
          if (!self->finished_) self->on_addresses(std::move(result));
        });
      });
  if (!is_started) fail("the client has been closed");
}

void ClientCall::on_addresses(LookupResult result) {
  outcome_.over_limit = result.over_limit;
  if (result.addresses.empty()) return fail("cannot look up " + url_.host + ": " + result.failure);
  std::vector<tcp::endpoint> endpoints;
  for (const std::string& address : result.addresses) {
    const bool allowed = !call_.public_only || is_public_address(address) || is_exempt(call_.allow_private, address) ||
                         is_exempt(call_.allow_private, url_.host);
    // The message does not contain the address: merchants must not learn the addresses of internal names.
    if (!allowed) return fail("address not allowed: " + url_.host + " is not at a public address");
    error_code error;
    const asio::ip::address parsed = asio::ip::make_address(address, error);
    if (!error) endpoints.emplace_back(parsed, url_.port);
  }
  connect(endpoints);
}

void ClientCall::connect(const std::vector<tcp::endpoint>& endpoints) {
  doing_ = "connecting";
  stream_ = std::make_unique<Stream>(executor_);
  asio::async_connect(stream_->socket, endpoints,
                      unless_finished([](ClientCall& self, const error_code& error, const tcp::endpoint&) {
                        if (error) return self.fail("cannot connect to " + self.place_ + ": " + error.message());
                        error_code ignored;
                        self.stream_->socket.set_option(tcp::no_delay(true), ignored);
                        if (self.url_.tls) return self.shake_hands();
                        self.send();
                      }));
}

void ClientCall::shake_hands() {
  doing_ = "setting up TLS";
  auto& tls = stream_->tls.emplace(stream_->socket, shared_->tls());
  error_code not_literal;
  asio::ip::make_address(url_.host, not_literal);
  // The handshake contains a server name only if it is a host name, not an IP address (RFC 6066 §3).
  if (not_literal && SSL_set_tlsext_host_name(tls.native_handle(), url_.host.c_str()) != 1) {
    return fail("cannot set up TLS with " + place_);
  }
  error_code error;
  tls.set_verify_callback(ssl::host_name_verification(url_.host), error);
  if (error) return fail("cannot set up TLS with " + place_ + ": " + error.message());
  tls.async_handshake(ssl::stream_base::client, unless_finished([](ClientCall& self, const error_code& refused) {
                        if (refused)
                          return self.fail("TLS handshake with " + self.place_ + " failed: " + refused.message());
                        self.send();
                      }));
}

void ClientCall::send() {
  doing_ = "sending the request";
  outcome_.sent = true;
  const std::array<asio::const_buffer, 2> request{asio::buffer(head_), asio::buffer(call_.body)};
  stream_->with([&](auto& stream) {
    asio::async_write(stream, request,
                      unless_finished([](ClientCall& self, const error_code& error, std::size_t bytes) {
                        self.on_sent(error, bytes);
                      }));
  });
}

void ClientCall::on_sent(const error_code& error, std::size_t bytes) {
  // Retries only if no byte was written. Under TLS, bytes may have been written even if the count is zero.
  if (error && bytes == 0 && reused_ && !stream_->tls) {
    reused_ = false;
    outcome_.sent = false;
    return find_addresses();
  }
  // A server may respond before it has read the whole request. The response may still be readable.
  write_error_ = error;
  receive();
}

void ClientCall::receive() {
  doing_ = "waiting for the response";
  parser_.emplace();
  parser_->header_limit(limits::kResponseHeadBytesMax);
  parser_->body_limit(call_.response_bytes_max);
  parser_->skip(call_.method == "HEAD");
  parser_->eager(true);
  receive_more();
}

void ClientCall::receive_more() {
  const auto on_some = [](ClientCall& self, const error_code& error, std::size_t bytes) {
    // The parser applies its limit only to bytes not yet consumed, so the size of the whole head is checked here.
    if (!self.parser_->is_header_done()) self.head_bytes_ += bytes;
    if (self.head_bytes_ > limits::kResponseHeadBytesMax) return self.on_received(http::error::header_limit);
    if (error || self.parser_->is_done()) return self.on_received(error);
    self.receive_more();
  };
  stream_->with([&](auto& stream) { http::async_read_some(stream, input_, *parser_, unless_finished(on_some)); });
}

void ClientCall::on_received(const error_code& error) {
  if (error == http::error::body_limit) {
    return fail("the response from " + place_ + " exceeds " + std::to_string(call_.response_bytes_max) + " bytes");
  }
  if (error) {
    const error_code& first = write_error_ ? write_error_ : error;
    return fail("incomplete response from " + place_ + ": " + first.message());
  }
  const int status = static_cast<int>(parser_->get().result_int());
  if (status / 100 == 1 && status != 101) {
    if (++interim_responses_ > limits::kInterimResponsesMax) return fail("no final response from " + place_);
    return receive();
  }
  outcome_.answered = true;
  outcome_.response.status = status;
  for (const auto& field : parser_->get()) {
    outcome_.response.headers.add(std::string(field.name_string()), std::string(field.value()));
  }
  keep_connection();
  outcome_.response.body = std::move(parser_->get().body());
  finish();
}

void ClientCall::keep_connection() {
  const bool reusable = parser_->keep_alive() && !write_error_ && input_.size() == 0 && outcome_.response.status != 101;
  if (reusable) shared_->put_idle(origin_, std::move(stream_));
}

void ClientCall::fail(std::string why) {
  outcome_.failure = std::move(why);
  finish();
}

void ClientCall::finish() {
  finished_ = true;
  timer_.cancel();
  if (stream_) {
    error_code ignored;
    stream_->socket.close(ignored);
  }
  shared_->end_call();
  const Done done = std::move(done_);
  done(std::move(outcome_));
}

class Client final : public HttpClient {
 public:
  Client(IoPool& io, const HttpClientOptions& options) : io_(io), shared_(std::make_shared<Shared>(io, options)) {}
  ~Client() override { shared_->close(); }

  void call(Call call, Done done) override;

 private:
  IoPool& io_;
  const std::shared_ptr<Shared> shared_;
};

void Client::call(Call call, Done done) {
  const Instant deadline = std::chrono::steady_clock::now() + call.timeout;
  const auto refuse = [&](std::string why, bool over_limit = false) {
    io_.post([why = std::move(why), over_limit, done = std::move(done)] {
      CallResult outcome;
      outcome.failure = why;
      outcome.over_limit = over_limit;
      done(std::move(outcome));
    });
  };
  if (call.timeout <= Duration::zero()) return refuse("the deadline passed before the call started");
  if (std::string defect = defect_of(call); !defect.empty()) return refuse(std::move(defect));
  Result<HttpUrl> url = parse_http_url(call.url);
  if (!url) return refuse("address not allowed: " + url.error().message);
  if (!shared_->begin_call()) {
    shared_->end_call();
    return refuse("too many calls in flight: the limit is " + std::to_string(shared_->calls_max()), true);
  }
  const auto exchange =
      std::make_shared<ClientCall>(shared_, std::move(call), std::move(*url), deadline, std::move(done));
  asio::post(exchange->executor(), [exchange] { exchange->start(); });
}

}  // namespace

std::unique_ptr<HttpClient> HttpClient::create(IoPool& io, HttpClientOptions options) {
  return std::make_unique<Client>(io, options);
}

bool may_be_public(const std::string& url, std::span<const std::string> allow_private) {
  const Result<HttpUrl> parsed = parse_http_url(url);
  if (!parsed) return false;
  error_code error;
  asio::ip::make_address(parsed->host, error);
  const bool is_name = error.failed();
  return is_name || is_public_address(parsed->host) || is_exempt(allow_private, parsed->host);
}

}  // namespace finality::net
