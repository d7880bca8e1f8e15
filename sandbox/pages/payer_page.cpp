#include "sandbox/pages/payer_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/html.h"
#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

// Texts of the payer's page for one channel. In kManners, the last row applies to all channels without a row.
struct Manner {
  std::string_view channel;
  std::string_view address;  // path of the channel's gateway, shown on the start page
  std::string_view brand;
  std::string_view payment_for;
  std::string_view decline;
  std::string_view pay;
  std::string_view authorization_for;
  std::string_view authorize;
};
constexpr std::array<Manner, 3> kManners{
    {{"alipay", "/gateway.do", "支付宝 Alipay · sandbox", "商品 · Payment for", "取消付款 · Decline", "确认付款 · Pay",
      "商品 · Reservation for", "确认冻结 · Authorize"},
     {"wechatpay", "/v3/…", "微信支付 WeChat Pay · sandbox", "商品 · Payment for", "取消支付 · Decline",
      "立即支付 · Pay", "商品 · Reservation for", "确认冻结 · Authorize"},
     {"", "", "", "Payment for", "Decline", "Pay", "Reservation for", "Authorize"}}};

const Manner& manner_of(std::string_view channel) {
  const auto* manner = std::ranges::find(kManners, channel_name(channel), &Manner::channel);
  return manner != kManners.end() ? *manner : kManners.back();
}

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --back: #f2f4f7; --ink: #16202c; --soft: #64707f; --line: #dfe4ea;
  --good: #0b7a4b; --bad: #b3261e; --main: #1c5fd4; --on-main: #fff; }
@media (prefers-color-scheme: dark) { :root { --paper: #1a2028; --back: #10141a; --ink: #e8edf3; --soft: #97a3b2;
  --line: #303945; --good: #4fc48f; --bad: #f28b82; --main: #6ea2ff; --on-main: #0c1420; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--back); color: var(--ink); display: flex; justify-content: center;
  align-items: flex-start; padding: 8vh 16px 32px; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { width: 100%; max-width: 400px; background: var(--paper); border: 1px solid var(--line); border-radius: 16px;
  padding: 28px; box-shadow: 0 8px 30px rgb(0 0 0 / 8%); }
main.wide { max-width: 820px; }
main.alipay { --main: #1677ff; --on-main: #fff; } main.wechatpay { --main: #07a14f; --on-main: #fff; }
.brand { margin: -28px -28px 22px; padding: 12px 28px; border-radius: 15px 15px 0 0; font-weight: 600;
  background: var(--main); color: var(--on-main); }
h1 { font-size: 17px; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 28px 0 8px; }
.amount { font-size: 38px; font-weight: 650; letter-spacing: -.02em; margin: 6px 0 14px; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums; }
.soft { color: var(--soft); font-size: 14px; margin: 0; }
#state, .state { display: inline-block; border: 1px solid currentcolor; border-radius: 99px; padding: 1px 12px;
  font-size: 14px; font-weight: 600; white-space: nowrap; color: var(--soft); }
.state-waiting { color: var(--main) !important; } .state-paid, .state-held { color: var(--good) !important; }
.state-failed { color: var(--bad) !important; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 16px; margin: 22px 0; padding-top: 18px;
  border-top: 1px solid var(--line); font-size: 13px; }
dt { color: var(--soft); } dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
.acts { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin-bottom: 12px; }
button, .button { display: block; width: 100%; font: inherit; font-weight: 600; text-align: center; padding: 11px;
  text-decoration: none; border-radius: 10px; border: 1px solid var(--line); background: transparent; color: var(--ink);
  cursor: pointer; }
button.main, .button.main { background: var(--main); border-color: var(--main); color: var(--on-main); }
button:hover, .button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
a { color: var(--main); } section { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
td, th { text-align: left; padding: 7px 8px 7px 0; border-top: 1px solid var(--line); vertical-align: top;
  overflow-wrap: break-word; } th { color: var(--soft); font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
)css";

std::string page(std::string_view title, std::string_view main_class, std::string_view content) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main class=\"{}\">\n{}</main>\n</body>\n</html>\n",
      escape_html(title), kStyle, main_class, content);
}

std::string detail(std::string_view name, std::string_view value) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape_html(value));
}

// Formats a time as, for example, `2026-11-21 09:50:13 UTC`.
std::string format_time(Time at) {
  std::string text = to_rfc3339(at).substr(0, 19) + " UTC";
  text[10] = ' ';
  return text;
}

std::string details(const Trade& trade) {
  std::string list = detail("Payer", trade.payer) + detail("Channel", trade.channel) + detail("Trade", trade.trade_no) +
                     detail("Merchant order no.", trade.out_trade_no) + detail("Scenario", trade.scenario);
  if (trade.paid_at) list += detail("Paid at", format_time(*trade.paid_at));
  if (trade.expires_at && trade.state == TradeState::waiting)
    list += detail("Pay before", format_time(*trade.expires_at));
  if (trade.refunded > 0) list += detail("Refunded", format_amount(trade.refunded, trade.currency));
  if (trade.returned > 0) list += detail("Returned", format_amount(trade.returned, trade.currency));
  return "<dl>\n" + list + "</dl>\n";
}

std::string details(const Hold& hold) {
  std::string list = detail("Payer", hold.payer) + detail("Channel", hold.channel) +
                     detail("Authorization", hold.hold_no) + detail("Merchant order no.", hold.out_order_no) +
                     detail("Scenario", hold.scenario);
  if (hold.authorized > 0) list += detail("Authorized", format_amount(hold.authorized, hold.currency));
  if (hold.captured > 0) list += detail("Captured", format_amount(hold.captured, hold.currency));
  if (hold.released > 0) list += detail("Released", format_amount(hold.released, hold.currency));
  if (hold.capture_before && hold.state == HoldState::held)
    list += detail("Held until", format_time(*hold.capture_before));
  if (hold.expires_at && hold.state == HoldState::waiting)
    list += detail("Authorize before", format_time(*hold.expires_at));
  return "<dl>\n" + list + "</dl>\n";
}

/// Content of a payer's page.
struct Payable {
  std::string_view channel;
  std::string_view number;  // trade_no or hold_no
  std::string_view subject;
  std::string amount;
  std::string_view state;
  std::string_view is_for;  // heading above the subject
  std::string_view accept;  // label of the button
  std::string details;
};

bool is_waiting(const Payable& payable) { return payable.state == name_of(TradeState::waiting); }

std::string buttons(const Payable& payable) {
  return fmt::format(
      "<div class=\"acts\">\n"
      "<form method=\"post\" action=\"/wallet/{0}/decline\"><button id=\"decline\">{1}</button></form>\n"
      "<form method=\"post\" action=\"/wallet/{0}/pay\"><button id=\"pay\" class=\"main\">{2}</button></form>\n"
      "</div>\n",
      escape_html(payable.number), manner_of(payable.channel).decline, payable.accept);
}

std::string return_link(const Payable& payable, const std::optional<std::string>& return_url) {
  if (!return_url) return {};
  const bool waiting = is_waiting(payable);
  return fmt::format("<a id=\"return\" class=\"button{}\" href=\"{}\">{}</a>\n", waiting ? "" : " main",
                     escape_html(*return_url), waiting ? "Leave without paying" : "Return to the shop");
}

std::string page_of(const Payable& payable, const std::optional<std::string>& return_url) {
  const Manner& manner = manner_of(payable.channel);
  const std::string brand = manner.brand.empty() ? "" : fmt::format("<p class=\"brand\">{}</p>\n", manner.brand);
  const std::string content =
      brand +
      fmt::format(
          "<p class=\"soft\">{3}</p>\n<h1 id=\"subject\">{0}</h1>\n"
          "<p id=\"amount\" class=\"amount\">{1}</p>\n"
          "<span id=\"state\" class=\"state-{2}\">{2}</span>\n",
          escape_html(payable.subject), escape_html(payable.amount), payable.state, payable.is_for) +
      payable.details + (is_waiting(payable) ? buttons(payable) : "") + return_link(payable, return_url);
  return page(payable.amount + " – Sandbox wallet", manner.channel, content);
}

std::string gateways(const std::vector<GatewayAccount>& accounts) {
  std::string rows;
  for (const GatewayAccount& account : accounts)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escape_html(account.channel),
                        manner_of(account.channel).address, escape_html(account.numbers));
  return fmt::format(
      "<h2>Gateways</h2>\n<section><table>\n{}"
      "<tr><td>sandbox, sandbox2</td><td>/sandbox/…, /sandbox2/…</td><td></td></tr>\n"
      "</table></section>\n",
      rows);
}

struct Row {
  std::string_view number;
  std::string_view channel;
  std::string_view subject;
  std::string_view state;
  std::string amount;
};

std::string html_of(const Row& row) {
  return fmt::format(
      "<tr><td><a href=\"/wallet/{0}\">{0}</a></td><td>{1}</td><td>{2}</td>"
      "<td><span class=\"state state-{3}\">{3}</span></td><td class=\"number\">{4}</td></tr>\n",
      escape_html(row.number), escape_html(row.channel), escape_html(row.subject), row.state, escape_html(row.amount));
}

Row row_of(const Trade& trade) {
  return {trade.trade_no, trade.channel, trade.subject, name_of(trade.state),
          format_amount(trade.amount, trade.currency)};
}

Row row_of(const Hold& hold) {
  return {hold.hold_no, hold.channel, hold.subject, name_of(hold.state), format_amount(hold.amount, hold.currency)};
}

/// Returns a table of trades or holds. `noun`: heading of the column with their numbers.
template <class Item>
std::string table_of(std::string_view noun, const std::vector<Item>& items) {
  std::string table = fmt::format(
      "<section><table>\n<tr><th>{}</th><th>Channel</th><th>Subject</th><th>State</th><th "
      "class=\"number\">Amount</th>"
      "</tr>\n",
      noun);
  for (const Item& item : items) table += html_of(row_of(item));
  return table + "</table></section>\n";
}

}  // namespace

std::string payer_page(const Trade& trade, const std::optional<std::string>& return_url) {
  const Manner& manner = manner_of(trade.channel);
  return page_of({.channel = trade.channel,
                  .number = trade.trade_no,
                  .subject = trade.subject,
                  .amount = format_amount(trade.amount, trade.currency),
                  .state = name_of(trade.state),
                  .is_for = manner.payment_for,
                  .accept = manner.pay,
                  .details = details(trade)},
                 return_url);
}

std::string payer_page(const Hold& hold, const std::optional<std::string>& return_url) {
  const Manner& manner = manner_of(hold.channel);
  return page_of({.channel = hold.channel,
                  .number = hold.hold_no,
                  .subject = hold.subject,
                  .amount = format_amount(hold.amount, hold.currency),
                  .state = name_of(hold.state),
                  .is_for = manner.authorization_for,
                  .accept = manner.authorize,
                  .details = details(hold)},
                 return_url);
}

std::string index_page(const std::vector<Trade>& trades, const std::vector<Hold>& holds,
                       const std::vector<GatewayAccount>& accounts) {
  std::string content =
      "<h1>Finality sandbox</h1>\n"
      "<p class=\"soft\">Simulates payment channels and payers. No real money moves here.</p>\n"
      "<h2>Scenarios</h2>\n<section><table>\n";
  for (const Scenario& scenario : scenarios())
    content += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", scenario.name, escape_html(scenario.description));
  content += "</table></section>\n" + gateways(accounts) + "<h2>Latest trades</h2>\n";
  content += trades.empty() ? "<p class=\"soft\">No trades yet.</p>\n" : table_of("Trade", trades);
  if (!holds.empty()) content += "<h2>Latest authorizations</h2>\n" + table_of("Authorization", holds);
  content +=
      "<h2>JSON</h2>\n<p class=\"soft\"><a href=\"/ledger\">/ledger</a> (all trades and authorizations) · "
      "<a href=\"/healthz\">/healthz</a> (health check)</p>\n";
  return page("Finality sandbox", "wide", content);
}

std::string format_amount(MinorUnits amount, std::string_view currency) {
  if (const auto parsed = parse_currency(currency)) return format_money(amount, *parsed);
  return fmt::format("{} {}", amount, currency);
}

}  // namespace finality::sandbox
