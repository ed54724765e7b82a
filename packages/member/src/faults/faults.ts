import { parseDuration } from '@perigee/schema/values/duration';

/** The annotation of a Cluster that says what is wrong with its member. */
export const FAULT = 'member.perigee.io/fault';

/** What is wrong with a member. */
export interface Faults {
  /** Nobody gets an answer, and what was under way breaks off. */
  readonly isUnreachable: boolean;
  /** Every answer comes so much later. */
  readonly delayMs: number;
  /** Its nodes take no more pods; those that are there stay. */
  readonly isFull: boolean;
}

export const NO_FAULTS: Faults = { isUnreachable: false, delayMs: 0, isFull: false };

const SLOW = 'slow=';

const readWord = (word: string): Partial<Faults> | undefined => {
  if (word === 'unreachable') return { isUnreachable: true };
  if (word === 'full') return { isFull: true };
  if (!word.startsWith(SLOW)) return undefined;
  try {
    return { delayMs: Math.max(0, parseDuration(word.slice(SLOW.length))) };
  } catch {
    return undefined;
  }
};

/** Reads words such as `unreachable`, or `slow=2s,full`, and tells which of them it does not know. */
export const readFaults = (
  text = '',
): { readonly faults: Faults; readonly unknown: readonly string[] } => {
  const unknown: string[] = [];
  let faults = NO_FAULTS;
  for (const word of text.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    const read = readWord(word);
    if (read === undefined) unknown.push(word);
    else faults = { ...faults, ...read };
  }
  return { faults, unknown };
};
