// standardwebhooks as a merchant that verifies a webhook.
'use strict';
const { Webhook } = require('standardwebhooks');
const { answerLines } = require('./answer_lines');

answerLines({ verify: ({ secret, payload, headers }) => new Webhook(secret).verify(payload, headers) });
