import type { Condition } from '@perigee/api/meta/condition';
import type { Remainder } from './namespace-content.ts';

/** Progress of the deletion of a namespace. */
export interface NamespaceProgress {
  readonly remainders: readonly Remainder[];
  /** Why it is not known which resources there are. */
  readonly discoveryProblem?: string;
}

interface Verdict {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** True if the condition holds. */
  readonly isTrue: boolean;
}

const countText = (
  counts: ReadonlyMap<string, number>,
  text: (name: string, n: number) => string,
) =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => text(name, count))
    .toSorted()
    .join(', ');

const discovery = ({ discoveryProblem }: NamespaceProgress): Verdict => ({
  type: 'NamespaceDeletionDiscoveryFailure',
  isTrue: discoveryProblem !== undefined,
  reason: discoveryProblem === undefined ? 'ResourcesDiscovered' : 'DiscoveryFailed',
  message:
    discoveryProblem === undefined
      ? 'All resources successfully discovered'
      : `Discovery failed for some groups, ${discoveryProblem}`,
});

const parsing = (): Verdict => ({
  type: 'NamespaceDeletionGroupVersionParsingFailure',
  isTrue: false,
  reason: 'ParsedGroupVersions',
  message: 'All legacy kube types successfully parsed',
});

const content = ({ remainders }: NamespaceProgress): Verdict => {
  const problems = remainders.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  return {
    type: 'NamespaceDeletionContentFailure',
    isTrue: problems.length > 0,
    reason: problems.length > 0 ? 'ContentDeletionFailed' : 'ContentDeleted',
    message:
      problems.length > 0
        ? `Failed to delete all resource types, ${problems.length} remaining: ${problems.toSorted().join(', ')}`
        : 'All content successfully deleted, may be waiting on finalization',
  };
};

const contentRemaining = ({ remainders }: NamespaceProgress): Verdict => {
  const counts = new Map(remainders.map(({ resource, objects }) => [resource, objects.length]));
  const texts = countText(counts, (name, count) => `${name} has ${count} resource instances`);
  return {
    type: 'NamespaceContentRemaining',
    isTrue: texts !== '',
    reason: texts === '' ? 'ContentRemoved' : 'SomeResourcesRemain',
    message:
      texts === '' ? 'All content successfully removed' : `Some resources are remaining: ${texts}`,
  };
};

const finalizers = ({ remainders }: NamespaceProgress): Verdict => {
  const counts = new Map<string, number>();
  for (const { objects } of remainders) {
    for (const { metadata } of objects) {
      for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const texts = countText(counts, (name, count) => `${name} in ${count} resource instances`);
  return {
    type: 'NamespaceFinalizersRemaining',
    isTrue: texts !== '',
    reason: texts === '' ? 'ContentHasNoFinalizers' : 'SomeFinalizersRemain',
    message:
      texts === ''
        ? 'All content-preserving finalizers finished'
        : `Some content in the namespace has finalizers remaining: ${texts}`,
  };
};

const VERDICTS = [discovery, parsing, content, contentRemaining, finalizers];

/** The conditions of a namespace under deletion; the very same array if none of them changes. */
export const namespaceConditions = (
  before: readonly Condition[],
  progress: NamespaceProgress,
  now: string,
): readonly Condition[] => {
  const ownConditions = VERDICTS.map((conditionOf) => conditionOf(progress)).map(
    ({ type, isTrue, reason, message }) => {
      const status = isTrue ? ('True' as const) : ('False' as const);
      const old = before.find((condition) => condition.type === type);
      if (old?.status === status && old.reason === reason && old.message === message) return old;
      const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
      return { type, status, lastTransitionTime, reason, message };
    },
  );
  const others = before.filter(
    ({ type }) => !ownConditions.some((condition) => condition.type === type),
  );
  const next = [...others, ...ownConditions];
  const isSame = next.length === before.length && next.every((one) => before.includes(one));
  return isSame ? before : next;
};
