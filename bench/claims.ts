import { Child } from './child.ts';
import type { ClaimsOrder, ClaimsResult } from './claims-protocol.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';

const ORDER: ClaimsOrder = { clusters: 100, sources: 1_000, claims: 10_000 };

/** Ten claims of a source, and their work: the status of the source, and the bindings. */
const CLAIMS_OF_SOURCE = ORDER.claims / ORDER.sources;

/** For quiet cores. */
const FLOOR = {
  boundPerSecond: 1_000,
  writesOfMove: 1 + CLAIMS_OF_SOURCE,
  writesOfJoin: 1,
  joinMs: 500,
};

/** A decision with a claim may cost so many times one without. */
const MOST_COST = 1.2;

const besideFloor = (
  about: Pick<Figure, 'what' | 'unit' | 'better'>,
  ours: number,
  floor: number,
): Figure => figureOf({ ...about, peer: 'floor', goal: 1 }, { ours: [ours], theirs: [floor] });

/** Time until claims have their data, and number of writes when data moves or a cluster joins. */
export const claimsBenchmark: Benchmark = {
  name: 'claims',
  run: async () => {
    using child = new Child<ClaimsOrder, ClaimsResult>('./claims-run.ts');
    const result = await child.ask(ORDER);
    return [
      besideFloor(
        { what: 'bound, 10,000 claims, 1,000 sources', unit: 'claims/s', better: 'more' },
        result.boundPerSecond,
        FLOOR.boundPerSecond,
      ),
      besideFloor(
        { what: 'one source moves', unit: 'writes', better: 'less' },
        result.writesOfMove,
        FLOOR.writesOfMove,
      ),
      besideFloor(
        // None at all would be no ratio.
        { what: 'one cluster joins', unit: 'writes + 1', better: 'less' },
        result.writesOfJoin + 1,
        FLOOR.writesOfJoin,
      ),
      besideFloor(
        { what: 'one cluster joins', unit: 'ms CPU', better: 'less' },
        result.joinMs,
        FLOOR.joinMs,
      ),
      figureOf(
        {
          what: 'decision with a claim, 100 clusters',
          unit: 'decisions/s',
          better: 'more',
          peer: 'no claim',
          goal: 1 / MOST_COST,
        },
        { ours: result.claimedDecisions, theirs: result.plainDecisions },
      ),
    ];
  },
};
