// Address blocks that are not on the public internet: the IANA special-purpose registries (RFC 6890 and its updates).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/asio/ip/address.hpp>

#include "base/net/http_client.h"

namespace finality::net {
namespace {

namespace ip = boost::asio::ip;

struct Block4 {
  std::uint32_t address;
  int bits;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr Block4 kNotPublic4[] = {
    {v4(0, 0, 0, 0), 8},         // this network
    {v4(10, 0, 0, 0), 8},        // private
    {v4(100, 64, 0, 0), 10},     // carrier-grade NAT; contains Alibaba Cloud's metadata service (100.100.100.200)
    {v4(127, 0, 0, 0), 8},       // loopback
    {v4(168, 63, 129, 16), 32},  // Azure's host agent, in an otherwise public block
    {v4(169, 254, 0, 0), 16},    // link-local; contains the metadata service of most clouds (169.254.169.254)
    {v4(172, 16, 0, 0), 12},     // private
    {v4(192, 0, 0, 0), 24},      // protocol assignments
    {v4(192, 0, 2, 0), 24},      // documentation
    {v4(192, 88, 99, 0), 24},    // 6to4 relays, withdrawn
    {v4(192, 168, 0, 0), 16},    // private
    {v4(198, 18, 0, 0), 15},     // benchmarks
    {v4(198, 51, 100, 0), 24},   // documentation
    {v4(203, 0, 113, 0), 24},    // documentation
    {v4(224, 0, 0, 0), 4},       // multicast
    {v4(240, 0, 0, 0), 4},       // reserved, broadcast
};

bool is_public(std::uint32_t address) {
  for (const Block4& block : kNotPublic4) {
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - block.bits);
    if ((address & mask) == block.address) return false;
  }
  return true;
}

using Bytes6 = ip::address_v6::bytes_type;

struct Block6 {
  std::array<std::uint8_t, 8> address;  // no block in this table is longer than 64 bits
  int bits;
};

constexpr Block6 kNotPublic6[] = {
    {{0x20, 0x01, 0x00, 0x01}, 32},  // protocol assignments: anycast (PCP, TURN)
    {{0x20, 0x01, 0x00, 0x02}, 48},  // benchmarks
    {{0x20, 0x01, 0x00, 0x10}, 28},  // ORCHID
    {{0x20, 0x01, 0x00, 0x20}, 28},  // ORCHIDv2
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x3f, 0xff}, 20},              // documentation
};

bool within(const Bytes6& address, const Block6& block) {
  for (int bit = 0; bit < block.bits; ++bit) {
    const std::size_t byte = static_cast<std::size_t>(bit) / 8;
    const int mask = 0x80 >> (bit % 8);
    if ((address[byte] & mask) != (block.address[byte] & mask)) return false;
  }
  return true;
}

std::uint32_t v4_at(const Bytes6& bytes, std::size_t at) {
  return v4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

template <std::size_t N>
bool starts_with(const Bytes6& bytes, const std::array<std::uint8_t, N>& prefix, std::size_t at = 0) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

bool is_public(const Bytes6& bytes) {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  constexpr std::array<std::uint8_t, 12> kNat64{0, 0x64, 0xff, 0x9b};
  constexpr std::array<std::uint8_t, 4> kTeredo{0x20, 0x01, 0, 0};
  constexpr std::array<std::uint8_t, 2> k6to4{0x20, 0x02};
  constexpr std::array<std::uint8_t, 3> kIsatap{0, 0x5e, 0xfe};
  if (starts_with(bytes, kMapped) || starts_with(bytes, kNat64)) return is_public(v4_at(bytes, 12));
  // All public unicast addresses are in 2000::/3. All other addresses are loopback, local, multicast or unassigned.
  if ((bytes[0] & 0xe0) != 0x20) return false;
  for (const Block6& block : kNotPublic6) {
    if (within(bytes, block)) return false;
  }
  if (starts_with(bytes, k6to4)) return is_public(v4_at(bytes, 2));
  // A Teredo address contains the server's IPv4 address unchanged and the client's inverted.
  if (starts_with(bytes, kTeredo)) return is_public(v4_at(bytes, 4)) && is_public(~v4_at(bytes, 12));
  if ((bytes[8] & 0xfd) == 0 && starts_with(bytes, kIsatap, 9)) return is_public(v4_at(bytes, 12));
  return true;
}

}  // namespace

bool is_loopback_host(const std::string& host) {
  boost::system::error_code invalid;
  const ip::address address = ip::make_address(host, invalid);
  if (!invalid) return address.is_loopback();
  return equals_ignoring_case(host.ends_with('.') ? host.substr(0, host.size() - 1) : host, "localhost");
}

bool is_public_address(const std::string& literal) {
  boost::system::error_code error;
  const ip::address address = ip::make_address(literal, error);
  if (error) return false;
  if (address.is_v4()) return is_public(address.to_v4().to_uint());
  // An address with a zone identifier (fe80::1%eth0) is reachable only on a link of this machine.
  return literal.find('%') == std::string::npos && is_public(address.to_v6().to_bytes());
}

}  // namespace finality::net
