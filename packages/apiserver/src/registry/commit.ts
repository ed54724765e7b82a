import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import type { ServedResource } from '../resource/served-resource.ts';
import { conflict } from '../status/object-refusals.ts';
import { refusal } from '../status/refusal.ts';
import type { Change, Entry } from '../store/store.ts';
import type { Reviewers } from './admission.ts';
import { Answers } from './answers.ts';
import type { InputOptions } from './decode-input.ts';
import type { PropagationPolicy } from './deletion-finalizers.ts';
import { atVersion } from './metadata.ts';
import { formOf } from './object-form.ts';
import { keyOf, type Registry, tableOf } from './registry.ts';
import { warnOf } from './warn-of.ts';

/** Decision of a verb: the change of the key, and the object for the caller. */
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
  /** Operation for admission; by default, CREATE if the object is absent and UPDATE if it is present. */
  readonly operation?: 'DELETE';
  readonly subresource?: string;
  readonly fieldManager?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The limit of etcd on one write, on which clients may rely. */
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
    // Clients match the words of etcd.
    `etcdserver: request is too large: an object may have ${LARGEST_OBJECT_BYTES} bytes as JSON`,
  );
};

/** Subject of a write, and its key in the store. */
interface Target {
  readonly registry: Registry;
  readonly resource: ServedResource;
  readonly request: CommitRequest;
  readonly table: string;
  readonly key: string;
}

/** Throws when the API refuses what the decision would store. */
const admit = (
  { registry, resource, request: { name, namespace } }: Target,
  { change }: Decision,
  present: Entry | undefined,
): void => {
  if (registry.admit === undefined || !('put' in change)) return;
  const where = namespace === undefined ? { name } : { name, namespace };
  const old = present === undefined ? {} : { old: present.object };
  registry.admit(resource, { ...where, ...old, object: change.put });
};

/** The decision with what only one object can have, such as an address. */
const withAllocation = (
  { registry: { allocate }, resource, request: { dryRun } }: Target,
  decision: Decision,
  present: Entry | undefined,
  revision: number,
): Decision => {
  if (allocate === undefined) return decision;
  // A deleted object is returned as it would have been stored.
  if ('remove' in decision.change) {
    return { ...decision, object: allocate(resource, decision.object, present?.object) };
  }
  if (!('put' in decision.change)) return decision;
  const put = allocate(resource, decision.change.put, present?.object);
  if (put === decision.change.put) return decision;
  return { change: { put }, object: dryRun ? put : atVersion(put, revision) };
};

/** Result of a swap in the store, and the object for the caller. */
interface Swapped {
  readonly entry: Entry | undefined;
  readonly object: JsonObject;
}

/** Swaps the object in the store for what `decide` makes of it there and then. A dry run leaves no trace. */
const swap = async (
  target: Target,
  decide: Decide,
  storedForm = (object: JsonObject) => inStorage(target.resource, object),
): Promise<Swapped> => {
  const { registry, resource, request, table, key } = target;
  let outcome: JsonObject = {};
  let isAsStored = false;
  const { entry } = await registry.store.write(table, key, (present, revision) => {
    const decision = withAllocation(target, decide(present, revision), present, revision);
    outcome = decision.object;
    warnOf(registry, resource, request, decision, present);
    const { change } = decision;
    if (!('put' in change)) return request.dryRun ? { keep: true } : change;
    const put = storedForm(change.put);
    if (request.dryRun) {
      acceptSize(Buffer.byteLength(JSON.stringify(put)));
      return { keep: true };
    }
    isAsStored = put === change.put;
    // The store knows the size of an object after its serialisation.
    return { put, acceptSize };
  });
  // The very object that is stored: its JSON is there already.
  return { entry, object: isAsStored && entry !== undefined ? entry.object : outcome };
};

/** A decision, and the state that it was taken on. */
interface Outlook {
  readonly present: Entry | undefined;
  readonly revision: number;
  readonly decision: Decision;
}

/** Reads the newest state and decides, with the answers so far. */
const look = async (
  { registry, table, key }: Target,
  decide: Decide,
  answers: Answers,
): Promise<Outlook> => {
  let outlook: Outlook | undefined;
  await registry.store.write(table, key, (present, revision) => {
    const decision = answers.during(() => decide(present, revision));
    outlook = { present, revision, decision };
    return { keep: true };
  });
  if (outlook === undefined) throw new Error('the store decided without asking');
  return outlook;
};

const review = async (
  { resource, request }: Target,
  reviewers: Reviewers,
  { present, decision: { change, object } }: Outlook,
): Promise<void> => {
  const old = present && formOf(resource).read(present);
  if (request.operation === 'DELETE') return reviewers.validate({ operation: 'DELETE', old });
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  await reviewers.validate({ operation, object: 'put' in change ? change.put : object, old });
};

/** The same decision with another revision. */
const stampedDecision = ({ revision: before, decision }: Outlook, revision: number): Decision => {
  const { change, object } = decision;
  const { resourceVersion } = (object.metadata ?? {}) as { readonly resourceVersion?: string };
  if (resourceVersion !== String(before)) return decision;
  return { change, object: atVersion(object, revision) };
};

/** Writes a decision if the state that it was taken on is still the newest; undefined otherwise. */
const compareAndSwap = async (
  target: Target,
  outlook: Outlook,
): Promise<JsonObject | undefined> => {
  const { resource, request } = target;
  const { present: old, decision } = outlook;
  const { versions } = formOf(resource);
  const put = 'put' in decision.change ? decision.change.put : undefined;
  const storedObject = put && versions && (await versions.toStorage(put));
  const isSame =
    storedObject !== undefined && old !== undefined && sameJson(storedObject, old.object);
  let isUnchanged = false;
  const decide: Decide = (present, revision) => {
    isUnchanged = present?.revision === old?.revision;
    return isUnchanged && !isSame
      ? stampedDecision(outlook, revision)
      : { change: { keep: true }, object: {} };
  };
  const { entry, object } = await swap(target, decide, storedObject && (() => storedObject));
  if (!isUnchanged) return undefined;
  if (versions === undefined) return object;
  if (request.dryRun)
    return storedObject === undefined ? object : versions.fromStorage(storedObject);
  if (entry === undefined) return object;
  await versions.convert([entry]);
  return versions.read(entry);
};

/**
 * Executes a decision about one object: reads, transforms and swaps it. That is synchronous, on the newest state,
 * so that no write comes between; unless webhooks have to be called, which take time: then the swap compares, and
 * the loop starts over after a concurrent write.
 */
export const commit = async (
  registry: Registry,
  resource: ServedResource,
  request: CommitRequest,
  decide: Decide,
): Promise<JsonObject> => {
  const { namespace, name } = request;
  const key = keyOf(namespace, name);
  const target = { registry, resource, request, table: tableOf(registry, resource), key };
  const decideAdmitted: Decide = (present, revision) => {
    const decision = decide(present, revision);
    admit(target, decision, present);
    return decision;
  };
  const reviewers = registry.admission?.reviewersOf(registry, resource, request);
  if (reviewers === undefined && formOf(resource).versions === undefined) {
    return (await swap(target, decideAdmitted)).object;
  }
  const answers = new Answers(reviewers);
  const object = await answers.settle(async () => {
    const outlook = await look(target, decideAdmitted, answers);
    if (reviewers !== undefined) await review(target, reviewers, outlook);
    return compareAndSwap(target, outlook);
  });
  if (object === undefined) throw conflict(resource, name);
  return object;
};
