// Must compile against the types that openapi-typescript makes of openapi.yaml.
import type { components, paths } from "./openapi";

type CreateOrder = paths["/v1/orders"]["post"]["requestBody"]["content"]["application/json"];
type Order = components["schemas"]["Order"];
type Created = paths["/v1/orders"]["post"]["responses"][201]["content"]["application/json"];

export const request: CreateOrder = {
  merchant_order_no: "A-1001",
  amount: 1999,
  currency: "CNY",
  subject: "Two coffees",
  payment: { channel: "sandbox", scenario: "pays" },
};

// @ts-expect-error: amounts are numbers
export const wrong: CreateOrder = { merchant_order_no: "A", amount: "19.99", currency: "CNY", subject: "Tea" };

export function isPaid(order: Order): boolean {
  return order.state === "succeeded" && order.paid_amount === order.amount;
}

export async function create(base: string, key: string): Promise<Created> {
  const response = await fetch(`${base}/v1/orders`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  return (await response.json()) as Created;
}
