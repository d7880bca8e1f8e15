#include "bench/load.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <deque>
#include <optional>
#include <vector>

namespace finality::bench {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Done = std::function<void(int)>;

struct Waiting {
  std::string request;
  Done done;
};

class Connection {
 public:
  /// Calls `freed` with this connection when it can send another request.
  Connection(asio::io_context& context, std::function<void(Connection&)> freed)
      : socket_(context), freed_(std::move(freed)) {}

  error_code connect(const tcp::endpoint& to) {
    error_code error;
    socket_.connect(to, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    return error;
  }

  void start(Waiting call) {
    call_ = std::move(call);
    asio::async_write(socket_, asio::buffer(call_.request), [this](error_code error, std::size_t) {
      if (error)
        finish(0);
      else
        read();
    });
  }

 private:
  void read() {
    response_.emplace();
    http::async_read(socket_, buffer_, *response_, [this](error_code error, std::size_t) {
      const bool lost = error || !response_->keep_alive();
      finish(error ? 0 : static_cast<int>(response_->get().result_int()), lost);
    });
  }

  // Ends the call with the status of the response, or 0 if the connection failed. A lost connection is not used again.
  void finish(int status, bool lost = true) {
    const Done done = std::move(call_.done);
    if (!lost) freed_(*this);
    done(status);
  }

  tcp::socket socket_;
  std::function<void(Connection&)> freed_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> response_;
  Waiting call_;
};

class Load final : public HttpLoad {
 public:
  error_code open(asio::io_context& context, const tcp::endpoint& to, std::size_t connections) {
    for (std::size_t i = 0; i < connections; ++i) {
      all_.push_back(std::make_unique<Connection>(context, [this](Connection& one) { take_next(one); }));
      if (const error_code error = all_.back()->connect(to)) return error;
      free_.push_back(all_.back().get());
    }
    return {};
  }

  void send(std::string request, Done done) override {
    Waiting call{std::move(request), std::move(done)};
    if (free_.empty()) {
      waiting_.push_back(std::move(call));
      return;
    }
    Connection* one = free_.back();
    free_.pop_back();
    one->start(std::move(call));
  }

 private:
  void take_next(Connection& one) {
    if (waiting_.empty()) {
      free_.push_back(&one);
      return;
    }
    Waiting call = std::move(waiting_.front());
    waiting_.pop_front();
    one.start(std::move(call));
  }

  std::vector<std::unique_ptr<Connection>> all_;
  std::vector<Connection*> free_;
  std::deque<Waiting> waiting_;
};

}  // namespace

Result<std::unique_ptr<HttpLoad>> HttpLoad::connect(asio::io_context& context, const std::string& host,
                                                    std::uint16_t port, std::size_t connections) {
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error) return fail(fmt::format("{} is not an IP address", host));
  auto load = std::make_unique<Load>();
  if (const error_code failed = load->open(context, {address, port}, connections))
    return fail(fmt::format("cannot connect to {}:{}: {}", host, port, failed.message()));
  return load;
}

}  // namespace finality::bench
