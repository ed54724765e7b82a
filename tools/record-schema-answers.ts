import { readFileSync, writeFileSync } from 'node:fs';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import {
  schemaOfRules,
  specForRule,
  UPDATE_RULES_FILE,
  updateRules,
} from '../packages/apiserver/test/crd/recorded-update-rules.ts';
import type { RecordedCase } from '../packages/schema/test/recorded.ts';
import { openPeer } from './open-peer.ts';
import { Definition, definitionOf, serveKind, untilTakenUp } from './peer-definitions.ts';

/**
 * Records what kube-apiserver says of specs, for the schemas and cases in `validation.json`, `rules.json` and
 * `ratcheting.json` beside the tests of schemas, and of the updates in `update-rules.json` beside the tests of
 * custom kinds. A new case has its name and its values. `npm run format` afterwards.
 */
const FILES = ['validation', 'rules', 'ratcheting'];

/** The schema while objects are stored that the recorded one refuses. */
const LAX: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

interface Recording<C> {
  readonly schema: JsonObject;
  readonly cases: readonly C[];
}

type Causes = readonly FieldError[];
type Question = Pick<RecordedCase, 'old' | 'spec'>;

const causesOf = async (attempt: Promise<unknown>): Promise<Causes> => {
  try {
    await attempt;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    return (error.status.details?.causes ?? []) as Causes;
  }
};

/** The answers to all cases, in their order, of which the one at `refused` is a refusal. Each stored object has a namespace of its own. */
const answersTo = async (
  peer: Client,
  { schema, cases }: Recording<Question>,
  refused: number,
): Promise<readonly Causes[]> => {
  const id = realClock.uuid().slice(0, 8);
  const group = `recorded-${id}.io`;
  const sample = { group, version: 'v1', kind: 'Sample', plural: 'samples' };
  const Sample: ResourceKind = { ...sample, scope: 'Namespaced' };
  const objectIn = (namespace: string, spec: JsonValue, rest: JsonObject = {}) =>
    ({ metadata: { name: 'x', namespace, ...rest }, spec }) as never;
  const namespaceOf = (index: number) => `recorded-${id}-${index}`;
  const empty = `recorded-${id}`;
  await peer.create(Namespace, { metadata: { name: empty } });
  await using _served = await serveKind(peer, Sample, definitionOf(Sample, LAX));
  for (const [index, { old }] of cases.entries()) {
    if (old === undefined) continue;
    await peer.create(Namespace, { metadata: { name: namespaceOf(index) } });
    await peer.create(Sample, objectIn(namespaceOf(index), old));
  }
  const { metadata, spec } = definitionOf(Sample, schema);
  await peer.patch(Definition, metadata, { type: 'merge', body: { spec } });
  const answer = async (index: number): Promise<Causes> => {
    const { old, spec } = cases[index] as Question;
    if (old === undefined) {
      return causesOf(peer.create(Sample, objectIn(empty, spec), { dryRun: true }));
    }
    const namespace = namespaceOf(index);
    const { metadata } = await peer.get(Sample, { namespace, name: 'x' });
    const version = { resourceVersion: metadata.resourceVersion };
    return causesOf(peer.update(Sample, objectIn(namespace, spec, version), { dryRun: true }));
  };
  await untilTakenUp(async () => (await answer(refused)).length > 0);
  await realClock.sleep(1000);
  const answers: Causes[] = [];
  for (const index of cases.keys()) answers.push(await answer(index));
  return answers;
};

const asSet = (causes: Causes = []) =>
  causes.map((cause) => JSON.stringify(Object.entries(cause).sort())).sort();

/** True if the causes are the same. kube-apiserver tells some in another order each time. */
const sameCauses = (before: Causes | undefined, after: Causes | undefined): boolean =>
  sameJson(asSet(before), asSet(after));

const isRefused = ({ causes = [] }: { readonly causes?: Causes }): boolean => causes.length > 0;

await using peer = await openPeer();
for (const file of FILES) {
  const url = new URL(`../packages/schema/test/recorded/${file}.json`, import.meta.url);
  const recording: Recording<RecordedCase> = JSON.parse(readFileSync(url, 'utf8'));
  const answers = await answersTo(peer, recording, recording.cases.findIndex(isRefused));
  const cases = recording.cases.map((before, index) =>
    sameCauses(before.causes, answers[index]) ? before : { ...before, causes: answers[index] },
  );
  writeFileSync(url, JSON.stringify({ ...recording, cases }));
}

const rules = updateRules();
const questions = rules.map(({ old, next }, index) => ({
  old: specForRule(index, old, '1'),
  spec: specForRule(index, next, '2'),
}));
const schema = { type: 'object', properties: { spec: schemaOfRules(rules) } };
const answers = await answersTo(peer, { schema, cases: questions }, rules.findIndex(isRefused));
const updates = rules.map(({ code: _code, causes: before, ...rule }, index) => {
  const causes = answers[index] ?? [];
  if (causes.length === 0) return { ...rule, code: 200 };
  return { ...rule, code: 422, causes: sameCauses(before, causes) ? before : causes };
});
writeFileSync(UPDATE_RULES_FILE, JSON.stringify(updates));
