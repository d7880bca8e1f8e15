// alipay-sdk as a client of the gateway and as a verifier of signatures by the merchant's key or Alipay's.
'use strict';
const { AlipaySdk } = require('alipay-sdk');
const { answerLines } = require('./answer_lines');

let sdk;

answerLines({
  use: ({ config }) => { sdk = new AlipaySdk({ camelcase: false, keyType: 'PKCS8', ...config }); },
  exec: ({ method, params }) => sdk.exec(method, params, { validateSign: true }),
  page: ({ method, params }) => sdk.pageExecute(method, 'GET', params),
  order_string: ({ method, params }) => sdk.sdkExecute(method, params),
  notification: ({ params }) => sdk.checkNotifySignV2(params),
  content: ({ content, sign }) => sdk.rsaCheck(content, sign, 'RSA2'),
});
