// Addresses of clients: blocks of addresses, and the client of a request that trusted proxies have forwarded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_message.h"
#include "base/result.h"

namespace finality::net {

/// An IPv6 address, or an IPv4 address in its IPv4-mapped form (RFC 4291 §2.5.5.2).
using AddressBytes = std::array<std::uint8_t, 16>;

/// Parses an IPv4 or IPv6 literal without brackets, port and zone identifier; empty if the text is not one.
std::optional<AddressBytes> parse_address(std::string_view literal);
/// The literal of an address; an IPv4-mapped address as IPv4.
std::string to_text(const AddressBytes& address);
/// The addresses that count as one client: an IPv4 address, or the /64 network of an IPv6 address, in which one client
/// can choose its address.
AddressBytes client_network(const AddressBytes& address);
/// A number for client_network() of an address, the same for the same client; less than 2^63 for routable addresses.
/// Empty if `literal` is not an address.
std::optional<std::uint64_t> client_number(std::string_view literal);

/// A list of addresses and networks. Immutable, thus thread safe.
class AddressBlocks {
 public:
  /// Each text is an address or a network in CIDR notation ("10.0.0.0/8", "2001:db8::/32"). The error names the text.
  static Result<AddressBlocks> parse(const std::vector<std::string>& texts);

  bool contains(const AddressBytes& address) const;
  bool empty() const { return blocks_.empty(); }

 private:
  struct Block {
    AddressBytes address;
    int bits;
  };
  static Result<Block> parse_block(const std::string& text);

  std::vector<Block> blocks_;
};

/// The client of a request that the trusted proxy `peer` has forwarded: the rightmost address in `Forwarded` (RFC 7239,
/// parameter `for`), or in `X-Forwarded-For`, that is not in `proxies`; the leftmost address if all are. Returns `peer`
/// if both fields are missing or both are present, or if an entry that is read is not an address. Does not read the
/// entries left of the client: the client can write them.
std::string client_address(std::string_view peer, const Headers& headers, const AddressBlocks& proxies);

}  // namespace finality::net
