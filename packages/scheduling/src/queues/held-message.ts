import { formatResourceList } from '@perigee/api/values/resource-list';
import { formatTime } from '@perigee/schema/values/time';
import { type Amount, type Amounts, quantitiesOf } from './amounts.ts';
import { shortageText } from './room-shortage.ts';
import type { HeldVerdict } from './verdict.ts';
import type { Shortage } from './work-item.ts';

/** Reasons for which a queue holds work; the gate reports missing data. */
export type HeldReason =
  | 'WaitingForQuota'
  | 'WaitingForCapacity'
  | 'WaitingForTurn'
  | 'QueueClosed'
  | 'QueueUnusable'
  | 'Suspended'
  | 'NeverFits';

/** The reason of the Scheduled condition, and its message. */
export interface HeldWord {
  readonly reason: HeldReason;
  /** The cause without numbers: while it stays the same, the previous message still holds. */
  readonly essence: string;
  /** The message without the position in the queue. */
  readonly text: string;
  readonly message: string;
}

/** Names at most this many clusters, those with the smallest shortage. */
const MOST_CLUSTERS = 3;

/** Names at most this many resources: work may ask for thousands, and a message has a limit. */
const MOST_RESOURCES = 8;

const amountsText = (amounts: Amounts): string => {
  const first = new Map(amounts.entries().take(MOST_RESOURCES));
  const texts = Object.entries(formatResourceList(quantitiesOf(first))).map(
    ([resource, amount]) => `${resource} ${amount}`,
  );
  const more = amounts.size - first.size;
  return more > 0 ? `${texts.join(', ')} and ${more} more` : texts.join(', ');
};

const one = (resource: string, amount: Amount): string =>
  amountsText(new Map([[resource, amount]]));

/** The request beside what the limit leaves now. */
const quotaText = (shortage: Shortage): string => {
  const { queue, limit, resource, asked, missing, allowed, reservedFor } = shortage;
  const excess = `it asks for ${one(resource, asked)}, ${one(resource, missing)} more than`;
  switch (limit) {
    case 'capability':
      return `${excess} is left of the capability of the queue ${queue}, ${one(resource, allowed)}`;
    case 'total':
      return `${excess} all clusters have left for queues`;
    case 'reserved':
      return `${excess} is left beside what is kept for ${reservedFor}, which has waited for long`;
    case 'guarantees':
      return `${excess} is left beside the guarantees of other queues below ${queue}`;
  }
};

/** The request beside the limit of queues in which nothing runs. */
const neverText = (shortage: Shortage): string => {
  const { queue, limit, resource, asked, missing, allowed } = shortage;
  const excess = `it asks for ${one(resource, asked)}, ${one(resource, missing)} more than`;
  if (limit === 'capability') {
    return `${excess} the whole capability of the queue ${queue}, ${one(resource, allowed)}`;
  }
  return limit === 'total'
    ? `${excess} all clusters have together, ${one(resource, allowed)}`
    : `${excess} the guarantees of other queues below ${queue} ever leave of ${one(resource, allowed)}`;
};

const wordOf = (
  verdict: Exclude<HeldVerdict, { kind: 'data' }>,
  queue: string,
): { readonly reason: HeldReason; readonly about: string; readonly text: string } => {
  switch (verdict.kind) {
    case 'no-queue':
      return {
        reason: 'QueueUnusable',
        about: verdict.why,
        text: `the queue ${queue}: ${verdict.why}`,
      };
    case 'has-parts': {
      const text = `the queue ${queue} has queues below it: name one of these`;
      return { reason: 'QueueUnusable', about: 'parts', text };
    }
    case 'barred': {
      const text = `its namespace may not use the queue ${queue}`;
      return { reason: 'QueueUnusable', about: 'barred', text };
    }
    case 'closed': {
      const whole = verdict.queue === queue ? '' : `, which ${queue} is a part of,`;
      const text = `the queue ${verdict.queue}${whole} is closed`;
      return { reason: 'QueueClosed', about: verdict.queue, text };
    }
    case 'suspended': {
      const text = `waits in the queue ${queue} for who suspended its scheduling`;
      return { reason: 'Suspended', about: '', text };
    }
    case 'never':
      return { reason: 'NeverFits', about: verdict.why, text: verdict.why };
    case 'never-by-limit': {
      const { shortage } = verdict;
      const about = `${shortage.queue} ${shortage.resource}`;
      return { reason: 'NeverFits', about, text: neverText(shortage) };
    }
    case 'quota': {
      const { shortage } = verdict;
      const about = `${shortage.queue} ${shortage.limit} ${shortage.resource}`;
      const text = `waits in the queue ${queue}: ${quotaText(shortage)}`;
      // A shortage of all clusters together is no matter of quota.
      const reason = shortage.limit === 'total' ? 'WaitingForCapacity' : 'WaitingForQuota';
      return { reason, about, text };
    }
    case 'capacity': {
      const missingText = verdict.missing.size === 0 ? 'room' : amountsText(verdict.missing);
      const shortages = (verdict.shortages ?? []).slice(0, MOST_CLUSTERS);
      const where = shortages.length === 0 ? '' : ` (${shortageText(shortages)})`;
      const text = `waits in the queue ${queue}: ${missingText} is missing where it may run${where}`;
      return {
        reason: 'WaitingForCapacity',
        about: [...verdict.missing.keys().take(MOST_RESOURCES)].join(),
        text,
      };
    }
    case 'turn':
      return {
        reason: 'WaitingForTurn',
        about: '',
        text: `waits in the queue ${queue} for work before it`,
      };
  }
};

const PLACE = /; number \d+ in line at .*$/;

/** True if two messages differ at most in the queue position. */
export const sameReport = (a: string, b: string): boolean =>
  a.replace(PLACE, '') === b.replace(PLACE, '');

/** Undefined for work that waits for data. */
export const heldWord = (
  verdict: HeldVerdict,
  queue: string,
  nowMs: number,
): HeldWord | undefined => {
  if (verdict.kind === 'data') return undefined;
  const { reason, about, text } = wordOf(verdict, queue);
  const position =
    'position' in verdict ? `; number ${verdict.position} in line at ${formatTime(nowMs)}` : '';
  return { reason, essence: `${reason} ${queue} ${about}`, text, message: `${text}${position}` };
};
