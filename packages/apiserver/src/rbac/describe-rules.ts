import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { goQuote } from '@perigee/schema/go-text';
import type { SingleRule } from './cover-rules.ts';
import { toPolicyRule } from './cover-rules.ts';

/** A list of strings as Go's `%q` prints it. */
export const quoteList = (values: readonly string[]): string =>
  `[${values.map(goQuote).join(' ')}]`;

const describe = (rule: PolicyRule): string => {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const texts = parts.flatMap(([name, values = []]) =>
    values.length === 0 ? [] : [`${name}:${quoteList(values)}`],
  );
  return `{${texts.join(', ')}}`;
};

/** Brings the verbs on one thing together; paths stay apart, as in Kubernetes. */
const compact = (singles: readonly SingleRule[]): readonly PolicyRule[] => {
  const compacted = new Map<string, PolicyRule>();
  for (const single of singles) {
    const { verb, ...thing } = single;
    const key = JSON.stringify('path' in single ? single : thing);
    const compactedRule = compacted.get(key);
    compacted.set(
      key,
      compactedRule === undefined || 'path' in single
        ? toPolicyRule(single)
        : { ...compactedRule, verbs: [...(compactedRule.verbs ?? []), verb] },
    );
  }
  return [...compacted.values()];
};

/** Rules for people to read, a line for each, in the order of the alphabet. */
export const describeRules = (singles: readonly SingleRule[]): string =>
  [...new Set(compact(singles).map(describe))].sort().join('\n');
