#include "base/net/host_query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include <ares.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/net/http_client.h"

namespace finality::net {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

int init_library() {
  static const int status = ares_library_init(ARES_LIB_INIT_ALL);  // not thread safe, unlike this initialization
  return status;
}

int open_channel(ares_channel& channel, const std::string& servers) {
  if (const int status = init_library(); status != ARES_SUCCESS) return status;
  ares_options options{};
  options.timeout = static_cast<int>(limits::kLookupTryTime.count());
  options.tries = limits::kLookupTries;
  const int status = ares_init_options(&channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
  if (status != ARES_SUCCESS || servers.empty()) return status;
  return ares_set_servers_ports_csv(channel, servers.c_str());
}

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = address.sa_family == AF_INET6
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr)
                          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  ::inet_ntop(address.sa_family, bytes, text.data(), text.size());
  return text.data();
}

// Whether the port of ADDRESS:PORT is valid; true without a port. The library truncates larger numbers to 16 bits, and
// replaces 0 by its default.
bool has_valid_port(std::string_view server) {
  const std::size_t bracket = server.rfind(']');
  if (bracket == std::string_view::npos && std::ranges::count(server, ':') > 1) return true;  // an IPv6 address
  const std::size_t colon = server.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return true;
  const std::string_view digits = server.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return error == std::errc() && end == digits.data() + digits.size() && port != 0;
}

bool have_valid_ports(std::string_view servers) {
  while (!servers.empty()) {
    const std::string_view server = servers.substr(0, servers.find(','));
    if (!has_valid_port(server)) return false;
    servers.remove_prefix(std::min(servers.size(), server.size() + 1));
  }
  return true;
}

}  // namespace

bool are_name_servers(const std::string& text) {
  if (!have_valid_ports(text)) return false;
  ares_channel channel = nullptr;
  const bool accepted = !text.empty() && open_channel(channel, text) == ARES_SUCCESS;
  if (channel != nullptr) ares_destroy(channel);
  return accepted;
}

HostQuery::HostQuery(const std::string& host, const NameLookupOptions& options, Instant now)
    : timeout_(options.timeout), deadline_(now + options.timeout) {
  if (const int status = open_channel(channel_, options.servers); status != ARES_SUCCESS) {
    finish(status, nullptr);
    return;
  }
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  // c-ares sends a query for `localhost.`, and the reply could name another machine (RFC 6761, section 6.3).
  const std::string name = is_loopback_host(host) ? "localhost" : host;
  ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, take, this);
}

HostQuery::~HostQuery() {
  if (channel_ == nullptr) return;
  // Destroying a channel with a query for both address families in flight is unsafe in c-ares 1.18.
  ares_cancel(channel_);
  ares_destroy(channel_);
}

void HostQuery::add_sockets(std::vector<pollfd>& polled) const {
  if (channel_ == nullptr) return;
  std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
  const auto wanted = static_cast<unsigned>(ares_getsock(channel_, sockets.data(), ARES_GETSOCK_MAXNUM));
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    short events = 0;
    if (ARES_GETSOCK_READABLE(wanted, i)) events |= POLLIN;
    if (ARES_GETSOCK_WRITABLE(wanted, i)) events |= POLLOUT;
    if (events != 0) polled.push_back({.fd = sockets[i], .events = events, .revents = 0});
  }
}

HostQuery::Instant HostQuery::due_at(Instant now) const {
  timeval wait{};
  if (finished_ || ares_timeout(channel_, nullptr, &wait) == nullptr) return deadline_;
  return std::min(deadline_, now + seconds(wait.tv_sec) + microseconds(wait.tv_usec));
}

void HostQuery::process(std::span<const pollfd> polled, Instant now) {
  if (channel_ == nullptr) return;
  for (const pollfd& one : polled) {
    // An error counts as both events, so that c-ares reads it from the socket.
    const bool failed = (one.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    const bool readable = failed || (one.revents & POLLIN) != 0;
    const bool writable = failed || (one.revents & POLLOUT) != 0;
    if (readable || writable)
      ares_process_fd(channel_, readable ? one.fd : ARES_SOCKET_BAD, writable ? one.fd : ARES_SOCKET_BAD);
  }
  ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // expired tries
  if (!finished_ && now >= deadline_) ares_cancel(channel_);
}

void HostQuery::take(void* self, int status, int /*timeouts*/, ares_addrinfo* found) {
  static_cast<HostQuery*>(self)->finish(status, found);
  if (found != nullptr) ares_freeaddrinfo(found);
}

void HostQuery::finish(int status, const ares_addrinfo* found) {
  finished_ = true;
  const ares_addrinfo_node* first = found == nullptr ? nullptr : found->nodes;
  std::optional<int> valid_seconds;
  for (const ares_addrinfo_node* node = first; node != nullptr; node = node->ai_next) {
    result_.addresses.push_back(text_of(*node->ai_addr));
    valid_seconds = std::min(valid_seconds.value_or(node->ai_ttl), node->ai_ttl);
  }
  if (first != nullptr) {
    for (const ares_addrinfo_cname* name = found->cnames; name != nullptr; name = name->next)
      valid_seconds = std::min(*valid_seconds, name->ttl);
  }
  time_to_live_ = seconds(std::max(valid_seconds.value_or(0), 0));
  if (status == ARES_ECANCELLED || status == ARES_ETIMEOUT) {
    result_.failure = "no reply from a name server within " + std::to_string(timeout_.count()) + " ms";
  } else if (result_.addresses.empty()) {
    result_.failure = status == ARES_SUCCESS ? "the name has no address" : ares_strerror(status);
  }
}

}  // namespace finality::net
