-- wrk script: POST /v1/orders, each with a new merchant_order_no and Idempotency-Key.
local key = os.getenv("FINALITY_KEY")
local thread_count = 0

function setup(thread)
  thread:set("number", thread_count)
  thread_count = thread_count + 1
end

function init()
  count = 0
  run = os.time() .. "-" .. number .. "-"
  wrk.headers["Authorization"] = "Bearer " .. key
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  count = count + 1
  local id = run .. count
  wrk.headers["Idempotency-Key"] = id
  return wrk.format("POST", "/v1/orders", nil,
    '{"merchant_order_no":"' .. id .. '","amount":8000,"currency":"CNY","subject":"Tea"}')
end
