import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { acceptNames, type NamesInUse } from './accept-names.ts';
import { type Crd, type CrdCondition, type CrdNames, isCrdConditionTrue, readCrd } from './crd.ts';
import { structuralProblems } from './structural-problems.ts';

/** Progress of the deletion of a CRD; its objects go first. */
export type CrdDeletion = 'in-progress' | 'completed' | 'never-established';

const ESTABLISHED: CrdCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

const NOT_ACCEPTED: CrdCondition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

const DELETIONS: { readonly [state in CrdDeletion]: Omit<CrdCondition, 'type'> } = {
  'in-progress': {
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  },
  completed: {
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
  },
  'never-established': {
    status: 'False',
    reason: 'NeverEstablished',
    message: 'resource was never established',
  },
};

/** Condition of a CRD of an older server without a structural schema; its objects are not pruned. */
const nonStructural = ({ versions }: Crd): CrdCondition | undefined => {
  const problems = versions.flatMap(({ schema }, at) =>
    schema === undefined
      ? []
      : structuralProblems(schema as JsonObject, `spec.versions[${at}].schema.openAPIV3Schema`),
  );
  if (problems.length === 0) return undefined;
  const messages = problems.map(({ field, message }) => `${field}: ${message}`);
  const [only = ''] = messages;
  return {
    type: 'NonStructuralSchema',
    status: 'True',
    reason: 'Violations',
    message: messages.length === 1 ? only : `[${messages.join(', ')}]`,
  };
};

const conditionsOf = (status: JsonObject): readonly JsonObject[] =>
  Array.isArray(status.conditions) ? status.conditions.filter(isJsonObject) : [];

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const withCondition = (
  conditions: readonly JsonObject[],
  condition: CrdCondition,
  now: string,
): readonly JsonObject[] => {
  const presentCondition = conditions.find(({ type }) => type === condition.type);
  const { type, status, reason, message } = condition;
  const since =
    presentCondition?.status === status ? (presentCondition.lastTransitionTime ?? now) : now;
  const next = { lastTransitionTime: since, message, reason, status, type };
  return presentCondition
    ? conditions.map((other) => (other === presentCondition ? next : other))
    : [...conditions, next];
};

const toJson = ({ shortNames, categories, ...names }: CrdNames): JsonObject => ({
  ...names,
  ...present({ shortNames: unlessEmpty(shortNames), categories: unlessEmpty(categories) }),
});

export interface CrdStatusInput {
  readonly inUse: NamesInUse;
  /** Said while the CRD is being deleted. */
  readonly deletion?: CrdDeletion;
  /** RFC 3339. */
  readonly now: string;
}

/**
 * The status of a CRD, given the names in use: its accepted names, and conditions with reasons. The very same
 * status if nothing changes.
 */
export const nextCrdStatus = (crd: JsonObject, input: CrdStatusInput): JsonObject => {
  const { inUse, deletion, now } = input;
  const read = readCrd(crd);
  const status = isJsonObject(crd.status) ? crd.status : {};
  const { names, condition } = acceptNames(read, inUse);
  const isReady = condition.status === 'True' || isCrdConditionTrue(read, 'Established');
  const violations = nonStructural(read);
  const desiredConditions = [
    condition,
    isReady ? ESTABLISHED : NOT_ACCEPTED,
    ...(violations ? [violations] : []),
    ...(deletion ? [{ type: 'Terminating', ...DELETIONS[deletion] }] : []),
  ];
  const keptConditions: readonly JsonObject[] = conditionsOf(status).filter(
    ({ type }) => type !== 'NonStructuralSchema' || violations !== undefined,
  );
  const next: JsonObject = {
    ...status,
    acceptedNames: toJson(names),
    conditions: desiredConditions.reduce(
      (conditions, each) => withCondition(conditions, each, now),
      keptConditions,
    ),
  };
  const after = readCrd({ status: next });
  const isUnchanged =
    isSame(after.acceptedNames, read.acceptedNames) && isSame(after.conditions, read.conditions);
  return isUnchanged ? status : next;
};
