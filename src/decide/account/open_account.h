// POST /v1/accounts: opens an account for a user of the merchant.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct OpenAccount {
  MerchantId merchant_id;
  std::string name;
  std::string label;  // category that the merchant assigns to the account
  Currency currency;
  MinorUnits overdraft = 0;
};

void add_reads(const OpenAccount& command, ReadSet& reads);
Decision decide(const OpenAccount& command, Context& context);

}  // namespace finality
