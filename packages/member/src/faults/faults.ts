import { parseDuration } from '@perigee/schema/values/duration';

/** Annotation of a Cluster that injects faults into its member. */
export const FAULT = 'member.perigee.io/fault';

/** Faults of a member. */
export interface Faults {
  /** Requests fail, and those in flight are aborted. */
  readonly isUnreachable: boolean;
  /** Latency added to every response. */
  readonly delayMs: number;
  /** Nodes accept no new pods; running ones stay. */
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

/** Parses words such as `unreachable` or `slow=2s,full`, and lists the unknown ones. */
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
