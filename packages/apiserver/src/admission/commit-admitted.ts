import type { JsonObject } from '@perigee/api/json';
import { UnadmittedError, UnconvertedError } from '../errors.ts';
import type { CommitRequest, Decide, Decision } from '../registry/commit.ts';
import { atVersion } from '../registry/metadata.ts';
import { formOf } from '../registry/object-form.ts';
import { keyOf, type Registry, tableOf } from '../registry/registry.ts';
import { withReplicas } from '../registry/scale.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { conflict } from '../status/object-refusals.ts';
import type { Entry } from '../store/store.ts';
import type { AdmissionChain, Pass } from './admission-chain.ts';
import type { Draft } from './admission-step.ts';
import type { Operation } from './attributes.ts';
import { attributesOf } from './attributes-of.ts';
import type { Configurations } from './configurations.ts';
import { finished, unfinished } from './unfinished-metadata.ts';

/** Somebody else was faster so often that they have to be told. */
const MOST_ATTEMPTS = 20;
const MOST_ROUNDS = 100;

interface Outlook {
  readonly seen: Entry | undefined;
  readonly revision: number;
  readonly decision: Decision;
}

export interface AdmittedWrite {
  readonly chain: AdmissionChain;
  readonly configurations: Configurations;
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly request: CommitRequest;
}

/** What webhooks make of an object that is about to be stored. A scale is theirs to change, not the rest. */
export const mutatedDraft = async (
  { chain, configurations, registry, resource, request }: AdmittedWrite,
  { object, old }: Draft,
): Promise<JsonObject> => {
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const seen = old === undefined ? unfinished(object) : object;
  const attributes = attributesOf(registry, resource, request, { operation, object: seen, old });
  const made = await chain.askToMutate(registry, configurations, attributes, request);
  if (made === undefined || made === attributes.object) return object;
  if (request.subresource === 'scale') return withReplicas(resource, object, made);
  return old === undefined ? finished(made, object) : made;
};

/** The same decision, for a write that gets another revision. */
const stamped = ({ change, object }: Decision, before: number, revision: number): Decision => {
  const { resourceVersion } = (object.metadata ?? {}) as { readonly resourceVersion?: string };
  return resourceVersion === String(before)
    ? { change, object: atVersion(object, revision) }
    : { change, object };
};

/** Takes the decision in the newest state, once everybody who may change the object has done so. */
const look = async (write: AdmittedWrite, decide: Decide): Promise<Outlook> => {
  const { chain, registry, resource, request } = write;
  const { versions } = formOf(resource);
  const memo = new Map<string, JsonObject>();
  const table = tableOf(registry, resource);
  const key = keyOf(request.namespace, request.name);
  let pass: Pass = 'ask';
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    let found: Outlook | UnconvertedError | UnadmittedError | undefined;
    let on: number | undefined;
    await registry.store.write(table, key, (seen, revision) => {
      on = seen?.revision;
      const usable: Pass = pass !== 'ask' && pass.on === on ? pass : 'ask';
      const work = (): Decision => chain.during(usable, () => decide(seen, revision));
      try {
        const decision = versions === undefined ? work() : versions.during(memo, work);
        found = { seen, revision, decision };
      } catch (error) {
        if (!(error instanceof UnadmittedError || error instanceof UnconvertedError)) throw error;
        found = error;
      }
      return { keep: true };
    });
    if (found instanceof UnconvertedError) await versions?.learn(memo, found);
    else if (found instanceof UnadmittedError) {
      pass = { object: await mutatedDraft(write, found.draft), on };
    } else if (found !== undefined) return found;
  }
  throw conflict(resource, request.name);
};

const validate = async (write: AdmittedWrite, { seen, decision }: Outlook): Promise<void> => {
  const { chain, configurations, registry, resource, request } = write;
  const old = seen && formOf(resource).read(seen);
  const operation: Operation = request.operation ?? (old === undefined ? 'CREATE' : 'UPDATE');
  const isDeletion = operation === 'DELETE';
  const next = 'put' in decision.change ? decision.change.put : decision.object;
  const written = isDeletion ? { operation, old } : { operation, object: next, old };
  const attributes = attributesOf(registry, resource, request, written);
  if (isDeletion) await chain.askToMutate(registry, configurations, attributes, request);
  await chain.validate(registry, configurations, attributes, request);
};

/**
 * Carries out a decision that others have a say in. Since that takes time, it decides first, asks, and
 * writes only if nothing has changed in the meantime; otherwise it decides and asks again.
 */
export const commitAdmitted = async (
  write: AdmittedWrite,
  decide: Decide,
  commit: (decide: Decide) => Promise<JsonObject>,
): Promise<JsonObject> => {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const outlook = await look(write, decide);
    await validate(write, outlook);
    const { seen, revision: before, decision } = outlook;
    let isUnchanged = false;
    const object = await commit((present, revision) => {
      isUnchanged = present?.revision === seen?.revision;
      return isUnchanged
        ? stamped(decision, before, revision)
        : { change: { keep: true }, object: {} };
    });
    if (isUnchanged) return object;
  }
  throw conflict(write.resource, write.request.name);
};
