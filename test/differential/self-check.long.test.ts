import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { type Comparison, compareServers } from './compare-servers.ts';
import { metadataOf } from './memory.ts';
import { installDefinitions, openEmbeddedPeer } from './open-peers.ts';
import type { Answer, Peer } from './peer.ts';

/** A server that does everything right but one thing. */
const broken = (peer: Peer, change: (answer: Answer) => Answer): Peer => ({
  ...peer,
  send: async (request) => change(await peer.send(request)),
});

const withMetadata = (answer: Answer, change: (name: string, value: JsonValue) => JsonValue) => {
  if (!isJsonObject(answer.body) || answer.body.items !== undefined) return answer;
  if (metadataOf(answer.body).uid === undefined) return answer;
  const entries = Object.entries(metadataOf(answer.body)).map(([name, value = null]) => [
    name,
    change(name, value),
  ]);
  return { ...answer, body: { ...answer.body, metadata: Object.fromEntries(entries) } };
};

suite('the comparison of servers', () => {
  let one: Peer;
  let other: Peer;

  before(async () => {
    [one, other] = await Promise.all([openEmbeddedPeer(), openEmbeddedPeer()]);
    await Promise.all([installDefinitions(one), installDefinitions(other)]);
  });
  after(async () => {
    await Promise.all([one, other].map((peer) => peer[Symbol.asyncDispose]()));
  });

  const compare = (peer: Peer): Promise<Comparison> =>
    compareServers([one, peer], {
      seed: 7,
      operations: 120,
      length: 30,
      workers: 1,
      kinds: ['ConfigMap', 'Widget'],
      collects: false,
      comparesTexts: true,
    });
  const pathsFound = async (peer: Peer): Promise<string> => {
    const { classes } = await compare(peer);
    return classes.map(({ name }) => name).join('\n');
  };

  test('finds a server the same as itself', async () => {
    const { classes, operations } = await compare(other);
    assert.deepEqual(classes, []);
    assert.ok(operations >= 120);
  });

  test('finds another status code', async () => {
    const paths = await pathsFound(
      broken(other, (answer) => (answer.status === 404 ? { ...answer, status: 410 } : answer)),
    );
    assert.match(paths, /\| status \|/);
  });

  test('finds owners that differ', async () => {
    const paths = await pathsFound(
      broken(other, (answer) =>
        withMetadata(answer, (name, value) =>
          name === 'managedFields' && Array.isArray(value) ? value.slice(0, 1) : value,
        ),
      ),
    );
    assert.match(paths, /managedFields/);
  });

  test('finds a version that moves by itself', async () => {
    let version = 1_000_000;
    const paths = await pathsFound(
      broken(other, (answer) =>
        withMetadata(answer, (name, value) =>
          name === 'resourceVersion' ? String(++version) : value,
        ),
      ),
    );
    assert.match(paths, /status|resourceVersion|version/);
  });

  test('finds another wording', async () => {
    const paths = await pathsFound(
      broken(other, (answer) =>
        isJsonObject(answer.body) && answer.body.message !== undefined
          ? { ...answer, body: { ...answer.body, message: `${answer.body.message}.` } }
          : answer,
      ),
    );
    assert.match(paths, /body\.message/);
  });

  test('finds a warning that is missing', async () => {
    const paths = await pathsFound(broken(other, (answer) => ({ ...answer, warnings: [] })));
    assert.match(paths, /warnings/);
  });

  test('finds an event that a watch leaves out', async () => {
    const watch: Peer['watch'] = async (path) => {
      const watching = await other.watch(path);
      const until: typeof watching.until = async (isLast) =>
        (await watching.until(isLast)).filter(
          (event) => (event as { type?: string }).type !== 'MODIFIED',
        );
      return { ...watching, until };
    };
    assert.match(await pathsFound({ ...other, watch }), /^watch /m);
  });

  test('shortens what it reports', async () => {
    const { classes } = await compare(
      broken(other, (answer) => (answer.status === 404 ? { ...answer, status: 410 } : answer)),
    );
    const operations = classes[0]?.report.match(/^ {2}\d+\. /gm) ?? [];
    assert.equal(operations.length, 1);
  });
});
