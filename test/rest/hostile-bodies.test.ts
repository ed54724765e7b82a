import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { openRestFront } from './rest-front.ts';
import { CLUSTERS, startRestWorld } from './rest-world.ts';
import { profileOf } from './seed-example.ts';

const world = await startRestWorld();
after(() => world[Symbol.asyncDispose]());
const front = await openRestFront(world);
after(() => front[Symbol.asyncDispose]());
const { admin, user, state } = world;

/** No client takes a longer head or reads a longer refusal. */
const LONGEST_HEAD = 16_384;
const LONGEST_REFUSAL = 40_000;

const fields = (count: number, value: JsonValue): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`field-${at}`, value]));

for (const [where, { call }] of Object.entries({ embedded: world, 'in front': front })) {
  const post = (body: string | JsonObject, token = admin) =>
    call('POST', CLUSTERS, { token, body });

  const refused = async (body: string | JsonObject, detail: RegExp) => {
    const before = state();
    const answer = await post(body);
    assert.deepEqual([answer.code, answer.body.reason], [400, 'Invalid'], answer.text);
    assert.match(String(answer.body.detail), detail);
    assert.ok(answer.text.length < LONGEST_REFUSAL, `${answer.text.length} characters`);
    assert.equal(state(), before);
    return answer;
  };

  describe(`the REST API ${where}`, () => {
    const ours = `hostile-${where.replace(' ', '-')}`;

    it('warns of thousands of unknown fields in a head that clients can read', async () => {
      const longest = { ['x'.repeat(100_000)]: 1 };
      for (const unknown of [fields(3_000, 1), longest]) {
        const { code, headers } = await post(profileOf(ours, unknown));
        assert.ok(code === 200 || code === 201, `${code}`);
        const warning = String(headers.warning);
        assert.match(warning, /^299 - "unknown field \\"cluster_profile\.cluster_spec\./);
        assert.ok(warning.length < LONGEST_HEAD, `${warning.length} characters`);
      }
    });

    it('lets no name of a field break out of its warning', async () => {
      const names = { 'a\r\nset-cookie: b=c': 1, '"\\": it': 1, 'ключ ☃': 1 };
      const { headers } = await post(profileOf(ours, names));
      assert.equal(headers['set-cookie'], undefined);
      const warning = String(headers.warning);
      assert.match(warning, /cluster_spec\.a set-cookie: b=c\\": it was left out"/);
      assert.match(warning, /cluster_spec\.\?{4} \?\\"/);
      assert.equal(warning.match(/299 - "/g)?.length, 3, warning);
    });

    it('names the first of a hundred thousand wrong fields, and counts the rest', async () => {
      const labels = fields(150_000, 1) as { readonly [key: string]: never };
      const { body } = await refused(profileOf('c', {}, labels), /; and 149936 more$/);
      assert.equal((body.errors as readonly JsonValue[]).length, 64);
      const storage = Array.from({ length: 5_000 }, () => ({ TypeID: 'tape' }));
      await refused(profileOf('c', { storage }), /storage\[0\]\.TypeID: .*; and \d+ more$/s);
    });

    it('shortens a wrong value that is as long as the body', async () => {
      const storage = [{ TypeID: 'x'.repeat(1_000_000), StorageCapacity: 1 }];
      await refused(profileOf('c', { storage }), /storage\[0\]\.TypeID: Unsupported value: "x+…/);
      const labels = { ['x'.repeat(1_000_000)]: 1 } as { readonly [key: string]: never };
      await refused(profileOf('c', {}, labels), /cluster_labels\[x+…: Invalid value/);
    });

    it('says why even when no field is to blame', async () => {
      const depth = 10_000;
      const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const body = `{"cluster_profile":{"cluster_name":"c","cluster_spec":{"operator":${deep}}}}`;
      await refused(body, /must not nest objects and lists deeper than/);
      // The rule for names is too expensive for it.
      await refused(profileOf('x'.repeat(1_000_000)), /the name must be lower-case letters/);
    });

    it('takes the names of JavaScript for unknown fields', async () => {
      const before = state();
      const spec = '{"__proto__":{"type":"virtual"},"constructor":{"prototype":{}}}';
      const text = `{"cluster_profile":{"cluster_name":"${ours}","__proto__":{"cluster_name":"b"},"cluster_spec":${spec}}}`;
      const { code, headers, body } = await post(text);
      assert.equal(code, 200);
      assert.deepEqual((body.cluster_profile as JsonObject).cluster_spec, { type: 'kubernetes' });
      for (const name of ['__proto__', 'cluster_spec.__proto__', 'cluster_spec.constructor']) {
        assert.ok(String(headers.warning).includes(`\\"cluster_profile.${name}\\"`), name);
      }
      assert.equal(state(), before);
    });

    it('understands a whole address in the first line of a request', async () => {
      const { code, body } = await call('GET', `https://example.com${CLUSTERS}/${ours}`, {
        token: user,
      });
      assert.equal(code, 200);
      assert.equal((body.cluster_profile as JsonObject).cluster_name, ours);
    });
  });
}
