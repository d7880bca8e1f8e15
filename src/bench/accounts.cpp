// Command `finality bench accounts`: transfers and holds in the engine, on one hot account or on many accounts. Writes
// every row that a server writes, but does not use the network.
#include "bench/accounts.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <future>

#include "app/commands/report.h"
#include "app/merchants_and_keys.h"
#include "app/node.h"
#include "wire/json_renderer.h"

namespace finality::bench {

using namespace app;
namespace {

constexpr MinorUnits kPlenty = limits::kAmountMax;

// Generates the load. Each client has one operation in flight: alternately a transfer, and a hold that is then posted.
// All operations debit the measured accounts and credit one further account.
class Traffic {
 public:
  explicit Traffic(const AccountsBench& options) : options_(options) {}

  Result<void> prepare() {
    auto store = open_store({.url = options_.store});
    if (!store) return std::unexpected(store.error());
    store_ = std::move(*store);
    auto engine = Engine::start(
        *store_,
        {.policy = &policy_, .clock = &clock_, .renderer = &wire::json_renderer(), .perform = [](const auto&) {}});
    if (!engine) return std::unexpected(engine.error());
    engine_ = std::move(*engine);
    auto merchant = make_merchant(*engine_, "bench");
    if (!merchant) return std::unexpected(merchant.error());
    merchant_ = merchant->id;
    for (std::size_t i = 0; i < options_.accounts; ++i) accounts_.push_back(open_account());
    sink_ = open_account();
    return {};
  }

  double run() {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < std::min(options_.clients, options_.operations); ++i) start_next();
    done_.get_future().wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  void stop() { engine_->drain(); }
  std::uint64_t refused() const { return refused_; }

 private:
  AccountId open_account() {
    const Reply reply =
        submit_and_wait(*engine_, OpenAccount{merchant_, "bench", "bench", currency_, kPlenty}, merchant_);
    FINALITY_CHECK(reply.object.has_value(), "the account was not opened");
    return AccountId{reply.object->value};
  }

  void submit(Command command, std::function<void(const Reply&)> reply) {
    Request request;
    request.command = std::move(command);
    request.merchant_id = merchant_;
    request.cause = {.kind = CauseKind::api, .trigger = BenchRun{}};
    request.reply = std::move(reply);
    engine_->submit(std::move(request));
  }

  void start_next() {
    const std::size_t number = started_++;
    if (number >= options_.operations) return;
    const AccountId account = accounts_[number % accounts_.size()];
    const std::string reference = fmt::format("{}-{}", run_, number);
    number % 2 == 0 ? transfer(account, reference) : hold(account, reference);
  }

  void transfer(AccountId account, const std::string& reference) {
    PostTransfer command;
    command.merchant_id = merchant_;
    command.debit_account_id = account;
    command.credit_account_id = sink_;
    command.amount = 1;
    command.currency = currency_;
    command.source = "bench";
    command.reference = reference;
    submit(std::move(command), [this](const Reply& reply) { finish(reply); });
  }

  void hold(AccountId account, const std::string& reference) {
    CreateHold command;
    command.merchant_id = merchant_;
    command.account_id = account;
    command.credit_account_id = sink_;
    command.amount = 2;
    command.currency = currency_;
    command.source = "bench";
    command.reference = reference;
    command.expires_in = std::chrono::hours(1);
    submit(std::move(command), [this](const Reply& made) {
      if (!made.object) return finish(made);
      submit(PostHold{merchant_, HoldId{made.object->value}, 1, {}}, [this](const Reply& reply) { finish(reply); });
    });
  }

  void finish(const Reply& reply) {
    if (reply.refusal) ++refused_;
    if (++finished_ == options_.operations)
      done_.set_value();
    else
      start_next();
  }

  AccountsBench options_;
  Policy policy_;
  SystemClock clock_;
  Currency currency_ = *parse_currency("CNY");
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  MerchantId merchant_;
  std::vector<AccountId> accounts_;
  AccountId sink_;
  std::int64_t run_ = SystemClock().now().ms;
  std::atomic<std::size_t> started_{0};
  std::atomic<std::size_t> finished_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::promise<void> done_;
};

}  // namespace

int run_accounts_bench(const AccountsBench& options) {
  Traffic traffic(options);
  if (auto prepared = traffic.prepare(); !prepared) return report(prepared.error());
  const double seconds = traffic.run();
  traffic.stop();
  const double rate = static_cast<double>(options.operations) / seconds;
  if (options.json)
    fmt::print("{}\n", boost::json::serialize(boost::json::object{{"operations", options.operations},
                                                                  {"accounts", options.accounts},
                                                                  {"refused", traffic.refused()},
                                                                  {"seconds", seconds},
                                                                  {"operations_per_second", rate}}));
  else
    fmt::print("{} transfers and holds over {} accounts in {:.2f} s: {:.0f} per second; {} rejected\n",
               options.operations, options.accounts, seconds, rate, traffic.refused());
  return 0;
}

}  // namespace finality::bench
