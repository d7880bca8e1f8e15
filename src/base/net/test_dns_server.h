// Name server on 127.0.0.1 for tests (RFC 1035). Replies over UDP to queries for A and AAAA records, or stays silent.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace finality::net {

class TestDnsServer {
 public:
  struct Name {
    std::vector<std::string> v4{};
    std::vector<std::string> v6{};
    std::uint32_t ttl = 60;  // seconds
    bool is_silent = false;
  };

  TestDnsServer() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}
  ~TestDnsServer() {
    thread_.request_stop();
    thread_.join();
    ::close(descriptor_);
  }

  /// ADDRESS:PORT, as in NameLookupOptions::servers.
  std::string place() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Sets the reply for a name. All other names get NXDOMAIN.
  void set(const std::string& host, Name name) {
    const std::lock_guard lock(mutex_);
    names_[host] = std::move(name);
  }
  /// The number of queries for A records of the name.
  int queries(const std::string& host) const {
    const std::lock_guard lock(mutex_);
    const auto found = queries_.find(host);
    return found == queries_.end() ? 0 : found->second;
  }
  /// Waits until a query for an A record of the name has arrived. Returns false after ten seconds.
  bool wait_for_query(const std::string& host) const {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, std::chrono::seconds(10), [&] { return queries_.contains(host); });
  }

 private:
  static constexpr std::size_t kHeadBytes = 12;
  static constexpr std::uint16_t kA = 1;
  static constexpr std::uint16_t kAaaa = 28;

  struct Question {
    std::string host;
    std::uint16_t type = 0;
    std::string_view bytes;  // in the query
  };

  static std::string big_endian(std::uint32_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift & 0xff));
    return text;
  }

  static Question question_of(std::string_view query) {
    Question question;
    std::size_t at = kHeadBytes;
    while (query[at] != 0) {
      const auto size = static_cast<std::size_t>(query[at]);
      if (!question.host.empty()) question.host += '.';
      question.host += query.substr(at + 1, size);
      at += size + 1;
    }
    question.type = static_cast<std::uint16_t>(static_cast<unsigned char>(query[at + 1]) << 8 |
                                               static_cast<unsigned char>(query[at + 2]));
    question.bytes = query.substr(kHeadBytes, at + 5 - kHeadBytes);
    return question;
  }

  static std::string record_of(std::uint16_t type, std::uint32_t ttl, const std::string& address) {
    std::string bytes(type == kA ? 4 : 16, '\0');
    ::inet_pton(type == kA ? AF_INET : AF_INET6, address.c_str(), bytes.data());
    const std::string name_of_question = "\xc0\x0c";
    return name_of_question + big_endian(type, 2) + big_endian(1, 2) + big_endian(ttl, 4) +
           big_endian(static_cast<std::uint32_t>(bytes.size()), 2) + bytes;
  }

  /// Returns the reply to the query; empty for silence.
  std::string reply_to(std::string_view query) {
    const Question question = question_of(query);
    const std::lock_guard lock(mutex_);
    if (question.type == kA) ++queries_[question.host];
    arrived_.notify_all();
    const auto found = names_.find(question.host);
    const bool exists = found != names_.end();
    if (exists && found->second.is_silent) return {};
    std::string records;
    std::uint32_t count = 0;
    if (exists && (question.type == kA || question.type == kAaaa)) {
      for (const std::string& address : question.type == kA ? found->second.v4 : found->second.v6) {
        records += record_of(question.type, found->second.ttl, address);
        ++count;
      }
    }
    const std::uint32_t flags = exists ? 0x8180 : 0x8183;  // a reply, recursion available; 3: NXDOMAIN
    return std::string(query.substr(0, 2)) + big_endian(flags, 2) + big_endian(1, 2) + big_endian(count, 2) +
           big_endian(0, 4) + std::string(question.bytes) + records;
  }

  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd polled{.fd = descriptor_, .events = POLLIN, .revents = 0};
      if (::poll(&polled, 1, 20) <= 0) continue;
      char buffer[1024];
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const auto received =
          ::recvfrom(descriptor_, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (received <= static_cast<ssize_t>(kHeadBytes)) continue;
      const std::string reply = reply_to({buffer, static_cast<std::size_t>(received)});
      if (!reply.empty())
        ::sendto(descriptor_, reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from), size);
    }
  }

  static int open() {
    const int descriptor = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (descriptor < 0 || ::bind(descriptor, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0)
      throw std::runtime_error("cannot open a name server");
    return descriptor;
  }

  static std::uint16_t port_of(int descriptor) {
    sockaddr_in place{};
    socklen_t size = sizeof place;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&place), &size);
    return ntohs(place.sin_port);
  }

  const int descriptor_ = open();
  const std::uint16_t port_ = port_of(descriptor_);
  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  std::map<std::string, Name> names_;
  std::map<std::string, int> queries_;
  std::jthread thread_;
};

}  // namespace finality::net
