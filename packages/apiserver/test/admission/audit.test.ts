import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import type { JsonObject } from '@perigee/schema/json';
import { ANONYMOUS } from '../../src/access/access.ts';
import { createInProcessClient } from '../../src/client/in-process-client.ts';
import { BINDINGS, POLICIES, reviewed, startWithWebhook, VALIDATING } from './admission-fixture.ts';

test('webhooks and policies have things written down', async () => {
  await using api = await startWithWebhook((review) =>
    reviewed(review, { auditAnnotations: { seen: 'yes' } }),
  );
  await api.configure(VALIDATING, {});
  const rule = {
    operations: ['*'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
  };
  const spec: JsonObject = {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: 'false', message: 'noted' }],
    auditAnnotations: [{ key: 'who', valueExpression: "'name ' + object.metadata.name" }],
  };
  await api.send('POST', POLICIES, { metadata: { name: 'p' }, spec });
  const bound = { policyName: 'p', validationActions: ['Audit'] };
  await api.send('POST', BINDINGS, { metadata: { name: 'b' }, spec: bound });
  const notes: { [key: string]: string } = {};
  const annotate = (key: string, value: string): void => {
    notes[key] = value;
  };
  const caller = { user: ANONYMOUS, warn: () => {}, annotate };
  const registry = { ...api.registry, caller };
  const metadata = { name: 'one', namespace: 'default' };
  await createInProcessClient(registry).create(ConfigMap, { metadata } as never);
  const failure = {
    message: 'noted',
    policy: 'p',
    binding: 'b',
    expressionIndex: 0,
    validationActions: ['Audit'],
  };
  assert.deepEqual(notes, {
    'p/who': 'name one',
    'one.example.com/seen': 'yes',
    'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([failure]),
  });
});
