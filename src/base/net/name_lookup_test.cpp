#include "base/net/name_lookup.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/net/http_client.h"
#include "base/net/test_dns_server.h"

namespace finality::net {
namespace {

using namespace std::chrono_literals;
using Addresses = std::vector<std::string>;

constexpr std::int64_t kOwner = 7;
constexpr std::int64_t kOther = 8;
constexpr Duration kShort{300};  // less than the first wait for a reply

class NameLookupTest : public testing::Test {
 protected:
  NameLookupTest() { server_.set("silent.test", {.is_silent = true}); }

  std::future<LookupResult> start(const std::string& host, std::optional<std::int64_t> owner = std::nullopt) {
    const auto promise = std::make_shared<std::promise<LookupResult>>();
    lookup_->look_up(owner, host, [promise](LookupResult result) { promise->set_value(std::move(result)); });
    return promise->get_future();
  }
  LookupResult look_up(const std::string& host, std::optional<std::int64_t> owner = std::nullopt) {
    return start(host, owner).get();
  }
  void limit_time(Duration timeout) {
    lookup_ = std::make_unique<NameLookup>(NameLookupOptions{.servers = server_.place(), .timeout = timeout});
  }
  // Starts look-ups of `count` names without a reply. The names are "<first>.silent.test" and following.
  std::vector<std::future<LookupResult>> start_silent(std::size_t first, std::size_t count, std::int64_t owner) {
    std::vector<std::future<LookupResult>> started;
    for (std::size_t i = first; i < first + count; ++i) {
      const std::string host = std::to_string(i) + ".silent.test";
      server_.set(host, {.is_silent = true});
      started.push_back(start(host, owner));
    }
    return started;
  }
  static bool is_ready(const std::future<LookupResult>& result) {
    return result.wait_for(0s) == std::future_status::ready;
  }

  TestDnsServer server_;
  std::unique_ptr<NameLookup> lookup_ = std::make_unique<NameLookup>(NameLookupOptions{.servers = server_.place()});
};

TEST_F(NameLookupTest, ReturnsTheAddressesOfAName) {
  server_.set("shop.test", {.v4 = {"8.8.8.8", "8.8.4.4"}});
  server_.set("six.test", {.v6 = {"2001:4860:4860::8888"}});
  Addresses found = look_up("shop.test").addresses;
  std::ranges::sort(found);
  EXPECT_EQ(found, (Addresses{"8.8.4.4", "8.8.8.8"}));
  EXPECT_EQ(look_up("six.test").addresses, Addresses{"2001:4860:4860::8888"});
}

TEST_F(NameLookupTest, ReturnsTheAddressesOfBothFamilies) {
  server_.set("both.test", {.v4 = {"8.8.8.8"}, .v6 = {"2001:4860:4860::8888"}});
  Addresses found = look_up("both.test").addresses;
  std::ranges::sort(found);
  EXPECT_EQ(found, (Addresses{"2001:4860:4860::8888", "8.8.8.8"}));
}

TEST_F(NameLookupTest, ReadsTheHostsFileWithoutAQuery) {
  server_.set("localhost", {.v4 = {"8.8.8.8"}});
  for (const char* host : {"localhost", "LOCALHOST", "localhost.", "LocalHost."}) {
    const LookupResult result = look_up(host);
    EXPECT_FALSE(result.addresses.empty()) << host << ": " << result.failure;
    for (const std::string& address : result.addresses) EXPECT_TRUE(is_loopback_host(address)) << address;
  }
  EXPECT_EQ(server_.queries("localhost"), 0);
}

TEST_F(NameLookupTest, ReportsNamesThatDoNotExistOrHaveNoAddress) {
  server_.set("empty.test", {});
  for (const char* host : {"unknown.test", "empty.test", "a..test"}) {
    const LookupResult result = look_up(host);
    EXPECT_TRUE(result.addresses.empty()) << host;
    EXPECT_FALSE(result.failure.empty()) << host;
    EXPECT_FALSE(result.over_limit) << host;
  }
}

TEST_F(NameLookupTest, EndsALookUpWithoutAReplyAtItsTimeLimit) {
  limit_time(kShort);
  const LookupResult result = look_up("silent.test");
  EXPECT_TRUE(result.addresses.empty());
  EXPECT_EQ(result.failure, "no reply from a name server within 300 ms");
}

TEST_F(NameLookupTest, ALookUpWithoutAReplyDelaysNoOther) {
  server_.set("shop.test", {.v4 = {"8.8.8.8"}});
  std::vector<std::future<LookupResult>> silent = start_silent(0, limits::kLookupsPerMerchantMax, kOwner);
  EXPECT_EQ(look_up("shop.test", kOther).addresses, Addresses{"8.8.8.8"});
  EXPECT_EQ(look_up("shop.test").addresses, Addresses{"8.8.8.8"});
  for (const auto& each : silent) EXPECT_FALSE(is_ready(each));
}

TEST_F(NameLookupTest, LimitsTheLookUpsOfAThirdParty) {
  server_.set("shop.test", {.v4 = {"8.8.8.8"}});
  std::vector<std::future<LookupResult>> silent = start_silent(0, limits::kLookupsPerMerchantMax, kOwner);
  const LookupResult refused = look_up("shop.test", kOwner);
  EXPECT_TRUE(refused.over_limit);
  EXPECT_EQ(refused.failure, "too many look-ups of host names in progress");
  EXPECT_EQ(server_.queries("shop.test"), 0);
  EXPECT_EQ(look_up("shop.test", kOther).addresses, Addresses{"8.8.8.8"});
  for (const auto& each : silent) EXPECT_FALSE(is_ready(each));
}

TEST_F(NameLookupTest, EndedLookUpsLeaveRoomForOthers) {
  limit_time(kShort);
  server_.set("shop.test", {.v4 = {"8.8.8.8"}});
  for (auto& each : start_silent(0, limits::kLookupsPerMerchantMax, kOwner)) each.wait();
  EXPECT_EQ(look_up("shop.test", kOwner).addresses, Addresses{"8.8.8.8"});
}

TEST_F(NameLookupTest, LimitsTheLookUpsOfAllThirdPartiesButNotThoseOfTheOperator) {
  std::vector<std::vector<std::future<LookupResult>>> silent;
  constexpr std::size_t kParties = limits::kForeignLookupsMax / limits::kLookupsPerMerchantMax + 5;
  for (std::size_t party = 0; party < kParties; ++party)
    silent.push_back(start_silent(party * limits::kLookupsPerMerchantMax, limits::kLookupsPerMerchantMax,
                                  static_cast<std::int64_t>(party)));
  server_.set("shop.test", {.v4 = {"8.8.8.8"}});
  EXPECT_TRUE(look_up("shop.test", kParties).over_limit);
  EXPECT_EQ(look_up("shop.test").addresses, Addresses{"8.8.8.8"});
  for (const auto& each : silent.front()) EXPECT_FALSE(is_ready(each));
}

TEST_F(NameLookupTest, ConcurrentLookUpsOfOneNameShareAQuery) {
  limit_time(kShort);
  std::vector<std::future<LookupResult>> started;
  for (std::size_t i = 0; i < 4 * limits::kLookupsPerMerchantMax; ++i) started.push_back(start("silent.test", kOwner));
  for (auto& each : started) EXPECT_FALSE(each.get().over_limit);
  EXPECT_EQ(server_.queries("silent.test"), 1);
}

TEST_F(NameLookupTest, RemembersAFailureOnlyOfNamesThatThirdPartiesChose) {
  limit_time(kShort);
  const std::string failure = look_up("silent.test", kOwner).failure;
  server_.set("silent.test", {.v4 = {"8.8.8.8"}});
  EXPECT_EQ(look_up("silent.test", kOther).failure, failure);
  EXPECT_EQ(server_.queries("silent.test"), 1);
  EXPECT_EQ(look_up("silent.test").addresses, Addresses{"8.8.8.8"});

  EXPECT_FALSE(look_up("unknown.test").failure.empty());
  server_.set("unknown.test", {.v4 = {"8.8.4.4"}});
  EXPECT_EQ(look_up("unknown.test").addresses, Addresses{"8.8.4.4"});
}

TEST_F(NameLookupTest, RemembersAddressesUnlessTheirTimeToLiveIsShort) {
  server_.set("stable.test", {.v4 = {"8.8.8.8"}});
  server_.set("changing.test", {.v4 = {"8.8.8.8"}, .ttl = 1});
  for (int i = 0; i < 3; ++i) {
    look_up("stable.test", kOwner);
    look_up("changing.test", kOwner);
  }
  EXPECT_EQ(server_.queries("stable.test"), 1);
  EXPECT_EQ(server_.queries("changing.test"), 3);
}

TEST_F(NameLookupTest, ShutdownFailsLookUpsInFlightWithoutWaiting) {
  const auto started_at = std::chrono::steady_clock::now();
  std::future<LookupResult> foreign = start("silent.test", kOwner);
  std::future<LookupResult> own = start("silent.test");
  ASSERT_TRUE(server_.wait_for_query("silent.test"));
  lookup_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - started_at, limits::kLookupTimeMax);
  EXPECT_EQ(foreign.get().failure, "the client has been closed");
  EXPECT_EQ(own.get().failure, "the client has been closed");
}

TEST(NameServers, AreAddressesWithOptionalPorts) {
  for (const char* text :
       {"127.0.0.1", "127.0.0.1:5353", "::1", "[::1]:53", "127.0.0.1:1", "127.0.0.1:65535", "127.0.0.1:53,[::1]:53"})
    EXPECT_TRUE(are_name_servers(text)) << text;
  for (const char* text :
       {"", "localhost", "127.0.0.1:x", "dns.example:53", "dns.example,127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536",
        "127.0.0.1:99999", "[::1]:99999", "[::1]:0", "127.0.0.1:-1", "127.0.0.1:", "::1,127.0.0.1:99999"})
    EXPECT_FALSE(are_name_servers(text)) << text;
}

}  // namespace
}  // namespace finality::net
