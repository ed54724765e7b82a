import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startServer } from '../embedded/embedded-fixture.ts';
import { CA_BUNDLE, startWebhook } from '../webhook/webhook-server.ts';
import { CASES, type CaseRequest } from './cases.ts';
import { answerer, type Outcome, outcomeOf } from './run-case.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as unknown;

/** Answers of kube-apiserver v1.36.3, and the places where another answer is meant. */
const answers = read('answers.json') as { readonly [name: string]: Outcome };
const differences = read('differences.json') as {
  readonly [name: string]: { readonly why: string; readonly outcome: Outcome };
};

test('admission answers as kube-apiserver does', async (context) => {
  await using api = await startServer();
  await using webhook = await startWebhook(() => 'nothing');
  const send = ({ method, path, body, type = 'application/json' }: CaseRequest) =>
    fetch(api.url + path, {
      method,
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  for (const [at, make] of CASES.entries()) {
    const namespace = `case-${at}`;
    const stage = { namespace, url: webhook.url, caBundle: CA_BUNDLE };
    const one = make(stage);
    await context.test(one.name, async () => {
      const answer = answerer(one);
      webhook.hook.answer = (review) => answer(review, webhook.calls.at(-1)?.path ?? '');
      const home = { metadata: { name: namespace } };
      await send({ method: 'POST', path: '/api/v1/namespaces', body: home });
      for (const [path, body] of one.given ?? []) {
        const made = await send({ method: 'POST', path, body });
        assert.equal(made.status, 201, await made.text());
      }
      const outcome = await outcomeOf(one, stage, send);
      assert.deepEqual(outcome, differences[one.name]?.outcome ?? answers[one.name]);
    });
  }
});
