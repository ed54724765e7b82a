import type { ResourceSelector } from '@perigee/api/kinds/placement/resource-selector';
import { findCondition } from '@perigee/api/values/conditions';
import { nearNames } from '@perigee/api/values/near-names';
import { present } from '@perigee/schema/present';
import type { Binding } from '../../placement/binding/binding.ts';
import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
import { targetsOf } from '../../placement/work/targets.ts';
import type { Reading } from '../snapshot.ts';
import { fact, nameList, type ObjectExplanation } from './object-explanation.ts';

/** A resource that a policy selects by name, and similar names that exist. */
export interface NamedSelection {
  readonly selector: ResourceSelector;
  readonly isThere: boolean;
  readonly names: readonly string[];
  /** The other policy that propagates it, if any. */
  readonly hasIt?: string;
}

export interface PolicyWorld {
  /** The bindings of the policy. */
  readonly bindings: Reading<readonly Binding[]>;
  readonly selections: readonly NamedSelection[];
}

/** Limit of lines; a policy may have thousands of resources. */
const MOST_RESOURCES = 10;

const resourceText = ({ spec: { resource } }: Binding, own: string | undefined): string => {
  const { kind, namespace, name } = resource;
  return `${kind} ${namespace === undefined || namespace === own ? '' : `${namespace}/`}${name}`;
};

const isPlaced = (binding: Binding): boolean => targetsOf(binding.spec).length > 0;

const placeText = (binding: Binding): string => {
  if (isPlaced(binding)) return `in ${nameList(targetsOf(binding.spec).map(({ name }) => name))}`;
  const { conditions } = binding.status ?? {};
  const admission = findCondition(conditions, 'Admitted');
  const condition =
    admission?.status === 'False' ? admission : findCondition(conditions, 'Scheduled');
  return condition === undefined
    ? 'no scheduler has decided about it yet'
    : `${condition.reason}: ${condition.message}`;
};

const selectionText = ({ selector, isThere, names, hasIt }: NamedSelection): string | undefined => {
  const { kind, name = '', namespace } = selector;
  if (hasIt !== undefined) return `${kind} ${name} is there, and ${hasIt} has it`;
  if (isThere) return undefined;
  const [nearName] = nearNames(name, names);
  const hint = nearName === undefined ? '' : `: did you mean \`${nearName}\`?`;
  return `no ${kind} is named \`${name}\`${namespace === undefined ? '' : ` in the namespace ${namespace}`}${hint}`;
};

const summaryOf = (
  bindings: Reading<readonly Binding[]>,
  misses: readonly string[],
  own: string | undefined,
): string => {
  if ('hidden' in bindings) return `what it propagates cannot be read: ${bindings.hidden}`;
  const { value } = bindings;
  if (value.length === 0) {
    return `it propagates nothing: ${misses[0] ?? 'nothing that it selects is there, or other policies have it'}`;
  }
  const unplacedCount = value.filter((binding) => !isPlaced(binding)).length;
  const names = nameList(
    value.map((binding) => resourceText(binding, own)),
    3,
  );
  return `it propagates ${names}${unplacedCount === 0 ? '' : `; ${unplacedCount} of ${value.length} placed nowhere yet`}`;
};

/** Explains the resources that a policy propagates, and its selectors without a match. */
export const explainPolicy = (
  policy: AnyPolicy,
  { bindings, selections }: PolicyWorld,
): ObjectExplanation => {
  const { apiVersion, kind, metadata } = policy;
  const { namespace, name } = metadata;
  const misses = selections.flatMap((selection) => selectionText(selection) ?? []);
  const all = 'value' in bindings ? bindings.value : [];
  const bindingsInOrder = all.toSorted((a, b) => Number(isPlaced(a)) - Number(isPlaced(b)));
  const isWell = all.length > 0 && all.every(isPlaced) && misses.length === 0;
  return {
    resource: { apiVersion, kind, ...present({ namespace }), name },
    state: isWell ? 'well' : 'waiting',
    summary:
      metadata.deletionTimestamp === undefined
        ? summaryOf(bindings, misses, namespace)
        : `it is being deleted; ${summaryOf(bindings, misses, namespace)}`,
    facts: [
      ...bindingsInOrder.slice(0, MOST_RESOURCES).map((binding) => ({
        name: resourceText(binding, namespace),
        value: placeText(binding),
      })),
      ...fact(
        'and more',
        all.length > MOST_RESOURCES ? `${all.length - MOST_RESOURCES}` : undefined,
      ),
      ...misses.map((value) => ({ name: 'selects in vain', value })),
    ],
    conditions: [],
    commands: bindingsInOrder
      .slice(0, 3)
      .map(({ spec: { resource } }) =>
        [
          `perigee explain ${resource.kind.toLowerCase()}/${resource.name}`,
          ...(resource.namespace === undefined ? [] : [`-n ${resource.namespace}`]),
        ].join(' '),
      ),
  };
};
