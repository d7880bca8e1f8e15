#include "model/usable_channels.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

using Names = std::vector<std::string_view>;

constexpr MerchantId kTea{7};
constexpr MerchantId kBooks{8};
constexpr MerchantId kToys{9};

void add(Policy& policy, const std::string& name, const std::string& kind, const std::vector<MerchantId>& merchants,
         ChannelAccountState state = ChannelAccountState::enabled) {
  policy.channels[name] = {.methods = {"native"}};
  ChannelAccount account{.channel = name, .kind = kind, .state = state};
  for (const MerchantId merchant : merchants)
    account.merchants += (account.merchants.empty() ? "" : " ") + to_text(merchant);
  policy.accounts[name] = account;
}

// `wechatpay` is both the name of a channel and a kind. wechat-all serves all merchants; wechat-tea and wechat-books
// serve one merchant each.
Policy two_kinds() {
  Policy policy;
  policy.channels.clear();
  add(policy, "alipay", "alipay", {});
  add(policy, "wechat-all", "wechatpay", {});
  add(policy, "wechat-books", "wechatpay", {kBooks});
  add(policy, "wechat-off", "wechatpay", {kTea}, ChannelAccountState::disabled);
  add(policy, "wechat-tea", "wechatpay", {kTea});
  return policy;
}

TEST(ChannelsFor, ResolvesANameOrAKind) {
  const Policy policy = two_kinds();
  const struct {
    MerchantId merchant;
    std::string_view name_or_kind;
    Names expected;
  } rows[] = {
      {kTea, "alipay", {"alipay"}},
      {kTea, "wechat-tea", {"wechat-tea"}},
      {kTea, "wechat-all", {"wechat-all"}},
      {kTea, "wechat-books", {}},
      {kTea, "wechat-off", {}},
      {kTea, "wechatpay", {"wechat-tea", "wechat-all"}},
      {kBooks, "wechatpay", {"wechat-books", "wechat-all"}},
      {kToys, "wechatpay", {"wechat-all"}},
      {kTea, "stripe", {}},
      {kTea, "", {}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(channels_for(policy, row.merchant, row.name_or_kind), row.expected)
        << to_text(row.merchant) << ' ' << row.name_or_kind;
}

TEST(ChannelsFor, PrefersTheNameOverTheKind) {
  Policy policy = two_kinds();
  add(policy, "wechatpay", "wechatpay", {kBooks});
  EXPECT_EQ(channels_for(policy, kBooks, "wechatpay"), Names{"wechatpay"});
  EXPECT_EQ(channels_for(policy, kTea, "wechatpay"), (Names{"wechat-tea", "wechat-all"}));
  policy.accounts["wechatpay"].state = ChannelAccountState::disabled;
  EXPECT_EQ(channels_for(policy, kBooks, "wechatpay"), (Names{"wechat-books", "wechat-all"}));
}

TEST(ChannelsFor, ExcludesChannelsThatAreNoLongerConfigured) {
  Policy policy = two_kinds();
  policy.channels.erase("wechat-tea");
  EXPECT_EQ(channels_for(policy, kTea, "wechatpay"), Names{"wechat-all"});
  EXPECT_EQ(channels_for(policy, kTea, "wechat-tea"), Names{});
  EXPECT_EQ(kind_of(policy, "wechat-tea"), "wechatpay") << "its payments keep their kind";
}

TEST(ChannelsFor, SelectsTheWalletOnlyByItsName) {
  Policy policy;
  policy.accounts["wallet"] = {.channel = "wallet", .kind = "internal"};
  EXPECT_EQ(channels_for(policy, kTea, "wallet"), Names{"wallet"});
  EXPECT_EQ(channels_for(policy, kTea, "internal"), Names{});
}

TEST(ChannelNames, AreThoseThatServeTheMerchant) {
  const Policy policy = two_kinds();
  EXPECT_EQ(channel_names(policy),
            (Names{"alipay", "wechat-all", "wechat-books", "wechat-off", "wechat-tea", "wechatpay"}));
  EXPECT_EQ(channel_names(policy, kToys), (Names{"alipay", "wechat-all", "wechatpay"}));
}

TEST(ChannelComplaint, HidesOtherMerchantsChannelsAndNamesDisabledOnes) {
  Policy policy = two_kinds();
  const auto text = [&](MerchantId merchant, std::string_view name_or_kind) {
    return complaint_about_channel(policy, merchant, name_or_kind).text;
  };
  const std::string unknown = "must be one of alipay, wechat-all, wechatpay.";
  EXPECT_EQ(text(kToys, "wechat-tea"), unknown);
  EXPECT_EQ(text(kToys, "nowhere"), unknown);
  EXPECT_FALSE(complaint_about_channel(policy, kToys, "wechat-tea").is_sentence);
  EXPECT_EQ(text(kTea, "wechat-off"),
            "The channel wechat-off is disabled and takes no new payments. Use another channel.");
  EXPECT_TRUE(complaint_about_channel(policy, kTea, "wechat-off").is_sentence);
  EXPECT_EQ(
      text(kTea, "wechatpay"),
      "No channel of kind wechatpay accepts the method, currency and amount of the payment. Use another channel.");
}

}  // namespace
}  // namespace finality
