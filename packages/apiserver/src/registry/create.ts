import type { WrittenMeta } from '@perigee/api/meta/object-meta';
import { generateName } from '@perigee/api/values/generated-name';
import { isAlreadyExists } from '@perigee/kube/errors';
import type { FieldError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import type { ServedResource } from '../resource/served-resource.ts';
import {
  alreadyExists,
  conflict,
  generatedNameTaken,
  invalidObject,
} from '../status/object-refusals.ts';
import { badRequest, methodNotAllowed, unknownResource } from '../status/request-refusals.ts';
import type { Reviewers } from './admission.ts';
import { allowsVerb } from './allows-verb.ts';
import { Answers, admittedObject } from './answers.ts';
import { checkMetadata } from './check-metadata.ts';
import { checkNamespaceOpen } from './check-namespace.ts';
import { commit, type Decision } from './commit.ts';
import { decodeInput, type InputOptions } from './decode-input.ts';
import { atVersion, metaOf, storedMetaOf, withMeta } from './metadata.ts';
import { objectProblems } from './object-problems.ts';
import type { Registry } from './registry.ts';
import { trackedObject, UNKNOWN_MANAGER } from './tracked-object.ts';
import { warnOf } from './warn-of.ts';

export interface CreateRequest extends InputOptions {
  readonly namespace?: string;
  readonly body: JsonObject;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

/** The limit of kube-apiserver: with 27⁵ suffixes a second attempt is rare. */
const MOST_NAMES_TRIED = 8;

/** The metadata of a new object, with the fields of the server. */
const newMeta = (
  { clock }: Registry,
  { strategy }: ServedResource,
  writtenMeta: WrittenMeta,
  namespace: string | undefined,
): WrittenMeta => {
  const { deletionTimestamp, deletionGracePeriodSeconds, generation, ...keptMeta } = writtenMeta;
  return {
    ...keptMeta,
    ...present({ namespace }),
    uid: clock.uuid(),
    creationTimestamp: formatTime(clock.now()),
    // Kinds without a generation counter keep the given value.
    ...(strategy.hasGeneration !== false ? { generation: 1 } : generation ? { generation } : {}),
  };
};

/** A version that is no number is ignored. */
const checkUnversioned = ({ resourceVersion = '' }: WrittenMeta): void => {
  if (!/^0*[1-9]\d*$/.test(resourceVersion)) return;
  throw badRequest('resourceVersion should not be set on objects to be created');
};

const checkNew = (meta: WrittenMeta, namespace = ''): void => {
  if (meta.namespace && meta.namespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
};

/**
 * The resource may have changed since the request arrived: no object may be created in a table that is to be
 * dropped.
 */
const checkServed = ({ resources }: Registry, resource: ServedResource): void => {
  const servedResource = resources.find(resource);
  if (servedResource === undefined) throw unknownResource();
  if (!allowsVerb(servedResource, 'create')) throw methodNotAllowed();
};

const withoutStatus = ({ hasStatus, strategy }: ServedResource, object: JsonObject): JsonObject => {
  if (!hasStatus || strategy.bornWithStatus || object.status === undefined) return object;
  const { status, ...rest } = object;
  return rest;
};

const newProblems = (resource: ServedResource, object: JsonObject): readonly FieldError[] => {
  const { strategy } = resource;
  const first = strategy.validateFirst?.(object) ?? [];
  if (first.length > 0) return first;
  const problems = objectProblems(resource, object);
  const isSettled = strategy.judgesMetadataLast === true && problems.length > 0;
  return isSettled ? problems : [...checkMetadata(resource, metaOf(object)), ...problems];
};

/**
 * The object for the store; throws all its problems. The manager owns its fields, unless an apply has assigned them
 * already.
 */
export const newObject = (
  registry: Registry,
  resource: ServedResource,
  decodedBody: JsonObject,
  { namespace, manager }: { readonly namespace?: string; readonly manager?: string },
): JsonObject => {
  const writtenMeta = metaOf(decodedBody);
  checkServed(registry, resource);
  checkNew(writtenMeta, namespace);
  const meta = newMeta(registry, resource, writtenMeta, namespace);
  const namedMeta =
    meta.name || !meta.generateName
      ? meta
      : { ...meta, name: generateName(meta.generateName, () => registry.clock.random()) };
  const draft = withoutStatus(resource, withMeta(decodedBody, namedMeta));
  const prepare = (input: JsonObject): JsonObject => resource.strategy.prepare?.(input) ?? input;
  // Reporting controllers own the status, even if the object is created with one.
  const unowned = resource.strategy.bornWithStatus ? { resetFields: { 'f:status': {} } } : {};
  const own = (input: JsonObject): JsonObject =>
    manager === undefined
      ? input
      : trackedObject(registry, resource, input, { manager, ...unowned });
  // A custom kind is converted to the canonical spelling; the defaults of built-in kinds have no owner.
  const isCustom = resource.origin === 'crd';
  const owned = isCustom ? own(prepare(draft)) : own(draft);
  const admittedDraft = admittedObject(registry, { resource, object: owned });
  const object = isCustom && admittedDraft === owned ? owned : prepare(admittedDraft);
  const errors = newProblems(resource, object);
  const storedKind = { group: resource.storage.group, kind: resource.kind };
  if (errors.length > 0) throw invalidObject(storedKind, metaOf(object).name ?? '', errors);
  checkUnversioned(writtenMeta);
  return object;
};

/** The decision to create an object where there is none. */
export const creation = (object: JsonObject, revision: number, dryRun = false): Decision => ({
  change: { put: object },
  object: dryRun ? object : atVersion(object, revision),
});

/** The new object as webhooks change it, who may also give it its name. */
const reviewedObject = async (
  resource: ServedResource,
  reviewers: Reviewers,
  make: () => JsonObject,
): Promise<JsonObject> => {
  const answers = new Answers(reviewers);
  const object = await answers.settle(() => answers.during(make));
  if (object === undefined) throw conflict(resource, '');
  return object;
};

export const createObject = async (
  registry: Registry,
  resource: ServedResource,
  request: CreateRequest,
): Promise<JsonObject> => {
  const { dryRun, fieldManager: manager = UNKNOWN_MANAGER } = request;
  const body = decodeInput(resource, request.body, request);
  const { resourceVersion, ...unversioned } = metaOf(body);
  // A dry run stores nothing, and returns the given version.
  const decodedBody = dryRun ? withMeta(body, unversioned) : body;
  const shownAt = (object: JsonObject): JsonObject =>
    dryRun && resourceVersion ? withMeta(object, { ...metaOf(object), resourceVersion }) : object;
  const isGenerated = !metaOf(decodedBody).name && Boolean(metaOf(decodedBody).generateName);
  for (let attempt = 1; ; attempt++) {
    const { name: writtenName = '' } = metaOf(decodedBody);
    const make = () => newObject(registry, resource, decodedBody, { ...request, manager });
    const reviewRequest = { ...request, name: writtenName };
    const reviewers = registry.admission?.reviewersOf(registry, resource, reviewRequest);
    const object =
      reviewers === undefined ? make() : await reviewedObject(resource, reviewers, make);
    checkNamespaceOpen(registry, resource, object);
    const { name = '' } = metaOf(object);
    try {
      return await commit(registry, resource, { ...request, name }, (present, revision) => {
        if (present !== undefined) {
          warnOf(registry, resource, { name }, { object }, undefined);
          const { deletionTimestamp } = storedMetaOf(present.object);
          throw alreadyExists(resource, name, deletionTimestamp !== undefined);
        }
        return creation(shownAt(object), revision, dryRun);
      });
    } catch (error) {
      if (!isGenerated || !isAlreadyExists(error)) throw error;
      if (attempt === MOST_NAMES_TRIED) throw generatedNameTaken(resource, name);
    }
  }
};
