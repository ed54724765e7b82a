import type { JsonObject } from '@perigee/schema/json';
import { type Crd, type CrdCondition, type CrdNames, readCrd } from './crd.ts';

/** Names in use by other definitions of the group. */
export interface NamesInUse {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** The names that the CRDs of a group have been given; `except` is the CRD that asks. */
export const namesInUse = (
  crds: Iterable<JsonObject>,
  group: string,
  except: string,
): NamesInUse => {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const crd of crds) {
    const { name, group: of, acceptedNames } = readCrd(crd);
    if (of !== group || name === except) continue;
    const { plural, singular, shortNames, kind, listKind } = acceptedNames;
    for (const resourceName of [plural, singular, ...shortNames]) resources.add(resourceName);
    kinds.add(kind).add(listKind);
  }
  return { resources, kinds };
};

export interface AcceptedNames {
  readonly names: CrdNames;
  readonly condition: CrdCondition;
}

const CONFLICTS = {
  plural: 'PluralConflict',
  singular: 'SingularConflict',
  shortNames: 'ShortNamesConflict',
  kind: 'KindConflict',
  listKind: 'ListKindConflict',
} as const;

const conflict = (reason: string, names: readonly string[]): CrdCondition => {
  const messages = names.map((name) => `"${name}" is already in use`);
  const [only = ''] = messages;
  return {
    type: 'NamesAccepted',
    status: 'False',
    reason,
    message: messages.length === 1 ? only : `[${messages.join(', ')}]`,
  };
};

const NO_CONFLICT: CrdCondition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};

/**
 * The accepted names of a CRD: the requested ones that are free, and else its present ones. The condition has the
 * last conflict, as in Kubernetes.
 */
export const acceptNames = ({ names, acceptedNames }: Crd, inUse: NamesInUse): AcceptedNames => {
  let condition = NO_CONFLICT;
  const take = (name: 'plural' | 'singular' | 'kind' | 'listKind'): string => {
    const usedNames = name === 'plural' || name === 'singular' ? inUse.resources : inUse.kinds;
    if (names[name] === acceptedNames[name] || !usedNames.has(names[name])) return names[name];
    condition = conflict(CONFLICTS[name], [names[name]]);
    return acceptedNames[name];
  };
  const takeShortNames = (): readonly string[] => {
    const takenNames = names.shortNames.filter(
      (name) => !acceptedNames.shortNames.includes(name) && inUse.resources.has(name),
    );
    if (takenNames.length === 0) return names.shortNames;
    condition = conflict(CONFLICTS.shortNames, takenNames);
    return acceptedNames.shortNames;
  };
  const nextNames: CrdNames = {
    plural: take('plural'),
    singular: take('singular'),
    shortNames: takeShortNames(),
    kind: take('kind'),
    listKind: take('listKind'),
    categories: names.categories,
  };
  return { names: nextNames, condition };
};
