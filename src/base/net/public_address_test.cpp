#include <gtest/gtest.h>

#include "base/net/http_client.h"

namespace finality::net {
namespace {

TEST(PublicAddressTest, AcceptsAddressesOfThePublicInternet) {
  for (const char* address : {
           "1.1.1.1",
           "8.8.8.8",
           "9.255.255.255",
           "11.0.0.0",
           "100.63.255.255",
           "100.128.0.0",
           "126.255.255.255",
           "128.0.0.1",
           "168.63.129.15",
           "169.253.255.255",
           "169.255.0.0",
           "172.15.255.255",
           "172.32.0.0",
           "192.0.1.1",
           "192.167.255.255",
           "192.169.0.0",
           "198.17.255.255",
           "198.20.0.0",
           "223.255.255.255",
           "2001:4860:4860::8888",
           "2606:4700:4700::1111",
           "2400:3200::1",
           "::ffff:8.8.8.8",
           "64:ff9b::8.8.8.8",
           "2002:808:808::1",
           "2001:0:808:808::f7f7:f7f7",
       }) {
    EXPECT_TRUE(is_public_address(address)) << address;
  }
}

TEST(PublicAddressTest, RejectsEveryOtherAddress) {
  for (const char* address : {
           // IPv4, first and last address of each block
           "0.0.0.0",
           "0.255.255.255",
           "10.0.0.0",
           "10.255.255.255",
           "100.64.0.0",
           "100.100.100.200",
           "100.127.255.255",
           "127.0.0.1",
           "127.255.255.255",
           "168.63.129.16",
           "169.254.0.0",
           "169.254.169.254",
           "169.254.255.255",
           "172.16.0.0",
           "172.31.255.255",
           "192.0.0.0",
           "192.0.0.192",
           "192.0.2.1",
           "192.88.99.1",
           "192.168.0.0",
           "192.168.255.255",
           "198.18.0.0",
           "198.19.255.255",
           "198.51.100.7",
           "203.0.113.7",
           "224.0.0.1",
           "239.255.255.255",
           "240.0.0.1",
           "255.255.255.255",
           // IPv6
           "::",
           "::1",
           "::2",
           "::7f00:1",
           "100::1",
           "fc00::1",
           "fd00:ec2::254",
           "fdff:ffff::1",
           "fe80::1",
           "febf::1",
           "fec0::1",
           "ff02::1",
           "ff0e::1",
           "2001:db8::1",
           "2001:2::1",
           "2001:10::1",
           "2001:1f:ffff::1",
           "2001:20::1",
           "2001:2f:ffff::1",
           "2001:1::1",
           "3fff::1",
           "3fff:fff::1",
           "4000::1",
           "5f00::1",
           "::127.0.0.1",
           // IPv6 addresses that embed a non-public IPv4 address
           "::ffff:127.0.0.1",
           "::ffff:10.0.0.1",
           "::ffff:a9fe:a9fe",
           "::ffff:0:127.0.0.1",
           "64:ff9b::127.0.0.1",
           "64:ff9b::a9fe:a9fe",
           "64:ff9b:1::8.8.8.8",
           "2002:7f00:1::1",
           "2002:c0a8:101::1",
           "2002:a9fe:a9fe::1",
           "2001:0:7f00:1::f7f7:f7f7",
           "2001:0:808:808::80ff:fffe",
           "2001:0:808:808::5601:5601",
           "2606:4700::5efe:10.0.0.1",
           "2606:4700::200:5efe:192.168.1.1",
           // not IP addresses
           "",
           "localhost",
           "0x7f.1",
           "2130706433",
           "127.1",
           "0177.0.0.1",
           "1.1.1.1 ",
           "1.1.1",
           "[2606:4700::1]",
           "2606:4700::1%eth0",
           "fe80::1%lo",
       }) {
    EXPECT_FALSE(is_public_address(address)) << address;
  }
}

TEST(LoopbackHost, IsLocalhostInAnyNotationOrALoopbackAddress) {
  for (const char* host : {"localhost", "LOCALHOST", "localhost.", "LocalHost.", "127.0.0.1", "127.9.9.9", "::1"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (const char* host : {"", ".", "localhost..", ".localhost", "localhost.example", "localhos", "mylocalhost",
                           "0.0.0.0", "127.0.0.1.", "::", "10.0.0.1"})
    EXPECT_FALSE(is_loopback_host(host)) << host;
}

}  // namespace
}  // namespace finality::net
