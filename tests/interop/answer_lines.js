// Request loop of the scripts in this folder. Each input line is a JSON object {do, ...}; each output line is its
// result, {value} or {error: {name, message, code}}. Requests run one at a time, in order, until the input ends.
'use strict';
const readline = require('readline');

/** Calls the function that `handlers` has for `do`. The value is what it returns or what its promise resolves to. */
async function answerLines(handlers) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(handlers, JSON.parse(line)))}\n`);
  }
}

async function answer(handlers, request) {
  try {
    const value = await handlers[request.do](request);
    return { value: value === undefined ? null : value };
  } catch (error) {
    return { error: { name: error.name, message: error.message, code: error.code } };
  }
}

module.exports = { answerLines };
