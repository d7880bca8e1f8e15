#include "model/payer_link.h"

#include <gtest/gtest.h>

#include <set>

namespace finality {
namespace {

Merchant merchant_with(std::string secret) {
  Merchant merchant;
  merchant.link_secret = Secret(std::move(secret));
  return merchant;
}

std::string token_in(const std::string& url) { return url.substr(url.rfind('/') + 1); }

TEST(PayerLink, HasAnotherTokenForEveryPurposeObjectAndMerchant) {
  const Merchant merchant = merchant_with("one");
  const std::set<std::string> tokens = {token_in(checkout_url("http://x", merchant, OrderId{1})),
                                        token_in(return_url("http://x", merchant, PaymentId{1})),
                                        token_in(checkout_url("http://x", merchant, OrderId{2})),
                                        token_in(checkout_url("http://x", merchant_with("two"), OrderId{1}))};
  EXPECT_EQ(tokens.size(), 4u);
  std::set<std::string> signatures;
  for (const std::string& token : tokens) signatures.insert(token.substr(13));
  EXPECT_EQ(signatures.size(), 4u) << "the signatures differ, not only the ids";
  EXPECT_EQ(tokens.begin()->size(), 45u);
}

TEST(PayerLink, NamesThePathOfItsPurpose) {
  const Merchant merchant = merchant_with("one");
  EXPECT_TRUE(checkout_url("http://x", merchant, OrderId{1}).starts_with("http://x/checkout/"));
  EXPECT_TRUE(return_url("http://x", merchant, PaymentId{1}).starts_with("http://x/return/"));
}

TEST(CheckoutToken, IsReadBackAndGenuineForItsOrderOnly) {
  const Merchant merchant = merchant_with("one");
  const std::string token = token_in(checkout_url("http://x", merchant, OrderId{77}));
  EXPECT_EQ(order_of_checkout_token(token), OrderId{77});
  EXPECT_TRUE(is_checkout_token(token, merchant, OrderId{77}));
  EXPECT_FALSE(is_checkout_token(token, merchant, OrderId{78}));
  EXPECT_FALSE(is_checkout_token(token, merchant_with("two"), OrderId{77}));
  EXPECT_FALSE(is_checkout_token(token + "0", merchant, OrderId{77}));
  EXPECT_FALSE(is_checkout_token(token_in(return_url("http://x", merchant, PaymentId{77})), merchant, OrderId{77}));
  for (const std::string& broken : {std::string(), std::string("x"), std::string("zzzzzzzzzzzzz"), token + "0"})
    EXPECT_FALSE(order_of_checkout_token(broken)) << broken;
}

TEST(ReturnToken, IsReadBackAndGenuine) {
  const Merchant merchant = merchant_with("one");
  const std::string token = token_in(return_url("http://x", merchant, PaymentId{77}));
  EXPECT_EQ(attempt_of_return_token(token), ObjectRef(PaymentId{77}));
  EXPECT_TRUE(is_return_token(token, merchant, PaymentId{77}));
}

TEST(ReturnToken, OfAnAuthorizationNamesItsTypeToo) {
  const Merchant merchant = merchant_with("one");
  const std::string token = token_in(return_url("http://x", merchant, AuthorizationId{77}));
  EXPECT_EQ(attempt_of_return_token(token), ObjectRef(AuthorizationId{77}));
  EXPECT_TRUE(is_return_token(token, merchant, AuthorizationId{77}));
  EXPECT_FALSE(is_return_token(token, merchant, PaymentId{77}));
  EXPECT_FALSE(is_return_token(token.substr(1), merchant, PaymentId{77}));
}

TEST(ReturnToken, IsNotGenuineWhenAnythingDiffers) {
  const Merchant merchant = merchant_with("one");
  const std::string token = token_in(return_url("http://x", merchant, PaymentId{77}));
  EXPECT_FALSE(is_return_token(token, merchant, PaymentId{78}));
  EXPECT_FALSE(is_return_token(token, merchant_with("two"), PaymentId{77}));
  EXPECT_FALSE(is_return_token(token + "0", merchant, PaymentId{77}));
  EXPECT_FALSE(is_return_token(token.substr(0, token.size() - 1), merchant, PaymentId{77}));
  EXPECT_FALSE(is_return_token(token_in(checkout_url("http://x", merchant, OrderId{77})), merchant, PaymentId{77}));
  for (const char* broken : {"", "x", "000000000000", "zzzzzzzzzzzzz", "0000000000_77"})
    EXPECT_FALSE(attempt_of_return_token(broken)) << broken;
}

}  // namespace
}  // namespace finality
