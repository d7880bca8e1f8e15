// Reader of the [bank_accounts.NAME] tables of the configuration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/config/settings.h"
#include "app/node.h"

namespace finality::app {

inline constexpr std::size_t kBankAccountsMax = 200;
inline constexpr std::size_t kBankNumberMin = 4;   // characters
inline constexpr std::size_t kBankNumberMax = 34;  // characters; of an IBAN, and of other numbers in camt.053
inline constexpr std::int64_t kExpectedWithinDaysMax = 30;

/// Reads all bank accounts into options.bank_accounts. Reports errors by `top`.
void read_bank_accounts(Table& top, NodeOptions& options);

}  // namespace finality::app
