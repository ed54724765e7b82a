import { Child } from './child.ts';
import { FAIRNESS_FORMS, type FairnessOrder, type StallTarget } from './fairness-protocol.ts';
import { type Benchmark, type Figure, figureOf } from './figure.ts';

/** Longest wait of any request, under any load of other clients. */
const MOST_STALL_MS = 50;
const ROUNDS = 3;

type Client = Child<FairnessOrder, number>;

const longestWait = async (reader: Client, asker: Client, form: string): Promise<number> => {
  await reader.ask({ task: 'read' });
  await asker.ask({ form });
  return reader.ask({ task: 'stop' });
};

const measure = async (reader: Client, asker: Client, form: string): Promise<Figure> => {
  const ours: number[] = [];
  await longestWait(reader, asker, form);
  for (let round = 0; round < ROUNDS; round++) ours.push(await longestWait(reader, asker, form));
  const about = {
    what: `longest wait beside ${form}`,
    unit: 'ms',
    better: 'less',
    peer: 'floor',
    goal: 1,
  } as const;
  return figureOf(about, { ours, theirs: ours.map(() => MOST_STALL_MS) });
};

/** Longest wait of a client that reads single objects while another one asks for much. */
export const fairnessBenchmark: Benchmark = {
  name: 'fairness',
  run: async () => {
    using server = new Child<never, StallTarget>('./fairness-server.ts');
    const { url } = await server.answer();
    using reader: Client = new Child('./fairness-load.ts', url);
    using asker: Client = new Child('./fairness-load.ts', url);
    const figures: Figure[] = [];
    for (const form of Object.keys(FAIRNESS_FORMS)) {
      figures.push(await measure(reader, asker, form));
    }
    return figures;
  },
};
