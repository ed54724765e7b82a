import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startAdmissionServer } from '@perigee/admission/webhook/admission-server';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { realClock } from '@perigee/kube/clock/real-clock';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { applyJsonPatch } from '../../src/patch/json-patch.ts';
import { WebhookClient } from '../../src/webhook/webhook-client.ts';
import { startServer } from '../embedded/embedded-fixture.ts';
import { PERIGEE_CASES, type PerigeeCase } from './perigee-cases.ts';

/** Stores an object, in the place of another, or says why not. */
type Store = (
  one: PerigeeCase,
  object: JsonObject,
  old?: JsonObject,
) => Promise<{ readonly object: JsonObject } | { readonly refusal: string }>;

/** Policies are held, so that each case has a name of its own. */
const nameOf = (one: PerigeeCase): string => `case-${PERIGEE_CASES.indexOf(one)}`;

const written = (one: PerigeeCase): JsonObject => ({
  apiVersion: apiVersionOf(one.kind),
  kind: one.kind.kind,
  metadata: {
    name: nameOf(one),
    ...(one.kind.scope === 'Namespaced' ? { namespace: 'default' } : {}),
    ...one.metadata,
  },
  spec: one.spec,
});

const run = async (one: PerigeeCase, store: Store): Promise<void> => {
  const first = await store(one, written(one));
  const stored = 'object' in first ? first.object : {};
  const outcome = one.next ? await store(one, one.next(stored), stored) : first;
  if (one.refused !== undefined) {
    assert.match('refusal' in outcome ? outcome.refusal : 'not refused', one.refused);
    return;
  }
  assert.ok('object' in outcome, JSON.stringify(outcome));
  assert.deepEqual(one.part?.(outcome.object as never), one.expected);
};

suite('the admission of the language', () => {
  test('in the embedded server', async (context) => {
    await using api = await startServer();
    const store: Store = async (one, object, old) => {
      const { group, version, plural, scope } = one.kind;
      const space = scope === 'Namespaced' ? '/namespaces/default' : '';
      const path = `/apis/${group}/${version}${space}/${plural}`;
      const { code, body } =
        old === undefined
          ? await api.send('POST', path, object)
          : await api.send('PUT', `${path}/${nameOf(one)}`, object);
      return code < 300 ? { object: body } : { refusal: String(body.message) };
    };
    for (const one of PERIGEE_CASES) await context.test(one.name, () => run(one, store));
  });

  test('as webhooks', async (context) => {
    const authority = createAuthority();
    const names = ['127.0.0.1'];
    const tls = authority.issue({ commonName: 'admission', usage: 'server', names });
    await using server = await startAdmissionServer({
      clock: realClock,
      tls,
      isAllowed: async () => true,
    });
    using client = new WebhookClient({ clock: realClock });
    const ask = async (
      path: string,
      { kind }: PerigeeCase,
      object: JsonObject,
      old?: JsonObject,
    ) => {
      const { group, version } = kind;
      const review = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          uid: 'u1',
          kind: { group, version, kind: kind.kind },
          namespace: kind.scope === 'Namespaced' ? 'default' : '',
          object,
          oldObject: old ?? null,
        },
      };
      const address = { url: new URL(`${server.url}${path}`), ca: authority.cert };
      const answer = await client.call(address, review, { timeoutMs: 5000 });
      const { response } = answer;
      assert.ok(isJsonObject(response));
      assert.equal(response.uid, 'u1');
      return response;
    };
    const refusalOf = ({ status }: JsonObject): string => String((status as JsonObject).message);
    const store: Store = async (one, object, old) => {
      const mutated = await ask('/mutate', one, object, old);
      if (!mutated.allowed) return { refusal: refusalOf(mutated) };
      const patch = typeof mutated.patch === 'string' ? mutated.patch : btoa('[]');
      const operations: JsonValue = JSON.parse(Buffer.from(patch, 'base64').toString());
      const made = applyJsonPatch(object, operations) as JsonObject;
      const checked = await ask('/validate', one, made, old);
      return checked.allowed ? { object: made } : { refusal: refusalOf(checked) };
    };
    for (const one of PERIGEE_CASES) await context.test(one.name, () => run(one, store));
  });
});
