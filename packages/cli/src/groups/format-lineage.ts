import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { OwnerReference } from '@perigee/api/meta/object-meta';
import type { Membership } from '@perigee/scheduling/groups/group-membership';
import type { OwnedPod } from '@perigee/scheduling/groups/group-owner';
import type { ChainEnd, OwnerLink } from '@perigee/scheduling/groups/owner-chain';
import { printable } from '../output/printable.ts';

/** A pod with its owners, and the decision about its group. */
export interface LineageReport {
  readonly pod: OwnedPod;
  readonly owners: readonly OwnerLink[];
  readonly end: ChainEnd;
  /** The source of the rules, for display. */
  readonly rulesFrom: string;
  readonly membership: DecidedMembership;
  /** The name of the pod's current group. */
  readonly currentGroup: string | undefined;
  /** The PodGroup of that name, if it exists. */
  readonly group: PodGroup | undefined;
  /** Set if the pod has another scheduler than those whose pods get groups. */
  readonly otherScheduler?: string;
}

type DecidedMembership = Exclude<Membership, { readonly kind: 'pending' }>;

const nameOf = ({ kind, name }: Pick<OwnerReference, 'kind' | 'name'>): string => `${kind} ${name}`;

const ENDS: { readonly [kind in ChainEnd['kind']]: string } = {
  root: '',
  'too-deep': 'there are more owners than anybody looks at',
  missing: 'is gone, or is another by now',
  unreadable: 'may not be read, so what is above it is not known',
  unknown: 'is of a kind that the server does not serve',
  cycle: 'is among the owners already',
  pending: '',
};

const endOf = (end: ChainEnd): string =>
  'reference' in end ? `${nameOf(end.reference)} ${ENDS[end.kind]}` : ENDS[end.kind];

/** Describes the rule that chose the owner. */
export const reasonOf = (membership: DecidedMembership): string => {
  if (membership.kind === 'chosen') return 'the pod names its group itself, so no rule counts';
  const { choice, owners } = membership.decided;
  if (choice.kind === 'pod') return 'it has no owner that could have the group';
  if (choice.kind !== 'rule') {
    const which = choice.kind === 'direct' ? 'direct owner' : 'root';
    return `no rule is about any of them, so the ${which} has it`;
  }
  const { apiVersion, kind, adjustLevel } = choice.rule;
  const about = owners[choice.matched]?.reference;
  const below = adjustLevel === 0 ? '' : `, ${-adjustLevel} below ${about ? nameOf(about) : ''}`;
  return `rule ${apiVersion} ${kind}, level ${adjustLevel}${below}`;
};

const groupLine = ({ currentGroup, group, membership, otherScheduler }: LineageReport): string => {
  const { name: right } = membership;
  if (currentGroup === undefined) {
    const why =
      otherScheduler === undefined
        ? ' yet'
        : `, as its scheduler is "${otherScheduler}": see perigee podgroups --scheduler-name`;
    return `${right}: the pod is not in it${why}`;
  }
  const { phase = 'Pending' } = group?.status ?? {};
  const { minMember = 0, queue } = group?.spec ?? {};
  const state =
    group === undefined ? 'it is not there' : `${phase}, minMember ${minMember}, queue ${queue}`;
  return currentGroup === right
    ? `${currentGroup}: ${state}`
    : `${currentGroup}: ${state}; by these rules ${right}`;
};

/** Draws the pod with its owners, and marks the owner of the group. */
export const formatLineage = (report: LineageReport): string => {
  const { pod, owners, end, rulesFrom, membership } = report;
  const owner = membership.kind === 'chosen' ? undefined : membership.decided.owner.uid;
  const links = [
    { kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid },
    ...owners.map(({ reference }) => reference),
  ];
  const treeLines = links.map((link, depth) => {
    const indent = depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `;
    const mark = link.uid === owner ? '   ← has the group' : '';
    return `${indent}${nameOf(link)}${mark}`;
  });
  const ends = endOf(end);
  return [
    ...treeLines,
    ...(ends === '' ? [] : [`${'  '.repeat(Math.max(0, links.length - 1))}· ${ends}`]),
    '',
    `because  ${reasonOf(membership)}`,
    `rules    ${rulesFrom}`,
    `group    ${groupLine(report)}`,
    '',
  ]
    .map(printable)
    .join('\n');
};
