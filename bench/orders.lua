-- wrk script: POST /v1/orders, each with a new merchant_order_no and Idempotency-Key: its number, or a random UUID.
local key = os.getenv("FINALITY_KEY")
local random_keys = os.getenv("FINALITY_RANDOM_KEYS") == "1"
local thread_count = 0

function setup(thread)
  thread:set("number", thread_count)
  thread_count = thread_count + 1
end

function init()
  count = 0
  run = os.time() .. "-" .. number .. "-"
  math.randomseed(os.time() + number)
  wrk.headers["Authorization"] = "Bearer " .. key
  wrk.headers["Content-Type"] = "application/json"
end

local function digits(count)
  return string.format("%0" .. count .. "x", math.random(0, 16 ^ count - 1))
end

local function uuid()
  return digits(8) .. "-" .. digits(4) .. "-4" .. digits(3) .. "-a" .. digits(3) .. "-" .. digits(6) .. digits(6)
end

function request()
  count = count + 1
  local id = run .. count
  wrk.headers["Idempotency-Key"] = random_keys and uuid() or id
  return wrk.format("POST", "/v1/orders", nil,
    '{"merchant_order_no":"' .. id .. '","amount":8000,"currency":"CNY","subject":"Tea"}')
end
