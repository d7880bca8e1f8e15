#include "model/row_key.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

constexpr MerchantId kMerchant{7};

TEST(RowKey, OnlyCapturesThatTheMerchantRequestedHaveOne) {
  Capture capture;
  capture.merchant_id = kMerchant;
  capture.merchant_capture_no = "C-1";
  EXPECT_EQ(natural_key_of(capture), key_of_capture_no(kMerchant, "C-1"));
  for (const CaptureOrigin origin : {CaptureOrigin::deadline, CaptureOrigin::channel}) {
    capture.origin = origin;
    EXPECT_FALSE(natural_key_of(capture)) << name_of(origin);
  }
}

TEST(RowKey, OfAReceiptContainsItsOrdinal) {
  Receipt receipt;
  receipt.merchant_id = kMerchant;
  receipt.channel = "alipay";
  receipt.channel_trade_no = "T1";
  EXPECT_EQ(natural_key_of(receipt), key_of_receipt(kMerchant, "alipay", "T1"));
  receipt.ordinal = 3;
  EXPECT_EQ(natural_key_of(receipt), key_of_receipt(kMerchant, "alipay", "T1", 3));
}

}  // namespace
}  // namespace finality
