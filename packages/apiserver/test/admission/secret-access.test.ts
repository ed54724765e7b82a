import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startAdmissionServer } from '@perigee/admission/webhook/admission-server';
import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { createAuthority } from '../../../kube/test/support/certificates.ts';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { applyMergePatch } from '../../src/patch/merge-patch.ts';
import { WebhookClient } from '../../src/webhook/webhook-client.ts';
import { Namespace } from '../registry/registry-fixture.ts';
import { SECRET_CASES } from './secret-cases.ts';

/** Whoever may write every kind of the language, and then read Secrets of the team, or not. */
type Who = 'admin' | 'reader' | 'writer';

/** Resolves with the stored object, or with the code of a refusal and what it says. */
type Outcome = { readonly object: JsonObject } | { readonly code: number; readonly why: string };

interface Door {
  create(who: Who, kind: Kind, object: JsonObject): Promise<Outcome>;
  change(who: Who, kind: Kind, stored: JsonObject, spec: JsonObject): Promise<Outcome>;
}

const placeOf = ({ scope }: Pick<Kind, 'scope'>) =>
  scope === 'Namespaced' ? { namespace: 'team' } : {};

const objectOf = (kind: Kind, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, ...placeOf(kind) },
  spec,
});

const refusedFor = (outcome: Outcome, what: string): void => {
  assert.ok('code' in outcome, `${what} is let through`);
  assert.equal(outcome.code, 403, `${what}: ${outcome.why}`);
  assert.match(outcome.why, /must be allowed to read it, and user "writer" cannot (get|list)/);
};

const stored = (outcome: Outcome, what: string): JsonObject => {
  assert.ok('object' in outcome, `${what}: ${JSON.stringify(outcome)}`);
  return outcome.object;
};

const play = async (door: Door): Promise<void> => {
  for (const [at, { kind, spec, changes }] of SECRET_CASES.entries()) {
    const named = (name: string) => objectOf(kind, `case-${at}-${name}`, spec);
    const what = `${kind.kind}.${kind.group} ${at}`;
    refusedFor(await door.create('writer', kind, named('writer')), what);
    stored(await door.create('reader', kind, named('reader')), what);
    for (const [index, [name, change, needsRight]] of changes.entries()) {
      const made = stored(await door.create('admin', kind, named(`${index}`)), what);
      const changed = await door.change('writer', kind, made, change);
      if (needsRight) refusedFor(changed, `${what} with ${name}`);
      else stored(changed, `${what} with ${name}`);
    }
    const again = stored(await door.create('admin', kind, named('labelled')), what);
    stored(await door.change('writer', kind, again, {}), `${what} with a label`);
  }
};

suite('whoever names a Secret must be allowed to read it', () => {
  test('in the embedded server', async () => {
    const users: readonly Who[] = ['admin', 'reader', 'writer'];
    await using server = await startEmbeddedServer({
      clock,
      access: 'rbac',
      staticTokens: users.map((name) => ({
        token: `token-of-${name}`,
        clusters: ['root'],
        user: { name, groups: name === 'admin' ? ['system:masters'] : [] },
      })),
    });
    const { client, pki, url } = server;
    await client.create(Namespace, { metadata: { name: 'team' } });
    const apiGroups = [...new Set(allKinds.map(({ group }) => group))];
    await client.create(ClusterRole, {
      metadata: { name: 'writer' },
      rules: [{ verbs: ['*'], apiGroups, resources: ['*'] }],
    });
    await client.create(ClusterRole, {
      metadata: { name: 'reader' },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['key'] }],
    });
    const toRole = (name: string) => ({
      apiGroup: ClusterRole.group,
      kind: 'ClusterRole',
      name,
    });
    const subject = (name: string) => ({ kind: 'User', apiGroup: ClusterRole.group, name });
    await client.create(ClusterRoleBinding, {
      metadata: { name: 'writers' },
      roleRef: toRole('writer'),
      subjects: [subject('writer'), subject('reader')],
    });
    await client.create(RoleBinding, {
      metadata: { name: 'readers', namespace: 'team' },
      roleRef: toRole('reader'),
      subjects: [subject('reader')],
    });
    const as = (who: Who) =>
      createHttpClient(
        {
          server: url,
          caBundle: pki?.authority,
          credentials: async () => ({ authorization: `Bearer token-of-${who}` }),
        },
        { clock },
      );
    const outcomeOf = async (work: Promise<unknown>): Promise<Outcome> => {
      try {
        return { object: (await work) as JsonObject };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { code: error.code, why: error.message };
      }
    };
    const door: Door = {
      create: async (who, kind, object) => {
        await using own = as(who);
        return await outcomeOf(own.create(kind as ResourceKind, object as never));
      },
      change: async (who, kind, { metadata }, spec) => {
        await using own = as(who);
        const { name } = metadata as { readonly name: string };
        const body = { metadata: { labels: { touched: 'yes' } }, spec };
        return await outcomeOf(
          own.patch(kind as ResourceKind, { name, ...placeOf(kind) }, { type: 'merge', body }),
        );
      },
    };
    await play(door);
  });

  test('as a webhook, which asks the API server', async () => {
    const authority = createAuthority();
    const names = ['127.0.0.1'];
    const tls = authority.issue({ commonName: 'admission', usage: 'server', names });
    await using server = await startAdmissionServer({
      clock,
      tls,
      isAllowed: async ({ user, verb, resource, namespace, name }) =>
        user.groups?.includes('system:masters') ||
        (user.name === 'reader' &&
          `${verb} ${resource} ${namespace}/${name}` === 'get secrets team/key'),
    });
    using client = new WebhookClient({ clock });
    const review = async (who: Who, kind: Kind, object: JsonObject, old: JsonObject | null) => {
      const { group, version } = kind;
      const groups = who === 'admin' ? ['system:masters'] : [];
      const request = {
        uid: 'u1',
        kind: { group, version, kind: kind.kind },
        namespace: kind.scope === 'Namespaced' ? 'team' : '',
        userInfo: { username: who, groups },
        object,
        oldObject: old,
      };
      const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
      const address = { url: new URL(`${server.url}/validate`), ca: authority.cert };
      const { response } = await client.call(address, body, { timeoutMs: 5000 });
      assert.ok(isJsonObject(response));
      if (response.allowed === true) return { object };
      const { code, message } = response.status as { code: number; message: string };
      return { code, why: message };
    };
    await play({
      create: (who, kind, object) => review(who, kind, object, null),
      change: (who, kind, old, spec) => {
        const patch = { metadata: { labels: { touched: 'yes' } }, spec };
        return review(who, kind, applyMergePatch(old, patch) as JsonObject, old);
      },
    });
  });
});

const fieldsNamedSecret = (schema: JsonValue | undefined, at: string): readonly string[] => {
  if (!isJsonObject(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  const inside = isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    ...inside.flatMap(([name, child]) => [
      ...(/secret/i.test(name) ? [`${at}.${name}`] : []),
      ...fieldsNamedSecret(child, `${at}.${name}`),
    ]),
    ...fieldsNamedSecret(items, `${at}[]`),
    ...fieldsNamedSecret(additionalProperties, `${at}{}`),
  ];
};

test('no other kind has a field that names a Secret, but for those of pods', () => {
  const found = allKinds.flatMap((kind) => {
    const spec = (kind.schema as unknown as { properties: { spec?: JsonValue } }).properties.spec;
    return fieldsNamedSecret(spec, `${kind.kind}.${kind.group} spec`);
  });
  const ofPods = /podSpec|template\.spec|script\.volumes/;
  assert.deepEqual(
    found.filter((field) => !ofPods.test(field)),
    [
      'Cluster.globalscheduler.com spec.secretRef',
      'Cluster.cluster.karmada.io spec.secretRef',
      'Cluster.cluster.karmada.io spec.impersonatorSecretRef',
      'Dataset.data.fluid.io spec.mounts[].encryptOptions[].valueFrom.secretKeyRef',
      'Dataset.data.fluid.io spec.dataRestoreLocation.encryptOptions[].valueFrom.secretKeyRef',
      'Dataset.data.fluid.io spec.sharedEncryptOptions[].valueFrom.secretKeyRef',
      'DataMigrate.data.fluid.io spec.from.externalStorage.encryptOptions[].valueFrom.secretKeyRef',
      'DataMigrate.data.fluid.io spec.to.externalStorage.encryptOptions[].valueFrom.secretKeyRef',
      'DataBackup.data.fluid.io spec.encryptOptions[].valueFrom.secretKeyRef',
    ],
  );
});
