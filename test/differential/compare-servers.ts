import { generateSequence } from './generate.ts';
import type { Sequence } from './operation.ts';
import type { Peer } from './peer.ts';
import { classOf, describeFinding } from './report.ts';
import { runSequence, type SequenceResult } from './run-sequence.ts';
import { shrink } from './shrink.ts';

export interface ComparisonOptions {
  readonly seed: number;
  /** Minimum of the number of operations. */
  readonly operations: number;
  /** Number of operations in a row on the same objects. */
  readonly length: number;
  readonly kinds?: readonly string[];
  /** Goes on after a difference, and tells one of each class. */
  readonly collects: boolean;
  /** True if refusals must also read the same, and warnings come from both. */
  readonly comparesTexts: boolean;
  /** Sequences under way at a time. */
  readonly workers: number;
  readonly onProgress?: (operations: number, classes: number) => void;
}

export interface FoundClass {
  readonly name: string;
  readonly count: number;
  /** The seed of the sequence in which it was seen first. */
  readonly seed: number;
  readonly report: string;
}

export interface Comparison {
  readonly operations: number;
  readonly sequences: number;
  readonly classes: readonly FoundClass[];
  readonly accepted: ReadonlyMap<string, number>;
}

let runs = 0;
/** A namespace that no earlier run has used, on a server that may have seen earlier processes. */
const freshNamespace = (seed: number): string => `d${process.pid}-${seed}-${++runs}`;

const hasClass = (result: SequenceResult, name: string): boolean =>
  result.findings.some((finding) => classOf(finding) === name);

/** Compares two servers by random sequences of operations, each reproducible by its seed. */
export const compareServers = async (
  peers: readonly [Peer, Peer],
  options: ComparisonOptions,
): Promise<Comparison> => {
  const { seed, length, collects, kinds, comparesTexts } = options;
  const names = [peers[0].name, peers[1].name] as const;
  const classes = new Map<string, FoundClass>();
  const accepted = new Map<string, number>();
  let operations = 0;
  let sequences = 0;
  const run = (sequence: Sequence): Promise<SequenceResult> =>
    runSequence(peers, sequence, { namespace: freshNamespace(sequence.seed), comparesTexts });
  const report = async (sequence: Sequence, name: string, found: SequenceResult) => {
    const failsStill = async (shorter: Sequence) => {
      const result = await run(shorter);
      return hasClass(result, name) ? result : undefined;
    };
    const shrunk = await shrink(sequence, failsStill);
    const { findings } = shrunk.result ?? found;
    const finding = findings.find((candidate) => classOf(candidate) === name);
    return finding ? describeFinding(finding, shrunk.sequence.operations, names) : name;
  };
  const work = async (): Promise<void> => {
    while (operations < options.operations && (collects || classes.size === 0)) {
      const sequence = generateSequence({
        seed: seed + sequences++,
        length,
        ...(kinds && { kinds }),
      });
      const result = await run(sequence);
      operations += result.operations;
      for (const [why, count] of result.accepted)
        accepted.set(why, (accepted.get(why) ?? 0) + count);
      for (const finding of result.findings) {
        const name = classOf(finding);
        const oldClass = classes.get(name);
        const first = { name, count: 0, seed: sequence.seed, report: '' };
        classes.set(name, { ...(oldClass ?? first), count: (oldClass?.count ?? 0) + 1 });
        if (oldClass !== undefined) continue;
        const text = await report(sequence, name, result);
        classes.set(name, { ...(classes.get(name) ?? first), report: text });
      }
      options.onProgress?.(operations, classes.size);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  return { operations, sequences, classes: [...classes.values()], accepted };
};
