import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import type { JsonObject } from '@perigee/schema/json';
import {
  answerReview,
  type ReviewContext,
  type ReviewTask,
} from '../../src/webhook/answer-review.ts';

const clock = new VirtualClock();
const CLUSTER = { group: 'cluster.karmada.io', version: 'v1alpha1', kind: 'Cluster' };
const POLICY = { group: 'policy.karmada.io', version: 'v1alpha1', kind: 'PropagationPolicy' };
const QUEUE = { group: 'scheduling.volcano.sh', version: 'v1beta1', kind: 'Queue' };
const ID = 'propagationpolicy.karmada.io/permanent-id';

const review = async (
  task: ReviewTask,
  kind: typeof CLUSTER,
  object: JsonObject,
  { oldObject, ...context }: Partial<ReviewContext> & { readonly oldObject?: JsonObject } = {},
): Promise<JsonObject> => {
  const { group, version } = kind;
  const resource = { group, version, resource: `${kind.kind.toLowerCase()}s` };
  const whole = { apiVersion: `${group}/${version}`, kind: kind.kind, ...object };
  const request = {
    uid: 'u',
    kind,
    resource,
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    userInfo: { username: 'ann', groups: [] },
    object: whole,
    ...(oldObject === undefined
      ? {}
      : { oldObject: { apiVersion: whole.apiVersion, kind: kind.kind, ...oldObject } }),
  };
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const reviewContext = { clock, isAllowed: async () => true, ...context };
  const answer = await answerReview(task, body as never, reviewContext);
  assert.ok(answer);
  const { response } = answer as { response: JsonObject };
  assert.equal(response.uid, 'u');
  return response;
};

const patchOf = ({ patch, patchType }: JsonObject): readonly JsonObject[] => {
  assert.equal(patchType, 'JSONPatch');
  return JSON.parse(Buffer.from(`${patch}`, 'base64').toString());
};

const messageOf = ({ allowed, status }: JsonObject): string => {
  assert.equal(allowed, false);
  return `${(status as JsonObject).code} ${(status as JsonObject).message}`;
};

describe('the answer to a review', () => {
  it('is a patch with what the canonical form has more, less and otherwise', async () => {
    const taint = { key: 'a/b', effect: 'NoExecute' };
    const spec = { syncMode: 'Push', taints: [taint, { key: 'c', effect: 'NoSchedule' }] };
    const operations = patchOf(await review('mutate', CLUSTER, { metadata: { name: 'm' }, spec }));
    const taints = operations.find(({ path }) => path === '/spec/taints');
    assert.equal(taints?.op, 'replace');
    const [timed, other] = (taints?.value ?? []) as readonly JsonObject[];
    assert.match(`${timed?.timeAdded}`, /^\d{4}-/);
    assert.equal(other?.timeAdded, undefined, 'tolerations count for NoExecute alone');
  });

  it('has no patch for an object that is canonical already', async () => {
    const metadata = { name: 'm' };
    const spec = { syncMode: 'Push', taints: [{ key: 'c', effect: 'NoSchedule' }] };
    const first = await review('mutate', CLUSTER, { metadata, spec });
    const patched = first.patch === undefined ? [] : patchOf(first);
    assert.ok(patched.every(({ path }) => path !== '/spec/taints'));
  });

  it('gives a policy its id and its finalizer, and keeps the id that it had', async () => {
    const metadata = { name: 'p', namespace: 'team' };
    const spec = { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] };
    const operations = patchOf(await review('mutate', POLICY, { metadata, spec }));
    const added = JSON.stringify(operations);
    assert.match(added, /permanent-id/);
    assert.match(added, /finalizers/);
    const oldObject = { metadata: { ...metadata, labels: { [ID]: 'former' } }, spec };
    const again = patchOf(await review('mutate', POLICY, { metadata, spec }, { oldObject }));
    assert.match(JSON.stringify(again), /"former"/);
  });

  it('refuses another id, with the field and the code of an invalid object', async () => {
    const spec = { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] };
    const withId = (id: string): JsonObject => ({
      metadata: { name: 'p', namespace: 'team', labels: { [ID]: id } },
      spec,
    });
    const refused = await review('validate', POLICY, withId('b'), { oldObject: withId('a') });
    assert.match(
      messageOf(refused),
      /^422 metadata\.labels\[.*permanent-id\]: .*cannot be changed/,
    );
  });

  it('refuses whoever lacks a right, and says which', async () => {
    const spec = { resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret', name: 'key' }] };
    const object = { metadata: { name: 'p', namespace: 'team' }, spec };
    const refused = await review('validate', POLICY, object, { isAllowed: async () => false });
    assert.match(messageOf(refused), /^403 .*user "ann" cannot get the Secret "key"/);
    assert.deepEqual(await review('validate', POLICY, object), { uid: 'u', allowed: true });
  });

  it('checks a queue among the others, if they can be read', async () => {
    const object = { metadata: { name: 'child' }, spec: { parent: 'nobody' } };
    const queuesAround = async () => ({ get: () => undefined, childrenOf: () => [] });
    const alone = await review('validate', QUEUE, object);
    assert.equal(alone.allowed, true);
    assert.match(
      messageOf(await review('validate', QUEUE, object, { queuesAround })),
      /^422 .*nobody/,
    );
  });

  it('is none for what is no review', async () => {
    const context = { clock, isAllowed: async () => true };
    const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    for (const wrong of [
      {},
      { ...body, apiVersion: 'admission.k8s.io/v1beta1', request: { uid: 'u' } },
      body,
      { ...body, request: {} },
    ]) {
      assert.equal(await answerReview('mutate', wrong, context), undefined);
    }
  });
});
