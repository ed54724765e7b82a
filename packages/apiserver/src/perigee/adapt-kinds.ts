import { checkKind, mutateKind } from '@perigee/admission/kinds/admit-kind';
import { cycleProblems, isOperation } from '@perigee/admission/rights/operation-references';
import type { Kind } from '@perigee/api/kind/define-kind';
import { renameSpellings } from '@perigee/api/kind/rename-spellings';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Strategy } from '@perigee/kubernetes/resource/strategy';
import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import type { QueueFamily } from '@perigee/scheduling/queues/queue-family';
import { queueProblems } from '@perigee/scheduling/queues/queue-problems';
import { type FieldError, InvalidObjectError } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { metaOf } from '../registry/metadata.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';

const keyOf = ({ group, version, plural }: Pick<Kind, 'group' | 'version' | 'plural'>): string =>
  `${group}/${version}/${plural}`;

const KINDS = new Map(allKinds.map((kind) => [keyOf(kind), kind]));

const refusingContradictions = (kind: Kind, object: JsonObject, work: () => JsonObject) => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    throw invalidObject(kind, metaOf(object).name ?? '', error.errors);
  }
};

/** Admits a binding that a user writes. */
export type AdmitBinding = (binding: JsonObject, old: JsonObject | undefined) => JsonObject;

const asIs: AdmitBinding = (binding) => binding;

/** Checks of objects against other objects in the store. */
export interface StoredChecks {
  readonly admitBinding: AdmitBinding;
  /** The queues that there are. */
  readonly queues: () => QueueFamily;
  /** The operations that there are. */
  readonly findOperation: FindOperation;
}

const canonicalForm =
  (
    kind: Kind,
    strategy: Strategy,
    clock: Clock,
    admit: AdmitBinding,
  ): NonNullable<Strategy['prepare']> =>
  (object, old, subresource) => {
    const prepared: JsonObject = strategy.prepare?.(object, old) ?? object;
    const options = { clock, isDecoded: true };
    const canonical = refusingContradictions(kind, object, () =>
      mutateKind(kind, prepared, old, options),
    );
    return subresource === undefined ? admit(canonical, old) : canonical;
  };

/** Owners are recorded by the names of fields, so these have to be right before the rest of the object is known. */
const canonicalNames =
  (kind: Kind): NonNullable<Strategy['rename']> =>
  (config) =>
    refusingContradictions(kind, config, () => {
      const { otherSpellings = {} } = kind.definition;
      return renameSpellings(config, undefined, kind.schema, otherSpellings);
    });

const isQueue = (kind: Kind): boolean => keyOf(kind) === keyOf(Queue);

/** Problems of an object in relation to other objects. */
const problemsAmong = (
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
  { queues, findOperation }: StoredChecks,
): readonly FieldError[] => {
  if (isQueue(kind)) return queueProblems(object as never, old as never, queues());
  return isOperation(kind) ? cycleProblems(object, old, findOperation) : [];
};

/**
 * Adds to the kinds of the language what a definition cannot express: objects are stored in the canonical spelling,
 * with the fields of the server. With `checks`, a binding carries the data of its claims and is suspended for its
 * queue, a queue is validated among the others, and no operation waits for itself. Other resources stay unchanged.
 */
export const adaptKinds =
  (clock: Clock, checks?: StoredChecks) =>
  (resource: ServedResource): ServedResource => {
    const kind = KINDS.get(keyOf(resource));
    if (kind === undefined) return resource;
    const { strategy } = resource;
    return {
      ...resource,
      strategy: {
        ...strategy,
        rename: canonicalNames(kind),
        prepare: canonicalForm(
          kind,
          strategy,
          clock,
          (keyOf(kind) === keyOf(ResourceBinding) ? checks?.admitBinding : undefined) ?? asIs,
        ),
        validate: (object, old, subresource) => [
          ...(strategy.validate?.(object, old, subresource) ?? []),
          ...checkKind(kind, object, old),
          ...(checks !== undefined && subresource === undefined
            ? problemsAmong(kind, object, old, checks)
            : []),
        ],
      },
    };
  };
