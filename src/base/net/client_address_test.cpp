#include "base/net/client_address.h"

#include <gtest/gtest.h>

namespace finality::net {
namespace {

AddressBlocks blocks(const std::vector<std::string>& texts) {
  auto parsed = AddressBlocks::parse(texts);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *parsed;
}

bool has(const AddressBlocks& list, std::string_view literal) { return list.contains(parse_address(literal).value()); }

TEST(AddressBlocksTest, ContainAddressesAndNetworks) {
  const AddressBlocks list = blocks({"192.0.2.1", "10.0.0.0/8", "172.16.0.0/12", "2001:db8::/33", "::1"});
  for (const std::string_view inside :
       {"192.0.2.1", "::ffff:192.0.2.1", "10.255.0.1", "172.16.0.0", "172.31.255.255", "2001:db8:7fff::1", "::1"})
    EXPECT_TRUE(has(list, inside)) << inside;
  for (const std::string_view outside : {"192.0.2.2", "11.0.0.0", "172.32.0.0", "2001:db8:8000::1", "::2", "0.0.0.1"})
    EXPECT_FALSE(has(list, outside)) << outside;
  EXPECT_TRUE(has(blocks({"0.0.0.0/0"}), "198.51.100.7"));
  EXPECT_FALSE(has(blocks({"0.0.0.0/0"}), "2001:db8::1"));
  EXPECT_FALSE(has(blocks({}), "192.0.2.1"));
}

TEST(AddressBlocksTest, AnErrorNamesTheText) {
  for (const std::string text : {"", "proxy.example", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8x",
                                 "10.0.0.1/8", "::/129", "2001:db8::1/64", "[::1]", "fe80::1%eth0", "10.0.0.1:80"}) {
    const auto parsed = AddressBlocks::parse({"::1", text});
    ASSERT_FALSE(parsed) << text;
    EXPECT_TRUE(parsed.error().message.starts_with(text + " ")) << parsed.error().message;
  }
}

TEST(ClientNetworkTest, IsAnIpv4AddressOrANetworkOfIpv6) {
  EXPECT_EQ(to_text(client_network(*parse_address("192.0.2.7"))), "192.0.2.7");
  EXPECT_EQ(to_text(client_network(*parse_address("2001:db8:1:2:3:4:5:6"))), "2001:db8:1:2::");
}

struct Forwarding {
  std::string_view name;
  std::vector<std::string> fields;
  std::string_view client;
};

constexpr std::string_view kPeer = "10.0.0.1";

std::string client_of(const Forwarding& row) {
  Headers headers;
  headers.add("Host", "here");
  for (const std::string& value : row.fields) headers.add(std::string(row.name), value);
  return client_address(kPeer, headers, blocks({"10.0.0.0/8", "2001:db8:aaaa::/48"}));
}

TEST(ClientAddressTest, IsTheRightmostAddressThatIsNoTrustedProxy) {
  const std::vector<Forwarding> rows{
      {"X-Other", {"192.0.2.1"}, kPeer},
      {"X-Forwarded-For", {""}, kPeer},
      {"X-Forwarded-For", {"192.0.2.1"}, "192.0.2.1"},
      {"x-forwarded-for", {"192.0.2.1:1234"}, "192.0.2.1"},
      {"X-Forwarded-For", {"2001:DB8:0:0::1"}, "2001:db8::1"},
      {"X-Forwarded-For", {"[2001:db8::1]:443"}, "2001:db8::1"},
      {"X-Forwarded-For", {"::ffff:192.0.2.1"}, "192.0.2.1"},
      {"X-Forwarded-For", {"198.51.100.1, 192.0.2.1"}, "192.0.2.1"},
      {"X-Forwarded-For", {"192.0.2.1, 10.2.3.4,\t10.0.0.9"}, "192.0.2.1"},
      {"X-Forwarded-For", {"198.51.100.1", "192.0.2.1", "10.0.0.9"}, "192.0.2.1"},
      {"X-Forwarded-For", {"192.0.2.1, , 10.0.0.9,"}, "192.0.2.1"},
      {"X-Forwarded-For", {"10.0.0.7, 10.0.0.8"}, "10.0.0.7"},
      {"X-Forwarded-For", {"nonsense\", 192.0.2.1"}, "192.0.2.1"},
      {"Forwarded", {"for=192.0.2.1"}, "192.0.2.1"},
      {"forwarded", {"For=192.0.2.1;proto=https;by=10.0.0.1"}, "192.0.2.1"},
      {"Forwarded", {"proto=http; ;for=192.0.2.1;"}, "192.0.2.1"},
      {"Forwarded", {"host=\"a,b;for=1\";for=192.0.2.1"}, "192.0.2.1"},
      {"Forwarded", {"for=\"192.0.2.1:1234\""}, "192.0.2.1"},
      {"Forwarded", {"for=\"[2001:db8::1]\""}, "2001:db8::1"},
      {"Forwarded", {"for=\"[2001:db8::1]:443\""}, "2001:db8::1"},
      {"Forwarded", {"for=198.51.100.1, for=192.0.2.1, for=\"[2001:db8:aaaa::2]\""}, "192.0.2.1"},
      {"Forwarded", {"for=198.51.100.1", "for=192.0.2.1"}, "192.0.2.1"},
      {"Forwarded", {"for=\"broken, for=192.0.2.1"}, "192.0.2.1"},
      {"Forwarded", {"for=10.0.0.7"}, "10.0.0.7"},
  };
  for (const Forwarding& row : rows)
    EXPECT_EQ(client_of(row), row.client) << row.name << ": " << testing::PrintToString(row.fields);
}

TEST(ClientAddressTest, IsTheProxyIfAnEntryIsMalformed) {
  const std::vector<Forwarding> rows{
      {"X-Forwarded-For", {"unknown"}, kPeer},
      {"X-Forwarded-For", {"192.0.2.1, somewhere"}, kPeer},
      {"X-Forwarded-For", {"192.0.2.1, somewhere, 10.0.0.9"}, kPeer},
      {"X-Forwarded-For", {"192.0.2.1:port"}, kPeer},
      {"X-Forwarded-For", {"[192.0.2.1]"}, kPeer},
      {"X-Forwarded-For", {"[2001:db8::1"}, kPeer},
      {"X-Forwarded-For", {"[2001:db8::1]443"}, kPeer},
      {"X-Forwarded-For", {"fe80::1%eth0"}, kPeer},
      {"X-Forwarded-For", {"192.0.2.300"}, kPeer},
      {"Forwarded", {"for=unknown"}, kPeer},
      {"Forwarded", {"for=_hidden"}, kPeer},
      {"Forwarded", {"proto=https"}, kPeer},
      {"Forwarded", {"192.0.2.1"}, kPeer},
      {"Forwarded", {"for=192.0.2.1;for=192.0.2.2"}, kPeer},
      {"Forwarded", {"for=\"2001:db8::1\""}, kPeer},
      {"Forwarded", {"for=[2001:db8::1]"}, kPeer},
      {"Forwarded", {"for=192.0.2.1:80"}, kPeer},
      {"Forwarded", {"for=192.0.2.1, for="}, kPeer},
  };
  for (const Forwarding& row : rows)
    EXPECT_EQ(client_of(row), row.client) << row.name << ": " << testing::PrintToString(row.fields);
}

TEST(ClientAddressTest, NumbersClients) {
  EXPECT_EQ(client_number("192.0.2.1"), client_number("::ffff:192.0.2.1"));
  EXPECT_NE(client_number("192.0.2.1"), client_number("192.0.2.2"));
  EXPECT_EQ(client_number("2001:db8:1:2::1"), client_number("2001:db8:1:2:3:4:5:6"));
  EXPECT_NE(client_number("2001:db8:1:2::1"), client_number("2001:db8:1:3::1"));
  EXPECT_NE(client_number("192.0.2.1"), client_number("::1"));
  EXPECT_EQ(client_number(""), std::nullopt);
  EXPECT_EQ(client_number("unknown"), std::nullopt);
}

TEST(ClientAddressTest, TrustsNeitherFieldIfBothArePresent) {
  for (const std::string own : {"for=192.0.2.1", ""}) {
    Headers headers;
    headers.add("X-Forwarded-For", "198.51.100.1");
    headers.add("Forwarded", own);
    EXPECT_EQ(client_address(kPeer, headers, blocks({"10.0.0.0/8"})), kPeer) << own;
  }
}

}  // namespace
}  // namespace finality::net
