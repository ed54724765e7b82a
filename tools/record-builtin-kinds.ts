import { writeFileSync } from 'node:fs';
import { realClock } from '@perigee/kube/clock/real-clock';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import {
  recorded,
  recordedFile,
  resourceOf,
} from '../packages/apiserver/test/kinds/builtin-api.ts';
import { asSet, type CaseOfRefusal, causesOf } from '../packages/apiserver/test/kinds/causes-of.ts';
import {
  type CaseOfDefaults,
  changesByServer,
} from '../packages/apiserver/test/kinds/changes-by-server.ts';
import { openPeer } from './open-peer.ts';

/**
 * Records what kube-apiserver fills in and what it refuses, for the inputs of `defaults.jsonl` and
 * `refusals.jsonl` beside the tests of the built-in kinds, from a server that was started by
 * `tools/peers/start.ts FOLDER --for-recording-kinds`. A new case is a line with its name and its input.
 */
await using peer = await openPeer();
const namespace = `recorded-${realClock.uuid().slice(0, 8)}`;
await peer.create(Namespace, { metadata: { name: namespace } });

const inNamespace = (body: JsonObject): JsonObject => {
  const scope = resourceOf(body).scope === 'Namespaced' ? { namespace } : {};
  return { ...body, metadata: { name: 'x', ...(body.metadata as JsonObject), ...scope } };
};
const create = (body: JsonObject, dryRun: boolean): Promise<object> =>
  peer.create(resourceOf(body), inNamespace(body) as never, { dryRun });

const rewrite = (file: string, cases: readonly object[]): void =>
  writeFileSync(recordedFile(file), `${cases.map((one) => JSON.stringify(one)).join('\n')}\n`);

/** A Service without the addresses and ports that it gets: others test how they are given out. */
const withoutAllocations = (input: JsonObject, created: JsonObject): JsonObject => {
  if (created.kind !== 'Service') return created;
  const inputSpec = input.spec as JsonObject;
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...spec } = created.spec as JsonObject;
  const ports = (spec.ports as readonly JsonObject[] | undefined)?.map(
    ({ nodePort, ...port }, index) => {
      const askedPort = (inputSpec.ports as readonly JsonObject[])[index]?.nodePort;
      return askedPort === undefined ? port : { ...port, nodePort: askedPort };
    },
  );
  const givenAddress = inputSpec.clusterIP === undefined ? {} : { clusterIP, clusterIPs };
  return { ...created, spec: { ...spec, ...(ports && { ports }), ...givenAddress } };
};

const defaults: CaseOfDefaults[] = [];
for (const before of recorded<CaseOfDefaults>('defaults.jsonl')) {
  const { name, input } = before;
  const created = (await create(input, true)) as JsonObject;
  const changes = changesByServer(input, withoutAllocations(input, created));
  defaults.push({
    name,
    input,
    changes: sameJson(changes, before.changes) ? before.changes : changes,
  });
}
rewrite('defaults.jsonl', defaults);

const refusals: CaseOfRefusal[] = [];
for (const before of recorded<CaseOfRefusal>('refusals.jsonl')) {
  const { input, old } = before;
  const refuse = async (attempt: Promise<unknown>): Promise<void> => {
    const causes = await causesOf(attempt);
    // kube-apiserver tells some causes in another order each time.
    const isSame = sameJson(asSet(causes), asSet(before.causes));
    refusals.push({ ...before, causes: isSame ? before.causes : causes });
  };
  if (old === undefined) {
    await refuse(create(input, true));
    continue;
  }
  const kind = resourceOf(old);
  const { metadata } = (await create(old, false)) as { metadata: { name: string } };
  const ref = { ...(kind.scope === 'Namespaced' ? { namespace } : {}), name: metadata.name };
  try {
    await refuse(peer.update(kind, inNamespace(input) as never, { dryRun: true }));
  } finally {
    await peer.delete(kind, ref, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  }
}
rewrite('refusals.jsonl', refusals);
