// Blocking sockets for tests that control every byte of a connection. Every read fails after ten seconds, so that a
// failing test ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace finality::net {

class TestSocket {
 public:
  explicit TestSocket(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) throw std::runtime_error("no socket");
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  TestSocket(TestSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), received_(std::move(other.received_)) {}
  ~TestSocket() { close(); }

  /// `host` is the last number of the client's address 127.0.0.x.
  static TestSocket connect(std::uint16_t port, std::uint32_t host = 1) {
    TestSocket socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in source = loopback(0);
    source.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
    if (::bind(socket.descriptor_, reinterpret_cast<const sockaddr*>(&source), sizeof source) != 0)
      throw std::runtime_error("cannot bind");
    const sockaddr_in place = loopback(port);
    if (::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
      throw std::runtime_error("cannot connect");
    }
    return socket;
  }

  static TestSocket listen(int backlog = 16) {
    TestSocket socket(::socket(AF_INET, SOCK_STREAM, 0));
    const sockaddr_in place = loopback(0);
    if (::bind(socket.descriptor_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
        ::listen(socket.descriptor_, backlog) != 0) {
      throw std::runtime_error("cannot listen");
    }
    return socket;
  }

  std::uint16_t port() const {
    sockaddr_in place{};
    socklen_t size = sizeof place;
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&place), &size);
    return ntohs(place.sin_port);
  }

  TestSocket accept() { return TestSocket(::accept(descriptor_, nullptr, nullptr)); }

  /// Returns false if the other side no longer accepts data.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const auto sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void end_sending() { ::shutdown(descriptor_, SHUT_WR); }

  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  /// Closes the socket with a TCP reset.
  void reset() {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }

  /// Reads up to and including `end`; returns everything up to the end of the stream if `end` does not occur.
  std::string read_until(std::string_view end) {
    while (received_.find(end) == std::string::npos && receive()) {
    }
    const std::size_t found = received_.find(end);
    return cut(found == std::string::npos ? received_.size() : found + end.size());
  }

  std::string read_bytes(std::size_t count) {
    while (received_.size() < count && receive()) {
    }
    return cut(std::min(count, received_.size()));
  }

  /// Reads a response with Content-Length, head and body in one text. A response to HEAD has no body.
  std::string read_response(bool head_only = false) {
    std::string response = read_until("\r\n\r\n");
    const std::size_t length = response.find("Content-Length: ");
    if (head_only || length == std::string::npos) return response;
    return response += read_bytes(static_cast<std::size_t>(std::atoll(response.c_str() + length + 16)));
  }

  /// Reads everything up to the end of the stream.
  std::string read_to_end() {
    while (receive()) {
    }
    return cut(received_.size());
  }

  /// True if the stream ended without an error and everything has been read.
  bool at_end() { return received_.empty() && !receive() && last_ == 0; }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return place;
  }

  bool receive() {
    char buffer[16 << 10];
    last_ = ::recv(descriptor_, buffer, sizeof buffer, 0);
    if (last_ <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(last_));
    return true;
  }

  std::string cut(std::size_t count) {
    std::string front = received_.substr(0, count);
    received_.erase(0, count);
    return front;
  }

  int descriptor_;
  std::string received_;
  ssize_t last_ = 0;
};

}  // namespace finality::net
