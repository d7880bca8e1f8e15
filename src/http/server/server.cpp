#include "http/server/server.h"

#include <string_view>
#include <utility>

#include "base/limits.h"
#include "http/resources/resources.h"
#include "http/server/dispatcher.h"

namespace finality::http {
Result<std::unique_ptr<ApiServer>> ApiServer::start(const Services& services, net::ServerOptions options) {
  Result<std::unique_ptr<ReaderPool>> readers = ReaderPool::open(services.store, limits::kReaders);
  if (!readers) return std::unexpected(readers.error());
  const auto api = std::make_shared<Api>(services, std::move(*readers));
  for (const AddResource add : kResources) add(*api);

  std::unique_ptr<ApiServer> server(new ApiServer(api));
  Dispatcher& dispatcher = *server->dispatcher_;
  options.body_bytes_max = limits::kBodyBytesMax;
  options.header_bytes_max = limits::kHeaderBytesMax;
  options.singleton_headers = {"Finality-Merchant"};
  options.body_rules.bytes_max = [&dispatcher](const net::HttpRequest& head) {
    return dispatcher.body_bytes_max(head);
  };
  options.body_rules.permit = [&dispatcher](net::HttpRequest head, net::BodyRules::Done done) {
    dispatcher.permit_body(std::move(head), std::move(done));
  };
  options.refuse = [&dispatcher](int status, std::string_view reason, const net::HttpRequest& request) {
    return dispatcher.refuse(status, reason, request);
  };
  Result<std::unique_ptr<net::HttpServer>> listening = net::HttpServer::listen(
      services.io, std::move(options), [&dispatcher](net::HttpRequest request, net::Respond respond) {
        dispatcher.handle(std::move(request), std::move(respond));
      });
  if (!listening) return std::unexpected(listening.error());
  server->server_ = std::move(*listening);
  return server;
}

ApiServer::ApiServer(std::shared_ptr<Api> api)
    : api_(std::move(api)), dispatcher_(std::make_unique<Dispatcher>(*api_)) {}

ApiServer::~ApiServer() = default;

std::uint16_t ApiServer::port() const { return server_->port(); }
net::ServerCounts ApiServer::counts() const { return server_->counts(); }

void ApiServer::drain(Duration patience, std::function<void()> done) {
  api_->draining = true;
  server_->drain(patience, std::move(done));
}

}  // namespace finality::http
