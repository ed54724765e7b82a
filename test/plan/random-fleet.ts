import fc from 'fast-check';

/** A cluster of a random fleet. */
export interface RandomCluster {
  readonly cpu: number;
  readonly tier: 'gold' | 'silver';
  readonly region: string;
  readonly isTainted: boolean;
}

/** Placement of a random policy. */
export interface RandomPlacement {
  readonly division: 'Duplicated' | 'Aggregated' | 'Dynamic' | 'Weighted';
  readonly affinity: 'none' | 'gold' | 'first-two' | 'terms' | 'west' | 'misspelt';
  readonly spread: 'none' | 'two-clusters' | 'two-regions';
  readonly tolerates: 'nothing' | 'taint' | 'lost-for-a-while';
}

export interface RandomWork {
  readonly replicas: number;
  /** In thousandths of a processor. */
  readonly cpu: number;
  readonly policy: number;
  readonly queue: 'none' | 'small' | 'large' | 'closed' | 'lagre';
  readonly claim: 'none' | 'bound' | 'unbound' | 'misspelt';
}

export interface RandomFleet {
  readonly clusters: readonly RandomCluster[];
  readonly policies: readonly RandomPlacement[];
  readonly work: readonly RandomWork[];
}

/** Something that happens to a fleet. Numbers choose among what there is. */
export type RandomChange =
  | { readonly kind: 'lose' | 'drain'; readonly at: number }
  | { readonly kind: 'work'; readonly work: RandomWork }
  | { readonly kind: 'scale'; readonly at: number; readonly replicas: number }
  | { readonly kind: 'policy'; readonly at: number; readonly placement: RandomPlacement }
  | { readonly kind: 'join'; readonly cluster: RandomCluster }
  | { readonly kind: 'cluster'; readonly at: number; readonly cluster: RandomCluster }
  | { readonly kind: 'data'; readonly at: number }
  | { readonly kind: 'queue'; readonly cpu: number }
  | { readonly kind: 'trigger' };

const cluster = fc.record<RandomCluster>({
  cpu: fc.integer({ min: 1, max: 12 }),
  tier: fc.constantFrom('gold', 'silver'),
  region: fc.constantFrom('east', 'west'),
  isTainted: fc.boolean(),
});

const placement = fc.record<RandomPlacement>({
  division: fc.constantFrom('Duplicated', 'Aggregated', 'Dynamic', 'Weighted'),
  affinity: fc.constantFrom(
    'none',
    'none',
    'none',
    'gold',
    'first-two',
    'terms',
    'west',
    'misspelt',
  ),
  spread: fc.constantFrom('none', 'none', 'two-clusters', 'two-regions'),
  tolerates: fc.constantFrom('nothing', 'taint', 'lost-for-a-while'),
});

const work = fc.record<RandomWork>({
  replicas: fc.integer({ min: 1, max: 8 }),
  cpu: fc.constantFrom(250, 500, 1000, 2000),
  policy: fc.nat({ max: 2 }),
  queue: fc.constantFrom('none', 'none', 'none', 'none', 'small', 'large', 'closed', 'lagre'),
  claim: fc.constantFrom('none', 'none', 'none', 'none', 'bound', 'unbound', 'misspelt'),
});

const at = fc.nat({ max: 9 });

export const randomFleet = fc.record<RandomFleet>({
  clusters: fc.array(cluster, { minLength: 1, maxLength: 5 }),
  policies: fc.array(placement, { minLength: 1, maxLength: 3 }),
  work: fc.array(work, { minLength: 1, maxLength: 6 }),
});

export const randomChange = fc.oneof<fc.Arbitrary<RandomChange>[]>(
  fc.record({ kind: fc.constantFrom('lose' as const, 'drain' as const), at }),
  fc.record({ kind: fc.constant('work' as const), work }),
  fc.record({ kind: fc.constant('scale' as const), at, replicas: fc.integer({ min: 0, max: 12 }) }),
  fc.record({ kind: fc.constant('policy' as const), at, placement }),
  fc.record({ kind: fc.constant('join' as const), cluster }),
  fc.record({ kind: fc.constant('cluster' as const), at, cluster }),
  fc.record({ kind: fc.constant('data' as const), at }),
  fc.record({ kind: fc.constant('queue' as const), cpu: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant('trigger' as const) }),
);
