#include "sandbox/sandbox.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "sandbox/alipay/gateway.h"
#include "sandbox/core/gateway.h"
#include "sandbox/core/ledger_thread.h"
#include "sandbox/core/notifier.h"
#include "sandbox/pages/console_site.h"
#include "sandbox/pages/payers.h"
#include "sandbox/pages/public_site.h"
#include "sandbox/pages/statement_site.h"
#include "sandbox/simple/answer.h"
#include "sandbox/simple/simple_gateway.h"
#include "sandbox/wechatpay/gateway.h"

namespace finality::sandbox {
namespace {

Segments segments_of(std::string_view path) {
  Segments segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  for (;;) {
    const std::size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

net::HttpResponse refuse(int status, std::string_view reason, const net::HttpRequest&) {
  return error_answer(status, "invalid_request", reason.empty() ? net::reason_phrase(status) : reason);
}

std::optional<Error> problem_with(const Options& options) {
  if (options.secret.empty()) return Error{"the sandbox needs a secret for its channels"};
  if (options.data_directory.empty()) return Error{"the sandbox needs a data directory"};
  if (!std::isfinite(options.time_scale) || options.time_scale <= 0)
    return Error{"the time scale must be greater than 0"};
  return std::nullopt;
}

std::string url_of(const std::string& address, std::uint16_t port) {
  const bool is_ipv6 = address.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("http://[{}]:{}", address, port) : fmt::format("http://{}:{}", address, port);
}

Result<std::shared_ptr<const Gateways>> gateways_with(const GatewayParts& parts, const Options& options) {
  auto gateways = std::make_shared<Gateways>();
  gateways->push_back(std::make_unique<SimpleGateway>(parts, options.secret));
  auto alipay = make_alipay_gateway(parts);
  if (!alipay) return std::unexpected(alipay.error());
  gateways->push_back(std::move(*alipay));
  auto wechatpay = make_wechatpay_gateway(parts);
  if (!wechatpay) return std::unexpected(wechatpay.error());
  gateways->push_back(std::move(*wechatpay));
  return gateways;
}

}  // namespace

/// State for handling requests. The server's request handler shares ownership, because a request in progress may
/// outlive the Sandbox.
struct Sandbox::Parts {
  std::shared_ptr<LedgerThread> ledger_thread;
  std::shared_ptr<Payers> payers;
  std::shared_ptr<Notifier> notifier;
  std::shared_ptr<const Gateways> gateways;
  std::optional<PublicSite> public_site;
  std::optional<StatementSite> statement_site;
  std::optional<ConsoleSite> console_site;
  // True once the gateways exist. With port 0, the gateways' URL is known only after the server listens, so requests
  // may arrive before the gateways exist.
  std::atomic<bool> ready = false;

  void handle(const net::HttpRequest& request, net::Respond respond) {
    if (!ready) return respond(unavailable_answer("The sandbox is starting."));
    const Segments segments = segments_of(request.path());
    if (Gateway* gateway = gateway_of_path(*gateways, segments))
      return gateway->handle(request, segments, std::move(respond));
    if (StatementSite::answers(segments)) return statement_site->handle(request, segments, std::move(respond));
    if (ConsoleSite::answers(segments)) return console_site->handle(request, segments, std::move(respond));
    public_site->handle(request, segments, std::move(respond));
  }
};

Result<std::unique_ptr<Sandbox>> Sandbox::start(net::IoPool& io, Options options) {
  if (auto problem = problem_with(options)) return std::unexpected(std::move(*problem));
  auto ledger_thread =
      LedgerThread::open(options.data_directory, options.clock ? options.clock : std::make_shared<const SystemClock>(),
                         options.time_scale);
  if (!ledger_thread) return std::unexpected(ledger_thread.error());

  auto parts = std::make_shared<Parts>();
  parts->ledger_thread = *ledger_thread;
  std::unique_ptr<Sandbox> sandbox(new Sandbox(parts));

  net::ServerOptions server{.address = options.address,
                            .port = options.port,
                            .body_bytes_max = limits::kBodyBytesMax,
                            .header_bytes_max = limits::kHeaderBytesMax,
                            // One Finality server is one client, with all its payments and statements.
                            .client_connections_max = limits::kConnectionsMax,
                            .client_bytes_max = limits::kServerBytesMax,
                            .refuse = refuse};
  auto listening = net::HttpServer::listen(
      io, std::move(server),
      [parts](net::HttpRequest request, net::Respond respond) { parts->handle(request, std::move(respond)); });
  if (!listening) return std::unexpected(listening.error());
  sandbox->server_ = std::move(*listening);

  if (options.public_url.empty()) options.public_url = url_of(options.address, sandbox->port());
  while (options.public_url.ends_with('/')) options.public_url.pop_back();
  auto gateways = gateways_with(
      {.io = io,
       .ledger_thread = *ledger_thread,
       .public_url = options.public_url,
       .time_scale = options.time_scale,
       .keys_directory = options.keys_directory.empty() ? options.data_directory : options.keys_directory},
      options);
  if (!gateways) return std::unexpected(gateways.error());
  parts->gateways = *gateways;
  parts->public_site.emplace(*ledger_thread, *gateways);
  parts->statement_site.emplace(*ledger_thread, *gateways);
  parts->console_site.emplace(*ledger_thread);
  parts->payers = Payers::create(io, *ledger_thread);
  parts->notifier = Notifier::create(io, *ledger_thread, *gateways);
  parts->ledger_thread->start([payers = parts->payers.get(), notifier = parts->notifier.get()](const Due& due) {
    if (due.trade) payers->wake(*due.trade);
    if (due.notification) notifier->wake(*due.notification);
  });
  const Time now = parts->ledger_thread->now();
  parts->payers->wake(now);
  parts->notifier->wake(now);
  parts->ready = true;
  return sandbox;
}

Sandbox::Sandbox(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

Sandbox::~Sandbox() {
  server_.reset();
  parts_->ledger_thread->stop();
}

std::uint16_t Sandbox::port() const { return server_->port(); }

void Sandbox::drain(Duration patience, std::function<void()> done) { server_->drain(patience, std::move(done)); }

}  // namespace finality::sandbox
