// Cost of a step of a state machine: the lookup of a cell.
#include <benchmark/benchmark.h>

#include "model/objects/payment.h"

namespace finality {
namespace {

void transition(benchmark::State& state) {
  PaymentState at = PaymentState::processing;
  PaymentEvent event = PaymentEvent::waiting;
  for (auto _ : state) {
    benchmark::DoNotOptimize(at);
    benchmark::DoNotOptimize(event);
    benchmark::DoNotOptimize(payment_machine.at(at, event).to);
  }
}
BENCHMARK(transition)->Name("a transition");

}  // namespace
}  // namespace finality
