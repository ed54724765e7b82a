import type { SuggestionReason } from '@perigee/api/reasons/suggestion-reasons';
import { nodesTake } from '../plan/nodes-take.ts';
import { stateAfter } from '../plan/plan.ts';
import type { World } from '../plan/world.ts';
import { candidatesFor } from './candidates-for.ts';
import type { Obstacle } from './obstacle.ts';
import { type StuckWork, type Subject, stuckWork } from './stuck-work.ts';
import type { Candidate, Suggestion } from './suggestion.ts';

export interface SuggestOptions {
  /** The maximum number of suggestions. */
  readonly most?: number;
  /** The maximum number of trials: each plays a plan. */
  readonly tries?: number;
  /** The obstacles of placed work, which decisions do not know. */
  readonly obstacles?: readonly Obstacle[];
}

interface Helpful {
  readonly changes: readonly Candidate[];
  readonly cost: number;
  readonly suggestion: Suggestion;
}

/** Limits of combinations: the number of failed changes to go on from, and of second and third ones for each. */
const MOST_FIRST = 8;
const MOST_SECOND = 10;
const MOST_THIRD = 4;

/** Extra cost of a second change: a pair ranks behind any single change of the same kind. */
const SECOND_COST = 3;

const costOf = (changes: readonly Candidate[]): number =>
  changes.reduce((sum, one) => sum + one.cost, 0) + SECOND_COST * (changes.length - 1);

const summaryOf = ({ change: _, cost: __, ...suggestion }: Candidate) => suggestion;

/** Tries changes, and counts the trials. */
class Search {
  readonly #world: World;
  readonly #subject: Subject;
  readonly #tries: number;
  readonly #obstacles: readonly Obstacle[];
  readonly results: Helpful[] = [];
  #trials = 0;

  constructor(world: World, subject: Subject, tries: number, obstacles: readonly Obstacle[]) {
    this.#world = world;
    this.#subject = subject;
    this.#tries = tries;
    this.#obstacles = obstacles;
  }

  get isOver(): boolean {
    return this.#trials >= this.#tries;
  }

  /** The stuck work after the changes; undefined if it runs then, or the changes cannot be tried. */
  try(changes: readonly Candidate[]): StuckWork | undefined {
    this.#trials += 1;
    // Users apply suggestions one by one, and controllers act in between.
    const [first = [], ...later] = changes.map(({ change }) => [change]);
    const state = stateAfter(this.#world, [{ kind: 'look' }, ...first], ...later);
    const stuck = stuckWork(state, this.#subject, this.#obstacles);
    if (stuck !== undefined || changes.length === 0) return stuck;
    const binding = [...state.bindings.values()].find(
      ({ spec: { resource } }) =>
        resource.kind === this.#subject.kind &&
        resource.name === this.#subject.name &&
        resource.namespace === this.#subject.namespace,
    );
    if (binding === undefined || !nodesTake(state, binding)) return undefined;
    const to = (binding.spec.clusters ?? []).map(({ name, replicas }) =>
      replicas === undefined ? { name } : { name, replicas },
    );
    this.results.push({
      changes,
      cost: costOf(changes),
      suggestion: { changes: changes.map(summaryOf), to },
    });
    return undefined;
  }
}

/** Changes of various sizes: of several, the smallest is enough. */
const STEPS: ReadonlySet<SuggestionReason> = new Set<SuggestionReason>([
  'FewerReplicas',
  'SmallerRequests',
  'LowerMinGroups',
  'RaiseMaxGroups',
]);

/** One suggestion of each kind first: they help more than three that differ by a name. */
const diversify = (results: readonly Helpful[], most: number): readonly Suggestion[] => {
  const byCost = results.toSorted((a, b) => a.cost - b.cost);
  const kinds = new Set<string>();
  const first = byCost.filter(({ changes }) => {
    const kind = changes.map(({ reason }) => reason).join();
    return !kinds.has(kind) && kinds.add(kind);
  });
  const rest = byCost.filter(
    (one) => !first.includes(one) && !one.changes.some(({ reason }) => STEPS.has(reason)),
  );
  return [...first, ...rest].slice(0, most).map(({ suggestion }) => suggestion);
};

/** Changes that were tried and do not help yet, and the candidates that were known before the last of them. */
interface Vain {
  readonly changes: readonly Candidate[];
  readonly stuck: StuckWork;
  readonly knownTexts: ReadonlySet<string>;
}

const textsOf = (candidates: readonly Candidate[]): readonly string[] =>
  candidates.map(({ text }) => text);

/** Tries pairs. Returns those whose second change brought the work a step further, and not to its end. */
const tryPairs = (
  search: Search,
  singles: readonly Candidate[],
  vain: readonly (readonly [Candidate, StuckWork])[],
): readonly Vain[] => {
  const singleTexts = new Set(textsOf(singles));
  const vainPairs: Vain[] = [];
  // The same two changes in the other order are no other suggestion.
  const triedPairs = new Set<string>();
  for (const [first, stillStuck] of vain.slice(0, MOST_FIRST)) {
    // Candidates that appear only now are likely to be the missing half.
    const second = candidatesFor(stillStuck)
      .filter(({ text }) => text !== first.text)
      .toSorted(
        (a, b) =>
          Number(singleTexts.has(a.text)) - Number(singleTexts.has(b.text)) || a.cost - b.cost,
      );
    const knownTexts = new Set([...singleTexts, ...textsOf(second)]);
    for (const candidate of second.slice(0, MOST_SECOND)) {
      if (search.isOver) return vainPairs;
      const pair = [first.text, candidate.text].toSorted().join('\n');
      if (triedPairs.has(pair)) continue;
      triedPairs.add(pair);
      const stuck = search.try([first, candidate]);
      if (stuck !== undefined && !singleTexts.has(candidate.text)) {
        vainPairs.push({ changes: [first, candidate], stuck, knownTexts });
      }
    }
  }
  return vainPairs;
};

/** Tries third changes: only those that appear after two, for a third fault that these two have uncovered. */
const tryThirds = (search: Search, vainPairs: readonly Vain[]): void => {
  const byCost = vainPairs.toSorted((a, b) => costOf(a.changes) - costOf(b.changes));
  for (const { changes, stuck, knownTexts } of byCost.slice(0, MOST_FIRST)) {
    const third = candidatesFor(stuck).filter(({ text }) => !knownTexts.has(text));
    for (const candidate of third.slice(0, MOST_THIRD)) {
      if (search.isOver) return;
      search.try([...changes, candidate]);
    }
  }
};

/**
 * The smallest changes that would make work run, each tried in a plan: single ones first, pairs if none helps, and
 * three if one fault after the other comes to light.
 * Empty if the work runs, or if no known change helps.
 */
export const suggest = (
  world: World,
  subject: Subject,
  { most = 3, tries = 150, obstacles = [] }: SuggestOptions = {},
): readonly Suggestion[] => {
  const search = new Search(world, subject, tries, obstacles);
  const stuck = search.try([]);
  if (stuck === undefined) return [];
  // Obstacles that cannot be reproduced here cannot be seen to vanish either.
  if (obstacles.length > (stuck.obstacles ?? obstacles).length) return [];
  const singles = candidatesFor(stuck);
  const vain: (readonly [Candidate, StuckWork])[] = [];
  for (const candidate of singles) {
    if (search.isOver) break;
    const stillStuck = search.try([candidate]);
    if (stillStuck !== undefined) vain.push([candidate, stillStuck]);
  }
  if (search.results.length > 0) return diversify(search.results, most);
  const vainPairs = tryPairs(search, singles, vain);
  if (search.results.length === 0) tryThirds(search, vainPairs);
  return diversify(search.results, most);
};
