// wechatpay-axios-plugin as a client of API v3 and as a verifier of signatures by the merchant's key or WeChat Pay's.
'use strict';
const { Wechatpay, Rsa, Aes, Formatter, Hash } = require('wechatpay-axios-plugin');
const { answerLines } = require('./answer_lines');

let client;

/** The SDK names calls by chains: client.v3.pay.transactions.native.post(…). An HTTP error is returned, not thrown. */
async function call({ chain, method, data, config }) {
  const resource = chain.reduce((parent, name) => parent[name], client.v3);
  try {
    return replyOf(await (method === 'get' ? resource.get(config) : resource[method](data, config)));
  } catch (error) {
    if (!error.response || String(error.code).startsWith('EV3_')) throw error;
    return replyOf(error.response);
  }
}

function replyOf({ status, data }) {
  return Buffer.isBuffer(data) ? { status, bytes: data.toString('base64') } : { status, data };
}

const publicKey = (pem) => Rsa.from(pem, Rsa.KEY_TYPE_PUBLIC);

answerLines({
  use: ({ config }) => { client = new Wechatpay({ proxy: false, ...config }); },
  call,
  request: ({ method, target, timestamp, nonce, body, signature, key }) =>
    Rsa.verify(Formatter.request(method, target, timestamp, nonce, body), signature, publicKey(key)),
  response: ({ timestamp, nonce, body, signature, key }) =>
    Rsa.verify(Formatter.response(timestamp, nonce, body), signature, publicKey(key)),
  lines: ({ lines, signature, key }) => Rsa.verify(Formatter.joinedByLineFeed(...lines), signature, publicKey(key)),
  decrypt: ({ ciphertext, key, nonce, associated_data: aad }) => Aes.AesGcm.decrypt(ciphertext, key, nonce, aad),
  bill: ({ bytes }) => Formatter.castCsvBill(Buffer.from(bytes, 'base64')),
  sha1: ({ bytes }) => Hash.sha1(Buffer.from(bytes, 'base64')),
});
