import { present } from '@perigee/schema/present';
import { copyBy } from './copy-choice.ts';
import type { CopiedData, DataChoice } from './data-plan.ts';

/** The data of another claim of the same work. */
export interface CompanionData extends CopiedData {
  readonly claim: string;
  /** The clusters that have it. */
  readonly holders: readonly string[];
}

/** Time and cost until a cluster has the other data of some work. */
export type Arrival =
  | { readonly kind: 'there' }
  | { readonly kind: 'coming'; readonly seconds: number; readonly cost: number }
  | { readonly kind: 'never'; readonly why: string };

type By = 'time' | 'money';

const secondsOf = ({ seconds }: DataChoice): number => seconds ?? Number.POSITIVE_INFINITY;
const costOf = ({ cost }: DataChoice): number => cost ?? 0;

const arrivalOf = (cluster: string, data: CompanionData, by: By): Arrival => {
  if (data.holders.includes(cluster)) return { kind: 'there' };
  const copies = data.ways
    .filter(({ to }) => to === cluster)
    .map((route) => copyBy(route, data))
    .toSorted((a, b) => {
      const time = Math.sign(secondsOf(a) - secondsOf(b)) || 0;
      const money = costOf(a) - costOf(b);
      return by === 'time' ? time || money : money || time;
    });
  const allowedCopy = copies.find(({ overLimit }) => overLimit === undefined);
  if (allowedCopy !== undefined) {
    return { kind: 'coming', seconds: secondsOf(allowedCopy), cost: costOf(allowedCopy) };
  }
  const why = `the data of the claim ${data.claim} is not there, and cannot be copied`;
  const limit = copies[0]?.overLimit;
  return { kind: 'never', why: limit === undefined ? why : `${why}: ${limit}` };
};

/** Time and cost until a cluster has the data of all other claims. The copies run at the same time. */
export const othersIn = (cluster: string, companions: readonly CompanionData[], by: By): Arrival =>
  companions
    .map((one) => arrivalOf(cluster, one, by))
    .reduce<Arrival>(
      (all, one) => {
        if (all.kind === 'never' || one.kind === 'there') return all;
        if (one.kind === 'never' || all.kind === 'there') return one;
        return {
          kind: 'coming',
          seconds: Math.max(all.seconds, one.seconds),
          cost: all.cost + one.cost,
        };
      },
      { kind: 'there' },
    );

/** A choice that includes the time and cost of the work's other data for the same cluster. */
export const together = (choice: DataChoice, others: Arrival | undefined): DataChoice => {
  if (others?.kind !== 'coming') return choice;
  const seconds = Math.max(secondsOf(choice), others.seconds);
  return {
    ...choice,
    together: {
      ...present({ seconds: Number.isFinite(seconds) ? seconds : undefined }),
      cost: costOf(choice) + others.cost,
    },
  };
};
