#include "app/difference_text.h"

#include <boost/json/object.hpp>

#include <map>
#include <vector>

#include "app/server_objects.h"
#include "app/text_table.h"
#include "base/money.h"

namespace finality::app {
namespace {

namespace json = boost::json;

// The amount in decimal with its currency. A missing statement has none.
std::string amount_of(const json::object& difference) {
  const json::value* amount = difference.if_contains("amount");
  const auto currency = parse_currency(text_of(difference, "currency"));
  if (amount == nullptr || !amount->is_int64() || !currency) return "-";
  return format_money(amount->get_int64(), *currency);
}

}  // namespace

std::string difference_table(const json::array& differences, const json::array& channel_accounts) {
  constexpr TextColumn kColumns[] = {{"id"},           {"date"},     {"account"},           {"class"},  {"state"},
                                     {"amount", true}, {"merchant"}, {"merchant_order_no"}, {"subject"}};
  std::map<std::string, std::string> names;
  for (const json::value& item : channel_accounts)
    names[text_of(item.get_object(), "id")] = text_of(item.get_object(), "channel");
  std::vector<std::vector<std::string>> rows;
  for (const json::value& item : differences) {
    const json::object& one = item.get_object();
    const std::string account = text_of(one, "channel_account");
    const auto name = names.find(account);
    rows.push_back({text_of(one, "id"), text_of(one, "date"), name == names.end() ? account : name->second,
                    text_of(one, "class"), text_of(one, "state"), amount_of(one), text_of(one, "merchant"),
                    text_of(one, "merchant_order_no"), text_of(one, "subject")});
  }
  return text_table(kColumns, rows);
}

}  // namespace finality::app
