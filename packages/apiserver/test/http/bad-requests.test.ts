import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { realClock } from '@perigee/kube/clock/real-clock';
import { sameJson } from '@perigee/schema/same-json';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { BAD_REQUESTS } from './bad-requests/all-requests.ts';
import type { Answer, BadRequest } from './bad-requests/bad-request.ts';
import { ask, createWorld } from './bad-requests/peer.ts';

interface Difference {
  readonly in: 'code' | 'form' | 'message' | 'details';
  readonly why: string;
  readonly requests: readonly string[];
}

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`./bad-requests/${file}`, import.meta.url), 'utf8'));

/** The answers of kube-apiserver v1.36.3; `tools/record-bad-requests.ts` writes them. */
const RECORDED = read('answers.json') as { readonly [name: string]: Answer };
const DIFFERENCES = read('differences.json') as readonly Difference[];

/** The part of an answer that has to be the same in spite of an accepted difference. */
const comparable = (answer: Answer, difference: Difference['in'] | undefined): unknown => {
  const { code, reason, message } = answer;
  switch (difference) {
    case 'code':
      return Math.min(Math.trunc(code / 100), 4);
    case 'form':
      return code;
    case 'message':
      return { code, reason };
    case 'details':
      return { code, reason, message };
    default:
      return answer;
  }
};

suite('bad requests', () => {
  let server: EmbeddedServer;
  let revision: number;

  before(async () => {
    server = await startEmbeddedServer({ clock: realClock, clusterControllers: false });
    await createWorld(server);
    revision = server.registry.store.revision;
  });
  after(() => server[Symbol.asyncDispose]());

  const check = async (bad: BadRequest): Promise<void> => {
    const expected = RECORDED[bad.name];
    assert.ok(expected, `the answer to "${bad.name}" was not recorded`);
    const difference = DIFFERENCES.find(({ requests }) => requests.includes(bad.name));
    const answer = await ask(server, bad);
    assert.deepEqual(
      comparable(answer, difference?.in),
      comparable(expected, difference?.in),
      bad.name,
    );
    const isGone = difference !== undefined && sameJson(answer, expected);
    assert.ok(!isGone, `"${bad.name}" is answered as by Kubernetes: it is no difference any more`);
  };

  test('are answered as by kube-apiserver', async () => {
    const names = new Set(BAD_REQUESTS.map(({ name }) => name));
    assert.equal(names.size, BAD_REQUESTS.length, 'each request has a name of its own');
    const listed = DIFFERENCES.flatMap(({ requests }) => requests);
    assert.deepEqual(
      listed.filter((name) => !names.has(name)),
      [],
    );
    const failures: unknown[] = [];
    for (const bad of BAD_REQUESTS) await check(bad).catch((error) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
  });

  test('change nothing', () => {
    assert.equal(server.registry.store.revision, revision);
  });
});
