"""Orders with Chinese subjects over WeChat Pay, which limits `description` to 127 bytes of UTF-8.

A proxy before the sandbox refuses a longer description in the words of WeChat Pay: 400 PARAM_ERROR with the number of
bytes. Public reports: JeffreySu/WeiXinMPSDK issue 3217, in which the refusal of a description of 69 characters states
the value 135, its size in bytes; developers.weixin.qq.com/community/pay/doc/000cee4e6d8df0a9bb0253bcf6ac00."""

import json
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e/support"))

from api import Api
from finality_server import ConfiguredServer, SandboxProcess
from program_hooks import contract  # noqa: F401
from recording_proxy import CapturedResponse, RecordingProxy

BYTES_MAX = 127
SUBJECTS = {
    "42 characters, 126 bytes": "茶" * 42,
    "43 characters, 129 bytes": "茶" * 43,
    "a list of goods": "羽绒服干洗两件、大衣干洗一件、毛毯水洗一条（会员折扣一元，优惠券减两元），送货到八号楼，请晚上七点后联系",
    "the limit is within a character": "x" * 126 + "茶",
    "characters of four bytes": "🎁" * 40,
    "256 characters, as Finality allows": "茶" * 256,
}


class WechatProxy(RecordingProxy):
    """Proxy to the sandbox that refuses the descriptions that WeChat Pay refuses."""

    def _respond(self, request):
        description = description_of(request)
        size = len((description or "").encode())
        if size <= BYTES_MAX:
            return super()._respond(request)
        refusal = {"code": "PARAM_ERROR", "detail": {"location": "body", "value": size},
                   "message": f"输入源“/body/description”映射到值字段“商品描述”字符串规则校验失败，字节数 {size}，大于最大值 {BYTES_MAX}"}
        return CapturedResponse(400, (("Content-Type", "application/json"),),
                                json.dumps(refusal, ensure_ascii=False).encode())


def description_of(request):
    """The description of an order that was sent to WeChat Pay; None for other requests."""
    if request.method != "POST" or request.target.endswith("/close"):
        return None
    return json.loads(request.body).get("description")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    process = SandboxProcess(tmp_path_factory.mktemp("sandbox")).start()
    yield process
    process.clean_up()


@pytest.fixture(scope="module")
def wechat(sandbox):
    proxy = WechatProxy(sandbox.url)
    yield proxy
    proxy.stop()


@pytest.fixture(scope="module")
def shop(contract, sandbox, wechat, tmp_path_factory):  # noqa: F811
    keys = sandbox.data / "wechatpay/merchant"
    account = json.loads((keys / "account.json").read_text(encoding="utf-8"))
    server = ConfiguredServer(tmp_path_factory.mktemp("server"), f"""
[channels.wechatpay]
kind = "wechatpay"
sandbox = true
url = "{wechat.url}"
mchid = "{account["mchid"]}"
appid = "{account["appid"]}"
private_key_file = "{keys}/private_key.pem"
certificate_file = "{keys}/certificate.pem"
api_v3_key_file = "{keys}/api_v3_key"
fetch_certificates = true
""").start()
    admin = Api(contract, server.base_url, server.admin_key)
    merchant = admin.post("/v1/merchants", {"name": "shop"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    yield Api(contract, server.base_url, key["key"])
    server.clean_up()


@pytest.mark.parametrize("name", SUBJECTS)
def test_an_order_with_a_chinese_subject_gets_a_qr_code(shop, wechat, name):
    subject = SUBJECTS[name]
    order = shop.post("/v1/orders", {"merchant_order_no": name, "amount": 100, "currency": "CNY", "subject": subject,
                                     "payment": {"channel": "wechatpay"}}, expect=201)
    [payment] = order["payments"]
    assert (payment.get("action") or {}).get("type") == "qr_code", payment
    assert order["subject"] == subject
    sent = [text for text in map(description_of, wechat.captured()) if text][-1]
    assert subject.startswith(sent)
    longest = max(length for length in range(len(subject) + 1) if len(subject[:length].encode()) <= BYTES_MAX)
    assert sent == subject[:longest]
