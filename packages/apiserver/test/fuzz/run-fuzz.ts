import { chanceOf } from './chance.ts';
import { describeRequest, makeRequest, type WireRequest } from './make-request.ts';
import type { WireAnswer } from './parse-answers.ts';
import { FOREIGN_CANARY, type PlantedWorld } from './planted-world.ts';
import { speakHttp1, speakHttp2 } from './speak.ts';

export interface Findings {
  readonly requests: number;
  /** How often there was which code. */
  readonly codes: ReadonlyMap<number, number>;
  /** Answers that tell of a fault of the server, each with its request. */
  readonly failures: readonly string[];
  /** Answers that show what the client may not see. */
  readonly leaks: readonly string[];
}

const MOST_ON_ONE_CONNECTION = 10;
const CONNECTIONS = 8;

/** Sends as many requests as asked, made from the seeds that follow the first. */
export const runFuzz = async (
  { place, token }: PlantedWorld,
  firstSeed: number,
  count: number,
): Promise<Findings> => {
  const codes = new Map<number, number>();
  const failures: string[] = [];
  const leaks: string[] = [];
  let next = firstSeed;
  let requests = 0;
  const judge = (sent: readonly WireRequest[], answers: readonly WireAnswer[]): void => {
    for (const [at, { code, text }] of answers.entries()) {
      codes.set(code, (codes.get(code) ?? 0) + 1);
      const request = sent[at];
      const about = request === undefined ? 'nothing that was sent' : describeRequest(request);
      if (code === 500) failures.push(`${text.slice(-600)}\n  ${about}`);
      const [canary] = FOREIGN_CANARY.exec(text) ?? [];
      if (canary !== undefined) leaks.push(`${canary}\n  ${about}`);
    }
  };
  const converse = async (): Promise<void> => {
    while (next < firstSeed + count) {
      const chance = chanceOf(-next);
      const version = chance.happens(0.25) ? 2 : 1;
      const size = Math.min(1 + chance.below(MOST_ON_ONE_CONNECTION), firstSeed + count - next);
      const sent = Array.from({ length: size }, (_, at) =>
        makeRequest(next + at, { token, version }),
      );
      next += size;
      requests += size;
      const speak = version === 1 ? speakHttp1 : speakHttp2;
      judge(sent, await speak(place, sent));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, converse));
  return { requests, codes, failures, leaks };
};
