// Cost of JSON: parsing the body of POST /v1/orders as strictly as the API, and rendering an order with its payment.
#include <benchmark/benchmark.h>

#include "http/input/fields.h"
#include "wire/wire.h"

namespace finality {
namespace {

constexpr std::string_view kBody =
    R"({"merchant_order_no":"bench-1795287608239-4899","amount":8000,"currency":"CNY","subject":"Tea",)"
    R"("expires_in":3600,"notify_url":"https://shop.example/notify","metadata":{"table":"7"},)"
    R"("payment":{"channel":"sandbox","scenario":"pays"}})";

void json_in(benchmark::State& state) {
  for (auto _ : state) {
    auto fields = http::Fields::parse(kBody);
    if (!fields) {
      state.SkipWithError("the body was rejected");
      return;
    }
    benchmark::DoNotOptimize(fields->text("merchant_order_no", limits::kMerchantNumberMax));
    benchmark::DoNotOptimize(fields->integer("amount", 1, limits::kAmountMax));
    benchmark::DoNotOptimize(fields->currency("currency"));
    benchmark::DoNotOptimize(fields->text("subject", limits::kSubjectMax));
    benchmark::DoNotOptimize(fields->optional_integer("expires_in", 1, limits::kExpiresInMaxSeconds));
    benchmark::DoNotOptimize(fields->optional_url("notify_url"));
    benchmark::DoNotOptimize(fields->optional_metadata("metadata"));
    auto payment = fields->optional_object("payment");
    benchmark::DoNotOptimize(payment->word("channel", limits::kMerchantNumberMax));
    benchmark::DoNotOptimize(payment->optional_word("scenario", limits::kMerchantNumberMax));
    if (!fields->finish()) state.SkipWithError("a field was rejected");
  }
}
BENCHMARK(json_in)->Name("JSON in: the body of an order");

OrderAggregate paid_order() {
  OrderAggregate aggregate;
  Order& order = aggregate.order;
  order.id = OrderId{382606129026302197};
  order.merchant_order_no = "bench-1795287608239-4899";
  order.amount = order.paid_amount = 8000;
  order.currency = *parse_currency("CNY");
  order.subject = "Tea";
  order.state = OrderState::succeeded;
  order.notify_url = "https://shop.example/notify";
  Payment payment;
  payment.id = PaymentId{382606129026302199};
  payment.order_id = order.id;
  payment.channel = "sandbox";
  payment.method = "web";
  payment.state = PaymentState::succeeded;
  payment.amount = payment.paid_amount = 8000;
  payment.currency = order.currency;
  payment.out_trade_no = "0akta7sqm00000akta7x4r007q";
  payment.channel_trade_no = "bench0akta7x4r007q";
  aggregate.payments.push_back(std::move(payment));
  return aggregate;
}

void json_out(benchmark::State& state) {
  const OrderAggregate order = paid_order();
  for (auto _ : state)
    benchmark::DoNotOptimize(wire::order_json(order, "http://127.0.0.1:8080/checkout/0akta7x4r007n772c229593915e424a"));
}
BENCHMARK(json_out)->Name("JSON out: an order with its payment");

}  // namespace
}  // namespace finality
