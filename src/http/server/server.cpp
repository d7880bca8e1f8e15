#include "http/server/server.h"

#include <string_view>
#include <utility>

#include "base/limits.h"
#include "http/resources/resources.h"
#include "http/server/dispatcher.h"

namespace finality::http {

namespace {

Result<ApiReaders> open_readers(Store& store) {
  auto objects = ReaderPool::open(store, {.threads = limits::kReaders});
  if (!objects) return std::unexpected(objects.error());
  auto keys = ReaderPool::open(store, {.threads = limits::kKeyReaders});
  if (!keys) return std::unexpected(keys.error());
  auto readiness = store.open_reader();
  if (!readiness) return std::unexpected(readiness.error());
  return ApiReaders{std::move(*objects), std::move(*keys), std::move(*readiness)};
}

net::Handler handler_of(Dispatcher& dispatcher) {
  return [&dispatcher](net::HttpRequest request, net::Respond respond) {
    dispatcher.handle(std::move(request), std::move(respond));
  };
}

auto refuse_of(Dispatcher& dispatcher) {
  return [&dispatcher](int status, std::string_view reason, const net::HttpRequest& request) {
    return dispatcher.refuse(status, reason, request);
  };
}

}  // namespace

Result<std::unique_ptr<ApiServer>> ApiServer::start(const Services& services, net::ServerOptions options,
                                                    std::optional<net::ServerOptions> health) {
  Result<ApiReaders> readers = open_readers(services.store);
  if (!readers) return std::unexpected(readers.error());
  const auto api = std::make_shared<Api>(services, std::move(*readers));
  for (const AddResource add : kResources) add(*api);

  std::unique_ptr<ApiServer> server(new ApiServer(api));
  if (auto listening = server->listen(std::move(options)); !listening) return std::unexpected(listening.error());
  if (!health) return server;
  if (auto listening = server->listen_for_health(std::move(*health)); !listening)
    return std::unexpected(listening.error());
  return server;
}

Result<void> ApiServer::listen(net::ServerOptions options) {
  Dispatcher& dispatcher = *dispatcher_;
  options.body_bytes_max = limits::kBodyBytesMax;
  options.header_bytes_max = limits::kHeaderBytesMax;
  options.singleton_headers = {"Finality-Merchant"};
  options.body_rules.bytes_max = [&dispatcher](const net::HttpRequest& head) {
    return dispatcher.body_bytes_max(head);
  };
  options.body_rules.permit = [&dispatcher](net::HttpRequest head, net::BodyRules::Done done) {
    dispatcher.permit_body(std::move(head), std::move(done));
  };
  options.body_rules.large_rate_min = api_->services.uploads.rate_min;
  options.refuse = refuse_of(dispatcher);
  auto listening = net::HttpServer::listen(api_->services.io, std::move(options), handler_of(dispatcher));
  if (!listening) return std::unexpected(listening.error());
  server_ = std::move(*listening);
  return {};
}

Result<void> ApiServer::listen_for_health(net::ServerOptions options) {
  health_ = std::make_unique<Health>();
  health_->dispatcher = std::make_unique<Dispatcher>(*api_, api_->health_router);
  options.connections_max = limits::kHealthConnectionsMax;
  options.refuse = refuse_of(*health_->dispatcher);
  auto listening = net::HttpServer::listen(health_->io, std::move(options), handler_of(*health_->dispatcher));
  if (!listening) return std::unexpected(listening.error());
  health_->server = std::move(*listening);
  return {};
}

ApiServer::ApiServer(std::shared_ptr<Api> api)
    : api_(std::move(api)), dispatcher_(std::make_unique<Dispatcher>(*api_, api_->router)) {}

ApiServer::~ApiServer() = default;

std::uint16_t ApiServer::port() const { return server_->port(); }
std::vector<const HttpRoute*> ApiServer::routes() const { return api_->router.routes(); }
net::ServerCounts ApiServer::counts() const { return server_->counts(); }

std::uint16_t ApiServer::health_port() const { return health_->server->port(); }

const ReadCounters& ApiServer::reads() const { return api_->readers->counters(); }

const ReadCounters& ApiServer::key_reads() const { return api_->key_readers->counters(); }

void ApiServer::drain(Duration patience, std::function<void()> done) {
  api_->draining = true;
  server_->drain(patience, std::move(done));
}

}  // namespace finality::http
