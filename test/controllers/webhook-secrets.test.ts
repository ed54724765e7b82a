import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { realClock } from '@perigee/kube/clock/real-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { parseAllDocuments } from 'yaml';
import { openFolder, startPerigeeProcess } from '../placement/perigee-process.ts';

const SPACE = 'perigee-system';
const ACCOUNT = 'perigee-webhook';
const SERVICE_NAME = `${ACCOUNT}.${SPACE}.svc`;

const KINDS: readonly ResourceKind[] = [
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
];

const modulePreload = new URL('./list-modules.ts', import.meta.url).href;

const manifests = (): readonly { readonly kind: string }[] =>
  parseAllDocuments(
    readFileSync(new URL('../../deploy/kubernetes/webhook.yaml', import.meta.url), 'utf8'),
  ).map((one) => one.toJS());

test('perigee webhook, with the rights of its manifest, asks whether the author may read', async () => {
  using folder = openFolder();
  await using server = await startEmbeddedServer({ clock: realClock, access: 'rbac' });
  const { client, url, pki } = server;
  const metadataOf = (name: string) => ({ metadata: { name } });
  for (const space of [SPACE, 'team']) {
    await client.create(Namespace, metadataOf(space));
  }
  for (const object of manifests()) {
    const kind = KINDS.find((one) => one.kind === object.kind);
    if (kind !== undefined) await client.create(kind, object as never);
  }
  await client.create(RoleBinding, {
    metadata: { name: 'reader', namespace: 'team' },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'Group', apiGroup: RBAC_GROUP, name: 'readers' }],
  } as never);
  const { status } = (await client.create(
    ServiceAccount,
    { metadata: { name: ACCOUNT, namespace: SPACE }, spec: {} } as never,
    { subresource: 'token' },
  )) as unknown as { status: { token: string } };
  const kubeconfig = join(folder.path, 'kubeconfig');
  const moduleList = join(folder.path, 'modules');
  const authority = Buffer.from(pki?.authority ?? '').toString('base64');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token: status.token } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  await using hook = await startPerigeeProcess(
    ['webhook', '--listen', '0', '--service', `${SPACE}/${ACCOUNT}`, '--kubeconfig', kubeconfig],
    'is at work',
    { NODE_OPTIONS: `--import=${modulePreload}`, TEST_MODULE_LIST: moduleList },
  );
  const [at = ''] = /https:[/0-9.:]+/.exec(hook.said()) ?? [];
  const review = async (groups: readonly string[]) => {
    const object = {
      metadata: { name: 'member1' },
      spec: { type: 'kubernetes', secretRef: { namespace: 'team', name: 'key' } },
    };
    const admissionReview = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u',
        kind: { group: 'globalscheduler.com', version: 'v1', kind: 'Cluster' },
        userInfo: { username: 'jane', groups },
        object,
      },
    };
    const outgoing = request(`${at}/validate`, {
      method: 'POST',
      servername: SERVICE_NAME,
      rejectUnauthorized: false,
      agent: false,
    });
    outgoing.end(JSON.stringify(admissionReview));
    const [answer] = await once(outgoing, 'response');
    return (await json(answer)) as {
      response: { allowed: boolean; status?: { code: number; message: string } };
    };
  };
  const stranger = (await review([])).response;
  assert.equal(stranger.allowed, false);
  assert.equal(stranger.status?.code, 403);
  assert.match(
    stranger.status?.message ?? '',
    /user "jane" cannot get the Secret "key" in the namespace "team"/,
  );
  assert.equal((await review(['readers'])).response.allowed, true);

  const modules = readFileSync(moduleList, 'utf8').split('\n');
  assert.ok(modules.some((url) => url.includes('/packages/admission/')));
  assert.deepEqual(
    modules.filter((url) => /\/packages\/apiserver\/|\/node_modules\/lmdb\//.test(url)),
    [],
    'it carries no API server',
  );
});
