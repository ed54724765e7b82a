import type { JsonObject } from '@perigee/api/json';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { commitAdmitted } from '../admission/commit-admitted.ts';
import { commitConverted } from '../conversion/commit-converted.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { refusal } from '../status/refusal.ts';
import type { Change, Entry } from '../store/store.ts';
import type { InputOptions } from './decode-input.ts';
import type { PropagationPolicy } from './deletion-finalizers.ts';
import { atVersion } from './metadata.ts';
import { formOf } from './object-form.ts';
import { keyOf, type Registry, tableOf } from './registry.ts';
import { warnOf } from './warn-of.ts';

/** What a verb decided: what becomes of the key, and the object that the caller gets. */
export interface Decision {
  readonly change: Change;
  readonly object: JsonObject;
}

/** Takes a decision on the newest state. May be asked again when that has changed. */
export type Decide = (present: Entry | undefined, revision: number) => Decision;

export interface CommitRequest extends Pick<InputOptions, 'fieldValidation' | 'warn'> {
  readonly namespace?: string;
  readonly name: string;
  readonly dryRun?: boolean;
  /** What admission is told; a write creates what is not there and updates what is, unless said. */
  readonly operation?: 'DELETE';
  readonly subresource?: string;
  readonly fieldManager?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What etcd takes in one write, and so what clients may count on. */
const LARGEST_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** The object in the form in which all objects of its kind are stored. */
export const inStorage = (
  { storage, conversion }: ServedResource,
  object: JsonObject,
): JsonObject => {
  if (conversion !== undefined) return conversion.toStored(object);
  const apiVersion = apiVersionOf(storage);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
};

const acceptSize = (bytes: number): void => {
  if (bytes <= LARGEST_OBJECT_BYTES) return;
  throw refusal(
    413,
    'RequestEntityTooLarge',
    // Clients look for the words of etcd.
    `etcdserver: request is too large: an object may have ${LARGEST_OBJECT_BYTES} bytes as JSON`,
  );
};

const checkSize = (object: JsonObject): void =>
  acceptSize(Buffer.byteLength(JSON.stringify(object)));

/** What the store is to do; it knows the size of an object when it has written it out. */
const toStore = (resource: ServedResource, change: Change): Change => {
  if (!('put' in change)) return change;
  const put = inStorage(resource, change.put);
  return put === change.put ? { ...change, acceptSize } : { put, acceptSize };
};

/** The same decision, with what only one object can have. */
const allocated = (
  { allocate }: Registry,
  resource: ServedResource,
  decide: Decide,
  dryRun: boolean,
): Decide => {
  if (allocate === undefined) return decide;
  return (present, revision) => {
    const decision = decide(present, revision);
    // Also what goes with a write is shown with what it would have had.
    if ('remove' in decision.change) {
      return { ...decision, object: allocate(resource, decision.object, present?.object) };
    }
    if (!('put' in decision.change)) return decision;
    const put = allocate(resource, decision.change.put, present?.object);
    if (put === decision.change.put) return decision;
    return { change: { put }, object: dryRun ? put : atVersion(put, revision) };
  };
};

/** The same decision, unless what it would store is refused. */
const admitted = (
  { admit }: Registry,
  resource: ServedResource,
  { name, namespace }: CommitRequest,
  decide: Decide,
): Decide => {
  if (admit === undefined) return decide;
  return (present, revision) => {
    const decision = decide(present, revision);
    if ('put' in decision.change) {
      const where = namespace === undefined ? { name } : { name, namespace };
      const old = present === undefined ? {} : { old: present.object };
      admit(resource, { ...where, ...old, object: decision.change.put });
    }
    return decision;
  };
};

const carryOut = async (
  registry: Registry,
  resource: ServedResource,
  request: CommitRequest,
  decide: Decide,
): Promise<JsonObject> => {
  const { versions } = formOf(resource);
  if (versions !== undefined) {
    return commitConverted(registry, resource, request, decide, versions, checkSize);
  }
  const { namespace, name, dryRun = false } = request;
  const decideAll = allocated(registry, resource, decide, dryRun);
  let outcome: JsonObject = {};
  let isAsStored = false;
  const table = tableOf(registry, resource);
  const key = keyOf(namespace, name);
  const { entry } = await registry.store.write(table, key, (present, revision) => {
    const decision = decideAll(present, revision);
    outcome = decision.object;
    warnOf(registry, resource, request, decision, present);
    if (!dryRun) {
      const change = toStore(resource, decision.change);
      isAsStored =
        'put' in change && 'put' in decision.change && change.put === decision.change.put;
      return change;
    }
    if ('put' in decision.change) checkSize(decision.change.put);
    return { keep: true };
  });
  // The very object that is stored: its JSON is there already.
  return isAsStored && entry !== undefined ? entry.object : outcome;
};

/**
 * Carries out a decision about one object. It is taken at once, on the newest state, so that nothing can
 * come between what it saw and what it does; unless others have to be asked, who may take their time. A
 * dry run decides and leaves no trace.
 */
export const commit = async (
  registry: Registry,
  resource: ServedResource,
  request: CommitRequest,
  decide: Decide,
): Promise<JsonObject> => {
  const decideAdmitted = admitted(registry, resource, request, decide);
  const { admission: chain } = registry;
  const configurations = chain?.configurationsFor(registry, resource);
  if (chain === undefined || configurations === undefined) {
    return carryOut(registry, resource, request, decideAdmitted);
  }
  const write = { chain, configurations, registry, resource, request };
  return commitAdmitted(write, decideAdmitted, (settled) =>
    carryOut(registry, resource, request, settled),
  );
};
