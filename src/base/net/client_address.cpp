#include "base/net/client_address.h"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

#include <boost/asio/ip/address.hpp>

namespace finality::net {
namespace {

namespace ip = boost::asio::ip;

constexpr int kAddressBits = 128;
constexpr int kMappedBits = 96;  // of the prefix of an IPv4-mapped address
constexpr int kNetworkBits = 64;
constexpr int kByteBits = 8;

/// True if two addresses are equal in their first `bits` bits.
bool equal_bits(const AddressBytes& left, const AddressBytes& right, int bits) {
  const auto bytes = static_cast<std::ptrdiff_t>(bits / kByteBits);
  if (!std::equal(left.begin(), left.begin() + bytes, right.begin())) return false;
  const int rest = bits % kByteBits;
  if (rest == 0) return true;
  const auto at = static_cast<std::size_t>(bytes);
  return (left[at] ^ right[at]) >> (kByteBits - rest) == 0;
}

bool is_mapped(const AddressBytes& address) {
  constexpr AddressBytes kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return equal_bits(address, kMapped, kMappedBits);
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

bool is_port(std::string_view text) {
  constexpr std::size_t kPortDigitsMax = 5;
  return !text.empty() && text.size() <= kPortDigitsMax && text.find_first_not_of("0123456789") == text.npos;
}

/// Takes the last part from `text`, up to the `separator` before it. A separator inside quotes does not count.
std::string_view take_last(std::string_view& text, char separator) {
  bool quoted = false;
  std::size_t start = text.size();
  while (start > 0 && (quoted || text[start - 1] != separator)) {
    if (text[start - 1] == '"') quoted = !quoted;
    --start;
  }
  const std::string_view last = text.substr(start);
  text = text.substr(0, start == 0 ? 0 : start - 1);
  return trim(last);
}

/// Parses an address with an optional port: "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:80". An IPv6
/// address without brackets is valid only if `bare_v6` is true.
std::optional<AddressBytes> parse_node(std::string_view node, bool bare_v6) {
  if (node.starts_with('[')) {
    const std::size_t end = node.find(']');
    if (end == node.npos) return std::nullopt;
    const std::string_view rest = node.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
    const std::string_view literal = node.substr(1, end - 1);
    return literal.contains(':') ? parse_address(literal) : std::nullopt;
  }
  const std::size_t colon = node.find(':');
  if (colon != node.npos && node.find(':', colon + 1) != node.npos) return bare_v6 ? parse_address(node) : std::nullopt;
  if (colon != node.npos && !is_port(node.substr(colon + 1))) return std::nullopt;
  return parse_address(node.substr(0, colon));
}

/// Parses the parameter `for` of an element of Forwarded (RFC 7239 §4); empty if it is missing, occurs twice or is not
/// an address.
std::optional<AddressBytes> parse_forwarded(std::string_view element) {
  std::optional<AddressBytes> found;
  while (!element.empty()) {
    const std::string_view pair = take_last(element, ';');
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    if (equals == pair.npos) return std::nullopt;
    if (!equals_ignoring_case(pair.substr(0, equals), "for")) continue;
    if (found) return std::nullopt;
    std::string_view value = pair.substr(equals + 1);
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
      value = value.substr(1, value.size() - 2);
    else if (value.contains(':'))
      return std::nullopt;  // not a token: an address with a colon must be quoted
    found = parse_node(value, false);
    if (!found) return std::nullopt;
  }
  return found;
}

std::optional<AddressBytes> parse_forwarded_for(std::string_view element) { return parse_node(element, true); }

struct ForwardingField {
  std::string_view name;
  std::optional<AddressBytes> (*parse)(std::string_view element);
};
constexpr ForwardingField kForwardingFields[] = {{"Forwarded", parse_forwarded},
                                                 {"X-Forwarded-For", parse_forwarded_for}};

bool has_field(const Headers& headers, std::string_view name) {
  return std::ranges::any_of(headers.fields(),
                             [&](const auto& field) { return equals_ignoring_case(field.first, name); });
}

}  // namespace

std::optional<AddressBytes> parse_address(std::string_view literal) {
  if (literal.contains('%')) return std::nullopt;
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(literal), error);
  if (error) return std::nullopt;
  if (address.is_v4()) return ip::make_address_v6(ip::v4_mapped, address.to_v4()).to_bytes();
  return address.to_v6().to_bytes();
}

std::string to_text(const AddressBytes& address) {
  const ip::address_v6 v6(address);
  return is_mapped(address) ? ip::make_address_v4(ip::v4_mapped, v6).to_string() : v6.to_string();
}

AddressBytes client_network(const AddressBytes& address) {
  if (is_mapped(address)) return address;
  AddressBytes network{};
  std::copy_n(address.begin(), kNetworkBits / kByteBits, network.begin());
  return network;
}

std::optional<std::uint64_t> client_number(std::string_view literal) {
  const std::optional<AddressBytes> address = parse_address(literal);
  if (!address) return std::nullopt;
  const AddressBytes network = client_network(*address);
  // Only the second half of an IPv4-mapped address is not 0, and only the first half of an IPv6 network.
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < network.size(); ++i)
    number ^= std::uint64_t{network[i]} << (kNetworkBits - kByteBits * (1 + i % sizeof number));
  return number;
}

Result<AddressBlocks::Block> AddressBlocks::parse_block(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto address = parse_address(std::string_view(text).substr(0, slash));
  if (!address) return fail(text + " is not an IPv4 or IPv6 address or network");
  Block block{*address, kAddressBits};
  if (slash == std::string::npos) return block;
  const int prefix = text.contains(':') ? 0 : kMappedBits;
  const char* const end = text.data() + text.size();
  int bits = 0;
  const auto parsed = std::from_chars(text.data() + slash + 1, end, bits);
  if (parsed.ec != std::errc() || parsed.ptr != end || bits < 0 || bits > kAddressBits - prefix)
    return fail(text + " has an invalid prefix length");
  block.bits = prefix + bits;
  for (int bit = block.bits; bit < kAddressBits; ++bit) {
    if (block.address[static_cast<std::size_t>(bit / kByteBits)] & (0x80 >> bit % kByteBits))
      return fail(text + " has bits set after its prefix length");
  }
  return block;
}

Result<AddressBlocks> AddressBlocks::parse(const std::vector<std::string>& texts) {
  AddressBlocks blocks;
  for (const std::string& text : texts) {
    const auto block = parse_block(text);
    if (!block) return std::unexpected(block.error());
    blocks.blocks_.push_back(*block);
  }
  return blocks;
}

bool AddressBlocks::contains(const AddressBytes& address) const {
  return std::ranges::any_of(blocks_,
                             [&](const Block& block) { return equal_bits(block.address, address, block.bits); });
}

std::string client_address(std::string_view peer, const Headers& headers, const AddressBlocks& proxies) {
  const ForwardingField* field = nullptr;
  for (const ForwardingField& known : kForwardingFields) {
    if (!has_field(headers, known.name)) continue;
    // A proxy sets one of the fields. The other one can come from the client, so neither is trusted.
    if (field != nullptr) return std::string(peer);
    field = &known;
  }
  if (field == nullptr) return std::string(peer);
  std::optional<AddressBytes> leftmost;
  for (const auto& [name, value] : std::views::reverse(headers.fields())) {
    if (!equals_ignoring_case(name, field->name)) continue;
    for (std::string_view rest = value; !rest.empty();) {
      const std::string_view element = take_last(rest, ',');
      if (element.empty()) continue;  // lists can have empty elements (RFC 9110 §5.6.1)
      const auto address = field->parse(element);
      if (!address) return std::string(peer);
      if (!proxies.contains(*address)) return to_text(*address);
      leftmost = address;
    }
  }
  return leftmost ? to_text(*leftmost) : std::string(peer);
}

}  // namespace finality::net
