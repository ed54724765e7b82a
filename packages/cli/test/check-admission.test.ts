import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client, WriteOptions } from '@perigee/kube/client/client';
import { checkAdmission } from '../src/controllers/check-admission.ts';

const LABEL = 'propagationpolicy.karmada.io/permanent-id';

/** A server whose admission adds these labels to policies. */
const serverOf = (labels: object, asked: WriteOptions[] = []): Client =>
  ({
    create: async (_kind: unknown, object: { metadata: object }, options: WriteOptions) => {
      asked.push(options);
      return { ...object, metadata: { ...object.metadata, labels } };
    },
  }) as never;

test('controllers ask whether somebody completes policies, and leave nothing behind', async () => {
  const asked: WriteOptions[] = [];
  await checkAdmission(serverOf({ [LABEL]: 'a' }, asked));
  assert.deepEqual(asked, [{ dryRun: true }]);
  await assert.rejects(checkAdmission(serverOf({})), /run "perigee webhook" first/);
});
