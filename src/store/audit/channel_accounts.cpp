#include <fmt/format.h>

#include "store/audit/collectors.h"
#include "store/audit/questions.h"

namespace finality::audit {

void add_channel_accounts_questions(Questions& questions) {
  questions.push_back({"8 a channel name is unique among channel accounts", "channel_account", R"sql(
    SELECT max(id), count(*) || ' accounts are the channel ' || channel FROM channel_accounts
    GROUP BY channel HAVING count(*) > 1)sql"});
  // Row types with a column `channel`, and the condition for the rows in which the column is set.
  constexpr std::pair<std::string_view, std::string_view> kWithChannel[] = {
      {"payment", "t.channel <> ''"},         {"authorization", "t.channel <> ''"},
      {"receipt", "t.channel <> ''"},         {"account", "t.kind = 'channel_receivable' OR t.channel <> ''"},
      {"unknown_receipt", "t.channel <> ''"}, {"adjustment", "t.channel <> ''"}};
  for (const auto& [type, is_over_one] : kWithChannel)
    questions.push_back({fmt::format("8 the channel of each {} is the name of its channel account", type),
                         std::string(type),
                         fmt::format(R"sql(
    SELECT t.id, 'channel ' || t.channel || ', its channel account ' || coalesce(a.channel, 'does not exist')
    FROM {0}s t LEFT JOIN channel_accounts a ON a.id = t.channel_account_id
    WHERE CASE WHEN {1} THEN coalesce(a.channel, '') <> t.channel ELSE t.channel_account_id IS NOT NULL END)sql",
                                     type, is_over_one)});
  // Rows that name a channel, and rows that name a bank account.
  constexpr std::tuple<std::string_view, std::string_view, std::string_view> kOfOneSort[] = {
      {"account", "t.kind = 'channel_receivable'", "t.kind = 'bank'"},
      {"adjustment", "t.account = 'channel_receivable'", "t.account = 'bank'"},
      {"payment", "TRUE", "FALSE"},
      {"authorization", "TRUE", "FALSE"},
      {"statement", "t.kind <> 'bank'", "t.kind = 'bank'"},
      {"unknown_receipt", "TRUE", "FALSE"}};
  for (const auto& [type, is_of_channel, is_of_bank] : kOfOneSort)
    questions.push_back(
        {fmt::format("8 the channel account of each {} is a channel or a bank account, by its kind", type),
         std::string(type),
         fmt::format(R"sql(
    SELECT t.id, 'its channel account ' || a.channel || ' is of kind ' || a.kind
    FROM {0}s t JOIN channel_accounts a ON a.id = t.channel_account_id
    WHERE NOT CASE a.kind WHEN 'bank' THEN {2} ELSE {1} END)sql",
                     type, is_of_channel, is_of_bank)});
  // The identity of a bank account ends with its currency.
  questions.push_back({"8 an account of a bank account has its currency", "account", R"sql(
    SELECT t.id, t.currency || ', its bank account ' || a.channel || ' has another currency'
    FROM accounts t JOIN channel_accounts a ON a.id = t.channel_account_id
    WHERE a.kind = 'bank' AND a.identity NOT LIKE '% currency=' || t.currency)sql"});
  for (const std::string_view type : {"payment", "authorization"})
    questions.push_back({fmt::format("8 the funds of each {} are those of its channel account", type),
                         std::string(type),
                         fmt::format(R"sql(
    SELECT p.id, 'funds ' || p.funds || ', of its channel account ' || a.funds
    FROM {}s p JOIN channel_accounts a ON a.id = p.channel_account_id
    WHERE p.funds <> a.funds AND (p.funds <> 'platform' OR p.id > a.platform_until))sql",
                                     type)});
  questions.push_back({"8 a capture has the channel account of its authorization", "capture", R"sql(
    SELECT c.id, 'channel_account_id ' || c.channel_account_id || ', of its authorization ' || a.channel_account_id
    FROM captures c JOIN authorizations a ON a.order_id = c.order_id AND a.merchant_id = c.merchant_id
      AND a.id = c.authorization_id
    WHERE c.channel_account_id <> a.channel_account_id)sql"});
  questions.push_back({"8 the channel account of a channel rate exists", "channel_rate", R"sql(
    SELECT t.id, 'its channel account does not exist' FROM channel_rates t
    LEFT JOIN channel_accounts a ON a.id = t.channel_account_id WHERE a.id IS NULL)sql"});
  questions.push_back({"8 the funds of an adjustment are those of its channel account", "adjustment", R"sql(
    SELECT d.id, 'funds ' || d.funds || ', of its channel account ' || a.funds
    FROM adjustments d JOIN channel_accounts a ON a.id = d.channel_account_id WHERE d.funds <> a.funds)sql"});
  for (const std::string_view type : {"receipt", "refund", "reversal"})
    questions.push_back(
        {fmt::format("8 a {} has the channel account of its payment or capture", type), std::string(type),
         fmt::format(R"sql(WITH {}
    SELECT t.id, 'channel_account_id ' || t.channel_account_id || ', of its ' || p.type || ' ' || p.channel_account_id
    FROM {}s t JOIN collectors p ON p.id = {} AND p.order_id = t.order_id AND p.merchant_id = t.merchant_id
    WHERE t.channel_account_id <> p.channel_account_id)sql",
                     kCollectors, type, type == "refund" ? collector_of_refund("t") : collector_of("t"))});
}

}  // namespace finality::audit
