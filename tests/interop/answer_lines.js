// What the scripts here have in common: each line that comes in is a JSON object {do, ...}, each line that goes out what
// came of it: {value} or {error: {name, message, code}}. In order, one at a time. Ends with its input.
'use strict';
const readline = require('readline');

/** `handlers` are functions by the names of `do`; what they return, or promise, is the value. */
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
