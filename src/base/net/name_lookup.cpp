#include "base/net/name_lookup.h"

#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace finality::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

LookupResult resolve_with_system(asio::thread_pool& threads, const std::string& host) {
  boost::system::error_code error;
  tcp::resolver resolver(threads);
  const auto results = resolver.resolve(host, "", tcp::resolver::flags(), error);
  LookupResult result;
  if (error) result.failure = error.message();
  for (const auto& entry : results) result.addresses.push_back(entry.endpoint().address().to_string());
  return result;
}

}  // namespace

struct NameLookup::State {
  asio::thread_pool operator_hosts{2};
  asio::thread_pool foreign_hosts{4};
};

NameLookup::NameLookup() : state_(std::make_unique<State>()) {}

NameLookup::~NameLookup() {
  state_->operator_hosts.stop();
  state_->foreign_hosts.stop();
}

void NameLookup::look_up(Trust trust, std::string host, Instant deadline, std::function<void(LookupResult)> done) {
  asio::thread_pool& threads = trust == Trust::operator_ ? state_->operator_hosts : state_->foreign_hosts;
  asio::post(threads, [&threads, host = std::move(host), deadline, done = std::move(done)] {
    if (std::chrono::steady_clock::now() < deadline) done(resolve_with_system(threads, host));
  });
}

}  // namespace finality::net
