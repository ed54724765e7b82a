import { readFileSync, writeFileSync } from 'node:fs';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { RecordedCase } from '../packages/schema/test/recorded.ts';
import { openPeer } from './open-peer.ts';

/**
 * Records what kube-apiserver says of specs, for the schemas and cases in `validation.json`, `rules.json` and
 * `ratcheting.json` beside the tests of schemas. A new case has a name and a spec. `npm run format` afterwards.
 */
const FILES = ['validation', 'rules', 'ratcheting'];

const Definition: ResourceKind = CustomResourceDefinition;
/** The schema while objects are stored that the recorded one refuses. */
const LAX: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const PAUSE_MS = 250;
const MOST_PAUSES = 120;

interface Recording {
  readonly schema: JsonObject;
  readonly cases: readonly RecordedCase[];
}

const until = async (check: () => Promise<boolean>): Promise<void> => {
  for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
    if (await check()) return;
    await realClock.sleep(PAUSE_MS);
  }
  throw new Error('kube-apiserver did not take up the definition');
};

const causesOf = async (attempt: Promise<unknown>): Promise<readonly FieldError[]> => {
  try {
    await attempt;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    return (error.status.details?.causes ?? []) as readonly FieldError[];
  }
};

const definitionOf = ({ group, plural, kind }: ResourceKind, schema: JsonObject): JsonObject => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const names = { plural, kind };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version] },
  };
};

/** The answers to all cases, in their order. Each stored object has a namespace of its own. */
const answersTo = async (peer: Client, { schema, cases }: Recording) => {
  const id = realClock.uuid().slice(0, 8);
  const group = `recorded-${id}.io`;
  const sample = { group, version: 'v1', kind: 'Sample', plural: 'samples' };
  const Sample: ResourceKind = { ...sample, scope: 'Namespaced' };
  const objectIn = (namespace: string, spec: JsonValue, rest: JsonObject = {}) =>
    ({ metadata: { name: 'x', namespace, ...rest }, spec }) as never;
  const namespaceOf = (index: number) => `recorded-${id}-${index}`;
  const empty = `recorded-${id}`;
  await peer.create(Namespace, { metadata: { name: empty } });
  const lax = await peer.create(Definition, definitionOf(Sample, LAX) as never);
  const isServed = async () => {
    try {
      await peer.create(Sample, objectIn(empty, {}), { dryRun: true });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return false;
      throw error;
    }
  };
  await until(isServed);
  for (const [index, { old }] of cases.entries()) {
    if (old === undefined) continue;
    await peer.create(Namespace, { metadata: { name: namespaceOf(index) } });
    await peer.create(Sample, objectIn(namespaceOf(index), old));
  }
  const { name, resourceVersion } = (await peer.get(Definition, lax.metadata)).metadata;
  const strict = { ...definitionOf(Sample, schema), metadata: { name, resourceVersion } };
  await peer.update(Definition, strict as never);
  const answer = async (index: number): Promise<readonly FieldError[]> => {
    const { old, spec } = cases[index] as RecordedCase;
    if (old === undefined) {
      return causesOf(peer.create(Sample, objectIn(empty, spec), { dryRun: true }));
    }
    const namespace = namespaceOf(index);
    const { metadata } = await peer.get(Sample, { namespace, name: 'x' });
    const version = { resourceVersion: metadata.resourceVersion };
    return causesOf(peer.update(Sample, objectIn(namespace, spec, version), { dryRun: true }));
  };
  const refusedCase = cases.findIndex(({ causes }) => causes.length > 0);
  await until(async () => (await answer(refusedCase)).length > 0);
  await realClock.sleep(1000);
  const answers: (readonly FieldError[])[] = [];
  for (const index of cases.keys()) answers.push(await answer(index));
  return answers;
};

await using peer = await openPeer();
for (const file of FILES) {
  const url = new URL(`../packages/schema/test/recorded/${file}.json`, import.meta.url);
  const recording: Recording = JSON.parse(readFileSync(url, 'utf8'));
  const answers = await answersTo(peer, recording);
  const byField = (causes: readonly FieldError[] = []) =>
    causes.map((cause) => JSON.stringify(Object.entries(cause).sort())).sort();
  const cases = recording.cases.map((before, index) => {
    // kube-apiserver tells some causes in another order each time.
    const isSame = sameJson(byField(before.causes), byField(answers[index]));
    return isSame ? before : { ...before, causes: answers[index] };
  });
  writeFileSync(url, JSON.stringify({ ...recording, cases }));
}
