import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { LOST_CLUSTERS } from '@perigee/host/lost-clusters-policy';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { readProfile } from '@perigee/registration/profile/read-profile';
import type { JsonObject } from '@perigee/schema/json';
import { parseAllDocuments } from 'yaml';

const ROOT = new URL('../examples/', import.meta.url).pathname;
const files = globSync('**/*.{yaml,json}', { cwd: ROOT }).toSorted();

const objectsIn = (text: string): readonly JsonObject[] =>
  parseAllDocuments(text).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS() as JsonObject;
  });

const apply = async (client: Client, body: JsonObject): Promise<void> => {
  const kind = await new RestMapper(client).byKind(String(body.apiVersion), String(body.kind));
  const { name, namespace = 'default' } = body.metadata as unknown as ObjectRef;
  const ref = kind.scope === 'Namespaced' ? { name, namespace } : { name };
  const patch = { type: 'apply', body, fieldManager: 'examples', force: true } as const;
  const storedObject = await client.patch(kind, ref, patch, { fieldValidation: 'Strict' });
  assert.equal(storedObject.metadata.name, name);
};

test('--failover brings along the policy of the example', () => {
  const [example] = objectsIn(readFileSync(join(ROOT, 'failover.yaml'), 'utf8'));
  const { metadata, spec } = LOST_CLUSTERS;
  assert.deepEqual({ metadata: example?.metadata, spec: example?.spec }, { metadata, spec });
});

suite('every example can be applied as it stands', () => {
  for (const file of files) {
    test(file, async () => {
      const objects = objectsIn(readFileSync(join(ROOT, file), 'utf8'));
      assert.ok(objects.length > 0);
      await using server = await startEmbeddedServer({ clock });
      for (const body of objects) {
        if ('cluster_profile' in body) readProfile(body);
        else await apply(server.client, body);
      }
    });
  }
});
