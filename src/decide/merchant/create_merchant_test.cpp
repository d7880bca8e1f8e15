#include "decide/merchant/create_merchant.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

TEST(CreateMerchant, StoresTheSecrets) {
  World world;
  const Decision decision = world.run(CreateMerchant{"Tea", Secret("whsec_eA=="), Secret("l")});
  ASSERT_TRUE(decision.has_value());
  EXPECT_TRUE(decision->created);
  const Merchant& merchant = world.store.merchants.at(MerchantId{decision->object.value});
  EXPECT_EQ(merchant.name, "Tea");
  EXPECT_EQ(merchant.webhook_secret, Secret("whsec_eA=="));
  EXPECT_EQ(world.events.size(), 1u);
}

TEST(SetBranding, ChangesAndRemovesFields) {
  World world;
  const SetBranding first{.merchant_id = kMerchant, .name = "Tea", .color = "#1a56db", .logo = Bytes("png")};
  EXPECT_EQ(world.refusal_of(first), "ok");
  EXPECT_EQ(world.events.size(), 1u);
  const Merchant before = world.store.merchants.at(kMerchant);
  EXPECT_EQ(before.brand_name, "Tea");
  EXPECT_EQ(before.brand_logo, Bytes("png"));
  EXPECT_EQ(world.refusal_of(first), "ok");
  EXPECT_TRUE(world.events.empty()) << "nothing has changed";
  EXPECT_EQ(world.refusal_of(SetBranding{.merchant_id = kMerchant, .name = std::optional<std::string>()}), "ok");
  const Merchant& after = world.store.merchants.at(kMerchant);
  EXPECT_FALSE(after.brand_name);
  EXPECT_EQ(after.brand_color, "#1a56db");
  EXPECT_EQ(after.version, before.version + 1);
  EXPECT_EQ(world.refusal_of(SetBranding{.merchant_id = MerchantId{99}, .name = "Tea"}), "not_found");
}

TEST(CreateApiKey, RequiresAMerchantExceptForOperators) {
  World world;
  EXPECT_EQ(world.refusal_of(CreateApiKey{MerchantId{99}, Role::merchant, "key", sha256_16("k")}), "not_found");
  EXPECT_EQ(world.refusal_of(CreateApiKey{kMerchant, Role::merchant, "key", sha256_16("k")}), "ok");
  EXPECT_EQ(world.refusal_of(CreateApiKey{std::nullopt, Role::admin, "key", sha256_16("a")}), "ok");
  EXPECT_EQ(world.store.api_keys.size(), 2u);
}

TEST(RevokeApiKey, WorksOnce) {
  World world;
  const Decision made = world.run(CreateApiKey{kMerchant, Role::merchant, "key", sha256_16("k")});
  const ApiKeyId id{made->object.value};
  EXPECT_EQ(world.refusal_of(RevokeApiKey{id}), "ok");
  EXPECT_EQ(world.store.api_keys.at(id).revoked_at, world.now);
  EXPECT_EQ(world.store.api_keys.at(id).version, 2);
  EXPECT_EQ(world.refusal_of(RevokeApiKey{id}), "not_found");
  EXPECT_EQ(world.refusal_of(RevokeApiKey{ApiKeyId{99}}), "not_found");
}

}  // namespace
}  // namespace finality
