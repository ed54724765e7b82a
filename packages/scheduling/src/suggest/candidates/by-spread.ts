import type { SpreadConstraint } from '@perigee/api/kinds/placement/spread-constraints';
import { countGroups } from '../../explain/verdicts/spread-groups.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';
import { policyChange, policyTitle } from './policy-change.ts';

const whatOf = ({ spreadByField, spreadByLabel }: SpreadConstraint): string =>
  spreadByField ?? `label ${spreadByLabel}`;

/** Limits are moved by at most this much, in steps of one: the smallest sufficient change is found first. */
const MOST_TRIES = 8;

const limits = (from: number, to: number): readonly number[] => {
  const step = Math.sign(to - from);
  const count = Math.min(MOST_TRIES, Math.abs(to - from));
  return Array.from({ length: count }, (_, at) => from + step * (at + 1));
};

/** Changes that relax the spread constraints of a policy. */
export const bySpread = ({ policy, decision }: StuckWork): readonly Candidate[] => {
  const constraints = policy?.spec.placement?.spreadConstraints ?? [];
  const usable = decision?.attempts[0]?.reasoning.candidates ?? [];
  if (policy === undefined) return [];
  return constraints.flatMap((constraint, at): readonly Candidate[] => {
    const [min, max] = [Number(constraint.minGroups ?? 1), Number(constraint.maxGroups ?? 0)];
    const put = (next: Partial<SpreadConstraint>) => ({
      spec: {
        placement: {
          spreadConstraints: constraints.map((one, index) =>
            index === at ? { ...one, ...next } : one,
          ),
        },
      },
    });
    const in_ = `in ${policyTitle(policy)}`;
    const higherLimits = (
      max === 0 ? [] : limits(max, Math.max(max, countGroups(constraint, usable)))
    ).map((maxGroups, tries) =>
      policyChange(policy, put({ maxGroups }), {
        reason: 'RaiseMaxGroups',
        text: `allow ${maxGroups} groups by ${whatOf(constraint)} instead of ${max} ${in_} (maxGroups)`,
        cost: 2 + tries / 10,
      }),
    );
    const lowerLimits = limits(min, 0)
      .filter((minGroups) => minGroups > 0)
      .map((minGroups, tries) =>
        policyChange(policy, put({ minGroups }), {
          reason: 'LowerMinGroups',
          text: `ask for ${minGroups} groups by ${whatOf(constraint)} instead of ${min} ${in_} (minGroups)`,
          cost: 2 + tries / 10,
        }),
      );
    return [...higherLimits, ...lowerLimits];
  });
};
