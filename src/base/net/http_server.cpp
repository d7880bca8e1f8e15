#include "base/net/http_server.h"

#include <utility>

#include "base/net/descriptors.h"
#include "base/net/server/http_listener.h"

namespace finality::net {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

class Server final : public HttpServer {
 public:
  explicit Server(std::shared_ptr<Listener> listener) : listener_(std::move(listener)) {}
  ~Server() override { listener_->stop(); }

  std::uint16_t port() const override { return listener_->port(); }
  ServerCounts counts() const override { return listener_->counts(); }
  void drain(Duration patience, std::function<void()> done) override { listener_->drain(patience, std::move(done)); }

 private:
  std::shared_ptr<Listener> listener_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(IoPool& io, ServerOptions options, Handler handler) {
  const std::string place = options.address + " port " + std::to_string(options.port);
  error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (error) return fail("cannot listen on " + place + ": not an IPv4 or IPv6 address");
  const tcp::endpoint endpoint(address, options.port);
  options.connections_max = connections_allowed(options.connections_max);
  auto listener = std::make_shared<Listener>(io, std::move(options), std::move(handler));
  if (error = listener->bind(endpoint); error) {
    return fail("cannot listen on " + place + ": " + error.message() + "; free the port or choose another");
  }
  listener->start();
  return std::make_unique<Server>(std::move(listener));
}

}  // namespace finality::net
